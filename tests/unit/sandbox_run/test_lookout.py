"""The sentinel's verdict as a sandbox shows it, read from the sentinel's own log."""

from pathlib import Path

import pytest

from sandbox.run.cast import sentinel_command, sentinel_page
from sandbox.run.events import Event, read_line
from sandbox.run.lookout import Lookout
from sandbox.run.stage import Addresses

WHERE = Addresses("http://127.0.0.1:1", "127.0.0.1:2", "127.0.0.1:3", None, "environment")


def said(what: str, who: str = "sentinel", **facts: str) -> Event:
    """Something that a process said."""
    return Event(0.0, who, "info", what, tuple(facts.items()))


def paged(change: str, name: str) -> Event:
    """A page about a name."""
    return said("page", id=f"empty-name/shop/{name}", change=change, title=f"{name} has no answers")


def verdicts(*events: Event) -> list[str]:
    """The verdict after each event."""
    lookout = Lookout()
    lines = []
    for event in events:
        lookout.hear(event)
        lines.append(lookout.verdict())
    return lines


def test_the_verdict_follows_the_sentinel() -> None:
    """Starting, watching, all well, paged, well again; one line each."""
    assert Lookout().verdict() == "sentinel: starting"
    assert verdicts(
        said("watching"),
        said("all_names_answer", names="5"),
        paged("page", "api"),
        paged("page", "www"),
        paged("recovery", "api"),
        paged("folded", "www"),
        said("all_names_answer", names="1"),
        said("all_names_answer", names="5"),
    ) == [
        "sentinel: watching",
        "sentinel: all 5 names answer",
        "sentinel: PAGE: api has no answers",
        "sentinel: PAGE: api has no answers and 1 more page",
        "sentinel: PAGE: www has no answers",
        "sentinel: watching",
        "sentinel: the one name answers",
        "sentinel: all 5 names answer",
    ]


def test_what_others_say_is_no_verdict() -> None:
    """Only the sentinel pages."""
    assert verdicts(said("page", who="planner", id="x", change="page", title="x")) == [
        "sentinel: starting"
    ]


def test_a_sentinel_that_starts_again_says_its_pages_anew() -> None:
    """What the former process had open is told by the new one's recovery, or not at all."""
    assert verdicts(said("watching"), paged("page", "api"), said("watching"))[-1] == (
        "sentinel: watching"
    )


def test_a_page_is_a_short_line_and_keeps_its_facts() -> None:
    """A person reads what happened to which name, a program all of it."""
    line = (
        '{"id": "empty-name/shop/api.", "change": "page", "title": "api. has no answers",'
        ' "last_good": {"A": {"values": ["192.0.2.1"]}}, "text": "PAGE: api.",'
        ' "run": ["dns-runbook status shop"], "event": "page", "level": "error"}'
    )
    event = read_line("sentinel", line, now_s=0.0)
    assert event is not None
    assert str(event) == (
        '00:00:00Z sentinel          page change=page title="api. has no answers"'
        ' run=["dns-runbook status shop"]'
    )
    assert dict(event.facts)["text"] == "PAGE: api."


def test_a_sandbox_pages_nobody_and_touches_no_state_of_this_machine() -> None:
    """Whatever receivers, folders and page the config names; private zones have a port of their
    own."""
    command = sentinel_command(
        Path("my.yaml"),
        WHERE,
        ["inside"],
        page="127.0.0.1:0",
        outer={"PATH": "/bin"},
        state_dir=Path("folder"),
    )
    assert command.arguments == (
        "dns-sentinel",
        "run",
        "--log-only",
        "--state-dir",
        "folder",
        "--http",
        "127.0.0.1:0",
        "--name-server",
        "127.0.0.1:2",
        "--name-server",
        "inside=127.0.0.1:3",
        "--config",
        "my.yaml",
    )


@pytest.mark.parametrize(
    ("asked_at", "page"),
    [
        (None, "127.0.0.1:0"),
        ("http://127.0.0.1:8055", "127.0.0.1:8055"),
        ("http://localhost:8055/", "127.0.0.1:8055"),
        ("http://[::1]:8055", "[::1]:8055"),
        ("http://sentinel.example:8055", "127.0.0.1:0"),
        ("http://127.0.0.1", "127.0.0.1:0"),
    ],
)
def test_a_sandbox_shows_the_sentinel_where_waves_ask_for_it(
    asked_at: str | None, page: str
) -> None:
    """If that is this machine; else a wave would wait for a page that nobody serves."""
    assert sentinel_page(asked_at) == page
