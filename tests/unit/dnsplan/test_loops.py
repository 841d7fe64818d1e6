"""What leads back to itself answers nothing: it is found, and never takes an answer's place."""

import pytest

from dnsplan.guardrails import NEVER_EMPTY, Limits, judge
from dnsplan.loops import leading, loops
from dnsplan.names import Name
from dnsplan.records import AliasTarget, RecordSet, by_unit
from dnsplan.velocity import VelocityLimit
from tests.unit.dnsplan.samples import ZONE, a, plan

LIMITS = Limits(VelocityLimit(min_targets=1, max_removed_share=0.25, window_s=300))
V, W, X = (Name(f"{label}.example.com.") for label in "vwx")


def cname(name: Name, value: str) -> RecordSet:
    """A CNAME."""
    return RecordSet(name, "CNAME", 60, (value,))


def alias(name: Name, to: Name, record_type: str = "A") -> RecordSet:
    """An alias inside the zone."""
    return RecordSet(name, record_type, None, (), alias=AliasTarget("Z1", to, False))


def led_round(*content: RecordSet) -> list[str]:
    """The units that come back to themselves, as text."""
    units = by_unit(content)
    return [f"{name} {record_type}" for (name, record_type), _ in loops(units, units, ZONE)]


@pytest.mark.parametrize(
    ("content", "found"),
    [
        ((cname(W, W),), [f"{W} CNAME"]),
        ((cname(V, W), cname(W, V)), [f"{V} CNAME", f"{W} CNAME"]),
        ((cname(X, W), cname(V, W), cname(W, V)), [f"{V} CNAME", f"{W} CNAME"]),
        ((alias(V, W), alias(W, X), alias(X, V)), [f"{V} A", f"{W} A", f"{X} A"]),
        ((alias(V, W), cname(W, V)), []),
        ((alias(V, W), alias(W, V, "AAAA")), []),
        ((alias(V, W), a(W)), []),
        ((cname(V, W), cname(W, X)), []),
        ((cname(W, "w.example.net."),), []),
    ],
    ids=["itself", "two", "a tail", "aliases", "mixed", "other types", "ends", "out", "elsewhere"],
)
def test_what_comes_back_to_itself(content: tuple[RecordSet, ...], found: list[str]) -> None:
    """Only what the record sets themselves lead round is said, by type for aliases."""
    assert led_round(*content) == found


def test_the_way_is_told() -> None:
    """Whoever has to mend it sees each name on the way."""
    units = by_unit([cname(V, W), cname(W, V)])
    ((_, text),) = loops([(V, "CNAME")], units, ZONE)
    assert text == (
        "CNAME would lead back to itself: v.example.com. to w.example.com. to v.example.com."
    )


@pytest.mark.parametrize(
    ("standing", "content", "refused"),
    [
        ((a(W),), (cname(W, W),), ["w.example.com."]),
        ((a(V), a(W)), (cname(V, W), cname(W, V)), ["v.example.com.", "w.example.com."]),
        ((a(V), alias(W, V)), (alias(V, W), alias(W, V)), ["v.example.com."]),
        ((a(X),), (a(X), cname(W, W)), []),
        ((a(X), cname(W, W)), (a(X, "192.0.2.9"), cname(W, W)), []),
        ((a(W),), (cname(W, V), a(V)), []),
    ],
    ids=["itself", "two", "aliases", "new", "as before", "an answer"],
)
def test_no_answer_gives_way_to_a_loop(
    standing: tuple[RecordSet, ...], content: tuple[RecordSet, ...], refused: list[str]
) -> None:
    """A name that answers may not be led back to itself (P2); what went round already may stay."""
    found = judge(standing, plan(content=content), LIMITS, standing_since_s=None)
    assert [(one.rule, one.name) for one in found] == [(NEVER_EMPTY, name) for name in refused]


def test_only_what_leads_on_can_come_back() -> None:
    """Among what leads anywhere the same is found as among all, with the same way."""
    content = (a(V), cname(W, X), cname(X, W), alias(V, W, "AAAA"), alias(W, V, "A"))
    units, few = by_unit(content), leading(content)
    assert set(units) - set(few) == {(V, "A")}
    assert list(loops(units, units, ZONE)) == list(loops(units, few, ZONE)) != []
