"""What a run shows: plain lines, JSON lines and the picture, from the same stage."""

from collections import deque
from io import StringIO
from pathlib import Path

import msgspec
import pytest
from msgspec import structs
from rich.console import Console

from dnsplan.runtime.config import load
from dnsplan.runtime.status.model import (
    EnactorStatus,
    FenceStatus,
    NameStatus,
    Report,
    Status,
    ZoneStatus,
)
from dnsplan.runtime.status.verdict import judge_report
from sandbox.run.child import Child, Command
from sandbox.run.events import Event
from sandbox.run.hosts import BackendAddress
from sandbox.run.screens import ZONE_LINES_MAX, JsonScreen, PlainScreen
from sandbox.run.stage import Addresses, Stage
from sandbox.run.view import EVENTS_MAX, ZONES_MAX, picture
from tests.fakes.clock import FakeClock

AZS = ("use1-az1", "use1-az2", "use1-az3")


def zone(label: str, *, applied: int = 3) -> ZoneStatus:
    """A zone at head 3."""
    return ZoneStatus(
        label=label,
        zone=f"{label}.test.",
        zone_id="Z1",
        head=3,
        applied=applied,
        last_known_good=applied,
        floor=0,
        frozen=None,
        pin=None,
        ahead=None,
        fence=FenceStatus(
            generation=applied,
            step=1,
            steps=1,
            base=0,
            held=0,
            owner="o",
            writer="use1-az2",
            nonce="n",
            digest="d",
        ),
        names=(NameStatus(name=f"{label}.test.", type="A", answers=2, targets=3, healthy=2),),
        enactors=tuple(
            EnactorStatus(az=az, generation=applied, age_s=1, holding=None) for az in AZS
        ),
    )


def stage(folder: Path, *labels: str) -> Stage:
    """A stage with zones of these labels in its config and no report yet."""
    text = "".join(
        f"  {label}: {{name: {label}.test, names: {{'@': {{pool: web}}}}}}\n" for label in labels
    )
    pools = "pools: {web: {targets: [{id: a, address: 127.0.0.9}]}}\n"
    path = folder / "dns.yaml"
    path.write_text(f"azs: [{', '.join(AZS)}]\nzones:\n{text}{pools}")
    addresses = Addresses(
        endpoint_url="http://127.0.0.1:4566",
        dns="127.0.0.1:5300",
        dns_private="127.0.0.1:5301",
        backends="http://127.0.0.1:18079",
        environment="/tmp/x/environment",
    )
    servers = (BackendAddress("web-a", "127.0.0.9", 80), BackendAddress("web-b", "127.0.0.10", 80))
    return Stage(load(path, {}).settings, addresses, started_s=0.0, backends=servers)


def shown(one: Stage, *zones: ZoneStatus) -> Stage:
    """The stage with a report of these zones."""
    one.report = Report(Status(zones), ())
    one.verdicts = judge_report(one.report, azs=AZS)
    return one


def drawn(one: Stage, width: int = 120, height: int = 50) -> str:
    """The picture as text."""
    paper = StringIO()
    console = Console(file=paper, width=width, height=height, color_system=None)
    console.print(picture(one, height=height))
    return paper.getvalue()


def test_the_first_lines_say_where_everything_is_and_what_to_try(tmp_path: Path) -> None:
    """Each command can be copied as it stands."""
    lines: list[str] = []
    PlainScreen(lines.append, FakeClock()).opened(stage(tmp_path, "shop"))
    text = "\n".join(lines)
    assert "dig @127.0.0.1 -p 5300 shop.test A" in text
    assert "curl -X POST http://127.0.0.1:18079/stop/web-b" in text
    assert "http://127.0.0.1:4566" in text
    assert "source /tmp/x/environment    then: dns-runbook status" in text


def test_a_config_of_private_zones_is_asked_at_the_private_view(tmp_path: Path) -> None:
    """The public view would refuse the name."""
    one = stage(tmp_path, "shop")
    path = tmp_path / "dns.yaml"
    path.write_text(path.read_text().replace("name: shop.test", "private: true, name: shop.test"))
    one.settings = load(path, {}).settings
    lines: list[str] = []
    PlainScreen(lines.append, FakeClock()).opened(one)
    assert "dig @127.0.0.1 -p 5301 shop.test A" in "\n".join(lines)


def test_a_zones_standing_is_a_line_only_when_it_changes(tmp_path: Path) -> None:
    """A screen that refreshes every second does not fill a log."""
    lines: list[str] = []
    screen = PlainScreen(lines.append, FakeClock())
    one = stage(tmp_path, "shop")
    for applied in (2, 2, 3, 3):
        screen.refreshed(shown(one, zone("shop", applied=applied)))
    assert len(lines) == 2
    assert "generation 2 is applied, 3 should be" in lines[0]
    assert "in sync head=3 applied=3 fence=3:1/1" in lines[1]


def test_an_age_that_grows_is_no_news(tmp_path: Path) -> None:
    """A daemon that is away is said once, not at each second of its absence."""
    lines: list[str] = []
    screen = PlainScreen(lines.append, FakeClock())
    one = stage(tmp_path, "shop")
    for age_s in (71, 72, 73):
        seen = tuple(
            EnactorStatus(az=az, generation=3, age_s=age_s, holding=None) for az in AZS[:1]
        )
        screen.refreshed(shown(one, structs.replace(zone("shop"), enactors=seen)))
    assert len(lines) == 1
    assert "last seen 71 s ago" in lines[0]


