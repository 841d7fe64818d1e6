"""The product's parts for one zone, wired as their composition roots wire them.

Real rules, real cycles, real adapters over HTTP to the stand-in; only the clock is the story's.
"""

from collections.abc import AsyncIterator, Callable, Coroutine, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import Any

from dnsplan.generation import GenerationItem
from dnsplan.guardrails import Limits
from dnsplan.names import parse_name
from dnsplan.normal import normal_form
from dnsplan.ports import Clock, GenerationTable, Zone
from dnsplan.records import RecordSet, unit_of
from dnsplan.runtime.archive import DynamoPlanArchive
from dnsplan.runtime.bucket import TokenBucket, share_of_account
from dnsplan.runtime.clock import SystemJitter
from dnsplan.runtime.retry import RetryBudget, Retrying
from dnsplan.runtime.table import DynamoGenerationTable, create_table
from dnsplan.velocity import VelocityLimit
from enactor.adapters.exceptions import DynamoExceptionsLog
from enactor.adapters.route53 import Route53Records
from enactor.cycle import EnactCycle
from enactor.ports import Outside as EnactorOutside
from enactor.rules.outcomes import Outcome
from enactor.settings import Pace, ZoneTask
from planner.adapters.fences import FencesByLabel
from planner.cleanup import CleanReport, CleanupCycle
from planner.cleanup import Outside as CleanupOutside
from planner.cycle import PlanCycle
from planner.passes import PlanPass
from planner.rules.candidate import ZoneWish
from planner.rules.health import Sight
from planner.rules.outcomes import PlanOutcome
from planner.rules.retention import Retention
from sandbox.incident.house import House
from sandbox.incident.story import (
    AZ_A,
    AZ_B,
    CLEANUP,
    ENACTOR_A,
    ENACTOR_B,
    NAME,
    OLD_AFTER_S,
    PLANNER,
    ZONE,
    StoryClock,
    addresses,
)

TABLE = "dnsplan"
LABEL = "regional"
TTL_S = 60
ACCOUNT_PER_S = 5.0
PLANS_PER_MIN_MAX = 6
LIMITS = Limits(VelocityLimit(min_targets=1, max_removed_share=0.25, window_s=300))
NOTHING_PROBED = Sight({}, since_s=0.0, now_s=0.0)


@dataclass(frozen=True, slots=True)
class Staff:
    """The planner, both enactors and cleanup. `plan(n)` plans what the story states for n."""

    label: str
    task: ZoneTask
    table: GenerationTable
    plan: Callable[[int], Coroutine[Any, Any, PlanOutcome]]
    enactors: Mapping[str, EnactCycle]
    cleanup: CleanupCycle

    async def item(self) -> GenerationItem:
        """The zone's generation item."""
        return (await self.table.read([self.label]))[self.label]

    async def enact(self, who: str) -> Outcome:
        """One cycle, as the daemon runs it."""
        incarnation = await self.table.incarnation()
        item = await self.item()
        return await self.enactors[who].run_once(self.task, item, incarnation=incarnation)

    async def confirm(self, who: str) -> Outcome | None:
        """One poll for what this enactor waits for."""
        return await self.enactors[who].confirm(await self.item())

    async def clean(self) -> CleanReport:
        """One cleanup pass."""
        return await self.cleanup.run_once(self.label, self.task.zone.name)


@asynccontextmanager
async def open_staff(house: House, clock: StoryClock) -> AsyncIterator[Staff]:
    """Open every part's clients, and make the table."""
    zone = Zone(LABEL, house.zone_id, parse_name(ZONE))
    async with AsyncExitStack() as stack:

        async def client(service: str, who: str) -> Any:
            return await stack.enter_async_context(house.client(service, who))

        planner_db = await client("dynamodb", PLANNER)
        await create_table(
            planner_db, TABLE, clock=clock, jitter=SystemJitter(), retrying=retrying(clock)
        )
        enactors = {
            who: make_enactor(
                await client("route53", who), await client("dynamodb", who), clock, az=az
            )
            for who, az in ((ENACTOR_A, AZ_A), (ENACTOR_B, AZ_B))
        }
        yield Staff(
            label=LABEL,
            task=ZoneTask(zone, observe=False, repair_drift=True, limits=LIMITS),
            table=DynamoGenerationTable(planner_db, TABLE, retrying(clock)),
            plan=make_planner(planner_db, clock),
            enactors=enactors,
            cleanup=make_cleanup(
                await client("route53", CLEANUP), await client("dynamodb", CLEANUP), clock
            ),
        )


def make_planner(dynamodb: Any, clock: Clock) -> Callable[[int], Coroutine[Any, Any, PlanOutcome]]:
    """A planner whose config changes from plan to plan."""
    table = DynamoGenerationTable(dynamodb, TABLE, retrying(clock))
    cycle = PlanCycle(
        table=table,
        archive=DynamoPlanArchive(dynamodb, TABLE, retrying(clock)),
        clock=clock,
        jitter=SystemJitter(),
        author=PLANNER,
        plans_per_min_max=PLANS_PER_MIN_MAX,
    )

    async def plan(number: int) -> PlanOutcome:
        stated = normal_form(RecordSet(parse_name(NAME), "A", TTL_S, addresses(number)))
        wish = ZoneWish(
            label=LABEL,
            zone=parse_name(ZONE),
            stated={unit_of(stated): (stated,)},
            driven=(),
            limits=LIMITS,
        )
        (report,) = await PlanPass([wish], table=table, cycle=cycle).run_once(
            NOTHING_PROBED, may_write=True
        )
        return report.outcome

    return plan


def make_enactor(route53: Any, dynamodb: Any, clock: Clock, *, az: str) -> EnactCycle:
    """One availability zone's enactor."""
    share = share_of_account(ACCOUNT_PER_S, 2)
    bucket = TokenBucket(clock, share)
    outside = EnactorOutside(
        table=DynamoGenerationTable(dynamodb, TABLE, retrying(clock)),
        archive=DynamoPlanArchive(dynamodb, TABLE, retrying(clock)),
        records=Route53Records({LABEL: route53}, retrying=retrying(clock, bucket), bucket=bucket),
        exceptions=DynamoExceptionsLog(dynamodb, TABLE, retrying=retrying(clock)),
        clock=clock,
        jitter=SystemJitter(),
    )
    pace = Pace(interval_s=2.0, fence_check_s=60.0, stagger_s=5.0, requests_per_s=share.per_s)
    return EnactCycle(outside, az=az, pace=pace)


def make_cleanup(route53: Any, dynamodb: Any, clock: Clock) -> CleanupCycle:
    """Cleanup, with the careless one's idea of what is old."""
    outside = CleanupOutside(
        table=DynamoGenerationTable(dynamodb, TABLE, retrying(clock)),
        archive=DynamoPlanArchive(dynamodb, TABLE, retrying(clock)),
        fences=FencesByLabel({LABEL: route53}, retrying(clock)),
        clock=clock,
        jitter=SystemJitter(),
    )
    return CleanupCycle(outside, retention=Retention(keep=1, min_age_s=OLD_AFTER_S), by=CLEANUP)


def retrying(clock: Clock, bucket: TokenBucket | None = None) -> Retrying:
    """The one retry layer, for one client."""
    return Retrying(clock, SystemJitter(), budget=RetryBudget(), bucket=bucket)
