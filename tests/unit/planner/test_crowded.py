"""A pool replaced whole, at a name that cannot hold the old and the new at once, goes on."""

import pytest

from dnsplan.guardrails import answers, judge
from dnsplan.plan import NO_GENERATION, Digest, PlanId
from dnsplan.shards import MEMBERS_MAX
from planner.rules.candidate import build
from planner.rules.health import Sight
from planner.rules.notes import Fate, Place, Why
from planner.rules.pools import Policy
from planner.rules.review import Findings, reviewed
from planner.rules.selection import LeftOut, select
from planner.rules.standing import NOTHING, standing_of
from tests.unit.planner.cases import (
    NAME,
    NOW_S,
    ZONE,
    healthy,
    member,
    multivalue,
    planned,
    pool,
    sight,
    wish,
)


def hosts(kind: str, count: int) -> list[str]:
    """Addresses of one kind."""
    return [f"198.18.{ord(kind)}.{n}" for n in range(1, count + 1)]


class Line:
    """The plans of one zone, whose id nobody states: its names cannot have shards."""

    def __init__(self, policy: Policy) -> None:
        """No plan yet."""
        self.policy, self.before, self.now_s = policy, NOTHING, NOW_S

    def goes_on(self, addresses: list[str]) -> frozenset[str]:
        """One window later: what the name answers."""
        members = [member(f"t{one.replace('.', '-')}", answer=one) for one in addresses]
        unit = pool(*members, policy=self.policy)
        view = Sight({one.key: healthy() for one in members}, 0.0, 100.0)
        at = self.before.plan.generation if self.before.plan else NO_GENERATION
        made = build(wish(unit), self.before, view, now_s=self.now_s, applied=at)
        made = reviewed(made, self.before, ZONE, Findings())
        assert Fate.MALFORMED not in {note.fate for note in made.notes}
        plan = planned(made, self.before, now_s=self.now_s)
        limits, since_s = wish(unit).limits, self.before.created_s
        assert judge(self.before.content, plan, limits, standing_since_s=since_s) == ()
        self.before = standing_of(plan, PlanId("shop", plan.generation, Digest("0" * 64)))
        self.now_s += 300
        return answers(self.before.answering((NAME, "A")))


@pytest.mark.parametrize(
    ("policy", "count"), [*((one, 60) for one in Policy), (Policy.SIMPLE, 250)]
)
def test_a_pool_is_replaced_whole(policy: Policy, count: int) -> None:
    """Each window takes out its share of the old, and the new come as far as there is room."""
    line = Line(policy)
    old, new = hosts("a", count), hosts("b", count)
    assert line.goes_on(old) == frozenset(old)
    for _ in range(6):
        found = line.goes_on(new)
        assert len(found) <= MEMBERS_MAX[policy.value]
    assert found == frozenset(new)


def test_who_has_no_room_says_so() -> None:
    """An operator sees for what a healthy target waits."""
    unit, view = pool("a", "b"), sight(a=healthy(), b=healthy())
    result = select(unit, multivalue("x", "y"), None, view, now_s=NOW_S, room=2)
    assert not isinstance(result, LeftOut)
    told = {note.target_id: (note.place, note.why) for note in result.notes if note.target_id}
    assert told == {"a": (Place.ANSWERS, Why.HEALTHY), "b": (Place.OUT, Why.CROWDED)}
