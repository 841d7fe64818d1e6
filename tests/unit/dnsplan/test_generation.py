"""Which writes the generation item admits: each condition alone, and why each is there."""

from collections.abc import Callable

import pytest

from dnsplan.generation import (
    AbsentOr,
    AtLeast,
    AtMost,
    Condition,
    Equals,
    GenerationItem,
    IsAbsent,
    Transition,
    failed,
)
from dnsplan.plan import Digest, Generation, PlanId
from dnsplan.transitions import (
    claim,
    create,
    freeze,
    pin,
    publish,
    raise_floor,
    rebind,
    reconcile,
    record_ahead,
    record_applied,
    thaw,
    unpin,
    waive,
)
from tests.unit.dnsplan.samples import ITEM, item

ERA_PLAN = PlanId("shop", Generation(1_000_000), Digest("e" * 64))
NEXT = PlanId("shop", Generation(141), Digest("e" * 64))


def claiming(seen: GenerationItem = ITEM) -> Transition:
    """A claim of the head."""
    return claim(seen, Generation(140), zone_id="Z1", nonce="n")


def publishing(seen: GenerationItem = ITEM) -> Transition:
    """A move of head to the next plan."""
    return publish(seen, NEXT, nonce="n")


def waiving(seen: GenerationItem = ITEM) -> Transition:
    """A waiver for the plan after head."""
    return waive(seen, "[1]", nonce="n")


def applying(seen: GenerationItem = ITEM) -> Transition:
    """A record of the head as applied and good."""
    return record_applied(seen, Generation(140), fence="f", good=True, nonce="n")


def flooring(seen: GenerationItem = ITEM) -> Transition:
    """A raise of the floor to 110, keeping 20."""
    return raise_floor(seen, Generation(110), keep=20, nonce="n")


def freezing(seen: GenerationItem = ITEM) -> Transition:
    """A freeze."""
    return freeze(seen, "f2", nonce="n")


def pinning(seen: GenerationItem = ITEM) -> Transition:
    """A pin of the head."""
    return pin(seen, seen.head_id, nonce="n")


def thawing() -> Transition:
    """The end of freeze f1."""
    return thaw(item(frozen="f1"), "f1", nonce="n")


def unpinning() -> Transition:
    """The end of the pin at 140."""
    return unpin(item(pin=140), Generation(140), nonce="n")


def rebinding(seen: GenerationItem = ITEM) -> Transition:
    """The zone was made again under another id."""
    return rebind(seen, zone_id="Z2", nonce="n")


def reconciling(seen: GenerationItem = ITEM) -> Transition:
    """History goes on in another table, in the next era."""
    return reconcile(seen, ERA_PLAN, incarnation="table-2", zone_id="Z1", frozen=None, nonce="n")


@pytest.mark.parametrize(
    "make",
    [claiming, publishing, applying, flooring, freezing, pinning, rebinding, reconciling],
)
def test_admitted_as_seen(make: Callable[[], Transition]) -> None:
    """Each write is admitted on the item that it was made for."""
    assert failed(make().conditions, ITEM) == ()


@pytest.mark.parametrize(
    "make",
    [
        claiming,
        publishing,
        waiving,
        applying,
        flooring,
        freezing,
        pinning,
        thawing,
        unpinning,
        rebinding,
        reconciling,
    ],
)
def test_never_without_an_item(make: Callable[[], Transition]) -> None:
    """No write but `create` is admitted where there is no item."""
    assert failed(make().conditions, None) != ()


