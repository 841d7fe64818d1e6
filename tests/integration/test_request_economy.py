"""What a deployment spends, counted by Route 53: real adapters and daemons, each AZ with a bucket.

Ordinary work costs the one AZ that does it a handful of requests and the others none, and neither a
busy zone nor a throttled account takes the pace from zones that are not concerned.
"""

from collections import Counter

import pytest

from dnsplan.ports import Zone
from dnsplan.runtime.bucket import TokenBucket, share_of_account
from enactor.adapters.quotas import Route53Quotas
from enactor.adapters.route53 import Route53Records
from enactor.daemon import EnactorDaemon
from enactor.ports import Outside
from enactor.rules import stagger
from enactor.rules.quota import ZoneQuota
from enactor.settings import ZoneTask
from sandbox.aws.faults import PRIOR_REQUEST, THROTTLE, Where
from tests.cases.stages import AZS, CHANGE, LIST, STATUS, Wire, wire
from tests.fakes.clock import SeededJitter
from tests.fakes.notes import FakeBoard
from tests.fakes.world import LIMITS, PACE, a

__all__ = ["wire"]

WWW = "www.example.com"
SHARE = share_of_account(5.0, len(AZS))


class Deployment:
    """A daemon in each AZ over some zones, each with its own share of the account."""

    def __init__(self, wire: Wire, *zones: Zone) -> None:
        """Nobody has run yet."""
        self.wire = wire
        self.board = FakeBoard()
        self.buckets = {az: TokenBucket(wire.clock, SHARE) for az in AZS}
        self.spent: dict[str, Counter[str]] = {az: Counter() for az in AZS}
        self.daemons = {az: self._daemon(az, zones or (wire.zone,)) for az in AZS}

    def _daemon(self, az: str, zones: tuple[Zone, ...]) -> EnactorDaemon:
        wire, bucket, seed = self.wire, self.buckets[az], sum(az.encode())
        clients = {zone.label: wire.client for zone in zones}
        retrying = wire.retrying(bucket, seed=seed)
        outside = Outside(
            table=wire.table,
            archive=wire.archive,
            records=Route53Records(clients, retrying=retrying, bucket=bucket),
            exceptions=wire.exceptions,
            clock=wire.clock,
            jitter=SeededJitter(seed),
            quotas=Route53Quotas(clients, retrying=retrying),
        )
        daemon = EnactorDaemon(outside, self.board, az=az, azs=AZS, pace=PACE, line=bucket)
        for zone in zones:
            daemon.admit(ZoneTask(zone, observe=False, repair_drift=True, limits=LIMITS))
        return daemon

    async def run(self, seconds: float) -> None:
        """Let every AZ pass every two seconds."""
        until_s = self.wire.clock.elapsed_s() + seconds
        while self.wire.clock.elapsed_s() < until_s:
            for az, daemon in self.daemons.items():
                self.wire.spent()
                await daemon.run_once()
                await daemon.finish()
                self.spent[az] += self.wire.spent()
            self.wire.clock.advance(2.0)

    def total(self) -> Counter[str]:
        """What all AZs spent since the last look."""
        summed = sum(self.spent.values(), Counter[str]())
        for spent in self.spent.values():
            spent.clear()
        return summed


@pytest.mark.parametrize("names", [10, 3_000])
async def test_a_changed_record_costs_four_requests_of_one_az(wire: Wire, names: int) -> None:
    """Fence and batch, then status and read back; the size of the zone and the AZs do not count."""
    content = [a(f"h{n:04d}.example.com", "192.0.2.1") for n in range(names)]
    await wire.apply(*content)
    deployment = Deployment(wire)
    await deployment.run(200)  # everybody's first checks and looks are over
    deployment.total()
    await wire.publish(a("h0000.example.com", "192.0.2.2"), *content[1:])
    await deployment.run(12)
    assert (await wire.item()).applied == 2
    first, *others = stagger.order("shop", AZS)
    checks = deployment.spent[first][LIST] - 2
    assert deployment.spent[first] - Counter({LIST: checks}) == {LIST: 2, CHANGE: 1, STATUS: 1}
    assert checks in (0, 1)  # a fence check that happened to be due
    assert [deployment.spent[az] for az in others] == [{}, {}]


