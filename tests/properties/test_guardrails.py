"""P2 and P6 over any zones and plans: what the guardrails let pass can empty nothing."""

from hypothesis import given

from dnsplan.diff import apply, diff
from dnsplan.fence import fence_name
from dnsplan.guardrails import (
    APEX_TYPES_OFF_LIMITS,
    HANDS_OFF,
    NEVER_EMPTY,
    Limits,
    answers,
    judge,
    unwaived,
)
from dnsplan.names import is_within
from dnsplan.plan import Plan, may_end
from dnsplan.records import RecordSet, key_of
from dnsplan.velocity import VelocityLimit
from tests.properties.drawn import ZONE, contents, names, plans, record_sets

LIMITS = Limits(VelocityLimit(min_targets=1, max_removed_share=0.25, window_s=300))


@given(contents, plans())
def test_p2_what_passes_empties_nothing(standing: tuple[RecordSet, ...], plan: Plan) -> None:
    """After a plan that `never_empty` lets pass, every name that answered answers, or was
    retired; waivers of any rule change nothing about it."""
    found = judge(standing, plan, LIMITS, standing_since_s=None)
    if any(one.rule == NEVER_EMPTY for one in found):
        return
    after = apply(diff(standing, plan.content), standing).values()
    for old in standing:
        left = answers(one for one in after if one.name == old.name)
        assert left or may_end(plan, key_of(old))


@given(contents, plans())
def test_p2_refuses_exactly_what_it_must(standing: tuple[RecordSet, ...], plan: Plan) -> None:
    """A plan that keeps every name and type that stands is never refused for being empty."""
    kept = {(one.name, one.type) for one in plan.content}
    if plan.content and {(one.name, one.type) for one in standing} <= kept:
        found = judge(standing, plan, LIMITS, standing_since_s=None)
        assert NEVER_EMPTY not in {one.rule for one in found}


@given(plans(contents=record_sets(names=names).map(lambda one: (one,))))
def test_p6_nothing_outside_the_zone(plan: Plan) -> None:
    """A plan that `hands_off` lets pass touches only names of its zone, never the fence or the
    apex's NS, SOA, DS and DNSKEY; waivers change nothing about it."""
    found = judge((), plan, LIMITS, standing_since_s=None)
    touches = all(
        is_within(one.name, ZONE)
        and one.name != fence_name(ZONE)
        and not (one.name == ZONE and one.type in APEX_TYPES_OFF_LIMITS)
        for one in plan.content
    )
    assert (HANDS_OFF not in {one.rule for one in found}) == touches


@given(contents, plans())
def test_waivers_only_lift(standing: tuple[RecordSet, ...], plan: Plan) -> None:
    """What is left after waivers is what was found, less whole rules, and never less P2 or P6."""
    found = judge(standing, plan, LIMITS, standing_since_s=None)
    assert unwaived(found, plan, since=plan.generation - 1) == found
    waived = {one.rule for one in plan.waivers if one.generation >= plan.generation}
    assert all(one.rule not in waived - {NEVER_EMPTY, HANDS_OFF} for one in found)
