"""Compares a zone with the plan that its fence names, and both with what name servers answer.

It only reads. What stands is read between two equal fences; the servers are asked afterwards, and a
change that was just made may take a minute to reach all of them.
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from dnsplan.codec import contents
from dnsplan.errors import DnsplanError
from dnsplan.fence import SeenFence
from dnsplan.names import Name
from dnsplan.plan import NO_GENERATION, Generation, Plan, PlanId
from dnsplan.ports import Zone
from dnsplan.records import RecordSet, Unit, by_unit
from dnsplan.runtime.status.model import Unread
from enactor.notes import held_at
from enactor.ports import Outside
from enactor.rules.drift import Drift, drifts
from enactor.rules.exceptions import HeldName
from runbooks.auditing.looking import CannotAudit, Looking
from runbooks.controls.outside import Mistaken
from runbooks.looking.asking import Answer, Asking
from runbooks.looking.eyes import Eyes
from runbooks.looking.naming import nearest
from runbooks.looking.wanted import is_as_wanted, wanted

LOOKS_MAX = 3
Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Answered:
    """One server's answer, and whether the plan allows it."""

    answer: Answer
    is_wanted: bool


@dataclass(frozen=True, slots=True)
class Verified:
    """One name and type. `drift` None: the zone holds it as planned; `held`: why it may not."""

    unit: Unit
    planned: tuple[RecordSet, ...]
    drift: Drift | None
    answered: tuple[Answered, ...]
    held: str | None

    @property
    def is_same(self) -> bool:
        """Whether all who were asked agree."""
        return self.drift is None and all(one.is_wanted for one in self.answered)


@dataclass(frozen=True, slots=True)
class Verification:
    """All names and types of a plan, or those of one name. `not_asked` were beyond the limit;
    `servers` are Unread where none of those that were wanted could be found."""

    generation: Generation
    units: tuple[Verified, ...]
    servers: tuple[str, ...] | Unread
    not_asked: int

    @property
    def is_in_sync(self) -> bool:
        """Whether everything was compared that was wanted, and is the same."""
        is_asked = not isinstance(self.servers, Unread)
        return is_asked and all(one.is_same for one in self.units)


@dataclass(frozen=True, slots=True)
class _Standing:
    plan: Plan
    drift: Mapping[Unit, Drift]
    held: Mapping[Name, HeldName]


class Verifying:
    """One operator's look at one zone."""

    def __init__(self, eyes: Eyes, zone: Zone, progress: Progress) -> None:
        """`progress` gets pages read, and about how many there are."""
        self._eyes = eyes
        self._zone = zone
        self._progress = progress

    async def verify(
        self, asking: Asking | Unread, *, name: Name | None, asked_max: int
    ) -> Verification:
        """Every managed name, or one. CannotAudit when there is no whole plan to compare with."""
        standing = await (self._whole() if name is None else self._one(name))
        stated = by_unit(standing.plan.content)
        units = [unit for unit in stated if name in (None, unit[0])]
        if not units:
            raise self._unmanaged(standing.plan, str(name))
        asked = units[:asked_max] if isinstance(asking, Asking) else []
        async with asyncio.TaskGroup() as group:  # how many at once is `asking`'s to bound
            tasks = {unit: group.create_task(_answers(asking, unit, stated)) for unit in asked}
        found = tuple(
            Verified(
                unit,
                stated[unit],
                standing.drift.get(unit),
                tasks[unit].result() if unit in tasks else (),
                None if unit[0] not in standing.held else standing.held[unit[0]].reason,
            )
            for unit in units
        )
        servers = _servers(asking) if asked_max else ()
        return Verification(standing.plan.generation, found, servers, len(units) - len(asked))

    async def _one(self, name: Name) -> _Standing:
        for _ in range(LOOKS_MAX):
            fence = await self._fence()
            plan = await self._plan(fence)
            listed = await self._eyes.records.list_name(self._zone, name)
            held = await held_at(self._eyes.exceptions, self._zone.label, fence.record)
            if await self._eyes.records.read_fence(self._zone) == fence:
                planned = [one for one in plan.content if one.name == name]
                return _Standing(plan, _by_unit(drifts(listed, planned)), held or {})
        raise self._moving()

    def _unmanaged(self, plan: Plan, name: str) -> Mistaken:
        text = f"{self._zone.label} manages no {name} in generation {plan.generation}"
        near = nearest(name, {one.name for one in plan.content}, self._zone.name)
        return Mistaken(f"{text}; nearest: {', '.join(near)}" if near else text)

    async def _whole(self) -> _Standing:
        outside = Outside(
            table=self._eyes.table,
            archive=self._eyes.archive,
            records=self._eyes.records,
            exceptions=self._eyes.exceptions,
            clock=self._eyes.clock,
            jitter=self._eyes.jitter,
        )
        for _ in range(LOOKS_MAX):
            audit = await Looking(outside).look(self._zone, self._progress)
            fence = await self._fence()
            if fence.record.generation == audit.generation:
                held = await held_at(self._eyes.exceptions, self._zone.label, fence.record)
                plan = await self._plan(fence)
                drift = [*audit.drift, *await self._held_back(plan, held or {})]
                return _Standing(plan, _by_unit(drift), held or {})
        raise self._moving()

    async def _held_back(self, plan: Plan, held: Mapping[Name, HeldName]) -> list[Drift]:
        """What stands at the names that an audit leaves out, since they hold something else."""
        found: list[Drift] = []
        for name in sorted(held):
            listed = await self._eyes.records.list_name(self._zone, name)
            found += drifts(listed, [one for one in plan.content if one.name == name])
        return found

    async def _fence(self) -> SeenFence:
        fence = await self._eyes.records.read_fence(self._zone)
        label = self._zone.label
        if not isinstance(fence, SeenFence) or fence.record.generation == NO_GENERATION:
            raise CannotAudit(
                f"{label} has no fence with a plan; look at dns-runbook explain {label}"
            )
        return fence

    async def _plan(self, fence: SeenFence) -> Plan:
        seen, label = fence.record, self._zone.label
        try:
            plan_id = PlanId(label, seen.generation, seen.digest)
            return contents(await self._eyes.archive.load(plan_id))
        except DnsplanError as error:
            raise CannotAudit(
                f"plan {seen.generation} of {label} cannot be read, so nothing is compared:"
                f" {error}; look at dns-runbook explain {label}"
            ) from error

    def _moving(self) -> CannotAudit:
        return CannotAudit(f"{self._zone.label} is being written; run it again")


async def _answers(
    asking: Asking | Unread, unit: Unit, stated: Mapping[Unit, Sequence[RecordSet]]
) -> tuple[Answered, ...]:
    if isinstance(asking, Unread):
        return ()
    what = wanted(unit, stated)
    return tuple(
        Answered(one, is_as_wanted(what, unit[1], one.seen)) for one in await asking.ask(unit)
    )


def _servers(asking: Asking | Unread) -> tuple[str, ...] | Unread:
    return asking if isinstance(asking, Unread) else tuple(one.shown for one in asking.servers)


def _by_unit(found: Sequence[Drift]) -> dict[Unit, Drift]:
    return {one.unit: one for one in found}