async def test_an_unchanged_zone_costs_its_fence_checks_and_its_share_of_the_audit(
    wire: Wire,
) -> None:
    """Ten quiet minutes of 3,000 records, 11 pages: each is looked at once, with the fence behind
    it; that stands for the fence checks. No other AZ asks anything."""
    await wire.apply(*(a(f"h{n:04d}.example.com", "192.0.2.1") for n in range(3_000)))
    deployment = Deployment(wire)
    await deployment.run(200)
    deployment.total()
    await deployment.run(600)
    first, *others = stagger.order("shop", AZS)
    assert set(deployment.spent[first]) <= {LIST, "GetHostedZoneLimit"}
    assert deployment.spent[first][LIST] in range(2 * 10, 2 * 12 + 1)
    assert [deployment.spent[az] for az in others] == [{}, {}]


async def test_a_zone_that_is_slow_to_be_in_sync_is_polled_few_times(wire: Wire) -> None:
    """Two minutes until INSYNC: polls double, so they are a handful and not one a cycle."""
    await wire.apply(a(WWW, "192.0.2.1"))
    wire.aws.settings.route53.insync_after_s = 120.0
    deployment = Deployment(wire)
    await wire.publish(a(WWW, "192.0.2.2"))
    await deployment.run(200)
    assert (await wire.item()).applied == 2
    assert deployment.total()[STATUS] <= 9


async def test_a_busy_zone_waits_alone(wire: Wire) -> None:
    """PriorRequestNotComplete is a word about one zone: others go on, at the full rate."""
    other = await wire.make_zone("other", "example.org")
    deployment = Deployment(wire, wire.zone, other)
    busy = wire.aws.faults.arm(
        PRIOR_REQUEST, Where(operation=CHANGE, resource=wire.zone.zone_id, times=None)
    )
    await wire.publish(a(WWW, "192.0.2.1"))
    mine, wire.label, wire.zone = wire.zone, "other", other
    for generation in range(1, 6):
        await wire.publish(a("www.example.org", f"192.0.2.{generation}"))
        await deployment.run(10)
        assert (await wire.item()).applied == generation
    wire.label, wire.zone = "shop", mine
    assert {bucket.per_s for bucket in deployment.buckets.values()} == {SHARE.per_s}
    assert 1 <= busy.struck_count <= 15  # three AZs, each ever more seldom
    wire.aws.faults.disarm(busy.id)
    await deployment.run(130)
    assert (await wire.item()).applied == 1


async def test_a_throttled_account_is_asked_less_and_the_audit_stops_first(wire: Wire) -> None:
    """A throttle halves the rate; what can wait is not asked for until there is room again."""
    content = [a(f"h{n:04d}.example.com", "192.0.2.1") for n in range(900)]
    await wire.apply(*content)
    deployment = Deployment(wire)
    throttled = wire.aws.faults.arm(THROTTLE, Where(service="route53", times=None))
    await deployment.run(300)
    first, *_ = stagger.order("shop", AZS)
    assert deployment.buckets[first].per_s < SHARE.per_s
    asked = deployment.total()
    assert asked.total() <= 60  # five minutes, retries and all: a fifth of the share
    wire.aws.faults.disarm(throttled.id)
    await wire.publish(*content, a(WWW, "192.0.2.1"))
    await deployment.run(120)
    assert wire.content() >= {a(WWW, "192.0.2.1")}


async def test_the_limit_of_a_zone_is_read_as_route_53_states_it(wire: Wire) -> None:
    """Count and limit of record sets; NS and SOA count."""
    await wire.apply(a(WWW, "192.0.2.1"))
    quotas = Route53Quotas({"shop": wire.client}, retrying=wire.retrying())
    assert await quotas.quota(wire.zone) == ZoneQuota(count=4, limit=1_000_000)


async def test_a_plan_above_the_limit_costs_one_question_and_no_batch(wire: Wire) -> None:
    """Refused before it is sent, so that no name is tried alone and held for want of room."""
    await wire.apply(a(WWW, "192.0.2.1"))
    wire.aws.settings.route53.records_per_zone_max = 10
    deployment = Deployment(wire)
    await wire.publish(
        *(a(f"h{n}.example.com", "192.0.2.1") for n in range(10)), a(WWW, "192.0.2.1")
    )
    await deployment.run(120)
    spent = deployment.total()
    assert spent[CHANGE] == 0
    assert spent["GetHostedZoneLimit"] <= len(AZS)
    assert wire.content() == {a(WWW, "192.0.2.1")}
    assert (await wire.fence()).held == 0
