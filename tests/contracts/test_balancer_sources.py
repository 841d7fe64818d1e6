"""Load balancers as targets, on moto: what is registered, deregistered, deleted and throttled."""

from collections.abc import AsyncIterator, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from dnsplan.names import parse_name
from dnsplan.records import AliasTarget, Weighted
from dnsplan.runtime.config import load
from dnsplan.runtime.config.schema import LoadBalancer, Target
from dnsplan.runtime.config.source_shape import LoadBalancersSource
from dnsplan.runtime.retry import RetryPolicy
from planner.adapters.sources.balancers import StatedBalancersSource, TaggedBalancersSource
from planner.adapters.sources.opening import SourceOpener
from planner.outlook import Outlook
from planner.ports import Source
from planner.rules.balancers import id_of
from planner.rules.roll import NOT_READ, Found, Listing, Roll, heard
from planner.settings import planner_settings
from planner.sourcing import Sourcing
from planner.watch import Watch
from sandbox.aws.faults import THROTTLE, Where
from sandbox.aws.server import StandIn, serve
from tests.contracts.conftest import CLIENTS, new_retrying
from tests.fakes.clock import SeededJitter
from tests.fakes.prober import FakeProber
from tests.unit.planner.world import World

REGION = "us-east-1"


@dataclass
class Place:
    """A Region with load balancers."""

    aws: StandIn
    elbv2: Any
    vpc: str
    subnets: list[str]

    async def balancer(self, name: str, *, kind: str = "network", **tags: str) -> str:
        """One that is new; its ARN."""
        made = await self.elbv2.create_load_balancer(
            Name=name,
            Type=kind,
            Subnets=self.subnets,
            Tags=[{"Key": key, "Value": value} for key, value in {"made": "here", **tags}.items()],
        )
        arn: str = made["LoadBalancers"][0]["LoadBalancerArn"]
        return arn

    async def group(self, arn: str, *targets: str) -> str:
        """A target group behind it, with these targets; its ARN."""
        name = f"g{len((await self.elbv2.describe_target_groups())['TargetGroups'])}"
        made = await self.elbv2.create_target_group(
            Name=name, Protocol="TCP", Port=80, VpcId=self.vpc, TargetType="ip"
        )
        group: str = made["TargetGroups"][0]["TargetGroupArn"]
        action = {"Type": "forward", "TargetGroupArn": group}
        await self.elbv2.create_listener(
            LoadBalancerArn=arn, Protocol="TCP", Port=80, DefaultActions=[action]
        )
        if targets:
            await self.elbv2.register_targets(TargetGroupArn=group, Targets=ids(targets))
        return group

    def stated(self, *targets: Target) -> StatedBalancersSource:
        """The source of a pool that states these."""
        return StatedBalancersSource(targets, CLIENTS, new_retrying())

    def tagged(self, **tags: str) -> TaggedBalancersSource:
        """The source of a pool that names tags."""
        stated = LoadBalancersSource(region=REGION, tags=tags)
        return TaggedBalancersSource(stated, CLIENTS, new_retrying())


def ids(targets: Iterable[str]) -> list[dict[str, Any]]:
    """Targets as the API takes them."""
    return [{"Id": one, "Port": 80} for one in targets]


def named(name: str, target_id: str = "lb", **fields: Any) -> Target:
    """A target that is a load balancer by its name."""
    return Target(id=target_id, load_balancer=LoadBalancer(name=name, region=REGION), **fields)


@pytest.fixture
async def place(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Place]:
    """A stand-in of this test alone, with a network of two AZs."""
    async with serve() as aws:
        monkeypatch.setenv("AWS_ENDPOINT_URL", aws.endpoint_url)
        async with (
            CLIENTS.open("elbv2", region=REGION) as elbv2,
            CLIENTS.open("ec2", region=REGION) as ec2,
        ):
            vpc = (await ec2.create_vpc(CidrBlock="10.0.0.0/16"))["Vpc"]["VpcId"]
            subnets = []
            for number, az in enumerate(("us-east-1a", "us-east-1b")):
                made = await ec2.create_subnet(
                    VpcId=vpc, CidrBlock=f"10.0.{number}.0/24", AvailabilityZone=az
                )
                subnets.append(made["Subnet"]["SubnetId"])
            yield Place(aws, elbv2, vpc, subnets)


