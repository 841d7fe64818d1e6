"""How far the floor may rise, and what becomes of every kept plan.

The floor never passes what is live, the base of an unfinished plan, claimed, applied, last known
good or pinned, and leaves the newest `keep` plans below head and everything that is too young. The
rule names the reason for each plan that stays. Of the plans that went, so many tombstones stay as
history is wished for. It deletes nothing and touches no record.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum

from dnsplan.fence import FenceRecord
from dnsplan.generation import GenerationItem
from dnsplan.plan import Generation
from dnsplan.ports import PlanRow


class Keep(Enum):
    """Why a plan stays."""

    HEAD = "head: the newest plan"
    LIVE = "live: the zone's fence says so"
    BASE = "base of the plan that is being applied"
    CLAIMED = "claimed by an enactor"
    APPLIED = "applied: the newest confirmed"
    LAST_KNOWN_GOOD = "last known good"
    PINNED = "pinned by an operator"
    TOO_YOUNG = "too young"
    WITHIN_KEEP = "among the newest that are kept"
    UNPUBLISHED = "above head: not published"
    ABOVE_FLOOR = "not below the floor"


@dataclass(frozen=True, slots=True)
class Retention:
    """The operator's wish for history. `history`: rows of deleted plans that stay."""

    keep: int
    min_age_s: int
    history: int = 5_000


@dataclass(frozen=True, slots=True)
class Verdict:
    """One plan row and why it stays; no reason means that it may go, or went before."""

    row: PlanRow
    kept_because: tuple[Keep, ...]

    @property
    def is_buried(self) -> bool:
        """Whether only its tombstone is left."""
        return self.row.deleted_s is not None


def highest_floor(
    item: GenerationItem,
    rows: Sequence[PlanRow],
    wish: Retention,
    *,
    fence: FenceRecord | None,
    now_s: int,
) -> Generation:
    """The highest floor that protects all that must stay; at least the present one.

    Without a fence it is only an upper bound, to find out whether reading the fence is worth it.
    """
    bounds = [Generation(item.head - wish.keep)]
    bounds.extend(generation for generation, _ in _named(item, fence))
    bounds.extend(_kept_by_count(item, rows, wish))
    bounds.extend(row.plan_id.generation for row in rows if _is_young(row, wish, now_s))
    return Generation(max(item.floor, min(bounds)))


def deletable_below(rows: Iterable[PlanRow], floor: Generation) -> tuple[PlanRow, ...]:
    """The plans whose bodies a floor closes for good and that still have them, oldest first."""
    below = [row for row in rows if row.plan_id.generation < floor and row.deleted_s is None]
    return tuple(sorted(below, key=lambda row: (row.plan_id.generation, row.plan_id.digest)))


def forgettable(
    rows: Iterable[PlanRow], wish: Retention, *, floor: Generation, now_s: int
) -> tuple[PlanRow, ...]:
    """The tombstones that may go, oldest first: all but the newest, none younger than a plan may
    be, and only below the floor.

    Nothing leans on a tombstone there. A plan that is stored late below the floor is one that
    nobody can claim and no head can come to name, tombstone or not; the next pass deletes it. And
    numbers are issued from head, which never goes back.
    """
    graves = [row for row in rows if row.deleted_s is not None and row.plan_id.generation < floor]
    graves.sort(key=lambda row: (row.plan_id.generation, row.plan_id.digest))
    older = graves[: max(0, len(graves) - wish.history)]
    return tuple(row for row in older if (row.deleted_s or now_s) <= now_s - wish.min_age_s)


def verdicts(
    item: GenerationItem,
    rows: Sequence[PlanRow],
    wish: Retention,
    *,
    fence: FenceRecord | None,
    floor: Generation,
    now_s: int,
) -> tuple[Verdict, ...]:
    """What becomes of every plan under the chosen floor, by generation."""
    kept = set(_kept_by_count(item, rows, wish))
    named = _named(item, fence)
    found = []
    for row in rows:
        generation = row.plan_id.generation
        reasons = [reason for number, reason in named if number == generation]
        if generation in kept:
            reasons.append(Keep.WITHIN_KEEP)
        if _is_young(row, wish, now_s):
            reasons.append(Keep.TOO_YOUNG)
        if generation > item.head:
            reasons.append(Keep.UNPUBLISHED)
        if not reasons and generation >= floor:
            reasons.append(Keep.ABOVE_FLOOR)
        if generation < item.floor:
            reasons = []  # closed by an earlier floor: nobody can claim it any more
        found.append(Verdict(row, tuple(reasons)))
    return tuple(found)


def _named(item: GenerationItem, fence: FenceRecord | None) -> tuple[tuple[Generation, Keep], ...]:
    """Generations that something points at."""
    named = [
        (item.head, Keep.HEAD),
        (item.claimed, Keep.CLAIMED),
        (item.applied, Keep.APPLIED),
        (item.last_known_good, Keep.LAST_KNOWN_GOOD),
    ]
    if item.pin is not None:
        named.append((item.pin, Keep.PINNED))
    if fence is not None:
        named.append((fence.generation, Keep.LIVE))
        if not fence.is_complete:
            named.append((fence.base, Keep.BASE))
    return tuple(named)


def _kept_by_count(
    item: GenerationItem, rows: Iterable[PlanRow], wish: Retention
) -> tuple[Generation, ...]:
    """The newest `keep` generations below head that still have a body.

    Counted in plans, not in numbers: after a jump to the next era the numbers lie far apart.
    """
    below = {row.plan_id.generation for row in rows if row.deleted_s is None}
    older = sorted((one for one in below if one < item.head), reverse=True)
    return tuple(older[: wish.keep])


def _is_young(row: PlanRow, wish: Retention, now_s: int) -> bool:
    return row.deleted_s is None and row.created_s > now_s - wish.min_age_s
