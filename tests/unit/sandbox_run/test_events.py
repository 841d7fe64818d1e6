"""A process's lines become events that people can read; no line is lost or misread."""

import msgspec
import pytest

from sandbox.run.events import VALUE_CHARACTERS_MAX, Event, read_line


def test_a_json_log_line_becomes_its_event_and_facts() -> None:
    """Header fields are the event's own; the rest are facts, in the order they were logged."""
    line = (
        '{"event":"plan_published","level":"warning","timestamp":"2025-10-20T00:00:00Z",'
        '"zone":"shop","generation":7,"names":["a","b"]}'
    )
    expected = Event(
        5.0,
        "planner",
        "warning",
        "plan_published",
        (("zone", "shop"), ("generation", "7"), ("names", '["a","b"]')),
    )
    assert expected == read_line("planner", line, now_s=5.0)


@pytest.mark.parametrize(
    "line", ["Traceback (most recent call last):", "{not json", '{"level":"info"}', "{}"]
)
def test_what_is_no_log_event_is_shown_as_it_is(line: str) -> None:
    """The interpreter's and an operator's messages are not swallowed."""
    assert Event(5.0, "planner", "info", line) == read_line("planner", line + "\n", now_s=5.0)


def test_an_empty_line_is_no_event() -> None:
    """Blank lines carry nothing."""
    assert read_line("planner", " \n", now_s=5.0) is None


def test_an_event_keeps_long_facts_and_its_line_cuts_them() -> None:
    """A script gets all of it, a person one readable line; zero is a fact, absent is not."""
    digest = "0123456789abcdef" * 4
    line = msgspec.json.encode(
        {"event": "x", "none": None, "empty": "", "zero": 0, "long": "y" * 500, "digest": digest}
    ).decode()
    found = read_line("planner", line, now_s=0.0)
    assert found is not None
    expected = (("zero", "0"), ("long", "y" * 500), ("digest", digest))
    assert expected == found.facts
    assert "zero=0" in str(found)
    assert "digest=0123456789ab…" in str(found)
    assert len(str(found)) < VALUE_CHARACTERS_MAX + 80


def test_an_event_reads_as_one_line() -> None:
    """Time of day in UTC, who, what, facts; text with spaces in quotes."""
    found = read_line("cleanup", '{"event":"kept","why":"too young"}', now_s=3_661.0)
    assert str(found) == '01:01:01Z cleanup           kept why="too young"'


def test_others_words_draw_nothing() -> None:
    """Neither a fact's nor those of a line that is no event."""
    hostile = "x\x1b[31m\nfake\u202e"
    line = msgspec.json.encode({"event": "held", "text": hostile}).decode()
    for found in (read_line("planner", line, now_s=0.0), read_line("planner", "x\x1b[2J", now_s=0)):
        assert str(found).isprintable()


@pytest.mark.parametrize(
    ("level", "loud"), [("info", False), ("debug", False), ("warning", True), ("error", True)]
)
def test_warnings_and_errors_ask_for_an_eye(level: str, loud: bool) -> None:
    """They are drawn at once and in colour."""
    assert loud is Event(0.0, "x", level, "y").is_loud
