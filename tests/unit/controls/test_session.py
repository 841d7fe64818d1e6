"""What is told on a terminal can be read there, and copied word by word."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runbooks.controls.session import done, fitted, show, tell

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


def test_others_words_draw_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    """A reason may hold anything; of what is shown as one line each stays one."""
    reason = "x\x1b[31m\u202e"
    tell(f"first {reason}\nsecond")
    done(f"first {reason}\nsecond")
    show(lambda: "", [f"first {reason}\nfake"])
    said = capsys.readouterr()
    assert said.err == "first x\\x1b[31m\\u202e\nsecond\n"
    assert said.out == said.err + "first x\\x1b[31m\\u202e\\nfake\n"
