"""No CNAME that answers through a wildcard is silenced by what comes or ends elsewhere (P2)."""

import pytest

from dnsplan.diff import NameChange
from dnsplan.guardrails import NEVER_EMPTY, judge, judge_live
from dnsplan.names import Name, parse_name
from dnsplan.plan import Plan, Retirement
from dnsplan.records import RecordSet
from tests.unit.dnsplan.samples import a, plan
from tests.unit.dnsplan.test_guardrails import LIMITS, text

STAR = a("\\052.example.com.")
AAAA = RecordSet(STAR.name, "AAAA", 60, ("2001:db8::1",))
ENDS_A = (Retirement(STAR.name, "A", 6, "ann"),)
OTHER = RecordSet(Name("mail.example.com."), "MX", 60, ("10 mail.example.net.",))


def points(name: str, target: str) -> RecordSet:
    """A CNAME."""
    return RecordSet(parse_name(name), "CNAME", 60, (target,))


WWW = points("www.example.com", "t.example.com.")
DEEP = points("www.example.com", "a.b.example.com.")
NS = RecordSet(Name("t.example.com."), "NS", 60, ("ns.example.net.",))
STANDS_BELOW = text("x.t.example.com.")


def found(standing: tuple[RecordSet, ...], candidate: Plan) -> list[str]:
    """What is refused, in words, at the moment the standing content was made."""
    judged = judge(standing, candidate, LIMITS, standing_since_s=candidate.created_s)
    assert {one.rule for one in judged} <= {NEVER_EMPTY}
    return [f"{one.name}: {one.measured}" for one in judged]


@pytest.mark.parametrize(
    ("link", "comes"),
    [
        (WWW, text("t.example.com.")),
        (WWW, text("_acme-challenge.t.example.com.")),
        (WWW, text("x.y.t.example.com.")),
        (DEEP, text("b.example.com.")),
        (DEEP, a("b.example.com.")),
        (DEEP, text("x.b.example.com.")),
    ],
    ids=["at it", "below it", "far below it", "above it", "an address above it", "beside it"],
)
def test_a_name_that_comes_takes_no_target_from_a_wildcard(
    link: RecordSet, comes: RecordSet
) -> None:
    """Nobody touched the CNAME or the wildcard, and all the same it would answer nothing."""
    target = link.values[0]
    assert found((STAR, link), plan(content=(STAR, link, comes))) == [
        f"www.example.com.: a CNAME to {target}, for which no wildcard would answer any more"
    ]


@pytest.mark.parametrize(
    ("standing", "content"),
    [
        ((STAR, WWW), (STAR, WWW, a("t.example.com."))),
        ((STAR, WWW), (STAR, WWW, points("t.example.com", "x.example.net."))),
        ((STAR, WWW), (STAR, WWW, text("u.example.com."))),
        ((STAR, WWW), (STAR, points("www.example.com", "x.example.net."), text("t.example.com."))),
        ((STAR, WWW, STANDS_BELOW), (STAR, WWW, STANDS_BELOW, text("y.t.example.com."))),
        ((STAR, WWW, OTHER), (STAR, WWW, OTHER, NS)),
        ((STAR, OTHER), (STAR, OTHER, WWW, text("t.example.com."))),
        ((WWW, OTHER), (WWW, OTHER, text("t.example.com."))),
    ],
    ids=[
        "an address there",
        "a link there",
        "elsewhere",
        "led elsewhere",
        "silent already",
        "a delegation",
        "new itself",
        "no wildcard",
    ],
)
def test_what_answers_on_or_answered_nothing_is_not_refused(
    standing: tuple[RecordSet, ...], content: tuple[RecordSet, ...]
) -> None:
    """Only an answer that is there can be lost."""
    assert found(standing, plan(content=content)) == []


def test_a_wildcard_does_not_end_while_a_cname_answers_through_it() -> None:
    """Retired is the wildcard, and not what leads to a name that it answers for."""
    assert found((STAR, WWW, OTHER), plan(content=(WWW, OTHER), retired=ENDS_A)) == [
        "www.example.com.: a CNAME to t.example.com., for which no wildcard would answer any more"
    ]
    both = (STAR, AAAA, WWW)
    assert found(both, plan(content=(AAAA, WWW), retired=ENDS_A)) == []


def test_a_wildcard_further_up_is_none_below_a_name_that_exists() -> None:
    """`*.b` ends, and `b` keeps `*` from answering below it."""
    low = a("\\052.b.example.com.")
    ends = (Retirement(low.name, "A", 6, "ann"),)
    beside = text("b.example.com.")
    assert found((STAR, low, beside, DEEP), plan(content=(STAR, beside, DEEP), retired=ends)) != []
    assert found((STAR, low, DEEP), plan(content=(STAR, DEEP), retired=ends)) == []


@pytest.mark.parametrize(
    "elsewhere", [a("t.example.com."), STANDS_BELOW], ids=["an address", "silent already"]
)
def test_what_the_plan_states_in_a_part_that_was_not_read_is_known(elsewhere: RecordSet) -> None:
    """A big zone is read a part at a time, and no part that is not there refuses a plan."""
    comes = text("_acme-challenge.t.example.com.")
    candidate = plan(content=(STAR, WWW, elsewhere, comes))
    changes = (NameChange(comes.name, (), (comes,)),)
    assert judge_live((STAR, WWW), changes, candidate, LIMITS, since=6) == ()
