"""The plan cycle on strict fakes: it reads, decides, and acts at most once."""

from dataclasses import replace

import pytest
from msgspec import structs

from dnsplan.codec import seal
from dnsplan.guardrails import FLOOR, HANDS_OFF, Limits
from dnsplan.names import parse_name
from dnsplan.plan import Generation, NameLedger, Waiver
from dnsplan.records import RecordSet
from dnsplan.velocity import VelocityLimit
from planner.rules.outcomes import (
    Pending,
    Published,
    Refused,
    Unchanged,
    Waiting,
)
from tests.unit.planner.cases import NAME, a, healthy, multivalue, pool, sick, sight, wish
from tests.unit.planner.world import B_DEAD, GOOD, World


async def test_the_first_pass_makes_the_item_and_publishes_generation_one() -> None:
    """A zone without an item gets one with a fresh owner, and its first plan."""
    world = World()
    report = await world.once()
    assert report.outcome == Published(world.item.head_id)
    assert (world.item.head, world.item.incarnation) == (1, "table-1")
    assert len(world.item.owner) == 32
    head = await world.head()
    assert (head.content, head.owner) == (multivalue("a", "b", "c"), world.item.owner)


async def test_an_unchanged_pass_writes_nothing() -> None:
    """Equal content publishes nothing and touches neither table nor archive."""
    world = World()
    await world.once()
    writes, bodies = len(world.table.writes), len(world.archive.bodies)
    report = await world.once()
    assert report.outcome == Unchanged(Generation(1))
    assert (len(world.table.writes), len(world.archive.bodies)) == (writes, bodies)


async def test_a_dead_target_makes_the_next_generation() -> None:
    """Numbers count by one, and the plan says what it was planned against and why."""
    world = World()
    await world.begin(7)
    await world.once(B_DEAD)
    head = await world.head()
    assert (head.generation, head.base) == (8, 7)
    assert head.content == multivalue("a", "c")
    assert head.reason == "www.example.com. A -192.0.2.99"


async def test_the_ledger_travels_with_the_plans() -> None:
    """What one planner spent, the next one knows: velocity survives restarts."""
    world = World()
    unit = pool("a", "b", "c", "d")
    await world.begin(7, *multivalue("a", "b", "c", "d"))
    view = sight(a=healthy(), b=healthy(), c=sick(), d=sick())
    await world.once(view, wish(unit))
    assert (await world.head()).content == multivalue("a", "b", "d")
    report = await world.once(view, wish(unit))
    assert report.outcome == Unchanged(Generation(8))
    steady = world.planner(wish(unit))
    await steady.run_once(view, may_write=True)
    world.clock.advance(300)
    await steady.run_once(view, may_write=True)
    assert (await world.head()).content == multivalue("a", "b")


@pytest.mark.parametrize(("stood_still_s", "left"), [(0, "ab"), (299, "abd"), (5 * 3_600, "ab")])
async def test_a_removal_counts_from_when_its_plan_was_seen(stood_still_s: int, left: str) -> None:
    """A planner that stood still before it published cannot make two removals meet in one window
    (P7); a plan of long ago is not doubted."""
    world = World()
    unit = pool("a", "b", "c", "d")
    await world.begin(7, *multivalue("a", "b", "c", "d"))
    view = sight(a=healthy(), b=healthy(), c=sick(), d=sick())
    await world.once(view, wish(unit))
    world.clock.advance(stood_still_s)
    other = world.planner(wish(unit))
    await other.run_once(view, may_write=True)
    world.clock.advance(300 if not stood_still_s else 1)
    await other.run_once(view, may_write=True)
    assert (await world.head()).content == multivalue(*left)


async def test_a_dry_pass_writes_nothing_and_says_what_it_would() -> None:
    """Without leave to write there is no item, no body, no plan."""
    world = World()
    report = await world.once(may_write=False)
    assert report.outcome == Pending(Generation(1))
    assert (world.table.items, world.archive.bodies) == ({}, {})


