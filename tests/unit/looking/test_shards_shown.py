"""A pool in shards is one pool to people: in plans, on the status page, and explained."""

from dataclasses import replace

import pytest

from dnsplan.plan import Generation
from dnsplan.runtime.config.derived import PoolUnit as StatedUnit
from dnsplan.runtime.page.names import name_views
from dnsplan.runtime.status.model import NameStatus
from dnsplan.runtime.status.shape import name_statuses
from dnsplan.shards import shard_name
from planner.cycle import ZoneReport
from planner.rules.candidate import Candidate, ZoneWish, build
from planner.rules.changes import summary
from planner.rules.outcomes import Pending
from planner.rules.standing import NOTHING, Standing
from planner.show.rows import rows_of
from tests.unit.looking.test_explaining import Place, lines, stated
from tests.unit.planner.cases import NAME, NOW_S, member, planned, pool, sight, wish
from tests.unit.planner.cases import standing as standing_plan

COUNT = 150
SHARDS = [shard_name(NAME, index) for index in range(3)]


def zone(count: int) -> ZoneWish:
    """A pool of so many targets that nobody probes."""
    made = [member(f"t{n:03}", answer=f"10.0.0.{n + 1}", probed=False) for n in range(count)]
    return replace(wish(pool(*made)), zone_id="Z1")


def made(count: int, before: Standing = NOTHING) -> Candidate:
    """The candidate of that pool."""
    return build(zone(count), before, sight(), now_s=NOW_S, applied=Generation(0))


def test_the_page_and_the_status_show_the_pools_name_alone() -> None:
    """With all its answers, and how many shards they are in."""
    assert summary(made(COUNT), NOTHING) == "first plan: 1 names and types"
    plan = planned(made(COUNT), NOTHING)
    (view,), more = name_views(plan)
    assert (f"{COUNT} answers in 3 shards:", 0) == (view.answers[0], more)
    assert "10.0.0." in view.answers[1]
    expected = NameStatus(name=NAME, type="A", answers=COUNT, targets=COUNT, healthy=COUNT)
    assert (expected,) == name_statuses(plan, {})


def test_a_pool_that_outgrows_its_name_is_one_change() -> None:
    """What comes is said of the pool's name, and that it stands in shards from now on."""
    before = standing_plan(*made(100).content())
    candidate = made(COUNT, before)
    rows = rows_of(ZoneReport(zone(COUNT), Pending(Generation(8)), before, candidate))
    assert {(NAME, "A")} == {one.unit for one in rows}
    assert sum(one.sign == "+" for one in rows) == 50
    assert [one.answer for one in rows if one.sign == "~"] == ["one name -> 3 shards"]
    assert summary(candidate, before).startswith("www.example.com. A +10.0.0.101")
    assert "shard" not in summary(candidate, before)


@pytest.mark.parametrize("of_shard", [False, True])
async def test_explain_leads_from_a_name_to_its_shards_and_back(of_shard: bool) -> None:
    """How many answer in each; and whose shard it is, which nobody is told to retire."""
    candidate = made(COUNT)
    driven = StatedUnit(NAME, "A", "web", "multivalue", 30, ())
    place = Place(config=stated(static=frozenset(), driven={(NAME, "A"): driven}))
    await place.settle(*candidate.content(), ledger=candidate.sorted_ledger())
    said = "\n".join(lines(await place.explain(SHARDS[0] if of_shard else NAME)))
    if of_shard:
        assert f"the planner: a shard of {NAME}" in said
        assert "dns-runbook retire" not in said
    else:
        assert f"{COUNT} answer;" in said
        assert "in 3 shards, since Route 53 takes 100 members at a name: _dnsplan-shard-0" in said
