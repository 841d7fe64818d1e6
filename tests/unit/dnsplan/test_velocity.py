"""How many targets may go, and when again."""

import pytest

from dnsplan.names import Name
from dnsplan.plan import NameLedger
from dnsplan.velocity import (
    VelocityLimit,
    allowance,
    catch_up_allowance,
    charged,
    may_remove,
    spent_in_window,
)

LIMIT = VelocityLimit(min_targets=1, max_removed_share=0.25, window_s=300)


def ledger(targets: int, *spent: tuple[int, int]) -> NameLedger:
    """A ledger of one name."""
    return NameLedger(Name("a.example.com."), "A", targets, targets, spent)


@pytest.mark.parametrize(
    ("share", "targets", "allowed"),
    [(0.25, 2, 1), (0.25, 3, 1), (0.25, 8, 2), (0.25, 11, 2), (0.29, 100, 29), (0.0, 9, 1)],
)
def test_allowance(share: float, targets: int, allowed: int) -> None:
    """max(1 target, share x targets), rounded down, without the rounding of binary fractions."""
    assert allowance(VelocityLimit(1, share, 300), targets) == allowed


def test_a_window_slides() -> None:
    """What was taken out counts for one window and not a second longer."""
    spent = ledger(8, (1_000, 1), (1_200, 1))
    assert spent_in_window(spent, LIMIT, 1_299) == 2
    assert spent_in_window(spent, LIMIT, 1_300) == 1
    assert spent_in_window(spent, LIMIT, 1_500) == 0


@pytest.mark.parametrize(("targets", "may"), [(1, 0), (2, 1), (3, 1)])
def test_small_pools(targets: int, may: int) -> None:
    """A dead host of two and of three may go under the defaults; the last one never."""
    assert may_remove(ledger(targets), LIMIT, answering=targets, now_s=0) == may


def test_floor_stops_removal() -> None:
    """However much the window allows, min_targets stay."""
    limit = VelocityLimit(min_targets=3, max_removed_share=1.0, window_s=300)
    assert may_remove(ledger(5), limit, answering=5, now_s=0) == 2
    assert may_remove(ledger(5), limit, answering=3, now_s=0) == 0
    assert may_remove(ledger(5), limit, answering=2, now_s=0) == 0


def test_charged_keeps_one_window() -> None:
    """The spent list holds one window; an empty removal adds nothing."""
    old = ledger(8, (1_000, 1), (1_200, 1))
    assert charged(old, LIMIT, removed=1, now_s=1_400) == ((1_200, 1), (1_400, 1))
    assert charged(old, LIMIT, removed=0, now_s=1_400) == ((1_200, 1),)
    assert charged(old, LIMIT, removed=0, now_s=1_299) == old.spent
    assert charged(old, LIMIT, removed=0, now_s=1_300) == ((1_200, 1),)


@pytest.mark.parametrize(
    ("elapsed_s", "allowed"), [(-5, 2), (0, 2), (299, 2), (300, 4), (3_000, 22)]
)
def test_catching_up(elapsed_s: int, allowed: int) -> None:
    """After an outage, as many windows' worth may be taken out as have passed."""
    assert catch_up_allowance(LIMIT, targets=8, elapsed_s=elapsed_s) == allowed
