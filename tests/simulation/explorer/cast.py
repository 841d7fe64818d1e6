"""Who acts: the project's own cycles and commands, each on ports of its own.

Nothing here decides anything that the product decides; a script only says how often a cycle runs,
in the order in which the daemon or the command calls it.
"""

from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, TypeAlias

from dnsplan.errors import DnsplanError
from dnsplan.generation import GenerationItem
from dnsplan.guardrails import Limits
from dnsplan.names import parse_name
from dnsplan.normal import normal_form
from dnsplan.plan import SCHEMA, Generation, Plan, next_generation, sorted_content
from dnsplan.ports import Zone
from dnsplan.records import RecordSet
from dnsplan.velocity import VelocityLimit
from dnsplan.vouch import UNCHECKED
from enactor.cycle import EnactCycle
from enactor.ports import Outside as EnactorOutside
from enactor.rules import adoption
from enactor.rules.outcomes import Held
from enactor.settings import Pace, ZoneTask
from planner.cleanup import CleanupCycle
from planner.cleanup import Outside as CleanupOutside
from planner.publishing import Publisher
from planner.rules.retention import Retention
from runbooks.controls.freezing import Freezing
from runbooks.controls.froze import Frozen
from runbooks.controls.outside import Operator
from runbooks.controls.outside import Outside as ControlsOutside
from runbooks.controls.pinning import Pinning
from runbooks.controls.rolling_back import RollingBack
from tests.simulation.explorer.script import TABLE_ID, AskingRecords, Hands

LABEL = "shop"
ZONE = Zone(LABEL, "Z0000000000001", parse_name("example.com"))
OWNER = "0" * 31 + "1"
LIMITS = Limits(VelocityLimit(min_targets=1, max_removed_share=0.25, window_s=300))
TASK = ZoneTask(ZONE, observe=False, repair_drift=True, limits=LIMITS)
PACE = Pace(interval_s=2.0, fence_check_s=60.0, stagger_s=5.0, requests_per_s=1.7)
OPERATOR = Operator("ann", "exploration")
FREEZE_ATTEMPTS_MAX = 2

# What a script returns when it has kept its promise; any other word promises nothing.
FROZEN = "frozen"

Script: TypeAlias = Callable[[Hands], Coroutine[Any, Any, str]]


@dataclass(frozen=True, slots=True)
class Actor:
    """One of the cast. `deletes` says that it may delete plan bodies."""

    name: str
    script: Script
    planner_fed: bool = False
    deletes: bool = False


def answer(name: str, number: int) -> RecordSet:
    """One name's only answer in one plan."""
    value = f"192.0.2.{number}"
    return normal_form(RecordSet(parse_name(f"{name}.example.com"), "A", 60, (value,)))


def enactor(az: str, *, passes: int, audits: bool = False) -> Actor:
    """One AZ's enactor, in the order of its daemon, always having its turn.

    It looks at the fence of a zone that is in order at every pass, and at its records if it audits.
    """

    async def script(hands: Hands) -> str:
        outside = EnactorOutside(
            table=hands.table,
            archive=hands.archive,
            records=hands.records,
            exceptions=hands.notes,
            clock=hands.clock,
            jitter=hands.jitter,
        )
        cycle = EnactCycle(outside, az=az, pace=PACE)
        for _ in range(passes):
            try:
                item = (await hands.table.read((LABEL,))).get(LABEL)
            except DnsplanError:
                await hands.pause(cycle)
                continue
            adopted = adoption.before_fence(item, ZONE, incarnation=TABLE_ID, keyring=UNCHECKED)
            if item is not None and not isinstance(adopted, Held):
                in_order = not cycle.awaits(item) and item.applied == adopted.plan_id.generation
                if await cycle.confirm(item) is None:
                    looks = audits and in_order
                    await cycle.run_once(TASK, item, incarnation=TABLE_ID, audits=looks)
            await hands.pause(cycle)
        return "passes made"

    return Actor(az, script, planner_fed=True)