def test_many_zones_are_one_line(tmp_path: Path) -> None:
    """The count stands for them."""
    labels = [f"z{number}" for number in range(ZONE_LINES_MAX + 1)]
    one = stage(tmp_path, *labels)
    lines: list[str] = []
    zones = [zone(label, applied=2 if label == "z0" else 3) for label in labels]
    PlainScreen(lines.append, FakeClock()).refreshed(shown(one, *zones))
    assert len(lines) == 1
    assert "12 of 13 zones in sync" in lines[0]


def test_json_lines_are_objects_with_all_addresses_first(tmp_path: Path) -> None:
    """A script needs no other source for where to ask."""
    lines: list[str] = []
    screen = JsonScreen(lines.append)
    one = shown(stage(tmp_path, "shop"), zone("shop"))
    screen.opened(one)
    screen.happened(one, Event(1.0, "planner", "info", "plan_published", (("zone", "shop"),)))
    screen.happened(one, Event(2.0, "sandbox", "info", "converged", ()))
    first, second, third = (msgspec.json.decode(line) for line in lines)
    expected = {
        "event": "ready",
        "endpoint_url": "http://127.0.0.1:4566",
        "dns": "127.0.0.1:5300",
        "dns_private": "127.0.0.1:5301",
        "backends": "http://127.0.0.1:18079",
        "environment": "/tmp/x/environment",
    }
    assert expected == first
    assert (second["event"], second["facts"]["zone"]) == ("plan_published", "shop")
    assert third["status"]["zones"][0]["label"] == "shop"


def test_a_fact_cannot_hide_who_said_what(tmp_path: Path) -> None:
    """A daemon's field of the same name does not replace the line's own."""
    lines: list[str] = []
    facts = (("who", "x"), ("event", "x"), ("level", "x"))
    JsonScreen(lines.append).happened(
        stage(tmp_path, "shop"), Event(1.0, "planner", "info", "kept", facts)
    )
    found = msgspec.json.decode(lines[0])
    assert (found["who"], found["event"], found["level"]) == ("planner", "kept", "info")


def test_the_picture_shows_zones_names_processes_and_events(tmp_path: Path) -> None:
    """All that a person watches is on one screen."""
    one = shown(stage(tmp_path, "shop"), zone("shop"))
    command = Command("enactor-use1-az1", "x:y", (), {})
    one.children.append(Child(command, FakeClock(), one.events.append, pid=4242))
    one.events.append(Event(0.0, "planner", "warning", "plan_withheld", (("name", "api"),)))
    one.answers[("shop", "shop.test.", "A")] = ("192.0.2.1", "192.0.2.2")
    text = drawn(one)
    for needle in (
        "dig @127.0.0.1 -p 5300",
        "3:1/1",
        "in sync",
        "192.0.2.1, 192.0.2.2",
        "4242",
        "plan_withheld name=api",
        "1 of 1 zone in sync",
    ):
        assert needle in text


def test_before_the_first_report_the_picture_says_so(tmp_path: Path) -> None:
    """Nothing is shown as empty or fine that was not read."""
    text = drawn(stage(tmp_path, "shop"))
    assert "starting" in text
    assert "in sync" not in text


def test_the_picture_is_bounded_and_counts_what_it_leaves_out(tmp_path: Path) -> None:
    """With two hundred zones those that need an eye come first."""
    labels = [f"z{number}" for number in range(200)]
    one = stage(tmp_path, *labels)
    shown(one, *(zone(label, applied=2 if label == "z150" else 3) for label in labels))
    for number in range(100):
        one.events.append(Event(0.0, "planner", "info", f"event_{number}"))
    text = drawn(one)
    assert "z150" in text
    assert f"and {200 - ZONES_MAX} more zones" in text
    assert 0 < text.count("event_") <= EVENTS_MAX
    assert "event_99" in text


@pytest.mark.parametrize("height", [24, 30, 50, 100])
def test_the_picture_is_no_higher_than_the_screen(tmp_path: Path, height: int) -> None:
    """What matters most is not scrolled away: the newest event and the zone that needs an eye."""
    labels = [f"z{number}" for number in range(40)]
    one = stage(tmp_path, *labels)
    shown(one, *(zone(label, applied=2 if label == "z30" else 3) for label in labels))
    command = Command("enactor-use1-az1", "x:y", (), {})
    one.children += [Child(command, FakeClock(), one.events.append, pid=n) for n in range(6)]
    one.events.extend(Event(0.0, "p", "info", f"event_{number}") for number in range(100))
    text = drawn(one, width=120, height=height)
    assert len(text.splitlines()) <= height
    assert "z30" in text
    assert "event_99" in text


@pytest.mark.parametrize("width", [40, 80, 200])
def test_the_picture_fits_any_terminal(tmp_path: Path, width: int) -> None:
    """Lines are folded or cut, never wider than the screen."""
    one = shown(stage(tmp_path, "shop"), zone("shop", applied=2))
    assert max(map(len, drawn(one, width=width).splitlines())) <= width


def test_events_kept_are_bounded(tmp_path: Path) -> None:
    """A sandbox may run for days."""
    one = stage(tmp_path, "shop")
    assert isinstance(one.events, deque)
    assert one.events.maxlen is not None
