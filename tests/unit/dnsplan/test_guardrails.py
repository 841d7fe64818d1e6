"""Each guardrail alone: what it refuses, what it lets pass, and which waivers it hears."""

import pytest
from msgspec import structs

from dnsplan.guardrails import (
    FLOOR,
    HANDS_OFF,
    NEVER_EMPTY,
    VELOCITY,
    Limits,
    answers,
    judge,
    judge_velocity,
)
from dnsplan.names import Name
from dnsplan.plan import NameLedger, Plan, Retirement, Waiver
from dnsplan.records import AliasTarget, RecordSet
from dnsplan.velocity import VelocityLimit
from dnsplan.violation import Violation
from tests.unit.dnsplan.samples import a, plan, weighted

LIMITS = Limits(VelocityLimit(min_targets=1, max_removed_share=0.25, window_s=300))
WEB = Name("web.example.com.")
HOSTS = tuple(f"192.0.2.{n}" for n in range(1, 9))


def rules(standing: tuple[RecordSet, ...], candidate: Plan, limits: Limits = LIMITS) -> list[str]:
    """The rules that refuse a candidate, at the moment the standing content was made."""
    found = judge(standing, candidate, limits, standing_since_s=candidate.created_s)
    return [one.rule for one in found]


def ledger(targets: int, name: Name = WEB) -> tuple[NameLedger, ...]:
    """A ledger that says that a pool drives the name's A."""
    return (NameLedger(name, "A", targets, targets, ()),)


def cname(name: str) -> RecordSet:
    """A CNAME."""
    return RecordSet(Name(name), "CNAME", 60, ("x.example.com.",))


def text(name: str) -> RecordSet:
    """A TXT set."""
    return RecordSet(Name(name), "TXT", 60, ('"x"',))


STAND = (a("a.example.com."), a("web.example.com."))


def test_same_content_passes() -> None:
    """What stands may stand."""
    assert rules(STAND, plan(content=STAND)) == []


@pytest.mark.parametrize(
    ("standing", "content"),
    [
        (STAND, ()),
        (STAND, (a("web.example.com."),)),
        ((a("a.example.com."), text("a.example.com.")), (a("a.example.com."),)),
        ((weighted("a.example.com.", "x", "192.0.2.1"),), (text("a.example.com."),)),
        ((a("a.example.com."),), (RecordSet(Name("a.example.com."), "A", 60, ()),)),
        ((cname("a.example.com."),), (RecordSet(Name("a.example.com."), "CNAME", 60, ()),)),
        ((cname("a.example.com."),), (a("b.example.com."),)),
    ],
)
def test_nothing_loses_its_answers(
    standing: tuple[RecordSet, ...], content: tuple[RecordSet, ...]
) -> None:
    """A name or type that would answer nothing is refused, however that would come about."""
    assert set(rules(standing, plan(content=content))) == {NEVER_EMPTY}


@pytest.mark.parametrize(
    ("standing", "content"),
    [
        ((a("a.example.com."),), (cname("a.example.com."),)),
        ((cname("a.example.com."),), (a("a.example.com."),)),
        ((a("a.example.com."), text("a.example.com.")), (cname("a.example.com."),)),
        ((a("a.example.com."),), (weighted("a.example.com.", "x", "192.0.2.1"),)),
        ((a("a.example.com.", "192.0.2.1", "192.0.2.2"),), (a("a.example.com.", "192.0.2.3"),)),
    ],
)
def test_what_still_answers_passes(
    standing: tuple[RecordSet, ...], content: tuple[RecordSet, ...]
) -> None:
    """A type may give way to or from CNAME, and values and policies may change."""
    assert rules(standing, plan(content=content)) == []


def test_retire_is_the_only_way() -> None:
    """A retired name may end, a retired type of it too; the others may not."""
    gone = Retirement(Name("a.example.com."), None, 7, "ops")
    other_type = Retirement(Name("a.example.com."), "TXT", 7, "ops")
    left = (a("web.example.com."),)
    assert rules(STAND, plan(content=left, retired=(gone,))) == []
    assert rules(STAND, plan(content=left, retired=(other_type,))) == [NEVER_EMPTY]
    assert rules(STAND, plan(content=(), retired=(gone,))) == [NEVER_EMPTY]


def test_an_empty_plan_is_never_an_instruction() -> None:
    """A plan of nothing is refused also where nothing stands yet."""
    assert rules((), plan(content=())) == [NEVER_EMPTY]


@pytest.mark.parametrize(
    "off_limits",
    [
        RecordSet(Name("example.com."), "NS", 60, ("ns.example.net.",)),
        RecordSet(Name("example.com."), "SOA", 60, ("x. y. 1 1 1 1 1",)),
        RecordSet(Name("example.com."), "DS", 60, ("1 2 3 ab",)),
        RecordSet(Name("example.com."), "DNSKEY", 60, ("x",)),
        text("_dnsplan.example.com."),
        a("www.example.net."),
        a("badexample.com."),
    ],
)
def test_hands_off(off_limits: RecordSet) -> None:
    """Apex NS, SOA, DS and DNSKEY, the fence, and names outside are never managed."""
    assert rules(STAND, plan(content=(*STAND, off_limits))) == [HANDS_OFF]


