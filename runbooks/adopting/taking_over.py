"""Takes a zone over: the plan from what stands, then the fence, then the generation item.

Each step is one conditional write that may be the last before a crash; the next run finds what is
done and goes on. Until the fence stands no enactor touches the zone's records, and the only record
that is written here is the fence: created where there is none, swapped where one stands.
"""

from dataclasses import dataclass
from typing import assert_never

from msgspec import structs

from dnsplan.errors import DnsplanError
from dnsplan.fence import FenceRecord, to_record_set
from dnsplan.generation import GenerationItem, Transition
from dnsplan.names import Name, display
from dnsplan.outcomes import Accepted, ConditionFailed, Unknown, Written
from dnsplan.plan import Plan, PlanId
from dnsplan.transitions import claim, rebind, record_applied
from planner.publishing import Publisher
from planner.rules.outcomes import Held, Overtaken, Published, Unsettled
from runbooks.adopting.first_fence import (
    AdoptLost,
    Swap,
    first_fence,
    replacement,
    standing_after,
)
from runbooks.adopting.preparing import Prepared, Preparing
from runbooks.adopting.survey import survey
from runbooks.controls.fence_mover import NONCE_BITS, FenceMover, Tell
from runbooks.controls.outside import AuditRow, Operator, Outside

# What was shown to the operator may be this old when it is written down; else it is listed again.
# The same bound as an enactor's view (DESIGN of the protocol: a listing expires after 30 s).
VIEW_MAX_S = 30.0


class AdoptDrifted(DnsplanError):
    """The zone is adopted, and others changed managed records meanwhile; the text names them."""


@dataclass(frozen=True, slots=True)
class Adopted:
    """The zone is this deployment's; the plan is None where only the label was bound."""

    plan: Plan | None


