"""Restores, reconciles, lost tables and freezes in any order: the promises hold, and it ends."""

from collections import Counter

from tests.unit.reconciling.histories import History

SEEDS = 60


async def test_any_history_keeps_the_promises_and_ends_in_order() -> None:
    """P1, P4 and P9 at every write; once the operators follow the pages, the zone holds its plan
    (P10)."""
    done: Counter[str] = Counter()
    for seed in range(SEEDS):
        history = History(seed)
        await history.play()
        done += history.done
    assert min(done[kind] for kind in ("restored", "restored again", "opened", "kept")) >= 5, done