@pytest.mark.parametrize(
    ("make", "moved", "why"),
    [
        (claiming, item(frozen="f1"), IsAbsent("frozen")),
        (claiming, item(incarnation="table-2"), Equals("incarnation", "table-1")),
        (claiming, item(owner="other"), Equals("owner", ITEM.owner)),
        (claiming, item(floor=141), AtMost("floor", 140)),
        (claiming, item(head=139), AtLeast("head", 140)),
        (claiming, item(claimed=141), AtMost("claimed", 140)),
        (claiming, item(pin=139), AbsentOr(AtLeast("pin", 140))),
        (claiming, item(zone_id="Z2"), AbsentOr(Equals("zone_id", "Z1"))),
        (publishing, item(head=141), Equals("head", 140)),
        (publishing, item(incarnation="table-2"), Equals("incarnation", "table-1")),
        (publishing, item(owner="other"), Equals("owner", ITEM.owner)),
        (publishing, item(ahead=150), IsAbsent("ahead")),
        (publishing, item(waivers="[1]"), IsAbsent("waivers")),
        (waiving, item(head=141), Equals("head", 140)),
        (waiving, item(incarnation="table-2"), Equals("incarnation", "table-1")),
        (waiving, item(owner="other"), Equals("owner", ITEM.owner)),
        (waiving, item(ahead=150), IsAbsent("ahead")),
        (waiving, item(waivers="[2]"), IsAbsent("waivers")),
        (applying, item(incarnation="table-2"), Equals("incarnation", "table-1")),
        (applying, item(owner="other"), Equals("owner", ITEM.owner)),
        (applying, item(applied=141), AtMost("applied", 140)),
        (applying, item(head=139), AtLeast("head", 140)),
        (applying, item(last_known_good=141), AtMost("last_known_good", 140)),
        (flooring, item(incarnation="table-2"), Equals("incarnation", "table-1")),
        (flooring, item(owner="other"), Equals("owner", ITEM.owner)),
        (flooring, item(floor=110), AtMost("floor", 109)),
        (flooring, item(claimed=109), AtLeast("claimed", 110)),
        (flooring, item(applied=109), AtLeast("applied", 110)),
        (flooring, item(last_known_good=109), AtLeast("last_known_good", 110)),
        (flooring, item(head=129), AtLeast("head", 130)),
        (flooring, item(pin=109), AbsentOr(AtLeast("pin", 110))),
        (freezing, item(incarnation="table-2"), Equals("incarnation", "table-1")),
        (freezing, item(owner="other"), Equals("owner", ITEM.owner)),
        (freezing, item(frozen="f1"), IsAbsent("frozen")),
        (rebinding, item(incarnation="table-2"), Equals("incarnation", "table-1")),
        (rebinding, item(owner="other"), Equals("owner", ITEM.owner)),
        (rebinding, item(head=141), Equals("head", 140)),
        (rebinding, item(zone_id="Z3"), Equals("zone_id", "Z1")),
        (rebinding, item(frozen="f1"), IsAbsent("frozen")),
        (rebinding, item(ahead=150), IsAbsent("ahead")),
        (reconciling, item(incarnation="table-3"), Equals("incarnation", "table-1")),
        (reconciling, item(owner="other"), Equals("owner", ITEM.owner)),
        (reconciling, item(head=141), Equals("head", 140)),
        (reconciling, item(claimed=1_000_000), AtMost("claimed", 999_999)),
        (reconciling, item(frozen="f1"), IsAbsent("frozen")),
        (reconciling, item(pin=140), IsAbsent("pin")),
        (thawing, item(frozen="f2"), Equals("frozen", "f1")),
        (thawing, item(frozen=None), Equals("frozen", "f1")),
        (thawing, item(frozen="f1", incarnation="t2"), Equals("incarnation", "table-1")),
        (pinning, item(incarnation="table-2"), Equals("incarnation", "table-1")),
        (pinning, item(owner="other"), Equals("owner", ITEM.owner)),
        (pinning, item(floor=141), AtMost("floor", 140)),
        (pinning, item(head=139), AtLeast("head", 140)),
        (pinning, item(claimed=141), AtMost("claimed", 140)),
        (pinning, item(applied=141), AtMost("applied", 140)),
        (unpinning, item(pin=139), Equals("pin", 140)),
        (unpinning, item(), Equals("pin", 140)),
        (unpinning, item(pin=140, incarnation="t2"), Equals("incarnation", "table-1")),
    ],
)
def test_refused_and_why(
    make: Callable[[], Transition], moved: GenerationItem, why: Condition
) -> None:
    """A write made on one view is refused, for exactly one reason, once the item has moved."""
    assert failed(make().conditions, moved) == (why,)


@pytest.mark.parametrize(
    ("make", "moved"),
    [
        (claiming, item(pin=140)),
        (claiming, item(head=200, claimed=139, floor=140)),
        (claiming, item(zone_id=None)),
        (applying, item(head=200)),
        (applying, item(frozen="f1")),
        (flooring, item(floor=0, pin=110)),
        (flooring, item(frozen="f1")),
        (thawing, item(frozen="f1", owner="other")),
        (unpinning, item(pin=140, frozen="f1")),
        (pinning, item(pin=120, frozen="f1")),
        (reconciling, item(ahead=150, claimed=139, applied=139)),
    ],
)
def test_admitted_although_moved(make: Callable[[], Transition], moved: GenerationItem) -> None:
    """Conditions are inequalities where a move of others does no harm."""
    assert failed(make().conditions, moved) == ()