async def test_a_load_balancer_is_an_alias_with_its_healthy_targets_as_capacity(
    place: Place,
) -> None:
    """By its name or its ARN alike."""
    arn = await place.balancer("api-1")
    await place.group(arn, "10.0.0.1", "10.0.0.2")
    described = (await place.elbv2.describe_load_balancers())["LoadBalancers"][0]
    listing = await place.stated(
        named("api-1", az="use1-az1"),
        Target(id="two", load_balancer=LoadBalancer(arn=arn), types=["A", "AAAA"], capacity=9),
    ).read()
    name = parse_name(described["DNSName"])
    alias = AliasTarget(described["CanonicalHostedZoneId"], name, evaluate_target_health=True)
    told = {"address": None, "alias": alias, "healthy": True}
    detail = "2 of 2 targets healthy"
    assert listing == Listing(
        (
            Found(id="lb", types=("A",), capacity=2, az="use1-az1", detail=detail, **told),  # type: ignore[arg-type]  # forwarded as they are
            Found(id="two", types=("A", "AAAA"), capacity=9, detail=detail, **told),  # type: ignore[arg-type]  # the same
        )
    )


async def test_capacity_follows_what_is_deregistered(place: Place) -> None:
    """A load balancer without a healthy target is a sick target, and is still named."""
    group = await place.group(await place.balancer("api-1"), "10.0.0.1", "10.0.0.2")
    found = []
    for gone in ("10.0.0.1", "10.0.0.2"):
        await place.elbv2.deregister_targets(TargetGroupArn=group, Targets=ids([gone]))
        (one,) = (await place.stated(named("api-1")).read()).targets
        found.append((one.capacity, one.healthy, one.detail))
    assert found == [
        (1, True, "1 of 1 targets healthy"),
        (1, False, "0 of 0 targets healthy"),
    ]


async def test_a_deleted_load_balancer_is_absent_from_a_complete_read(place: Place) -> None:
    """So that it is gone when a second read confirms it, and not before."""
    arn = await place.balancer("api-1")
    await place.balancer("api-2")
    source = place.stated(named("api-1", "one"), named("api-2", "two"))
    roll = await counted(source, NOT_READ, 0.0)
    await place.elbv2.delete_load_balancer(LoadBalancerArn=arn)
    steps = []
    for at_s in (10.0, 40.0, 70.0):
        roll = await counted(source, roll, at_s)
        steps.append((sorted(roll.targets), roll.absent, roll.problem))
    assert steps == [
        (["one", "two"], ("one",), None),
        (["one", "two"], ("one",), None),
        (["two"], (), None),
    ]


async def counted(source: Source, roll: Roll, at_s: float) -> Roll:
    """One more read."""
    return heard(roll, await source.read(), hold_s=60.0, now_s=at_s)


async def test_when_all_are_deleted_nobody_goes(place: Place) -> None:
    """An empty answer is no instruction, however often it comes."""
    arn = await place.balancer("api-1", service="api")
    stated, tagged = place.stated(named("api-1")), place.tagged(service="api")
    rolls = [await counted(stated, NOT_READ, 0.0), await counted(tagged, NOT_READ, 0.0)]
    await place.elbv2.delete_load_balancer(LoadBalancerArn=arn)
    for at_s in (100.0, 200.0, 300.0):
        rolls = [
            await counted(stated, rolls[0], at_s),
            await counted(tagged, rolls[1], at_s),
        ]
    assert [sorted(roll.targets) for roll in rolls] == [["lb"], [id_of(arn)]]
    assert [roll.problem for roll in rolls] == [
        "it named no target",
        "no load balancer carries these tags",
    ]


async def test_all_that_carry_the_tags_are_targets(place: Place) -> None:
    """Each by its ARN, so that one made again under the same name is another target."""
    first = await place.balancer("api-1", service="api", stage="live")
    await place.balancer("web-1", service="web", stage="live")
    await place.balancer("bare")
    source = place.tagged(service="api", stage="live")
    before = [one.id for one in (await source.read()).targets]
    await place.elbv2.delete_load_balancer(LoadBalancerArn=first)
    second = await place.balancer("api-1", service="api", stage="live")
    after = [one.id for one in (await source.read()).targets]
    assert (before, after) == ([id_of(first)], [id_of(second)])
    assert before != after


