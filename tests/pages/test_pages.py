"""Every page is played, and the comparison with what is printed can fail."""

import pytest

from tests.pages.page import Differs, Met, compare, masked, pages, rewritten, shown
from tests.pages.plays import PLAYS


def test_every_page_is_played() -> None:
    """And no play is of a page that is gone."""
    assert sorted(PLAYS) == [page.stem for page in pages()]


TEXT = """\
Do it:

```
$ dns-runbook freeze shop
shop: frozen in the table by f6ea5d07b60b54c3
shop: frozen f6ea5d07b60b54c3; to undo it: dns-runbook thaw shop f6ea5d07b60b54c3
$ dns-runbook thaw shop f6ea5d07b60b54c3
...
shop: over at 2026-11-30 01:31:37Z
```
"""


@pytest.mark.parametrize(
    ("page", "run", "is_alike"),
    [
        (["a"], ["a"], True),
        (["a"], ["b"], False),
        (["a"], ["a", "b"], False),
        (["a", "b"], ["a"], False),
        (["a", "...", "c"], ["a", "b", "b", "c"], True),
        (["a", "...", "c"], ["a", "b"], False),
        (["...", "c"], ["a", "c"], True),
        (["a", "..."], ["a", "b", "c"], True),
        (["by f6ea5d07b60b54c3"], ["by 0000000000000001"], True),
        (["by f6ea5d07b60b54c3"], ["by 1"], False),
        (["f6ea5d07b60b54c3 f6ea5d07b60b54c3"], ["0000000000000001 0000000000000002"], False),
        (["2026-11-30 01:31:37Z 5"], ["2027-01-02 03:04:05Z 5"], True),
        (["2026-11-30 01:31:37Z 5"], ["2027-01-02 03:04:05Z 6"], False),
    ],
)
def test_only_what_differs_from_run_to_run_is_let_pass(
    page: list[str], run: list[str], is_alike: bool
) -> None:
    """This comparison can fail, and one id is one id."""
    try:
        compare(page, run, Met())
    except Differs:
        assert not is_alike
    else:
        assert is_alike


def test_a_page_is_followed_with_the_ids_that_are_met() -> None:
    """The id that the page shows for a freeze stands for the one that this freeze got."""
    first, second = shown(TEXT)
    met = Met()
    compare(first.lines, [line.replace("f6ea5d07b60b54c3", "0" * 16) for line in first.lines], met)
    assert met.in_run(second.command) == f"dns-runbook thaw shop {'0' * 16}"
    assert masked("thaw f6ea5d07b60b54c3") == "thaw <id>"


def test_a_page_is_rewritten_with_what_was_printed() -> None:
    """The commands' lines and nothing else; what the page leaves out stays left out."""
    fresh = rewritten(
        TEXT, [("dns-runbook freeze shop", ["x"]), ("dns-runbook thaw shop 1", ["a", "b", "c"])]
    )
    typed = "$ dns-runbook freeze shop\nx\n$ dns-runbook thaw shop 1\n...\nc\n"
    assert fresh == f"Do it:\n\n```\n{typed}```\n"
