"""October 2025 played twice: check-then-write breaks, this system holds, a weaker one would not."""

import json
import os
import re
import subprocess
from collections.abc import Callable
from typing import Any

import pytest

from enactor.rules import packing
from enactor.rules.packing import Change, ChangeBatch
from sandbox.incident.careless.enactor import Landed, NotNewest
from sandbox.incident.careless.plans import CarelessPlan, Place
from sandbox.incident.check_then_write import open_cast, play_check_then_write
from sandbox.incident.checkers import Breach
from sandbox.incident.command import IncidentOptions, folded, tell_incident
from sandbox.incident.fenced import play_fenced
from sandbox.incident.house import House, open_house
from sandbox.incident.story import ENACTOR_A, ENACTOR_B, NAME, Narrator, Step, StoryClock
from sandbox.run.output import CLOSED_PIPE
from tests.integration.sandbox_process import BIN, run_to_end
from tests.integration.terminal import on_a_terminal

OUTAGE = ["P1", "P2", "P5", "P10"]
LINE = re.compile(r"\d\d:\d\d:\d\dZ  .+")
ESCAPE = "\x1b["


async def played(play: Callable[[House, Narrator], Any]) -> tuple[tuple[Breach, ...], list[Step]]:
    """What broke in a play, and its steps."""
    narrator = Narrator(StoryClock(), lambda _step: None)
    async with open_house() as house:
        return await play(house, narrator), narrator.steps


def steps(trace: list[Step], fact: str) -> list[Any]:
    """A fact of every step that states it."""
    return [step.facts[fact] for step in trace if fact in step.facts]


def test_the_command_says_which_promises_broke_and_ends_well() -> None:
    """Exit code 0 means that check-then-write broke and this system held."""
    done = run_to_end("incident", "--json")
    assert (done.returncode, done.stderr) == (0, "")
    shown = json.loads(done.stdout)
    assert {name: play["broken"] for name, play in shown.items()} == {
        "check_then_write": OUTAGE,
        "fenced": [],
    }
    for play in shown.values():
        assert len(play["trace"]) > 20
        assert {key for step in play["trace"] for key in step} == {
            "at",
            "who",
            "what",
            "tone",
            "facts",
        }


def test_a_pipe_gets_one_plain_line_a_step(capsys: pytest.CaptureFixture[str]) -> None:
    """Clock, actor and event, without colours; the verdict is the last line."""
    assert tell_incident(IncidentOptions(json=False, plain=False), {}) == 0
    shown = capsys.readouterr().out
    assert ESCAPE not in shown
    lines = [line for line in shown.splitlines() if line]
    titles = [n for n, line in enumerate(lines) if not LINE.fullmatch(line)]
    assert (len(titles), titles[0], titles[-1]) == (3, 0, len(lines) - 1)
    assert lines[-1] == "check-then-write broke P1, P2, P5, P10; this system broke nothing"


def test_a_terminal_gets_colours_unless_it_asks_for_none() -> None:
    """Colours are for eyes; --plain takes them away."""
    coloured, code = on_a_terminal("dns-sandbox", "incident")
    plain, plain_code = on_a_terminal("dns-sandbox", "incident", "--plain")
    assert (code, plain_code) == (0, 0)
    assert ESCAPE in coloured
    assert ESCAPE not in plain


@pytest.mark.parametrize("width", [40, 80])
def test_a_step_is_broken_between_words(width: int) -> None:
    """No line is wider than the terminal, no word is cut, the clock stands alone at the left."""
    what = "names [_dnsplan.us-east-1.example.com., dynamodb.us-east-1] again"
    line = f"06:41:00Z  {ENACTOR_A:<16}  is fenced: it expected 1 1/1, the zone is at 5; {what}"
    parts = folded(line, width).splitlines()
    assert max(map(len, parts)) <= width
    assert " ".join(" ".join(parts).split()) == " ".join(line.split())
    assert all(one.startswith("  ") for one in parts[1:])