async def test_what_aws_throttles_is_no_list(place: Place) -> None:
    """Whichever of the questions it is: what was known stays, and nothing is learnt wrongly."""
    await place.group(await place.balancer("api-1", service="api"), "10.0.0.1")
    stated, tagged = place.stated(named("api-1")), place.tagged(service="api")
    sources: tuple[Source, ...] = (stated, tagged)
    before = [await counted(one, NOT_READ, 0.0) for one in sources]
    for operation in (
        "DescribeLoadBalancers",
        "DescribeTargetGroups",
        "DescribeTargetHealth",
        "DescribeTags",
    ):
        armed = place.aws.faults.arm(THROTTLE, Where(operation=operation, times=None))
        for number, source in enumerate(sources):
            listing = await source.read()
            if operation == "DescribeTags" and number == 0:
                continue  # what is stated by name needs no tags
            assert (listing.targets, listing.is_complete) == ((), False), operation
            assert "Throttling" in (listing.problem or "")
            after = heard(before[number], listing, hold_s=0.0, now_s=999.0)
            assert after.targets == before[number].targets
        place.aws.faults.disarm(armed.id)
    assert (await stated.read()).is_complete


async def test_one_that_is_throttled_takes_the_others_word_from_nobody(place: Place) -> None:
    """Of two that are stated the other is read all the same."""
    for name in ("api-1", "api-2"):
        await place.group(await place.balancer(name), "10.0.0.1")
    tries = RetryPolicy().tries_max
    place.aws.faults.arm(THROTTLE, Where(operation="DescribeTargetHealth", times=tries))
    listing = await place.stated(named("api-1", "one"), named("api-2", "two")).read()
    assert ([one.id for one in listing.targets], listing.is_complete) == (["two"], False)


async def test_a_load_balancer_without_target_groups_says_nothing_of_health(place: Place) -> None:
    """It is there; whether it can answer nobody told."""
    await place.balancer("api-1")
    (one,) = (await place.stated(named("api-1")).read()).targets
    assert (one.healthy, one.capacity) == (None, 100)


CONFIG = """
azs: [use1-az1]
zones: {shop: {name: example.com, names: {api: {pool: api, routing: weighted}}}}
guardrails: {max_removed_share: 0.5, window_s: 30}
pools:
  api:
    targets:
      - {id: one, load_balancer: {name: api-1, region: us-east-1}}
      - {id: two, load_balancer: {name: api-2, region: us-east-1}}
"""


TAGGED = f"""{CONFIG[: CONFIG.index("    targets:")]}    sources:
      - {{load_balancers: {{region: us-east-1, tags: {{service: api}}}}, hold_s: 60}}
"""


class Planner:
    """The planner's own passes over load balancers, on a table in memory, which outlives it."""

    def __init__(self, folder: Path, config: str = CONFIG, world: World | None = None) -> None:
        path = folder / "dns.yaml"
        path.write_text(config)
        wanted = planner_settings(load(path, {}).settings)
        self.world = world or World()
        clock, jitter = self.world.clock, SeededJitter()
        opener = SourceOpener({}, CLIENTS, new_retrying(), lambda inner, _feed: inner)
        self.sourcing = Sourcing(wanted.feeds, opener, clock=clock, jitter=jitter)
        watch = Watch((), FakeProber(), clock=clock, jitter=jitter)
        self.outlook = Outlook(wanted, watch, self.sourcing)
        self.planner = self.world.planner(*wanted.wishes)

    async def passes(self, count: int = 1) -> list[tuple[str | None, int]]:
        """So many reads and passes, 31 s apart; who answers then, with its weight. Somebody always
        does."""
        for _ in range(count):
            self.world.clock.advance(31.0)
            await self.sourcing.read_once()
            self.planner.plan_for(self.outlook.wishes())
            await self.planner.run_once(self.outlook.sight(), may_write=True)
            assert (await self.world.head()).content != ()
        content = (await self.world.head()).content
        weights = [one.routing.weight for one in content if isinstance(one.routing, Weighted)]
        return list(zip([one.set_id for one in content], weights, strict=True))


