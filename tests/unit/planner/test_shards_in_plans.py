"""A big pool over its plans: it takes shards on, lets them go, and is judged as one pool."""

from dataclasses import dataclass, field, replace

from hypothesis import given, settings
from hypothesis import strategies as st

from dnsplan.diff import diff
from dnsplan.guardrails import answers, judge, judge_live
from dnsplan.names import Name
from dnsplan.plan import Digest, Generation, PlanId
from dnsplan.shards import MEMBERS_MAX, shard_name, sharded_name
from dnsplan.velocity import VelocityLimit, allowance
from planner.rules.candidate import Candidate, build
from planner.rules.health import Sight
from planner.rules.notes import Fate
from planner.rules.pools import Member, Policy
from planner.rules.review import Findings, reviewed
from planner.rules.standing import NOTHING, Standing, standing_of
from tests.unit.planner.cases import NAME, NOW_S, ZONE, healthy, member, planned, pool, sick, wish

LIMIT = VelocityLimit(min_targets=20, max_removed_share=0.25, window_s=60)


def members(count: int) -> list[Member]:
    """So many targets."""
    return [
        member(f"t{number:03}", answer=f"10.0.{number // 250}.{number % 250 + 1}")
        for number in range(count)
    ]


@dataclass
class Line:
    """A zone's plans, each applied before the next unless said otherwise; all are judged."""

    policy: Policy = Policy.MULTIVALUE
    limit: VelocityLimit = LIMIT
    zone_id: str | None = "Z1"
    now_s: int = NOW_S
    before: Standing = NOTHING
    removals: list[tuple[int, int, int]] = field(default_factory=list)

    def candidate(self, count: int, sick_ones: frozenset[int], applied: int) -> Candidate:
        """What the next plan would hold."""
        states = {
            ("web", f"t{number:03}"): sick() if number in sick_ones else healthy()
            for number in range(count)
        }
        unit = pool(*members(count), policy=self.policy, limit=self.limit)
        zone = replace(wish(unit), zone_id=self.zone_id)
        view = Sight(states, 0.0, 100.0)
        made = build(zone, self.before, view, now_s=self.now_s, applied=Generation(applied))
        return reviewed(made, self.before, ZONE, Findings())

    def goes_on(
        self,
        count: int,
        *,
        sick_ones: frozenset[int] = frozenset(),
        applied: bool = True,
        after_s: int = 60,
    ) -> Candidate:
        """One pass: the candidate, which is the newest plan afterwards."""
        self.now_s += after_s
        at = self.before.plan.generation if self.before.plan else 0
        candidate = self.candidate(count, sick_ones, at if applied else max(0, at - 1))
        plan = planned(candidate, self.before, now_s=self.now_s)
        limits = wish(pool(*members(count), limit=self.limit)).limits
        since_s = self.before.created_s
        assert judge(self.before.content, plan, limits, standing_since_s=since_s) == ()
        changes = diff(self.before.content, plan.content)
        assert judge_live(self.before.content, changes, plan, limits, since=at) == ()
        old = answers(self.before.answering((NAME, "A")))
        if not candidate.is_same_as(self.before):
            made = PlanId("shop", plan.generation, Digest("0" * 64))
            self.before = standing_of(plan, made)
        gone = old - answers(self.before.answering((NAME, "A")))
        self.removals.append((self.now_s, len(gone), max(count, len(old))))
        self.check()
        return candidate

    def shrinks_to(self, count: int) -> None:
        """Passes until only so many answer."""
        for _ in range(9):
            self.goes_on(count)

    def check(self) -> None:
        """Every alias leads to a shard that answers; no answer stands twice; nothing is too big."""
        for (name, _), sets in self.before.units.items():
            assert sets
            assert len(sets) <= MEMBERS_MAX["weighted"]
            if name == NAME:
                for one in sets:
                    if one.alias is not None:
                        assert answers(self.before.units[one.alias.name, "A"])
        seen = [value for one in self.before.answering((NAME, "A")) for value in one.values]
        assert len(seen) == len({*seen})

    @property
    def shards(self) -> set[Name]:
        """Shards that the newest plan holds."""
        return {name for name, _ in self.before.units if sharded_name(name) is not None}

    @property
    def heard(self) -> int:
        """How many targets answer."""
        return len(answers(self.before.answering((NAME, "A"))))


def names(count: int) -> set[Name]:
    """The first shards of the pool's name."""
    return {shard_name(NAME, index) for index in range(count)}