def cleanup(*, passes: int) -> Actor:
    """The cleanup job, keeping nothing that it may delete."""

    async def script(hands: Hands) -> str:
        outside = CleanupOutside(
            table=hands.table,
            archive=hands.archive,
            fences=hands.records,
            clock=hands.clock,
            jitter=hands.jitter,
        )
        cycle = CleanupCycle(outside, retention=Retention(keep=0, min_age_s=0), by="cleanup")
        for _ in range(passes):
            await cycle.run_once(LABEL, ZONE.name)
            await hands.pause(cycle)
        return "passes made"

    return Actor("cleanup", script, deletes=True)


def freezer() -> Actor:
    """An operator who freezes, and once again when told that it is half done."""

    async def script(hands: Hands) -> str:
        command = Freezing(_controls(hands), OPERATOR, _quiet)
        for _ in range(FREEZE_ATTEMPTS_MAX):
            (outcome,) = await command.freeze((LABEL,), lambda: _route53(hands))
            if isinstance(outcome, Frozen):
                return FROZEN
            await hands.pause(None)
        return "not frozen"

    return Actor("freeze", script)


def rollback(to: int, *, pinned: bool) -> Actor:
    """An operator who rolls back."""

    async def script(hands: Hands) -> str:
        command = RollingBack(_controls(hands), OPERATOR)
        prepared = await command.prepare(ZONE, Generation(to), LIMITS, ())
        await command.publish(prepared, pinned=pinned)
        return "rolled back"

    return Actor("rollback", script)


def pinner(generation: int) -> Actor:
    """An operator who pins."""

    async def script(hands: Hands) -> str:
        await Pinning(_controls(hands), OPERATOR).pin(ZONE, Generation(generation))
        return "pinned"

    return Actor("pin", script)


def publisher(name: str, content: tuple[RecordSet, ...]) -> Actor:
    """A planner that has made up its mind; it publishes what it wants after whatever is newest."""

    async def script(hands: Hands) -> str:
        publishing = Publisher(table=hands.table, archive=hands.archive, jitter=hands.jitter)
        item = (await hands.table.read((LABEL,))).get(LABEL)
        if item is None:
            item = GenerationItem(
                label=LABEL, owner=OWNER, incarnation=TABLE_ID, nonce=hands.jitter.token(64)
            )
            await publishing.create(item)
        number = next_generation(item.head)
        plan = Plan(
            schema=SCHEMA,
            owner=OWNER,
            label=LABEL,
            zone=ZONE.name,
            generation=number,
            base=item.head,
            created_s=int(hands.clock.now_s()),
            author=name,
            reason="health",
            content=sorted_content(content),
        )
        outcome = await publishing.publish(item, plan)
        return type(outcome).__name__

    return Actor(name, script, planner_fed=True)


def thawer() -> Actor:
    """An operator who ends whatever freeze stands."""

    async def script(hands: Hands) -> str:
        item = (await hands.table.read((LABEL,)))[LABEL]
        standing = await hands.records.read_fence(ZONE)
        marked = getattr(getattr(standing, "record", None), "frozen", None)
        freeze_id = item.frozen or marked
        if freeze_id is not None:
            command = Freezing(_controls(hands), OPERATOR, _quiet)
            await command.thaw(ZONE, freeze_id, hands.records)
        return "thawed"

    return Actor("thaw", script)


def _controls(hands: Hands) -> ControlsOutside:
    return ControlsOutside(
        table=hands.table,
        archive=hands.archive,
        records=hands.records,
        audit=hands.audit,
        clock=hands.clock,
        jitter=hands.jitter,
    )


@dataclass(frozen=True, slots=True)
class _OneZone:
    """Route 53 as freeze opens it."""

    records: AskingRecords

    async def zone_of(self, item: GenerationItem) -> Zone:  # noqa: ARG002 - the port has it
        """The only zone there is."""
        return ZONE


@asynccontextmanager
async def _route53(hands: Hands) -> AsyncIterator[_OneZone]:
    yield _OneZone(hands.records)


def _quiet(_line: str) -> None:
    """No terminal."""