def test_delegations_below_the_apex_are_ours() -> None:
    """NS and DS of a child are record sets like others."""
    child = RecordSet(Name("child.example.com."), "NS", 60, ("ns.example.net.",))
    assert rules(STAND, plan(content=(*STAND, child))) == []


@pytest.mark.parametrize(
    ("targets", "answering", "min_targets", "refused"),
    [(3, 1, 2, True), (3, 2, 2, False), (1, 1, 2, False), (8, 3, 4, True)],
)
def test_floor(targets: int, answering: int, min_targets: int, *, refused: bool) -> None:
    """A changed pool-driven name keeps min_targets answers while it has that many targets."""
    limits = Limits(VelocityLimit(min_targets, 1.0, 300))
    candidate = plan(content=(a(WEB, *HOSTS[:answering]),), ledger=ledger(targets))
    found = rules((a(WEB, *HOSTS),), candidate, limits)
    assert (FLOOR in found) == refused


def test_floor_leaves_names_alone_that_do_not_change() -> None:
    """A name already under the floor may stay while others change; mending is not refused."""
    limits = Limits(VelocityLimit(5, 1.0, 300))
    standing = (a(WEB, *HOSTS[:2]),)
    candidate = plan(content=(a(WEB, *HOSTS[:2]), a("b.example.com.")), ledger=ledger(8))
    assert rules(standing, candidate, limits) == []


@pytest.mark.parametrize(
    ("before", "after", "refused"),
    [(2, 1, False), (3, 2, False), (8, 6, False), (8, 5, True), (3, 1, True)],
)
def test_velocity(before: int, after: int, *, refused: bool) -> None:
    """max(1 target, share x targets) may go in one window, and no more."""
    candidate = plan(content=(a(WEB, *HOSTS[:after]),), ledger=ledger(before))
    assert (VELOCITY in rules((a(WEB, *HOSTS[:before]),), candidate)) == refused


def test_velocity_counts_windows_since_the_standing_plan() -> None:
    """Two windows later twice as many may be gone; of unknown age is one window."""
    candidate = plan(content=(a(WEB, *HOSTS[:4]),), ledger=ledger(8))
    standing = (a(WEB, *HOSTS),)
    since_s = candidate.created_s - 300
    assert judge(standing, candidate, LIMITS, standing_since_s=since_s) == ()
    assert [one.rule for one in judge(standing, candidate, LIMITS, standing_since_s=None)] == [
        VELOCITY
    ]


def test_velocity_between_plans() -> None:
    """Between two plans only velocity is judged, by their own times."""
    base = plan(content=(a(WEB, *HOSTS),), ledger=ledger(8))
    after = plan(content=(a(WEB, *HOSTS[:4]),), ledger=ledger(8), created_s=base.created_s + 299)
    assert [one.rule for one in judge_velocity(base, after, LIMITS)] == [VELOCITY]
    later = plan(content=after.content, ledger=after.ledger, created_s=base.created_s + 300)
    assert judge_velocity(base, later, LIMITS) == ()


def test_a_pool_that_shrinks_is_judged_by_what_it_was() -> None:
    """Share counts the larger of the pool and what answers, so a smaller config does not block."""
    candidate = plan(content=(a(WEB, *HOSTS[:6]),), ledger=ledger(6))
    assert rules((a(WEB, *HOSTS),), candidate) == []


def test_velocity_is_for_pools() -> None:
    """A stated record set has no targets: changing it is its writer's word."""
    candidate = plan(content=(a(WEB, HOSTS[0]),))
    assert rules((a(WEB, *HOSTS),), candidate) == []


def test_a_pool_may_have_limits_of_its_own() -> None:
    """The limit of a name and type stands before the zone's."""
    special = Limits(LIMITS.default, {(WEB, "A"): VelocityLimit(1, 1.0, 300)})
    candidate = plan(content=(a(WEB, HOSTS[0]),), ledger=ledger(8))
    assert rules((a(WEB, *HOSTS),), candidate) == [VELOCITY]
    assert rules((a(WEB, *HOSTS),), candidate, special) == []


def test_a_violation_says_everything() -> None:
    """Rule, zone, name, measured number and limit, in one sentence."""
    candidate = plan(content=(a(WEB, *HOSTS[:5]),), ledger=ledger(8))
    since_s = candidate.created_s - 10
    found = judge((a(WEB, *HOSTS),), candidate, LIMITS, standing_since_s=since_s)
    assert found == (
        Violation(
            rule=VELOCITY,
            zone="shop",
            name="web.example.com.",
            measured="3 of 8 targets taken out in 10 s",
            limit="2 (0.25 a window of 300 s)",
        ),
    )
    assert str(found[0]) == (
        "velocity: web.example.com. in shop: 3 of 8 targets taken out in 10 s;"
        " limit: 2 (0.25 a window of 300 s)"
    )


