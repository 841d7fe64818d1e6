"""When the plan cycle holds: each reason leaves head and records alone and names a command."""

from msgspec import structs

from dnsplan.codec import Envelope, seal
from dnsplan.names import parse_name
from dnsplan.plan import ERA, Generation
from planner.rules.outcomes import (
    Held,
    HoldRule,
    Published,
)
from tests.unit.planner.cases import a, plan, pool, wish
from tests.unit.planner.world import (
    B_DEAD,
    GOOD,
    WEB,
    FailingCreate,
    MissingTable,
    SwappedAtStore,
    World,
    rule_of,
)


async def test_a_zone_that_states_nothing_gets_no_plan() -> None:
    """An empty zone entry is a hold that says so, never an empty plan."""
    world = World()
    assert rule_of(await world.once(GOOD, wish())) is HoldRule.NOTHING_STATED
    assert world.table.items == {}


async def test_a_foreign_table_holds() -> None:
    """An item of another table id means restored or copied: reconcile first."""
    world = World()
    await world.begin(7)
    world.table.restore(world.table.snapshot(), incarnation="table-2")
    report = await world.once(B_DEAD)
    assert rule_of(report) is HoldRule.FOREIGN_TABLE
    assert "dns-runbook reconcile shop" in str(report.outcome)
    assert world.item.head == 7


async def test_ahead_holds() -> None:
    """While the fence is known to be above head nobody plans."""
    world = World()
    await world.begin(7)
    world.table.items["shop"] = structs.replace(world.item, ahead=Generation(9))
    report = await world.once(B_DEAD)
    assert rule_of(report) is HoldRule.AHEAD
    assert "dns-runbook reconcile shop" in str(report.outcome)


async def test_a_missing_body_holds() -> None:
    """Without the newest plan there is nothing to carry forward, so nothing is planned."""
    world = World()
    await world.begin(7)
    world.archive.bodies.clear()
    report = await world.once(B_DEAD)
    assert rule_of(report) is HoldRule.PLAN_UNUSABLE
    assert isinstance(report.outcome, Held)
    assert report.outcome.command == "dns-runbook reconcile shop"
    assert world.item.head == 7


async def test_a_damaged_body_holds() -> None:
    """Half a plan is no plan."""
    world = World()
    await world.begin(7)
    world.archive.damaged = True
    assert rule_of(await world.once(B_DEAD)) is HoldRule.PLAN_UNUSABLE


async def test_a_body_that_does_not_match_its_digest_holds() -> None:
    """The digest is checked on every read."""
    world = World()
    await world.begin(7)
    other = seal(plan(a("x.example.com.", "192.0.2.1")))
    world.archive.bodies[world.item.head_id] = Envelope(world.item.head_id, other.body)
    assert rule_of(await world.once(B_DEAD)) is HoldRule.PLAN_UNUSABLE


async def test_a_newer_schema_holds() -> None:
    """A plan of a newer release is held, never guessed at."""
    world = World()
    made = await world.begin(7)
    newer = seal(structs.replace(made, schema=99))
    world.archive.bodies[newer.plan_id] = newer
    world.table.items["shop"] = structs.replace(world.item, head_digest=newer.plan_id.digest)
    report = await world.once(B_DEAD)
    assert rule_of(report) is HoldRule.PLAN_UNUSABLE
    assert isinstance(report.outcome, Held)
    assert report.outcome.command == "dns-runbook history shop"


async def test_an_unreadable_table_holds_every_zone() -> None:
    """A failed read is no empty table: nothing is created."""
    world = World()
    world.table.reachable = False
    assert rule_of(await world.once()) is HoldRule.READ_FAILED
    world.table.reachable = True
    assert world.table.items == {}


async def test_an_unreadable_archive_holds() -> None:
    """A plan that could not be read is unknown, never absent."""
    world = World()
    await world.begin(7)
    world.archive.reachable = False
    assert rule_of(await world.once(B_DEAD)) is HoldRule.READ_FAILED


async def test_a_failed_store_moves_no_head() -> None:
    """Head never names a body that is not stored."""
    world = World()
    await world.begin(7)
    world.archive.store_fails = True
    assert rule_of(await world.once(B_DEAD)) is HoldRule.STORE_FAILED
    assert world.item.head == 7


async def test_a_plan_of_another_owner_holds() -> None:
    """A head that names somebody else's plan is not continued."""
    world = World()
    await world.begin(7)
    world.table.items["shop"] = structs.replace(world.item, owner="f" * 32)
    assert rule_of(await world.once(B_DEAD)) is HoldRule.FOREIGN_OWNER


async def test_a_label_that_now_means_another_zone_holds() -> None:
    """A label is bound to its zone; its plans are never carried into another one."""
    world = World()
    made = plan(a("x.other.org.", "192.0.2.1"))
    await world.begin(7, *made.content)
    body = structs.replace(await world.head(), zone=parse_name("other.org."))
    sealed = seal(body)
    world.archive.bodies[sealed.plan_id] = sealed
    world.table.items["shop"] = structs.replace(world.item, head_digest=sealed.plan_id.digest)
    assert rule_of(await world.once()) is HoldRule.OTHER_ZONE


async def test_the_last_number_of_an_era_holds() -> None:
    """A planner never opens an era."""
    world = World()
    await world.begin(ERA - 1)
    report = await world.once(B_DEAD)
    assert rule_of(report) is HoldRule.ERA_USED_UP
    assert "dns-runbook reconcile shop" in str(report.outcome)


async def test_a_table_swapped_before_the_write_holds() -> None:
    """The table's id is asked again right before head moves."""
    world = World()
    await world.begin(7)
    swapping = SwappedAtStore(world.table)
    swapping.bodies.update(world.archive.bodies)
    world.archive = swapping
    assert rule_of(await world.once(B_DEAD)) is HoldRule.FOREIGN_TABLE
    assert world.item.head == 7


async def test_trouble_with_one_zone_stops_no_other() -> None:
    """Each zone's outcome is its own, in the order of the config."""
    world = World()
    await world.begin(7)
    world.archive.bodies.clear()
    other = wish(pool("a"), label="other")
    reports = await world.planner(WEB, other).run_once(GOOD, may_write=True)
    assert [type(one.outcome) for one in reports] == [Held, Published]
    assert [one.wish.label for one in reports] == ["shop", "other"]


async def test_a_table_that_is_not_there_names_what_makes_it() -> None:
    """The hint follows AWS's own code for a missing table."""
    missing = MissingTable(World().table, {})
    (report,) = await World().planner(table=missing).run_once(GOOD, may_write=True)
    assert isinstance(report.outcome, Held)
    assert report.outcome.command == "dns-planner init"


async def test_an_unexpected_refusal_of_one_zone_is_that_zones_alone() -> None:
    """An error that escapes a zone's cycle is a hold of that zone."""
    failing = FailingCreate(World().table, {})
    (report,) = await World().planner(table=failing).run_once(GOOD, may_write=True)
    assert rule_of(report) is HoldRule.READ_FAILED
