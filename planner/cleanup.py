"""Removes old plans by raising the floor first: no enactor can claim below it, so none is missed.

The fence is read when something could be gained, and whatever is wrong with it is a refusal. Only
after the floor was written are bodies below it deleted, and a tombstone stays for each, until many
newer ones stand. A crash in between is resumed, since what lies below a raised floor stays
deletable. It has no code and no permission to write DNS: deleting a plan is metadata only.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import assert_never

from dnsplan.errors import DnsplanError, FenceDamaged
from dnsplan.fence import FenceRecord, NoFence
from dnsplan.generation import GenerationItem
from dnsplan.names import Name
from dnsplan.outcomes import ConditionFailed, Unknown, Written
from dnsplan.plan import Generation
from dnsplan.ports import (
    Clock,
    FenceReader,
    GenerationTable,
    Jitter,
    PlanArchive,
    PlanRow,
    Zone,
)
from dnsplan.transitions import raise_floor
from planner.ports import Graveyard
from planner.rules.holds import before_cleaning, foreign_table, held, unread, unsafe_fence
from planner.rules.outcomes import Cleaned, CleanOutcome, Held, HoldRule, Overtaken, Unsettled
from planner.rules.retention import (
    Retention,
    Verdict,
    deletable_below,
    forgettable,
    highest_floor,
    verdicts,
)

NONCE_BITS = 64

# What history has piled up goes in several passes, so that none takes minutes.
FORGOTTEN_AT_ONCE = 500


@dataclass(frozen=True, slots=True)
class CleanReport:
    """How the pass ended for one zone, and the verdict on each of its plans."""

    label: str
    outcome: CleanOutcome
    verdicts: tuple[Verdict, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Outside:
    """All that cleanup reaches outside itself. `fences` can read one record and nothing else.

    Without a `graveyard` tombstones stay.
    """

    table: GenerationTable
    archive: PlanArchive
    fences: FenceReader
    clock: Clock
    jitter: Jitter
    graveyard: Graveyard | None = None


class CleanupCycle:
    """Cleans zones, one zone at a call. It remembers nothing."""

    def __init__(self, outside: Outside, *, retention: Retention, by: str) -> None:
        """`by` is written into tombstones."""
        self._outside = outside
        self._wish = retention
        self._by = by

    async def run_once(self, label: str, zone: Name) -> CleanReport:
        """Raise the floor of one zone as far as it may rise, and delete what lies below it."""
        try:
            incarnation = await self._outside.table.incarnation()
            item = (await self._outside.table.read([label])).get(label)
            if item is None:
                text = f"{label} has no plan yet"
                return CleanReport(label, held(HoldRule.NO_ITEM, label, text, command="status"))
            if (stop := before_cleaning(item, incarnation)) is not None:
                return CleanReport(label, stop)
            return await self._clean(item, zone)
        except FenceDamaged as error:
            stop = held(HoldRule.FENCE_DAMAGED, label, str(error), command="adopt")
            return CleanReport(label, stop)
        except DnsplanError as error:
            return CleanReport(label, unread(label, error))

    async def _clean(self, item: GenerationItem, zone: Name) -> CleanReport:
        now_s = int(self._outside.clock.now_s())
        rows = await self._outside.archive.rows(item.label)
        fence: FenceRecord | None = None
        floor = highest_floor(item, rows, self._wish, fence=None, now_s=now_s)
        if floor > item.floor and deletable_below(rows, floor):
            seen = await self._fence(item, zone)
            if isinstance(seen, Held):
                return CleanReport(item.label, seen)
            fence = seen
            floor = highest_floor(item, rows, self._wish, fence=fence, now_s=now_s)
        if not deletable_below(rows, floor):
            floor = item.floor
        judged = verdicts(item, rows, self._wish, fence=fence, floor=floor, now_s=now_s)
        if floor > item.floor and (lost := await self._raise(item, floor)) is not None:
            return CleanReport(item.label, lost, judged)
        outcome = await self._delete(item.label, rows, floor)
        return CleanReport(item.label, outcome, judged)

    async def _fence(self, item: GenerationItem, name: Name) -> FenceRecord | Held:
        if item.zone_id is None:
            text = f"no enactor ever claimed a plan of {item.label}: its zone is not known"
            return held(HoldRule.FENCE_MISSING, item.label, text, command="status")
        seen = await self._outside.fences.read_fence(Zone(item.label, item.zone_id, name))
        if isinstance(seen, NoFence):
            text = f"zone {item.zone_id} has no fence record, so what is live is not known"
            return held(HoldRule.FENCE_MISSING, item.label, text, command="adopt")
        return unsafe_fence(item, seen.record) or seen.record

    async def _raise(
        self, item: GenerationItem, floor: Generation
    ) -> Held | Overtaken | Unsettled | None:
        """Close everything below the floor; None when that is written."""
        foreign = foreign_table(item, await self._outside.table.incarnation())
        if foreign is not None:
            return foreign
        nonce = self._outside.jitter.token(NONCE_BITS)
        wish = raise_floor(item, floor, keep=self._wish.keep, nonce=nonce)
        outcome = await self._outside.table.write(wish)
        match outcome:
            case Written():
                return None
            case ConditionFailed() as refused:
                return Overtaken(f"the floor stays at {item.floor}: {refused.why}")
            case Unknown(reason):
                return Unsettled(f"raising the floor to {floor}: {reason}")
            case _:
                assert_never(outcome)

    async def _delete(self, label: str, rows: Sequence[PlanRow], floor: Generation) -> Cleaned:
        doomed = deletable_below(rows, floor)
        for row in doomed:
            await self._outside.archive.bury(
                row, by=self._by, now_s=int(self._outside.clock.now_s())
            )
        swept = await self._outside.archive.sweep(label, below=floor) if floor else 0
        await self._forget(rows, floor)
        return Cleaned(floor, len(doomed), swept)

    async def _forget(self, rows: Sequence[PlanRow], floor: Generation) -> None:
        """After the sweep, so that a tombstone is there as long as anything of its body."""
        graveyard, now_s = self._outside.graveyard, int(self._outside.clock.now_s())
        if graveyard is None:
            return
        for row in forgettable(rows, self._wish, floor=floor, now_s=now_s)[:FORGOTTEN_AT_ONCE]:
            await graveyard.forget(row)