def test_a_waiver_lifts_one_rule() -> None:
    """A waiver lifts the rule that it names, and never P2 or P6."""
    number = plan().generation
    waivers = tuple(
        Waiver(rule, "ops", "test", number) for rule in (VELOCITY, NEVER_EMPTY, HANDS_OFF)
    )
    fast = plan(content=(a(WEB, *HOSTS[:5]),), ledger=ledger(8), waivers=waivers)
    assert rules((a(WEB, *HOSTS),), fast) == []
    empty = plan(content=(), waivers=waivers)
    assert set(rules(STAND, empty)) == {NEVER_EMPTY}
    foreign = plan(content=(*STAND, a("www.example.net.")), waivers=waivers)
    assert rules(STAND, foreign) == [HANDS_OFF]


def test_a_waiver_is_for_its_generation_and_for_catching_up_with_it() -> None:
    """The plan after is judged in full; an enactor that skipped the waived one is not wedged."""
    old = plan(content=(a(WEB, *HOSTS),), ledger=ledger(8))
    waiver = Waiver(VELOCITY, "ops", "test", old.generation + 1)
    later = plan(
        content=(a(WEB, *HOSTS[:2]),),
        ledger=ledger(8),
        generation=old.generation + 2,
        waivers=(waiver,),
    )
    assert rules(old.content, later) == [VELOCITY]
    assert judge_velocity(old, later, LIMITS) == ()
    applied = structs.replace(old, generation=old.generation + 1)
    assert [one.rule for one in judge_velocity(applied, later, LIMITS)] == [VELOCITY]


def test_answers_of_weighted_members() -> None:
    """Weight 0 answers nothing while others have weight; all zero means that all answer."""
    one = weighted("w.example.com.", "a", "192.0.2.1")
    zero = weighted("w.example.com.", "b", "192.0.2.2", weight=0)
    assert answers((one, zero)) == {"192.0.2.1"}
    assert answers((zero,)) == {"192.0.2.2"}
    alias = AliasTarget("Z1", Name("lb.example.net."), evaluate_target_health=False)
    assert answers((RecordSet(WEB, "A", None, (), alias=alias),)) == {"lb.example.net."}


def test_a_name_below_the_floor_may_get_better() -> None:
    """The floor forbids taking out, not bringing in: two answers are more than one."""
    one, two = a(WEB, *HOSTS[:1]), a(WEB, *HOSTS[:2])
    limits = Limits(VelocityLimit(min_targets=3, max_removed_share=1.0, window_s=300))
    assert rules((one,), plan(content=(two,), ledger=ledger(3)), limits) == []
    assert rules((two,), plan(content=(one,), ledger=ledger(3)), limits) == [FLOOR]


def points(name: str, target: str) -> RecordSet:
    """A CNAME to a name of the zone."""
    return RecordSet(Name(name), "CNAME", 60, (target,))


MAIL = RecordSet(Name("t.example.com."), "MX", 60, ("10 mail.example.com.",))
SIX = RecordSet(Name("t.example.com."), "AAAA", 60, ("2001:db8::1",))
RETIRED_T = (Retirement(Name("t.example.com."), None, 7, "ops"),)


@pytest.mark.parametrize(
    ("standing", "left", "found"),
    [
        ((a("t.example.com."),), (), [NEVER_EMPTY]),
        ((a("t.example.com."), text("t.example.com.")), (text("t.example.com."),), [NEVER_EMPTY]),
        ((a("t.example.com."), SIX), (a("t.example.com."),), []),
        ((a("t.example.com."), MAIL), (a("t.example.com."),), []),
        ((a("t.example.com."),), (points("t.example.com.", "y.example.net."),), []),
        ((points("t.example.com.", "y.example.net."),), (a("t.example.com."),), []),
    ],
    ids=["all", "all addresses", "one kind of address", "mail", "to a cname", "from a cname"],
)
def test_no_name_ends_while_a_cname_of_the_plan_leads_to_it(
    standing: tuple[RecordSet, ...], left: tuple[RecordSet, ...], found: list[str]
) -> None:
    """A CNAME whose target has no address any more answers nothing, like an alias (P2)."""
    www = points("www.example.com.", "t.example.com.")
    assert rules((*standing, www), plan(content=(*left, www), retired=RETIRED_T)) == found


def test_a_cname_that_leads_on_or_out_of_the_zone_is_no_matter() -> None:
    """What it leads to by then is what counts, and other zones are not judged."""
    standing = (a("t.example.com."), points("www.example.com.", "t.example.com."))
    elsewhere = points("www.example.com.", "t.example.net.")
    assert rules(standing, plan(content=(elsewhere,), retired=RETIRED_T)) == []