def test_a_reader_that_goes_away_ends_it_quietly() -> None:
    """`dns-sandbox incident | head -2`: two lines, nothing on standard error, a shell's code."""
    process = subprocess.Popen(
        [BIN / "dns-sandbox", "incident"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stderr is not None
    lines = [process.stdout.readline() for _ in range(2)]
    process.stdout.close()
    said = process.stderr.read()
    process.stderr.close()
    assert process.wait(timeout=60) == CLOSED_PIPE
    assert (len(lines[0]) > 1, said) == (True, "")


def test_settings_of_this_machines_aws_are_not_looked_at(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A profile, an endpoint or a proxy of the person who runs it reaches no player."""
    environ = {
        "AWS_PROFILE": "production",
        "AWS_ENDPOINT_URL_ROUTE53": "http://127.0.0.1:1",
        "HTTP_PROXY": "http://127.0.0.1:1",
        "PATH": "kept",
    }
    for name, value in environ.items():
        monkeypatch.setenv(name, value)
    assert tell_incident(IncidentOptions(json=True, plain=False), os.environ) == 0
    assert json.loads(capsys.readouterr().out)["fenced"]["broken"] == []
    assert os.environ["PATH"] == "kept"
    assert [name for name in environ if name in os.environ] == ["PATH"]


async def test_check_then_write_ends_empty_and_cannot_recover() -> None:
    """NOERROR with nothing in it; every later batch is refused in Route 53's own words."""
    broken, trace = await played(play_check_then_write)
    assert [one.promise for one in broken] == OUTAGE
    assert list(zip(steps(trace, "rcode"), steps(trace, "answers"), strict=True)) == [
        ("NOERROR", ("192.0.2.11", "192.0.2.12")),
        ("NOERROR", ("192.0.2.21", "192.0.2.22")),
        ("NOERROR", ()),
        ("NOERROR", ()),
    ]
    errors = steps(trace, "error")
    assert len(errors) == 6  # three newer plans, each by both enactors
    for error in errors:
        assert re.fullmatch(
            r"\[Tried to create an alias that targets plan-2\.dynamodb\.us-east-1\.example\.com\.,"
            r" type A in zone \w+, but that target was not found\]",
            error,
        )


async def test_the_careless_check_does_what_it_can() -> None:
    """Without a delay it refuses an older plan; it is no straw man."""
    async with open_house() as house:
        place = Place(house.zone_id, NAME)
        async with open_cast(house, place) as cast:
            newer, older = (CarelessPlan(n, n, (f"192.0.2.{n}",)) for n in (2, 1))
            assert await cast.enactors[ENACTOR_B].apply(newer) == Landed()
            assert await cast.enactors[ENACTOR_A].apply(older) == NotNewest()
            assert await cast.enactors[ENACTOR_A].current() == place.plan_name(2)


async def test_this_system_holds_under_the_same_delay() -> None:
    """The late batch is refused for its fence alone; cleanup deletes around what is live."""
    broken, trace = await played(play_fenced)
    assert broken == ()
    (error,) = steps(trace, "error")
    refused = re.findall(r"name='([^']+)'", error)
    assert set(refused) == {"_dnsplan.us-east-1.example.com."}
    assert (steps(trace, "expected"), steps(trace, "found")) == (
        ["1 1/1 by use1-az1"],
        ["5 1/1 by use1-az2"],
    )
    assert steps(trace, "deleted") == [[1, 2]]
    (kept,) = steps(trace, "kept")
    assert "live" in kept[5]
    assert steps(trace, "answers")[-1] == ("192.0.2.81", "192.0.2.82")


def test_without_exact_deletes_the_command_sees_this_system_break(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Where Route 53 takes a DELETE of what is gone, the old plan comes back: exit code 1."""
    monkeypatch.setattr("sandbox.route53.rules.same", lambda *_: True)
    assert tell_incident(IncidentOptions(json=True, plain=False), {}) == 1
    assert "P1" in json.loads(capsys.readouterr().out)["fenced"]["broken"]


async def test_without_the_fence_pair_the_play_sees_this_system_break(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A fence that is only written, and not swapped, lets the old plan come back."""

    def unfenced(*args: Any, **kwargs: Any) -> ChangeBatch:
        batch = packing.build(*args, **kwargs)
        swapped = [one.record_set.name for one in batch.changes[:2]]
        new = batch.changes[1] if swapped[0] == swapped[1] else batch.changes[0]
        rest = [one for one in batch.changes if one.record_set.name != new.record_set.name]
        overwrite = Change("UPSERT", new.record_set)  # type: ignore[arg-type]  # wrong on purpose
        return ChangeBatch(batch.fence, (overwrite, *rest))

    monkeypatch.setattr("enactor.sending.build", unfenced)
    broken, _ = await played(play_fenced)
    assert "P1" in {one.promise for one in broken}
