"""The table that says how each rule is known."""

from sandbox.dns.marks import MARKS


def test_each_rule_is_marked_once_and_fully() -> None:
    """A rule has one mark, one sentence and a source that can be looked up."""
    assert len({mark.rule for mark in MARKS}) == len(MARKS)
    for mark in MARKS:
        assert mark.sentence.endswith("."), mark.rule
        assert mark.source, mark.rule


def test_what_is_verified_names_a_page() -> None:
    """Nothing is called verified on hearsay."""
    for mark in MARKS:
        assert mark.mark != "verified" or mark.source.startswith("https://"), mark.rule
