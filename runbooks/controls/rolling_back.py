"""Rollback: old content as a new generation. A number is never used twice, and P2 still holds.

Names that came after the old plan are carried forward, since only `retire` ends a name. The planner
would plan a rollback away again at its next pass, so it can be pinned in the same breath.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from msgspec import structs

from dnsplan.codec import seal, unseal
from dnsplan.diff import NameChange, diff
from dnsplan.errors import DnsplanError
from dnsplan.generation import GenerationItem
from dnsplan.guardrails import Limits, judge
from dnsplan.outcomes import Unknown, Written
from dnsplan.plan import (
    NO_GENERATION,
    SCHEMA,
    Generation,
    NameLedger,
    Plan,
    PlanId,
    Retirement,
    Waiver,
    carried_waivers,
    lets_end,
    managed_units,
    next_generation,
    sorted_content,
)
from dnsplan.ports import Zone
from dnsplan.records import RecordSet, unit_of
from dnsplan.transitions import publish
from dnsplan.velocity import charged
from dnsplan.violation import Violation
from planner.publishing import row_of
from planner.rules.standing import ledger_seen
from runbooks.controls.fence_mover import NONCE_BITS
from runbooks.controls.outside import AuditRow, Mistaken, Operator, Outside, Refused
from runbooks.controls.pinning import Pinning
from runbooks.controls.returning import Withheld, answers_by_unit, withheld
from runbooks.controls.waiving import waiver_mistakes, way_on
from runbooks.controls.words import ranges
from runbooks.looking.line import Gone, published


class RollbackRefused(Refused):
    """The rollback would break a rule, or the zone's state does not allow it."""


class RollbackLost(DnsplanError):
    """Somebody else published first, or the write got no answer."""


class RollbackUnpinned(DnsplanError):
    """It is published, and the planner may plan it away at its next pass."""


@dataclass(frozen=True, slots=True)
class Prepared:
    """A rollback that may be published. `carried` are names the old plan did not have.

    `withheld`: where the planner cannot go back to the newest plan at its next pass.
    """

    item: GenerationItem
    newest: Plan
    plan: Plan
    carried: tuple[RecordSet, ...]
    changes: Sequence[NameChange]
    violations: tuple[Violation, ...]
    withheld: tuple[Withheld, ...]


def refusal(violations: tuple[Violation, ...]) -> tuple[str, ...]:
    """Each rule that is broken with its numbers, then each way on."""
    return (*map(str, violations), *way_on(violations))


