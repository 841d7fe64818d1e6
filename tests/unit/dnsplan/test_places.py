"""A group by place keeps the member that answers for all other places (P2)."""

import pytest

from dnsplan.diff import diff
from dnsplan.guardrails import NEVER_EMPTY, judge_live
from dnsplan.names import Name
from dnsplan.plan import Retirement
from dnsplan.records import Geolocation, OtherPolicy, RecordSet, Routing, Weighted
from tests.unit.dnsplan.samples import a, plan
from tests.unit.dnsplan.test_guardrails import LIMITS, rules

WWW = Name("www.example.com.")
EVERYWHERE = Geolocation(None, "*", None)
EUROPE = Geolocation("EU", None, None)
CANADA = Geolocation(None, "CA", None)


def cidr(location: str) -> OtherPolicy:
    """A location of a collection, as Route 53 lists it."""
    return OtherPolicy(
        f'{{"CidrRoutingConfig":{{"CollectionId":"c","LocationName":"{location}"}}}}'
    )


def group(*routings: Routing) -> tuple[RecordSet, ...]:
    """Members of one name and type."""
    return tuple(
        RecordSet(WWW, "A", 60, (f"192.0.2.{place}",), f"m{place}", routing)
        for place, routing in enumerate(routings)
    )


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (group(EVERYWHERE, EUROPE), group(CANADA, EUROPE)),
        (group(EVERYWHERE), group(EUROPE)),
        (group(cidr("*"), cidr("office")), group(cidr("home"), cidr("office"))),
    ],
    ids=["another place", "the only one", "networks"],
)
def test_the_default_does_not_go(
    before: tuple[RecordSet, ...], after: tuple[RecordSet, ...]
) -> None:
    """Whoever asks from no stated place would get nothing, though the name has answers."""
    assert rules(before, plan(content=after)) == [NEVER_EMPTY]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (group(EVERYWHERE, EUROPE), group(EVERYWHERE, CANADA)),
        (group(EVERYWHERE, EUROPE), group(EUROPE, EVERYWHERE)),
        (group(EUROPE, CANADA), group(EUROPE)),
        (group(EVERYWHERE, EUROPE), (a("www.example.com."),)),
        (group(EVERYWHERE, EUROPE), group(Weighted(1), Weighted(2))),
        (group(cidr("*"), cidr("office")), group(EVERYWHERE)),
    ],
    ids=["stays", "another member", "there was none", "simple", "weighted", "another default"],
)
def test_what_answers_everywhere_passes(
    before: tuple[RecordSet, ...], after: tuple[RecordSet, ...]
) -> None:
    """Another policy answers all, and places may come and go beside the default."""
    assert rules(before, plan(content=after)) == []


def test_a_name_that_ends_ends_whole() -> None:
    """An operator's word is about all its members."""
    other = (a("x.example.com."),)
    ends = (Retirement(WWW, "A", 6, "ann"),)
    assert rules((*group(EVERYWHERE, EUROPE), *other), plan(content=other, retired=ends)) == []


def test_a_strangers_default_holds_no_zone() -> None:
    """It is drift, which the plan ends: no plan ever stated it."""
    live, stated = group(EUROPE, EVERYWHERE), group(EUROPE)
    candidate = plan(content=stated)
    assert judge_live(live, diff(live, stated), candidate, LIMITS, since=6) == ()
