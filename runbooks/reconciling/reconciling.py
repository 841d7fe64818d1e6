"""Lets a zone's history go on: stop planning, store the plan, move the fence, then head.

Each step is one conditional write that may be the last before a crash. Until head moves, planners
and enactors hold; run again, the next run finds what stands and opens the next era. The only record
that is written is the fence, and of two operators the one who swaps it goes on.
"""

from dataclasses import dataclass
from typing import assert_never

from msgspec import structs

from dnsplan.codec import seal
from dnsplan.errors import DnsplanError
from dnsplan.fence import FenceRecord, next_nonce, renewed, to_record_set
from dnsplan.generation import GenerationItem, Transition
from dnsplan.names import display
from dnsplan.outcomes import Accepted, ConditionFailed, Unknown, Written
from dnsplan.plan import Plan, PlanId
from dnsplan.records import RecordSet
from dnsplan.transitions import create, reconcile, record_ahead, record_applied
from enactor.reading import read_names
from enactor.rules.drift import Drift, drifts
from planner.publishing import row_of
from runbooks.adopting.first_fence import Swap, first_fence, replacement
from runbooks.adopting.survey import survey
from runbooks.adopting.taking_over import VIEW_MAX_S
from runbooks.controls.fence_mover import NONCE_BITS, FenceMover, Tell
from runbooks.controls.outside import AuditRow, Operator, Outside
from runbooks.reconciling.preparing import Prepared


class ReconcileLost(DnsplanError):
    """Somebody else moved first, or a write got no answer: the zone's records are as they were."""


@dataclass(frozen=True, slots=True)
class Reconciled:
    """Head and fence agree again; `drifted` names were changed by others while it was written."""

    plan: Plan
    drifted: tuple[Drift, ...]


