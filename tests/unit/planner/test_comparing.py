"""What is remembered of config and newest plan is never about another config or another plan."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from dnsplan.names import parse_name
from dnsplan.plan import NO_GENERATION, Retirement
from dnsplan.records import unit_of
from planner.rules.candidate import ZoneWish, build
from planner.rules.comparing import Comparing
from planner.rules.standing import NOTHING, Standing
from tests.unit.planner.cases import NOW_S, a, cname, healthy, pool, sight, standing, wish

WELL = sight(a=healthy(), b=healthy())
NAMES = [f"{label}.example.com." for label in ("v", "w", "web")]

contents = st.lists(
    st.builds(a, st.sampled_from(NAMES), st.sampled_from(["192.0.2.1", "192.0.2.2"]))
    | st.builds(cname, st.sampled_from(NAMES), st.just("y.example.net.")),
    max_size=4,
    unique_by=unit_of,
)
retirements = st.builds(
    Retirement,
    st.sampled_from(NAMES).map(parse_name),
    st.sampled_from([None, "A", "CNAME"]),
    st.integers(0, 1),
    st.just("ops"),
)
wishes = st.builds(
    lambda has_pool, records: wish(*([pool("a", "b")] if has_pool else []), records=records),
    st.booleans(),
    contents,
)
standings = st.builds(
    lambda content, retired: standing(*content, retired=tuple(retired)),
    contents,
    st.lists(retirements, max_size=2),
)


@st.composite
def passes(draw: st.DrawFn) -> list[tuple[ZoneWish, Standing]]:
    """Configs and plans in turn; few of each, so that a pair often comes again after another."""
    zones = draw(st.lists(wishes, min_size=1, max_size=2))
    plans = draw(st.lists(standings, min_size=1, max_size=2))
    pair = st.tuples(st.sampled_from(zones), st.sampled_from(plans))
    return draw(st.lists(pair, min_size=2, max_size=6))


@given(passes())
def test_what_is_remembered_changes_no_candidate(drawn: list[tuple[ZoneWish, Standing]]) -> None:
    """Whatever was compared before, a pass makes the candidate that one without memory makes; and
    what it calls changed is all that differs from the newest plan."""
    kept = Comparing()
    for zone, before in drawn:
        candidate = build(zone, before, WELL, now_s=NOW_S, applied=NO_GENERATION, comparing=kept)
        fresh = build(zone, before, WELL, now_s=NOW_S, applied=NO_GENERATION)
        assert fresh == candidate
        there, wanted = before.units, candidate.units
        differing = {unit for unit in {**there, **wanted} if there.get(unit) != wanted.get(unit)}
        assert tuple(sorted(differing)) == candidate.changed


def test_the_same_two_objects_are_compared_once() -> None:
    """A quiet pass costs nothing: config and plan are the very objects of the pass before, also
    where a pass has replaced what the config says of pools."""
    comparing, zone, before = Comparing(), wish(records=[a(NAMES[0], "192.0.2.1")]), standing()
    first = comparing.of(zone.stated, before)
    assert first is comparing.of(replace(zone, driven=(pool("a"),)).stated, before)


def test_an_equal_object_is_another() -> None:
    """Nothing is taken for known because it looks alike: only the very objects count."""
    comparing, content = Comparing(), a(NAMES[0], "192.0.2.1")
    zone, before = wish(records=[content]), standing(content)
    first = comparing.of(zone.stated, before)
    other = comparing.of(dict(zone.stated), before)
    assert (first, False) == (other, first is other)
    assert comparing.of(zone.stated, replace(before)) is not first
    assert comparing.of(zone.stated, NOTHING).differing == (unit_of(content),)
