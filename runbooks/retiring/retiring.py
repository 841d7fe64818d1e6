"""Retires a name: the newest plan without it, under the next number, with the operator's word.

The word stands in the plan and lets exactly that name (or one type of it) through the guardrails of
planner and enactor. It writes no DNS: the enactors remove the records as they apply any plan.
"""

from dataclasses import dataclass
from typing import assert_never

from dnsplan.codec import unseal
from dnsplan.errors import DnsplanError, InvalidRecord
from dnsplan.generation import GenerationItem
from dnsplan.guardrails import Limits, judge
from dnsplan.names import Name, display
from dnsplan.plan import (
    NO_GENERATION,
    SCHEMA,
    Plan,
    PlanId,
    Retirement,
    carried_waivers,
    managed_units,
    next_generation,
)
from dnsplan.ports import Zone
from dnsplan.records import RecordSet, Unit, unit_of
from planner.publishing import Publisher
from planner.rules.candidate import ZoneWish
from planner.rules.outcomes import Held, Overtaken, Published, Unsettled
from planner.rules.standing import ledger_seen
from runbooks.controls.outside import AuditRow, Mistaken, Operator, Outside, Refused
from runbooks.looking.naming import nearest
from runbooks.retiring.rules import named_in, obstacles, retired_before, units_of, without


class RetireLost(DnsplanError):
    """Somebody else published first, or the write got no answer."""


class RetiredAlready(DnsplanError):
    """An operator ended the name before; the text says who and when."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What the operator typed: a name as in `dns.yaml` or in full, and one type or all."""

    name: str
    type: str | None


@dataclass(frozen=True, slots=True)
class Prepared:
    """A retirement that may be published; `ending` are the record sets that go."""

    item: GenerationItem
    name: Name
    units: tuple[Unit, ...]
    ending: tuple[RecordSet, ...]
    plan: Plan


class Retiring:
    """Prepares and publishes retirements through the ports."""

    def __init__(self, outside: Outside, operator: Operator) -> None:
        """The operator's name stands in the plan."""
        self._outside = outside
        self._operator = operator
        self._publisher = Publisher(
            table=outside.table, archive=outside.archive, jitter=outside.jitter
        )

    async def prepare(self, zone: Zone, asked: Asked, wish: ZoneWish, limits: Limits) -> Prepared:
        """The plan that would be published, or Refused, Mistaken or RetiredAlready."""
        item = await self._item(zone)
        newest = unseal(await self._outside.archive.load(item.head_id))
        name = named_in(asked.name, newest)
        units = () if name is None else units_of(newest, name, asked.type)
        if name is None or not units:
            raise _unmanaged(item, newest, name, asked)
        if found := obstacles(newest, wish, units):
            raise Refused(f"{display(name)} cannot be retired: {'; '.join(found)}")
        plan = self._plan(item, newest, units)
        violations = judge(newest.content, plan, limits, standing_since_s=newest.created_s)
        if violations:
            raise Refused("; ".join(map(str, violations)))
        ending = tuple(one for one in newest.content if unit_of(one) in units)
        return Prepared(item, name, units, ending, plan)

    async def publish(self, prepared: Prepared) -> PlanId:
        """Publish it; exactly one of several operators or planners wins the number."""
        item = prepared.item
        outcome = await self._publisher.publish(item, prepared.plan)
        match outcome:
            case Published(plan_id):
                await self._audit(prepared, plan_id)
                return plan_id
            case Overtaken(why) | Unsettled(why) | Held(_, why, _):
                raise RetireLost(
                    f"{why}; nothing is known to be retired: look at dns-runbook status"
                    f" {item.label} and run it again"
                )
            case _:
                assert_never(outcome)

    def _plan(self, item: GenerationItem, newest: Plan, units: tuple[Unit, ...]) -> Plan:
        """A word for each type by itself: a type that is not managed is not let go with it."""
        try:
            number = next_generation(item.head)
        except InvalidRecord as error:
            raise Refused(str(error)) from error
        mine = (Retirement(name, kind, number, self._operator.name) for name, kind in units)
        others = (one for one in newest.retired if (one.name, one.type) not in units)
        shown = ", ".join(f"{display(name)} {kind}" for name, kind in units)
        now_s = int(self._outside.clock.now_s())
        ledger = ledger_seen(newest, seen_s=now_s)
        return Plan(
            schema=SCHEMA,
            owner=item.owner,
            label=item.label,
            zone=newest.zone,
            generation=number,
            base=item.head,
            created_s=now_s,
            author=f"operator {self._operator.name}",
            reason=f"retire {shown}: {self._operator.because}",
            content=without(newest.content, units),
            ledger=tuple(ledger[unit] for unit in sorted(ledger.keys() - set(units))),
            retired=(*others, *mine),
            waivers=carried_waivers(newest, item.applied),
            turn=newest.turn,
        )

    async def _item(self, zone: Zone) -> GenerationItem:
        item = (await self._outside.table.read((zone.label,))).get(zone.label)
        label = zone.label
        if item is None or item.head == NO_GENERATION:
            raise Refused(f"{label} has no plan, so it manages no name; look at dns-planner plan")
        if item.incarnation != await self._outside.table.incarnation() or item.ahead is not None:
            raise Refused(f"{label}'s history is in doubt; run dns-runbook reconcile {label} first")
        if item.frozen is not None:
            raise Refused(
                f"{label} is frozen by {item.frozen}; run dns-runbook thaw {label} {item.frozen}"
                " first"
            )
        if item.pin is not None:
            raise Refused(f"{label} is pinned to {item.pin}; run dns-runbook unpin {label} first")
        return item

    async def _audit(self, prepared: Prepared, plan_id: PlanId) -> None:
        await self._outside.audit.append(
            AuditRow(
                label=plan_id.label,
                at_s=int(self._outside.clock.now_s()),
                action="retire",
                by=self._operator.name,
                because=self._operator.because,
                facts={
                    "name": prepared.name,
                    "types": ",".join(kind for _, kind in prepared.units),
                    "generation": plan_id.generation,
                    "digest": plan_id.digest,
                },
            )
        )


def _unmanaged(
    item: GenerationItem, newest: Plan, name: Name | None, asked: Asked
) -> Mistaken | RetiredAlready:
    """Nothing of that name and type is managed: ended before, or never there."""
    if name is not None and (word := retired_before(newest, name, asked.type)) is not None:
        return RetiredAlready(
            f"{display(name)} was retired by {word.by} in generation {word.generation}"
        )
    types = [] if name is None else [kind for _, kind in units_of(newest, name, None)]
    if name is not None and types:
        found = f"{display(name)} has no {asked.type} in generation {item.head} of {item.label}"
        return Mistaken(f"{found}; it has {', '.join(types)}")
    missing = f"{item.label} manages no name {asked.name} in generation {item.head}"
    near = nearest(asked.name, {one for one, _ in managed_units(newest)}, newest.zone)
    if not near:
        return Mistaken(f"{missing}, nor one like it; see dns-runbook status {item.label}")
    return Mistaken(f"{missing}; nearest: {', '.join(near)}")
