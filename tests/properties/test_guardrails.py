"""P2 and P6 over any zones and plans: what the guardrails let pass can empty nothing."""

from hypothesis import example, given
from hypothesis import strategies as st
from msgspec import structs

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
from dnsplan.loops import loops
from dnsplan.names import display, is_within
from dnsplan.plan import Plan, Retirement, may_end
from dnsplan.records import AliasTarget, RecordSet, by_unit, key_of, unit_of
from dnsplan.velocity import VelocityLimit
from tests.properties.drawn import ZONE, contents, names, plans, record_sets
from tests.properties.lawful import NAMES, Content, Sizes, answering, zones
from tests.unit.dnsplan.samples import plan as plan_of

ZONE_ID = "Z1"
lawful_zones = zones(ZONE_ID, Sizes(elements=(1, 3), characters=(50,)))
TARGET, ALIAS = (
    RecordSet(NAMES[1], "A", 60, ("192.0.2.1",)),
    RecordSet(NAMES[2], "A", None, (), alias=AliasTarget(ZONE_ID, NAMES[1], False)),
)
THE_TARGET_OF_AN_ALIAS_ENDS = (
    (TARGET, ALIAS),
    plan_of(content=(ALIAS,), retired=(Retirement(TARGET.name, "A", 1, "ops"),)),
)
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


@st.composite
def endings(draw: st.DrawFn) -> tuple[Content, Plan]:
    """A zone where aliases stand, and a plan that ends some of its names and types, all retired."""
    standing = draw(lawful_zones)
    units = sorted(set(map(unit_of, standing)))
    ended = draw(st.lists(st.sampled_from(units), max_size=2, unique=True))
    kept = tuple(one for one in standing if unit_of(one) not in ended)
    words = tuple(Retirement(name, kind, 1, "ops") for name, kind in ended)
    return standing, structs.replace(draw(plans()), content=kept, retired=words)


def cut_off(before: Content, after: Content) -> set[str]:
    """CNAMEs that lead where all that could answer them, or the last address, is gone now."""

    def types(content: Content, name: str) -> set[str]:
        return {one.type for one in content if one.name == name}

    found = set()
    for target in {one.values[0] for one in after if one.type == "CNAME"}:
        had, has = types(before, target), types(after, target)
        ended = had - has
        address = {"A", "AAAA", "CNAME"}
        if (ended and not has) or (ended & address and not has & address):
            found.add(target)
    return found


@given(endings())
@example(THE_TARGET_OF_AN_ALIAS_ENDS)
def test_p2_no_alias_is_left_behind(drawn: tuple[Content, Plan]) -> None:
    """What a plan keeps answers under it, aliases followed to the end; and a plan that leaves no
    alias behind is not refused."""
    standing, plan = drawn
    found = judge(standing, plan, LIMITS, standing_since_s=None)
    passes = all(one.rule != NEVER_EMPTY for one in found)
    kept = set(map(unit_of, plan.content))
    something = bool(plan.content or plan.retired)
    answers_all = kept <= answering(plan.content, ZONE_ID) and not cut_off(standing, plan.content)
    assert passes == (something and answers_all)


@given(contents, plans())
def test_p2_refuses_exactly_what_it_must(standing: tuple[RecordSet, ...], plan: Plan) -> None:
    """A plan that keeps every name and type that stands is never refused for being empty, but where
    it leads one back to itself that did not go round before."""
    kept = {(one.name, one.type) for one in plan.content}
    if plan.content and {(one.name, one.type) for one in standing} <= kept:
        found = judge(standing, plan, LIMITS, standing_since_s=None)
        wanted, there = by_unit(plan.content), by_unit(standing)
        led = dict(loops(wanted, wanted, ZONE)).keys() - dict(loops(there, there, ZONE)).keys()
        refused = {one.name for one in found if one.rule == NEVER_EMPTY}
        assert refused <= {display(name) for name, _ in led}


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