def test_a_pool_grows_over_the_limit_and_shrinks_under_it() -> None:
    """All answer at all times. A shard ends two plans after its last target left it: first nothing
    leads to it and it keeps what it had, and it ends when that is known to be in the zone."""
    line = Line(limit=VelocityLimit(min_targets=1, max_removed_share=1.0, window_s=60))
    line.goes_on(100)
    assert (100, set()) == (line.heard, line.shards)
    line.goes_on(250)
    assert (250, names(4)) == (line.heard, line.shards)
    line.shrinks_to(130)
    assert (130, names(4)) == (line.heard, line.shards)
    line.shrinks_to(81)
    assert (81, names(2)) == (line.heard, line.shards)
    line.goes_on(80)
    assert (80, names(2)) == (line.heard, line.shards)
    assert all(one.alias is None for one in line.before.units[NAME, "A"])
    line.goes_on(80, applied=False)
    assert (80, names(2)) == (line.heard, line.shards)
    ends = line.goes_on(80)
    assert (80, set()) == (line.heard, line.shards)
    assert {Fate.SHARD_ENDS} == {one.fate for one in ends.notes} - {Fate.DRIVEN}
    assert names(4) == {one.name for one in ends.retired}
    line.goes_on(250)
    line.goes_on(250)
    assert (250, names(4), ()) == (line.heard, line.shards, line.before.retired)


def test_velocity_and_floor_count_the_pool_and_not_its_shards() -> None:
    """A quarter of 200 may go in a window, from whatever shard; the floor is the whole pool's."""
    line = Line()
    line.goes_on(200)
    sick_ones = frozenset(range(90))
    line.goes_on(200, sick_ones=sick_ones, after_s=1)
    assert line.heard == 150
    line.goes_on(200, sick_ones=sick_ones, after_s=1)
    assert line.heard == 150
    line.goes_on(200, sick_ones=sick_ones)
    assert line.heard == 110


def test_panic_counts_the_pool_and_not_its_shards() -> None:
    """With more than half of the pool sick nobody goes, though a shard alone might look well."""
    line = Line()
    line.goes_on(200)
    line.goes_on(200, sick_ones=frozenset(range(120)))
    assert line.heard == 200


def test_a_zone_without_an_id_keeps_the_name_as_it_is_and_says_what_to_do() -> None:
    """What cannot be spread is never planned."""
    line = Line(zone_id=None)
    line.goes_on(100)
    told = line.goes_on(101)
    assert line.heard == 100
    note = next(one for one in told.notes if one.fate is Fate.MALFORMED)
    assert "101 record sets; at most 100" in note.detail
    assert "id" in note.detail


def test_a_name_and_its_shards_are_left_as_they_are_together() -> None:
    """One that cannot be published holds back all of its family, and is said once."""
    line = Line(policy=Policy.WEIGHTED)
    line.goes_on(150)
    before = line.before.units
    broken = (*members(140), member("broken", answer="no address"))
    unit = pool(*broken, policy=Policy.WEIGHTED, limit=LIMIT)
    states = {one.key: healthy() for one in broken}
    zone = replace(wish(unit), zone_id="Z1")
    view = Sight(states, 0.0, 100.0)
    made = build(zone, line.before, view, now_s=NOW_S, applied=Generation(0))
    kept = reviewed(made, line.before, ZONE, Findings())
    assert before == kept.units
    assert sum(one.fate is Fate.MALFORMED for one in kept.notes) == 1


def test_what_the_config_lost_keeps_its_shards() -> None:
    """A name that vanished is carried on whole; its shards are not said to be lost beside it."""
    line = Line()
    line.goes_on(150)
    made = build(wish(), line.before, Sight({}, 0.0, 1.0), now_s=NOW_S, applied=Generation(1))
    assert line.before.units == made.units
    assert [(one.fate, one.unit[0]) for one in made.notes] == [(Fate.UNLISTED, NAME)]
    assert made.ledger[NAME, "A"].targets == 150


STEPS = st.tuples(
    st.integers(60, 330),
    st.frozensets(st.integers(0, 329), max_size=200),
    st.integers(1, 90),
    st.booleans(),
)


@settings(max_examples=12)
@given(st.lists(STEPS, min_size=1, max_size=6), st.sampled_from([*Policy]))
def test_no_history_of_a_big_pool_breaks_a_promise(
    steps: list[tuple[int, frozenset[int], int, bool]], policy: Policy
) -> None:
    """However it grows, shrinks and falls sick: never empty, never under its floor, never faster
    than its window, and no plan that a guardrail refuses."""
    line = Line(policy=policy)
    for count, sick_ones, after_s, applied in steps:
        line.goes_on(count, sick_ones=sick_ones, after_s=after_s, applied=applied)
        assert line.heard >= 20
    for end_s, _, _ in line.removals:
        inside = [one for one in line.removals if end_s - LIMIT.window_s < one[0] <= end_s]
        assert sum(one[1] for one in inside) <= max(allowance(LIMIT, one[2]) for one in inside)
