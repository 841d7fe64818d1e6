"""One run's stand-in, and each process's way to it: the product's adapters over the SDK's clients.

The adapters are wired as the daemons' own composition roots wire them, with the process's clock and
chance, and a retry budget and a request rate for each life.
"""

from collections.abc import Sequence
from contextlib import ExitStack
from random import Random

from dnsplan.runtime.archive import DynamoPlanArchive
from dnsplan.runtime.bucket import TokenBucket, share_of_account
from dnsplan.runtime.presence import DynamoPresenceBoard
from dnsplan.runtime.retry import RetryBudget, Retrying
from dnsplan.runtime.table import DynamoGenerationTable
from enactor.adapters.exceptions import DynamoExceptionsLog
from enactor.adapters.quotas import Route53Quotas
from enactor.adapters.route53 import Route53Records
from planner.adapters.fences import FencesByLabel
from planner.adapters.vantage_board import DynamoVantageBoard
from planner.ports import Prober
from runbooks.controls.audit_log import DynamoAuditLog
from sandbox.aws.in_process import InProcessStandIn
from sandbox.aws.moto_dynamodb import DynamoDBSettings
from sandbox.aws.settings import Chance, StandInSettings
from sandbox.route53.account import Route53Settings
from tests.simulation.cloud import Judge
from tests.simulation.doors import ProbeDoor
from tests.simulation.loop import SimLoop
from tests.simulation.processes import START_S, Process, ProcessClock, ProcessJitter
from tests.simulation.reach import Doors, Reach, Reached
from tests.simulation.stack.clients import ClientSet, clients_of
from tests.simulation.stack.hearing import Hearing
from tests.simulation.stack.network import Network
from tests.simulation.stack.raw_items import TABLE
from tests.simulation.stack.small_stores import small_stores
from tests.simulation.stack.there import StackCloud
from tests.simulation.wire import Wire

# What three AZs with the pace of `house` may ask together.
ACCOUNT_PER_S, SHARERS = 15.0, 3
# How far a read that does not ask for the present may be behind it. DynamoDB states no bound: it is
# seldom more than a second, and in the last of these worlds such a read never sees any write.
STALE_S = (1.0, 20.0, 1_000_000.0)


def stack_ground(loop: SimLoop, settings: Route53Settings, seed: int) -> tuple[StackCloud, Doors]:
    """A stand-in whose time is the loop's and whose chance is the seed's."""
    stale_s = Random(f"stale {seed}").choice(STALE_S)
    aws = InProcessStandIn(
        settings=StandInSettings(route53=settings, dynamodb=DynamoDBSettings(stale_s)),
        chance=Chance(
            clock=loop.time,
            wall=lambda: START_S + loop.time(),
            source=Random(f"stand-in {seed}"),
        ),
    )
    limits = ExitStack()
    limits.enter_context(small_stores(Random(f"stores {seed}")))
    cloud = StackCloud(aws, limits)

    def doors(wire: Wire, judge: Judge) -> Reach:
        hearing = Hearing(cloud, judge, cloud.route53.made)
        network = Network(wire, aws.gate.act, hearing, Random(f"trouble {seed}"))

        def reach(process: Process) -> Reached:
            # Operators come and go: one set serves them all.
            is_operator = process.name.startswith("operator")
            clients = clients_of("operator" if is_operator else process.name)
            clients.line.carrier, clients.line.process = network, process
            labels = [zone.label for zone in cloud.route53.made.values()]
            prober = ProbeDoor(process, wire, cloud.targets)
            return _adapters(process, clients, labels, prober)

        return reach

    return cloud, doors


def _adapters(
    process: Process, clients: ClientSet, labels: Sequence[str], prober: Prober
) -> Reached:
    clock, jitter = ProcessClock(process), ProcessJitter(process)
    bucket = TokenBucket(clock, share_of_account(ACCOUNT_PER_S, SHARERS))
    budget = RetryBudget()
    paced = Retrying(clock, jitter, budget=budget, bucket=bucket)
    unpaced = Retrying(clock, jitter, budget=budget)
    dynamodb, route53 = clients.dynamodb, dict.fromkeys(labels, clients.route53)
    return Reached(
        table=DynamoGenerationTable(dynamodb, TABLE, unpaced),
        archive=DynamoPlanArchive(dynamodb, TABLE, unpaced),
        records=Route53Records(route53, retrying=paced, bucket=bucket),
        fences=FencesByLabel(route53, paced),
        exceptions=DynamoExceptionsLog(dynamodb, TABLE, retrying=unpaced),
        board=DynamoPresenceBoard(dynamodb, TABLE, unpaced),
        audit=DynamoAuditLog(dynamodb, TABLE, unpaced, jitter),
        prober=prober,
        vantage=DynamoVantageBoard(dynamodb, TABLE, unpaced),
        quotas=Route53Quotas(route53, retrying=paced),
    )