async def test_the_published_answers_stay_right(place: Place, tmp_path: Path) -> None:
    """Through targets that are deregistered, a throttled API, and load balancers that are deleted
    one after the other: who can answer does, and the last one is never taken out."""
    arns = [await place.balancer(name) for name in ("api-1", "api-2")]
    group = await place.group(arns[0], "10.0.0.1", "10.0.0.2")
    await place.group(arns[1], "10.0.0.3")
    planner = Planner(tmp_path)
    both = [("one", 255), ("two", 128)]
    assert await planner.passes() == both

    targets = ids(["10.0.0.1", "10.0.0.2"])
    await place.elbv2.deregister_targets(TargetGroupArn=group, Targets=targets)
    assert [name for name, _ in await planner.passes(3)] == ["two"]
    await place.elbv2.register_targets(TargetGroupArn=group, Targets=targets)
    assert await planner.passes(3) == both

    armed = place.aws.faults.arm(THROTTLE, Where(service="elbv2", times=None))
    assert await planner.passes(10) == both
    place.aws.faults.disarm(armed.id)

    await place.elbv2.delete_load_balancer(LoadBalancerArn=arns[0])
    assert [name for name, _ in await planner.passes(2)] == ["one", "two"]
    assert [name for name, _ in await planner.passes(3)] == ["two"]
    await place.elbv2.delete_load_balancer(LoadBalancerArn=arns[1])
    assert [name for name, _ in await planner.passes(10)] == ["two"]


async def two_balancers(place: Place) -> tuple[list[str], list[str]]:
    """Two load balancers of two targets each: their ARNs and their groups."""
    arns = [await place.balancer(name, service="api") for name in ("api-1", "api-2")]
    return arns, [await place.group(arn, *BEHIND) for arn in arns]


BEHIND = ("10.0.0.1", "10.0.0.2")
BOTH = [("one", 255), ("two", 255)]


async def test_a_planner_that_starts_while_aws_throttles_changes_no_answer(
    place: Place, tmp_path: Path
) -> None:
    """It has read nothing completely, so that nobody is absent; what happened is seen later."""
    arns, _ = await two_balancers(place)
    planner = Planner(tmp_path)
    assert await planner.passes() == BOTH
    armed = place.aws.faults.arm(THROTTLE, Where(service="elbv2", times=None))
    fresh = Planner(tmp_path, world=planner.world)
    assert await fresh.passes(10) == BOTH
    place.aws.faults.disarm(armed.id)
    await place.elbv2.delete_load_balancer(LoadBalancerArn=arns[0])
    assert [name for name, _ in await fresh.passes(5)] == ["two"]


async def test_one_that_is_throttled_again_and_again_answers_on(
    place: Place, tmp_path: Path
) -> None:
    """The other is read each time; whom nobody could ask for is neither sick nor gone, and what
    befell it meanwhile counts when it can be asked again."""
    _, groups = await two_balancers(place)
    planner = Planner(tmp_path)
    assert await planner.passes() == BOTH
    await place.elbv2.deregister_targets(TargetGroupArn=groups[0], Targets=ids(BEHIND))
    first_alone = Where(operation="DescribeTargetHealth", times=RetryPolicy().tries_max)
    for _ in range(6):
        armed = place.aws.faults.arm(THROTTLE, first_alone)
        assert await planner.passes() == BOTH
        place.aws.faults.disarm(armed.id)
    assert [name for name, _ in await planner.passes(3)] == ["two"]


async def test_when_every_target_is_deregistered_nobody_goes(place: Place, tmp_path: Path) -> None:
    """A pool that is sick as a whole answers as before; when one is well again, so is its name."""
    _, groups = await two_balancers(place)
    planner = Planner(tmp_path)
    assert await planner.passes() == BOTH
    for group in groups:
        await place.elbv2.deregister_targets(TargetGroupArn=group, Targets=ids(BEHIND))
    assert [name for name, _ in await planner.passes(10)] == ["one", "two"]
    await place.elbv2.register_targets(TargetGroupArn=groups[1], Targets=ids(BEHIND))
    assert [name for name, _ in await planner.passes(3)] == ["two"]


async def test_an_empty_answer_changes_no_answer(place: Place, tmp_path: Path) -> None:
    """Tags that nobody carries any more name nobody, which is no instruction; those made again are
    others, and take the place of the old."""
    arns, _ = await two_balancers(place)
    planner = Planner(tmp_path, TAGGED)
    before = await planner.passes()
    assert [name for name, _ in before] == sorted(map(id_of, arns))
    for arn in arns:
        await place.elbv2.delete_load_balancer(LoadBalancerArn=arn)
    assert await planner.passes(10) == before
    again, _ = await two_balancers(place)
    assert [name for name, _ in await planner.passes(6)] == sorted(map(id_of, again))