class TakingOver:
    """Writes through the ports."""

    def __init__(self, outside: Outside, operator: Operator) -> None:
        """The operator is written into plan, fence and audit."""
        self._outside = outside
        self._operator = operator
        self._preparing = Preparing(outside, operator)
        self._publisher = Publisher(
            table=outside.table, archive=outside.archive, jitter=outside.jitter
        )
        self._mover = FenceMover(outside.records, clock=outside.clock, jitter=outside.jitter)

    async def take_over(self, prepared: Prepared, tell: Tell) -> Adopted:
        """Do what was prepared, or AdoptLost, AdoptDrifted."""
        await self._check_fresh(prepared, tell)
        item = await self._bound(prepared)
        if prepared.plan is None:
            await self._audit(prepared, None)
            return Adopted(None)
        plan_id = prepared.published or await self._published(item, prepared.plan)
        await self._write(
            claim(item, plan_id.generation, zone_id=prepared.zone.zone_id, nonce=self._nonce())
        )
        tell(f"{item.label}: generation {plan_id.generation} is published; writing the fence")
        try:
            await self._fenced(prepared, item, plan_id, tell)
        except (AdoptLost, AdoptDrifted):
            raise
        except DnsplanError as error:
            raise AdoptLost(
                f"{error}; generation {plan_id.generation} of {item.label} is published, and its"
                " fence is not known to stand; no audit row was left: run it again"
            ) from error
        return Adopted(prepared.plan)

    async def _fenced(
        self, prepared: Prepared, item: GenerationItem, plan_id: PlanId, tell: Tell
    ) -> None:
        """The fence of a plan that is published, in sync and noted."""
        if prepared.damaged:
            await self._replace_damaged(prepared, plan_id)
        moved = await self._mover.move(
            prepared.zone, item.owner, self._swap(prepared, plan_id), tell
        )
        fence = standing_after(moved, plan_id)
        await self._mover.in_sync(prepared.zone, moved, tell)
        await self._note(prepared, item, fence, plan_id, tell)

    async def _check_fresh(self, prepared: Prepared, tell: Tell) -> None:
        """What was looked at a while ago is looked at again: the plan must hold what stands."""
        age_s = self._outside.clock.elapsed_s() - prepared.listed_s
        if age_s <= VIEW_MAX_S:
            return
        changed = await self._otherwise(prepared, tell)
        if changed:
            raise AdoptLost(
                f"{', '.join(map(display, changed[:5]))} changed since the zone was listed"
                f" {age_s:.0f} s ago; nothing was written: run it again"
            )

    async def _bound(self, prepared: Prepared) -> GenerationItem:
        """The generation item, made where there is none, bound to the zone that is there now."""
        item = prepared.item
        if prepared.is_new and (lost := await self._publisher.create(item)) is not None:
            raise AdoptLost(f"{_why(lost)}; run it again")
        if prepared.bound_before is not None:
            await self._write(rebind(item, zone_id=prepared.zone.zone_id, nonce=self._nonce()))
            item = structs.replace(item, zone_id=prepared.zone.zone_id)
        return item

    async def _published(self, item: GenerationItem, plan: Plan) -> PlanId:
        outcome = await self._publisher.publish(item, plan)
        match outcome:
            case Published(plan_id):
                return plan_id
            case Overtaken() | Unsettled() | Held():
                raise AdoptLost(f"{_why(outcome)}; nothing was written to the zone: run it again")
            case _:
                assert_never(outcome)

    async def _write(self, transition: Transition) -> None:
        outcome = await self._outside.table.write(transition)
        match outcome:
            case Written():
                return
            case ConditionFailed() as refused:
                raise AdoptLost(
                    f"{transition.name} of {transition.label} was refused: {refused.why}; look at"
                    f" dns-runbook status {transition.label} and run it again"
                )
            case Unknown(reason):
                raise AdoptLost(
                    f"{transition.name} of {transition.label} got no answer ({reason}); run it"
                    " again"
                )
            case _:
                assert_never(outcome)

    def _swap(self, prepared: Prepared, plan_id: PlanId) -> Swap:
        shown = None if prepared.fence is None else prepared.fence.record
        return Swap(self._fence(prepared, plan_id), shown)

    def _fence(self, prepared: Prepared, plan_id: PlanId) -> FenceRecord:
        by = self._operator.writer
        stands = bool(prepared.survey.content)
        owner, nonce = prepared.item.owner, self._nonce()
        return first_fence(plan_id, owner=owner, writer=by, nonce=nonce, stands=stands)

    async def _replace_damaged(self, prepared: Prepared, plan_id: PlanId) -> None:
        """Swap what cannot be read, exactly as it was listed, for the fence; then read again."""
        fence = self._fence(prepared, plan_id)
        batch = replacement(prepared.damaged, fence, zone=prepared.zone.name)
        outcome = await self._outside.records.submit(prepared.zone, batch)
        if not isinstance(outcome, Accepted):
            raise AdoptLost(
                f"{prepared.zone.label}'s damaged fence is not known to be replaced"
                f" ({outcome}): run it again"
            )

    async def _note(
        self,
        prepared: Prepared,
        item: GenerationItem,
        fence: FenceRecord,
        plan_id: PlanId,
        tell: Tell,
    ) -> None:
        """Read back, then note it as applied; what others changed meanwhile is drift, and said."""
        changed = await self._otherwise(prepared, tell) if fence.is_complete else ()
        if fence.token.generation == plan_id.generation and fence.is_complete:
            text = to_record_set(fence, prepared.zone.name).values[0]
            await self._write(
                record_applied(
                    item, plan_id.generation, fence=text, good=not changed, nonce=self._nonce()
                )
            )
        await self._audit(prepared, plan_id)
        if changed:
            names = ", ".join(map(display, changed[:5]))
            raise AdoptDrifted(
                f"{item.label} is adopted at generation {plan_id.generation}, and {names} changed"
                f" while it was written; look at dns-runbook status {item.label}"
            )

    async def _otherwise(self, prepared: Prepared, tell: Tell) -> tuple[Name, ...]:
        """Managed names that stand otherwise than the survey found."""
        listed = await self._preparing.managed_again(prepared, tell)
        now = set(survey(listed, prepared.wish, prepared.plan).content)
        then = set(prepared.survey.content)
        return tuple(sorted({one.name for one in now ^ then}))

    async def _audit(self, prepared: Prepared, plan_id: PlanId | None) -> None:
        await self._outside.audit.append(
            AuditRow(
                label=prepared.zone.label,
                at_s=int(self._outside.clock.now_s()),
                action="adopt",
                by=self._operator.name,
                because=self._operator.because,
                facts={
                    "generation": None if plan_id is None else plan_id.generation,
                    "digest": None if plan_id is None else plan_id.digest,
                    "zone_id": prepared.zone.zone_id,
                    "zone_id_before": prepared.bound_before,
                    "record_sets": len(prepared.survey.content),
                },
            )
        )

    def _nonce(self) -> str:
        return self._outside.jitter.token(NONCE_BITS)


def _why(lost: Overtaken | Unsettled | Held) -> str:
    match lost:
        case Overtaken(why) | Unsettled(why):
            return why
        case Held(_, text, command):
            return f"{text}; next: {command}"
        case _:
            assert_never(lost)
