"""Logs: one JSON object a line in a pipe, readable on a terminal, from every library alike."""

import io
import json
import logging
from collections.abc import Iterator
from datetime import datetime, timedelta

import pytest
import structlog

from dnsplan.runtime import telemetry


@pytest.fixture(autouse=True)
def _as_before() -> Iterator[None]:
    """Leave the process's logging as it was."""
    root = logging.getLogger()
    handlers, level = list(root.handlers), root.level
    yield
    root.handlers[:] = handlers
    root.setLevel(level)
    structlog.contextvars.clear_contextvars()
    structlog.reset_defaults()


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        """Always."""
        return True


def logged(level: str | None = None) -> io.StringIO:
    """Set up logging into a pipe."""
    stream = io.StringIO()
    telemetry.configure(
        {} if level is None else {"DNSPLAN_LOG_LEVEL": level}, stream, az="use1-az1"
    )
    return stream


def lines(stream: io.StringIO) -> list[dict[str, object]]:
    """What was logged, as objects."""
    return [json.loads(line) for line in stream.getvalue().splitlines()]


def test_one_object_a_line() -> None:
    """Event, level, logger, time in UTC, the process's facts and the event's own."""
    stream = logged()
    structlog.get_logger("enactor").bind(zone="shop").info("applied", generation=7, note="a\nb")
    (line,) = lines(stream)
    at = datetime.fromisoformat(str(line.pop("timestamp")))
    assert at.utcoffset() == timedelta(0)
    assert line == {
        "event": "applied",
        "level": "info",
        "logger": "enactor",
        "az": "use1-az1",
        "zone": "shop",
        "generation": 7,
        "note": "a\nb",
    }


def test_errors_keep_one_line() -> None:
    """A traceback is part of the object, not lines of its own."""
    stream = logged()
    structlog.get_logger("enactor").error("program_broken", exc_info=ValueError("bug"))
    (line,) = lines(stream)
    assert "ValueError" in json.dumps(line["exception"])


def test_anything_can_be_logged() -> None:
    """A fact that JSON has no form for is written as text, not an error in the middle of work."""
    stream = logged()
    structlog.get_logger("x").info("odd", fact=object)
    assert "object" in str(lines(stream)[0]["fact"])


@pytest.mark.parametrize(
    ("level", "events"),
    [
        (None, ["i", "w"]),
        ("debug", ["d", "i", "w"]),
        ("WARNING", ["w"]),
        ("error", []),
    ],
)
def test_levels(level: str | None, events: list[str]) -> None:
    """DNSPLAN_LOG_LEVEL says from which level on; info is the default."""
    stream = logged(level)
    log = structlog.get_logger("x")
    log.debug("d")
    log.info("i")
    log.warning("w")
    assert [line["event"] for line in lines(stream)] == events


def test_an_unknown_level_is_said() -> None:
    """A level that is none is not silence: it is said, and info is used."""
    stream = logged("loud")
    structlog.get_logger("x").info("i")
    said, info = lines(stream)
    assert (said["event"], said["found"], said["used"]) == ("log_level_unknown", "loud", "info")
    assert info["event"] == "i"


def test_libraries_log_alike() -> None:
    """Warnings of libraries come as objects too, their chatter does not."""
    stream = logged()
    logging.getLogger("asyncio").warning("slow: %s", "x")
    logging.getLogger("botocore").info("chatter")
    (line,) = lines(stream)
    assert (line["event"], line["logger"], line["level"]) == ("slow: x", "asyncio", "warning")


def test_a_terminal_is_for_people() -> None:
    """On a terminal the same event is a readable line."""
    stream = Terminal()
    telemetry.configure({}, stream)
    structlog.get_logger("enactor").info("applied", generation=7)
    text = stream.getvalue()
    assert "applied" in text
    assert not text.startswith("{")


def test_setting_up_again_replaces() -> None:
    """A second set-up takes the place of the first."""
    first, second = logged(), logged()
    structlog.get_logger("x").info("i")
    assert (lines(first), len(lines(second))) == ([], 1)


def test_on_a_terminal_others_words_draw_nothing() -> None:
    """Neither as an event's fact nor inside a list of them."""
    stream, text = Terminal(), "x\x1b[41m\u202e"
    telemetry.configure({}, stream)
    structlog.get_logger("enactor").warning("held", text=text, notes=[text])
    assert "x\x1b" not in stream.getvalue()
    assert "\u202e" not in stream.getvalue()
    assert stream.getvalue().count(r"x\x1b[41m\u202e") == 2


class Full(io.StringIO):
    """A disk that is full while `fails` says so."""

    fails: type[Exception] | None = None

    def write(self, text: str) -> int:
        """Take the text, or none."""
        if self.fails is not None:
            raise self.fails("no room")
        return super().write(text)


@pytest.mark.parametrize("fails", [OSError, BrokenPipeError, BlockingIOError, ValueError])
def test_a_line_that_cannot_be_written_ends_no_work(fails: type[Exception]) -> None:
    """Of any library; when there is room again, it is said how many are missing, once."""
    stream = Full()
    telemetry.configure({}, stream, az="use1-az1")
    stream.fails = fails
    structlog.get_logger("enactor").info("applied", generation=7)
    logging.getLogger("botocore").warning("odd")
    stream.fails = None
    structlog.get_logger("enactor").info("applied", generation=8)
    structlog.get_logger("enactor").info("applied", generation=9)
    lost, *others = lines(stream)
    assert lost == {"event": "log_lines_lost", "level": "warning", "lines": 2}
    assert [line["generation"] for line in others] == [8, 9]