def test_a_good_mark_only_when_nothing_is_held() -> None:
    """A plan with names held back is applied and not the last known good."""
    write = record_applied(ITEM, Generation(140), fence="f", good=False, nonce="n")
    assert dict(write.put) == {"applied": 140, "applied_fence": "f"}
    assert "last_known_good" not in {getattr(one, "field", "") for one in write.conditions}


def test_what_each_write_sets() -> None:
    """A write sets its own fields and no other."""
    assert dict(publishing().put) == {"head": 141, "head_digest": "e" * 64}
    seen = publishing(item(waivers="[1]"))
    assert dict(seen.put) == {"head": 141, "head_digest": "e" * 64, "waivers": None}
    assert Equals("waivers", "[1]") in seen.conditions
    assert dict(waiving().put) == {"waivers": "[1]"}
    assert dict(claiming().put) == {"claimed": 140, "zone_id": "Z1"}
    assert dict(applying().put) == {"applied": 140, "applied_fence": "f", "last_known_good": 140}
    assert dict(flooring().put) == {"floor": 110}
    assert dict(freezing().put) == {"frozen": "f2"}
    assert dict(thawing().put) == {"frozen": None}
    assert dict(pinning().put) == {"pin": 140, "pin_digest": "d" * 64, "pin_vouch": None}
    assert dict(unpinning().put) == {"pin": None, "pin_digest": None, "pin_vouch": None}
    assert dict(rebinding().put) == {"zone_id": "Z2"}
    assert dict(reconciling().put) == {
        "head": 1_000_000,
        "head_digest": "e" * 64,
        "claimed": 1_000_000,
        "incarnation": "table-2",
        "zone_id": "Z1",
        "frozen": None,
        "ahead": None,
    }
    assert dict(record_ahead(ITEM, Generation(150), nonce="n").put) == {"ahead": 150}


def test_ahead_only_on_the_head_that_was_seen() -> None:
    """`ahead` is set only while head still stands where it was compared."""
    write = record_ahead(ITEM, Generation(150), nonce="n")
    assert failed(write.conditions, ITEM) == ()
    assert failed(write.conditions, item(head=150)) == (Equals("head", 140),)


def test_reconcile_carries_the_freeze_that_was_seen() -> None:
    """A freeze that came or went since it was read refuses it: P9 is decided by what stands."""
    write = reconcile(
        item(frozen="f1"), ERA_PLAN, incarnation="table-2", zone_id="Z1", frozen="f1", nonce="n"
    )
    assert dict(write.put)["frozen"] == "f1"
    assert failed(write.conditions, item(frozen="f1")) == ()
    for moved in (item(), item(frozen="f2")):
        assert failed(write.conditions, moved) == (Equals("frozen", "f1"),)


def test_reconcile_never_goes_back() -> None:
    """Head is only ever moved to a higher number."""
    seen = item(head=1_000_000, claimed=999_999)
    write = reconcile(seen, ERA_PLAN, incarnation="table-2", zone_id="Z1", frozen=None, nonce="n")
    assert failed(write.conditions, seen) == (AtMost("head", 999_999),)


def test_create_only_where_nothing_is() -> None:
    """The first item of a label wins; it carries every field but label and nonce as data."""
    write = create(ITEM)
    assert failed(write.conditions, None) == ()
    assert failed(write.conditions, ITEM) == (IsAbsent("label"),)
    assert {name for name, _ in write.put} == set(ITEM.__struct_fields__) - {"label", "nonce"}


@pytest.mark.parametrize(
    ("condition", "holds"),
    [
        (IsAbsent("pin"), True),
        (IsAbsent("head"), False),
        (Equals("pin", 1), False),
        (AtMost("pin", 1), False),
        (AtLeast("pin", 1), False),
        (AtMost("head", 140), True),
        (AtMost("head", 139), False),
        (AtLeast("head", 140), True),
        (AtLeast("head", 141), False),
        (AbsentOr(Equals("pin", 1)), True),
        (AbsentOr(Equals("head", 1)), False),
    ],
)
def test_conditions(condition: Condition, *, holds: bool) -> None:
    """An absent field meets only the conditions that speak of absence."""
    assert (failed((condition,), ITEM) == ()) == holds
