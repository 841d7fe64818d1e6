"""Which pages are open: one a cause, again only on change or after a stated time, and their end."""

from dataclasses import replace

import pytest

from dnsplan.notices import Cause, Change, Notice
from dnsplan.runtime.paging.book import APART_MAX, Manners, OpenPage, notice, revise

MANNERS = Manners(repeat_s=3_600.0, calm_s=60.0)
HELD = Cause(
    kind="held-zone",
    label="shop",
    verdict="guardrail",
    title="zone shop is held: guardrail",
    lines=("the reason",),
    commands=("dns-runbook explain shop",),
    runbook="velocity-hold",
)


class Book:
    """The open pages of a daemon, and what was said."""

    def __init__(self) -> None:
        """Nothing is open."""
        self.pages: dict[str, OpenPage] = {}
        self.said: list[Notice] = []

    def at(self, now_s: float, *causes: Cause, unsure: bool = False) -> list[tuple[str, str]]:
        """A pass; change and id of what it said."""
        self.pages, said = revise(
            self.pages, causes, is_unsure=lambda _: unsure, manners=MANNERS, now_s=now_s
        )
        self.said += said
        return [(str(one.change), one.page_id) for one in said]


def test_a_cause_is_told_once_again_after_its_time_and_when_it_is_over() -> None:
    """Numbers in its lines change all the time and are no news; what it is called is."""
    book = Book()
    assert book.at(0.0, HELD) == [("page", "held-zone/shop")]
    assert book.at(5.0, replace(HELD, lines=("for 5 s",), title="another number")) == []
    assert book.at(10.0, replace(HELD, verdict="ahead")) == [("change", "held-zone/shop")]
    assert book.at(3_600.0, replace(HELD, verdict="ahead")) == []
    assert book.at(3_610.0, replace(HELD, verdict="ahead")) == [("repeat", "held-zone/shop")]
    assert book.at(3_620.0) == []
    assert book.at(3_679.0) == []
    assert book.at(3_680.0) == [("recovery", "held-zone/shop")]
    assert book.at(3_690.0) == []
    assert book.at(3_700.0, HELD) == [("page", "held-zone/shop")]


def test_one_that_comes_and_goes_is_one_page() -> None:
    """Gone for less than the calm is not gone."""
    book = Book()
    assert book.at(0.0, HELD) == [("page", "held-zone/shop")]
    for at in range(1, 100):
        causes = [HELD] if at % 5 == 0 else []
        assert book.at(10.0 * at, *causes) == []


def test_a_clock_that_was_ahead_silences_nothing_when_it_is_set_back() -> None:
    """Nor keeps a page open whose cause is gone, so that the next outage would be no news."""
    ahead_s = 1_000_000.0
    book = Book()
    assert book.at(ahead_s, HELD) == [("page", "held-zone/shop")]
    assert book.at(0.0, HELD) == []
    assert book.at(3_600.0, HELD) == [("repeat", "held-zone/shop")]
    assert book.at(ahead_s) == []
    assert book.at(4_000.0) == []
    assert book.at(4_060.0) == [("recovery", "held-zone/shop")]
    assert book.at(4_070.0, HELD) == [("page", "held-zone/shop")]


def test_what_is_not_known_is_neither_opened_nor_ended() -> None:
    """However long it lasts; and the calm begins when it is known again."""
    book = Book()
    book.at(0.0, HELD)
    assert book.at(100_000.0, unsure=True) == []
    assert book.at(100_001.0) == []
    assert book.at(100_070.0) == [("recovery", "held-zone/shop")]


def test_too_many_of_a_kind_are_one_page_until_all_are_over() -> None:
    """Their common cause would be hidden otherwise; what was told before becomes part of it."""
    book = Book()
    zones = [replace(HELD, label=f"z{at:02}", title=f"z{at:02}") for at in range(APART_MAX + 5)]
    assert book.at(0.0, zones[0]) == [("page", "held-zone/z00")]
    assert book.at(5.0, *zones) == [("page", "many-held-zone"), ("folded", "held-zone/z00")]
    assert book.said[-1].facts["into"] == "many-held-zone"
    assert "\nz13\nz14\n" in book.said[1].text
    assert book.at(10.0, *zones[:2]) == []
    assert book.at(20.0) == []
    assert book.at(80.0) == [("recovery", "many-held-zone")]


@pytest.mark.parametrize("change", list(Change))
def test_every_message_names_its_id_and_what_to_read(change: Change) -> None:
    """Whoever gets only this message can go on from it."""
    said = notice(change, OpenPage(HELD, 0.0, 0.0), now_s=60.0, into="many-held-zone")
    assert said.text.startswith(("PAGE", "WELL AGAIN", "ONE OF MANY"))
    assert "id: held-zone/shop\n" in said.text
    assert ("read: runbooks/velocity-hold.md\n" in said.text) == (change is not Change.RECOVERY)
    assert (said.facts["id"], said.facts["runbook"]) == ("held-zone/shop", "velocity-hold")