class Reconciling:
    """Writes through the ports."""

    def __init__(self, outside: Outside, operator: Operator) -> None:
        """The operator is written into plan, fence and audit."""
        self._outside = outside
        self._operator = operator
        self._mover = FenceMover(outside.records, clock=outside.clock, jitter=outside.jitter)

    async def reconcile(self, prepared: Prepared, tell: Tell) -> Reconciled:
        """Do what was prepared, or ReconcileLost."""
        await self._check_fresh(prepared)
        sealed = seal(prepared.plan)
        item = await self._stopped(prepared)
        try:
            await self._outside.archive.store(sealed, row_of(prepared.plan, sealed))
            tell(f"{item.label}: plan {sealed.plan_id.generation} is stored; moving the fence")
            fence = await self._moved(prepared, sealed.plan_id, tell)
            drifted = await self._read_back(prepared)
        except ReconcileLost:
            raise
        except DnsplanError as error:
            raise ReconcileLost(
                f"{error}; planner and enactors leave {item.label} alone until this is done: run"
                " it again"
            ) from error
        await self._write(
            reconcile(
                item,
                sealed.plan_id,
                incarnation=prepared.history.incarnation,
                zone_id=prepared.zone.zone_id,
                frozen=prepared.frozen,
                nonce=self._nonce(),
            )
        )
        await self._note(prepared, item, fence, good=not drifted)
        await self._audit(prepared, sealed.plan_id, tell)
        return Reconciled(prepared.plan, drifted)

    async def _check_fresh(self, prepared: Prepared) -> None:
        """What was looked at a while ago is looked at again: the plan must hold what stands."""
        age_s = self._outside.clock.elapsed_s() - prepared.listed_s
        if age_s <= VIEW_MAX_S:
            return
        listed: list[RecordSet] = []
        async for read in read_names(self._outside.records, prepared.zone, prepared.names):
            listed.extend(read.listed)
        now = set(survey(listed, prepared.wish, prepared.known).content)
        changed = sorted({one.name for one in now ^ set(prepared.survey.content)})
        if changed:
            raise ReconcileLost(
                f"{', '.join(map(display, changed[:5]))} changed since the zone was listed"
                f" {age_s:.0f} s ago; nothing was written: run it again"
            )

    async def _stopped(self, prepared: Prepared) -> GenerationItem:
        """The item, with planning stopped in it; made where there is none."""
        number = prepared.plan.generation
        if prepared.item is not None:
            await self._write(record_ahead(prepared.item, number, nonce=self._nonce()))
            return prepared.item
        item = GenerationItem(
            label=prepared.zone.label,
            owner=prepared.plan.owner,
            incarnation=prepared.history.incarnation,
            nonce=self._nonce(),
            ahead=number,
        )
        await self._write(create(item))
        return item

    async def _moved(self, prepared: Prepared, plan_id: PlanId, tell: Tell) -> FenceRecord:
        """The fence of this plan, in sync."""
        zone, standing = prepared.zone, prepared.standing
        wanted = self._wanted(prepared, plan_id)
        if standing.damaged:
            await self._replace_damaged(prepared, wanted)
        shown = None if standing.fence is None else standing.fence.record
        moved = await self._mover.move(
            zone, wanted.owner, Swap(wanted, shown), tell, taken_from=standing.owner
        )
        fence = moved.fence
        named = None if fence is None else (fence.generation, fence.digest)
        if fence is None or named != (plan_id.generation, plan_id.digest):
            found = "not there" if fence is None else f"at generation {fence.generation}"
            raise ReconcileLost(
                f"{zone.label}'s fence is {found}, by somebody else's move; look at dns-runbook"
                f" status {zone.label} and run it again"
            )
        await self._mover.in_sync(zone, moved, tell)
        return fence

    def _wanted(self, prepared: Prepared, plan_id: PlanId) -> FenceRecord:
        """A finished restore's fence without its mark, or the first of an era; a freeze stays."""
        writer, standing = self._operator.writer, prepared.standing.fence
        if prepared.keeps and standing is not None:
            nonce = next_nonce(standing.record, self._nonce())
            fence = renewed(standing.record, writer=writer, nonce=nonce)
        else:
            owner, nonce = prepared.plan.owner, self._nonce()
            fence = first_fence(plan_id, owner=owner, writer=writer, nonce=nonce, stands=True)
            fence = structs.replace(fence, base=prepared.standing.generation)
        return structs.replace(fence, frozen=prepared.frozen)

    async def _replace_damaged(self, prepared: Prepared, fence: FenceRecord) -> None:
        """Swap what cannot be read, exactly as it was listed; then it is read again."""
        batch = replacement(prepared.standing.damaged, fence, zone=prepared.zone.name)
        outcome = await self._outside.records.submit(prepared.zone, batch)
        if not isinstance(outcome, Accepted):
            raise ReconcileLost(
                f"{prepared.zone.label}'s damaged fence is not known to be replaced ({outcome}):"
                " run it again"
            )

    async def _read_back(self, prepared: Prepared) -> tuple[Drift, ...]:
        content = prepared.plan.content
        found: list[Drift] = []
        names = {one.name for one in content}
        async for read in read_names(self._outside.records, prepared.zone, names):
            covered = frozenset(read.names)
            found.extend(drifts(read.listed, (one for one in content if one.name in covered)))
        return tuple(found)

    async def _note(
        self, prepared: Prepared, item: GenerationItem, fence: FenceRecord, *, good: bool
    ) -> None:
        """The plan is in sync, so it is applied; enactors note it where this write fails."""
        text = to_record_set(fence, prepared.zone.name).values[0]
        moved = structs.replace(item, incarnation=prepared.history.incarnation)
        note = record_applied(moved, fence.generation, fence=text, good=good, nonce=self._nonce())
        await self._outside.table.write(note)

    async def _write(self, transition: Transition) -> None:
        outcome = await self._outside.table.write(transition)
        label = transition.label
        match outcome:
            case Written():
                return
            case ConditionFailed() as refused:
                raise ReconcileLost(
                    f"{transition.name} of {label} was refused: {refused.why}; look at"
                    f" dns-runbook status {label} and run it again"
                )
            case Unknown(reason):
                raise ReconcileLost(
                    f"{transition.name} of {label} got no answer ({reason}); run it again"
                )
            case _:
                assert_never(outcome)

    async def _audit(self, prepared: Prepared, plan_id: PlanId, tell: Tell) -> None:
        """Leave a trace; without one it is reconciled all the same, so it is said."""
        item, before = prepared.item, prepared.standing
        row = AuditRow(
            label=prepared.zone.label,
            at_s=int(self._outside.clock.now_s()),
            action="reconcile",
            by=self._operator.name,
            because=self._operator.because,
            facts={
                "generation": plan_id.generation,
                "digest": plan_id.digest,
                "kept": str(prepared.keeps),
                "head_before": None if item is None else item.head,
                "fence_before": before.generation,
                "owner_before": before.owner,
                "doubts": "; ".join(prepared.doubts),
            },
        )
        try:
            await self._outside.audit.append(row)
        except DnsplanError as error:
            tell(f"{row.label}: no audit row of this reconcile: {error}")

    def _nonce(self) -> str:
        return self._outside.jitter.token(NONCE_BITS)
