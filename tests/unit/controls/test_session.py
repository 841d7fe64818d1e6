"""What is told on a terminal can be read there, and copied word by word."""

import os
import sys
from io import BytesIO, TextIOWrapper
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dnsplan.exits import FAILED, FINE, USAGE
from runbooks.controls.session import ControlOptions, done, exit_code_of, is_sure, show
from runbooks.controls.telling import fitted, tell
from runbooks.options import as_unicode

WORDS = st.lists(st.from_regex(r"[a-z./-]{1,30}", fullmatch=True), min_size=1, max_size=40)


@given(WORDS, st.integers(20, 140), st.sampled_from(["", "  "]))
def test_no_word_is_cut_and_none_is_lost(words: list[str], columns: int, indent: str) -> None:
    """Each line fits unless it is one word that does not, and stands where the first began."""
    lines = fitted(indent + " ".join(words), columns).split("\n")
    assert " ".join(lines).split() == words
    assert all(len(line) <= columns or len(line.split()) == 1 for line in lines)
    assert all(line.startswith(indent) for line in lines)


def test_lines_that_fit_stay_as_they_are() -> None:
    """Also two of them, an empty one, and spaces between."""
    text = "a  b\n\n  - www.example.com. A 192.0.2.1"
    assert fitted(text, 80) == text


def test_a_terminal_without_columns_gets_what_others_get(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Some that no person sits at say 0: nothing was shown, and a word ended what was half done."""
    monkeypatch.setenv("COLUMNS", "0")
    for stream in (sys.stdout, sys.stderr):
        monkeypatch.setattr(stream, "isatty", lambda: True)
    show(lambda: "a table", ["a line"])
    tell("a word")
    assert capsys.readouterr() == ("a table\n", "a word\n")


def test_a_letter_that_the_encoding_lacks_is_written_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is told of what was done must not turn into a fault."""
    kept = BytesIO()
    monkeypatch.setattr(sys, "stdout", TextIOWrapper(kept, encoding="latin-1"))

    def told() -> int:
        done("für \u0448")
        return FINE

    assert exit_code_of(told) == FINE
    assert kept.getvalue() == b"f\xfcr \\u0448\n"


def test_others_words_draw_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    """A reason may hold anything; of what is shown as one line each stays one."""
    reason = "x\x1b[31m\u202e"
    tell(f"first {reason}\nsecond")
    done(f"first {reason}\nsecond")
    show(lambda: "", [f"first {reason}\nfake"])
    said = capsys.readouterr()
    assert said.err == "first x\\x1b[31m\\u202e\nsecond\n"
    assert said.out == said.err + "first x\\x1b[31m\\u202e\\nfake\n"


@pytest.mark.parametrize(("columns", "said"), [(40, "a line\n"), (80, "a table\n")])
def test_a_narrow_terminal_gets_lines(
    columns: int, said: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A telephone at night: in the columns of a table no date and no command stays in one piece."""
    monkeypatch.setenv("COLUMNS", str(columns))
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    show(lambda: "a table", ["a line"])
    assert capsys.readouterr().out == said


ASKS = ControlOptions(config=None, labels=("shop",), because="", by="", yes=False, json=False)


def fine() -> int:
    """Something was done, and is told."""
    done("shop: frozen")
    return FINE


def test_nobody_who_listens_stops_no_work(monkeypatch: pytest.MonkeyPatch) -> None:
    """The pipe or the terminal that hears how far it is may go away between two zones."""
    gone, ours = os.pipe()
    os.close(gone)
    with os.fdopen(ours, "w") as broken:
        monkeypatch.setattr(sys, "stderr", broken)
        tell("one zone")
        tell("the next zone")


def test_facts_that_cannot_be_written_are_a_failure_in_words(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A full disk behind standard output: no traceback, and no exit code that says nothing."""
    with Path("/dev/full").open("w") as full:
        monkeypatch.setattr(sys, "stdout", full)
        assert exit_code_of(fine) == FAILED
    assert capsys.readouterr().err == (
        "standard output: No space left on device; look at dns-runbook status\n"
    )


def test_a_pager_that_was_left_hears_nothing_more(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """As any command in a pipe that ends before it."""
    gone, ours = os.pipe()
    os.close(gone)
    with os.fdopen(ours, "w") as broken:
        monkeypatch.setattr(sys, "stdout", broken)
        assert exit_code_of(fine) == FAILED
    assert capsys.readouterr().err == ""


def test_a_command_without_any_streams_asks_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    """As a job that closes them: it is not confirmed, and nothing is changed."""
    for name in ("stdin", "stdout", "stderr"):
        monkeypatch.setattr(sys, name, None)
    assert exit_code_of(lambda: FINE if is_sure(ASKS, "x") else USAGE) == USAGE
    for name in ("stdin", "stdout", "stderr"):
        getattr(sys, name).close()


def test_a_reason_in_another_encoding_can_be_written_down() -> None:
    """Else the audit of what was done would end in a fault, and other zones' work with it."""
    typed = "f\udcfcr alle"  # as Python reads an argument in Latin-1
    assert as_unicode(typed) == "f\ufffdr alle"
    assert as_unicode("für alle") == "für alle"
