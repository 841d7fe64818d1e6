"""How many plans a minute a zone gets, and how that falls while plans wait to be applied."""

from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from dnsplan.generation import GenerationItem
from dnsplan.plan import Generation
from planner.cycle import PlanCycle
from planner.rules.admission import (
    WINDOW_S,
    counted,
    may_publish,
    paced,
    unapplied_plans,
    within_window,
    zones_behind,
)
from planner.rules.outcomes import Published, Waiting
from tests.unit.planner.cases import a, wish
from tests.unit.planner.world import GOOD, World

LIMITS = st.integers(1, 600)
BACKLOGS = st.integers(0, 2_000_000)
ZONES = st.integers(0, 10_000)
BEHIND = GenerationItem(
    label="shop", owner="o", incarnation="t", nonce="n", head=Generation(9), applied=Generation(8)
)


def test_the_minute_admits_so_many_plans_and_no_more() -> None:
    """The plan after the last admitted one waits until the oldest is a minute old."""
    published = (10.0, 20.0)
    assert not may_publish(published, now_s=69.9, plans_per_min_max=2)
    assert may_publish(published, now_s=70.0, plans_per_min_max=2)
    assert may_publish((), now_s=0.0, plans_per_min_max=1)


@pytest.mark.parametrize(
    ("known", "head", "fresh"),
    [
        (None, 7, 0),
        (7, 7, 0),
        (7, 8, 1),
        (7, 9, 2),
        (7, 5, 0),
        (7, 1_000_000, 1),
        (0, 999_999, 600),
    ],
)
def test_every_plan_counts_from_when_it_was_seen(known: int | None, head: int, fresh: int) -> None:
    """Another planner's too; what stood at the first look, or was undone, counts for none."""
    before = None if known is None else Generation(known)
    found = counted((1.0, 30.0), known=before, head=Generation(head), now_s=61.0)
    assert found == (30.0, *(61.0,) * fresh)


def test_what_is_older_than_a_minute_is_forgotten() -> None:
    """The list of publications never grows beyond a minute."""
    assert within_window((10.0, 20.0), now_s=75.0) == (20.0,)


@given(LIMITS, BACKLOGS, BACKLOGS, ZONES, ZONES)
def test_more_backlog_is_never_more_plans(
    limit: int, unapplied: int, more: int, behind: int, more_behind: int
) -> None:
    """The pace falls with the zone's own backlog and with other zones', from the limit to one."""
    before = paced(limit, unapplied=unapplied, zones_behind=behind)
    after = paced(limit, unapplied=unapplied + more, zones_behind=behind + more_behind)
    assert 1 <= after <= before <= limit


@given(LIMITS, BACKLOGS, ZONES, st.lists(st.integers(0, 1_000), max_size=20))
def test_a_zone_waits_a_minute_at_the_most(
    limit: int, unapplied: int, behind: int, published: Sequence[int]
) -> None:
    """Whatever was published and whatever waits, a minute later the newest candidate goes out."""
    allowed = paced(limit, unapplied=unapplied, zones_behind=behind)
    now_s = max(published, default=0) + WINDOW_S
    assert may_publish(published, now_s=now_s, plans_per_min_max=allowed)


@pytest.mark.parametrize(
    ("unapplied", "behind", "allowed"),
    [
        (0, 0, 6),
        (5, 49, 6),
        (6, 0, 3),
        (12, 0, 2),
        (18, 0, 1),
        (0, 50, 3),
        (0, 100, 2),
        (0, 500, 1),
        (6, 50, 2),
        (999_999, 10_000, 1),
    ],
)
def test_each_minute_of_work_that_waits_divides_the_pace(
    unapplied: int, behind: int, allowed: int
) -> None:
    """A minute's plans of the zone, and what enactors do in a minute, weigh the same."""
    assert paced(6, unapplied=unapplied, zones_behind=behind) == allowed


@pytest.mark.parametrize(
    ("applied", "head", "count"),
    [
        (0, 0, 0),
        (0, 3, 3),
        (8, 9, 1),
        (7, 1_000_000, 1),
        (7, 1_000_003, 4),
        (1_000_001, 1_000_003, 2),
    ],
)
def test_an_era_that_was_begun_is_no_backlog(applied: int, head: int, count: int) -> None:
    """Numbers that no plan ever had do not wait."""
    item = structs.replace(BEHIND, head=Generation(head), applied=Generation(applied))
    assert unapplied_plans(item) == count


@pytest.mark.parametrize(
    "held",
    [
        {"frozen": "ann"},
        {"pin": Generation(3)},
        {"ahead": Generation(12)},
        {"incarnation": "restored"},
        {"applied": Generation(9)},
    ],
)
def test_only_zones_that_enactors_could_work_on_count(held: dict[str, object]) -> None:
    """What waits for an operator slows nobody else down."""
    items = [BEHIND, structs.replace(BEHIND, **held)]
    assert zones_behind(items, incarnation="t") == 1


async def _change(world: World, cycle: PlanCycle, last: int) -> bool:
    """Whether one more change of the zone is published."""
    zone = wish(records=(a("x.example.com.", f"192.0.2.{last}"),))
    (report,) = await world.planner(zone, cycle=cycle).run_once(GOOD, may_write=True)
    assert isinstance(report.outcome, Published | Waiting)
    return isinstance(report.outcome, Published)


async def test_plans_that_nobody_applies_come_more_slowly_and_never_stop() -> None:
    """Ten changes a minute: of each minute fewer are published, down to one, always the newest."""
    world = World()
    cycle = world.cycle(plans_per_min_max=6)
    minutes = []
    for minute in range(8):
        published = 0
        for tenth in range(10):
            published += await _change(world, cycle, 1 + minute * 10 + tenth)
            world.clock.advance(6)
        minutes.append(published)
    assert minutes == [6, 3, 3, 2, 2, 2, 1, 1]
    assert not await _change(world, cycle, 98)
    world.table.items["shop"] = structs.replace(world.item, applied=world.item.head)
    assert await _change(world, cycle, 99)


@pytest.mark.parametrize(("observe", "published"), [(False, 1), (True, 2)])
async def test_many_zones_behind_slow_each_other(observe: bool, published: int) -> None:
    """250 zones behind leave one plan a minute; observed ones, which nobody applies, leave all."""
    world = World()
    cycle = world.cycle(plans_per_min_max=6)
    others = [replace(wish(label=f"z{n}"), observe=observe) for n in range(250)]
    for one in others:
        item = structs.replace(BEHIND, label=one.label, incarnation=world.table.id)
        world.table.items[one.label] = item
    went = 0
    for last in (1, 2):
        zone = wish(records=(a("x.example.com.", f"192.0.2.{last}"),))
        report, *_ = await world.planner(zone, *others, cycle=cycle).run_once(GOOD, may_write=True)
        went += isinstance(report.outcome, Published)
    assert went == published