class RollingBack:
    """Prepares and publishes rollbacks through the ports."""

    def __init__(self, outside: Outside, operator: Operator) -> None:
        """The operator is the plan's author."""
        self._outside = outside
        self._operator = operator

    async def prepare(
        self, zone: Zone, generation: Generation, limits: Limits, waived: tuple[str, ...]
    ) -> Prepared:
        """The plan that a rollback would publish, and the rules that it would break."""
        if mistakes := waiver_mistakes(waived, asked_by="--waive"):
            raise Mistaken("\n".join(mistakes))
        item = await self._item(zone)
        newest = await self._plan(item.head_id)
        old = await self._plan(await self._published(item, generation))
        stated = {unit_of(one) for one in old.content}
        carried = tuple(
            one for one in newest.content if unit_of(one) not in stated and not _clashes(one, old)
        )
        content = sorted_content((*old.content, *carried))
        number = next_generation(item.head)
        now_s = int(self._outside.clock.now_s())
        plan = Plan(
            schema=SCHEMA,
            owner=item.owner,
            label=zone.label,
            zone=zone.name,
            generation=number,
            base=item.head,
            created_s=now_s,
            author=f"operator {self._operator.name}",
            reason=f"rollback to {generation}: {self._operator.because}",
            content=content,
            ledger=_ledger(newest, old, content, limits, now_s),
            retired=_still_ended(newest, content),
            waivers=(*carried_waivers(newest, item.applied), *self._waivers(waived, number)),
            turn=old.turn,
        )
        changes = diff(newest.content, plan.content)
        if item.pin is not None and changes:  # none: this rollback stands already, and is pinned
            raise _pinned(item)
        return Prepared(
            item,
            newest,
            plan,
            carried,
            changes=changes,
            violations=judge(newest.content, plan, limits, standing_since_s=newest.created_s),
            withheld=withheld(plan, newest, limits),
        )

    async def publish(self, prepared: Prepared, *, pinned: bool) -> PlanId:
        """Publish it; exactly one of several operators or planners wins the number."""
        if prepared.violations:
            raise RollbackRefused("; ".join(refusal(prepared.violations)))
        item, plan = prepared.item, prepared.plan
        sealed = seal(plan)
        await self._outside.archive.store(sealed, row_of(plan, sealed))
        outcome = await self._outside.table.write(
            publish(item, sealed.plan_id, nonce=self._nonce())
        )
        if isinstance(outcome, Unknown):
            raise RollbackLost(
                f"publish of {item.label} got no answer ({outcome.reason}): generation"
                f" {plan.generation} may be published; look at dns-runbook status {item.label},"
                " and run it again"
            )
        if not isinstance(outcome, Written):
            raise RollbackLost(
                f"{item.label} moved on from generation {item.head} meanwhile, nothing was"
                f" published; look at dns-runbook status {item.label} and run it again"
            )
        unpinned = await self._why_unpinned(sealed.plan_id) if pinned else None
        await self._audit(sealed.plan_id, plan.reason, pinned=pinned and unpinned is None)
        if unpinned is not None:
            raise RollbackUnpinned(
                f"{item.label}: generation {plan.generation} is published and not known to be"
                f" pinned, so the planner may plan it away: {unpinned};"
                f" run dns-runbook pin {item.label} {plan.generation}"
            )
        return sealed.plan_id

    async def _why_unpinned(self, plan_id: PlanId) -> DnsplanError | None:
        """Pin what was published; None when it is pinned. No trouble of it may read as if nothing
        had been changed."""
        try:
            item = (await self._outside.table.read((plan_id.label,)))[plan_id.label]
            if item.pin is not None:  # another operator's word, given since this was shown
                return _pinned(item)
            await Pinning(self._outside, self._operator).pin_to(item, plan_id)
        except DnsplanError as error:
            return error
        return None

    def _waivers(self, rules: tuple[str, ...], generation: Generation) -> tuple[Waiver, ...]:
        by, because = self._operator.name, self._operator.because
        return tuple(Waiver(rule, by, because, generation) for rule in rules)

    async def _item(self, zone: Zone) -> GenerationItem:
        found = await self._outside.table.read((zone.label,))
        item = found.get(zone.label)
        if item is None or item.head == NO_GENERATION:
            raise RollbackRefused(f"{zone.label} has no plan to roll back from")
        if item.incarnation != await self._outside.table.incarnation() or item.ahead is not None:
            raise RollbackRefused(
                f"{zone.label}'s history is in doubt; run dns-runbook reconcile {zone.label} first"
            )
        if item.pin not in (None, item.head):
            raise _pinned(item)
        return item

    async def _published(self, item: GenerationItem, generation: Generation) -> PlanId:
        """The older plan that had this number: an unpublished body of it never counts."""
        rows = await self._outside.archive.rows(item.label)
        there = ranges(
            row.plan_id.generation
            for row in rows
            if row.plan_id.generation < item.head and row.deleted_s is None
        )
        if not there:
            raise RollbackRefused(
                f"{item.label} is at generation {item.head} and no older plan is kept:"
                " there is nothing to roll back to"
            )
        found = published(item, rows, generation)
        if isinstance(found, PlanId) and generation < item.head:
            return found
        bodies = sum(row.plan_id.generation == generation for row in rows)
        why = f" ({found.why})" if isinstance(found, Gone) and bodies > 1 else ""
        raise RollbackRefused(
            f"{item.label} is at generation {item.head} and has no older generation {generation}"
            f" to roll back to{why}; older ones that are kept: {there}"
        )

    async def _plan(self, plan_id: PlanId) -> Plan:
        return unseal(await self._outside.archive.load(plan_id))

    async def _audit(self, plan_id: PlanId, reason: str, *, pinned: bool) -> None:
        await self._outside.audit.append(
            AuditRow(
                label=plan_id.label,
                at_s=int(self._outside.clock.now_s()),
                action="rollback",
                by=self._operator.name,
                because=reason,
                facts={
                    "generation": plan_id.generation,
                    "digest": plan_id.digest,
                    "pinned": int(pinned),
                },
            )
        )

    def _nonce(self) -> str:
        return self._outside.jitter.token(NONCE_BITS)


def _pinned(item: GenerationItem) -> RollbackRefused:
    return RollbackRefused(
        f"{item.label} is pinned to {item.pin}; see dns-runbook history {item.label} for what that"
        f" is, and where something else is wanted run dns-runbook unpin {item.label} first"
    )


def _still_ended(newest: Plan, content: tuple[RecordSet, ...]) -> tuple[Retirement, ...]:
    """A name that comes back is guarded again: the word that ended it is spent, or the planner
    would end it once more at its next pass."""
    back = {unit_of(one) for one in content} - managed_units(newest)
    return tuple(one for one in newest.retired if not any(lets_end(one, unit) for unit in back))


def _clashes(one: RecordSet, old: Plan) -> bool:
    """Whether what came later cannot stand beside what the old plan states at its name."""
    there = {other.type for other in old.content if other.name == one.name}
    return bool(there) and (one.type == "CNAME" or "CNAME" in there)


def _ledger(
    newest: Plan, old: Plan, content: tuple[RecordSet, ...], limits: Limits, now_s: int
) -> tuple[NameLedger, ...]:
    """The entries of both plans, the newest's first, with what this rollback takes out charged."""
    entries = {(one.name, one.type): one for one in old.ledger} | ledger_seen(newest, seen_s=now_s)
    before, after = answers_by_unit(newest.content), answers_by_unit(content)
    charged_entries = []
    for unit in sorted(entries.keys() & after.keys()):
        removed = len(before.get(unit, frozenset()) - after[unit])
        spent = charged(entries[unit], limits.of(unit), removed=removed, now_s=now_s)
        charged_entries.append(structs.replace(entries[unit], spent=spent))
    return tuple(charged_entries)