async def test_the_first_plan_waits_for_the_first_round() -> None:
    """No plan is made of a half-seen pool, and a stated record waits with it."""
    world = World()
    zone = wish(pool("a", "b", "c"), records=(a("x.example.com.", "192.0.2.200"),))
    report = await world.once(sight(now_s=1.0, a=healthy()), zone)
    assert isinstance(report.outcome, Waiting)
    assert world.table.items == {}


async def test_a_later_name_waits_alone() -> None:
    """In a zone with a plan only the new name waits for its round."""
    world = World()
    await world.begin(7, a("x.example.com.", "192.0.2.200"))
    record = a("y.example.com.", "192.0.2.201")
    await world.once(sight(now_s=1.0), wish(pool("a"), records=(record,)))
    assert (await world.head()).content == (a("x.example.com.", "192.0.2.200"), record)


async def test_a_guardrail_refuses_the_plan() -> None:
    """A violation stores nothing, and names rule, number and limit."""
    world = World()
    await world.begin(7)
    stolen = RecordSet(parse_name("example.com."), "NS", 60, ("ns.example.net.",))
    report = await world.once(GOOD, wish(pool("a", "b", "c"), records=(stolen,)))
    assert isinstance(report.outcome, Refused)
    assert [one.rule for one in report.outcome.violations] == [HANDS_OFF]
    assert (world.item.head, len(world.archive.bodies)) == (7, 1)


@pytest.mark.parametrize(("applied", "carried"), [(6, 1), (7, 0)])
async def test_waivers_are_carried_until_applied(applied: int, carried: int) -> None:
    """What a waiver allowed may be part of what the next plan changes; once applied, it ends."""
    world = World()
    await world.begin(7)
    head = await world.head()
    waived = structs.replace(head, waivers=(Waiver(FLOOR, "eva", "test", 7),))
    sealed = seal(waived)
    world.archive.bodies[sealed.plan_id] = sealed
    world.table.items["shop"] = structs.replace(
        world.item, head_digest=sealed.plan_id.digest, applied=Generation(applied)
    )
    await world.once(B_DEAD)
    assert len((await world.head()).waivers) == carried


async def test_the_newest_plan_is_loaded_once() -> None:
    """A plan never changes, so a planner reads each at most once."""
    world = World()
    await world.begin(7)
    cycle = world.cycle()
    planner = world.planner(cycle=cycle)
    await planner.run_once(GOOD, may_write=True)
    world.archive.reachable = False
    (report,) = await planner.run_once(GOOD, may_write=True)
    assert report.outcome == Unchanged(Generation(7))


async def test_a_floor_cannot_be_undercut_by_config() -> None:
    """min_targets raised above what is healthy never lets the zone's other names wait."""
    world = World()
    await world.begin(7)
    limit = VelocityLimit(min_targets=3, max_removed_share=1.0, window_s=300)
    record = a("x.example.com.", "192.0.2.200")
    report = await world.once(B_DEAD, wish(pool("a", "b", "c", limit=limit), records=(record,)))
    assert isinstance(report.outcome, Published)
    assert (await world.head()).content == (*multivalue("a", "b", "c"), record)


async def test_a_raised_floor_binds_no_name_that_left_the_config() -> None:
    """An unlisted name below today's floor does not refuse another record of the same name."""
    world = World()
    ledger = NameLedger(NAME, "A", 3, 3, ())
    await world.begin(7, *multivalue("a"), ledger=(ledger,))
    text = RecordSet(NAME, "TXT", 60, ('"x"',))
    limit = VelocityLimit(min_targets=2, max_removed_share=0.25, window_s=300)
    zone = replace(wish(records=(text,)), limits=Limits(limit))
    report = await world.once(GOOD, zone)
    assert isinstance(report.outcome, Published), report.outcome
    assert (await world.head()).content == (*multivalue("a"), text)
