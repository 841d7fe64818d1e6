"""From facts to the status object: what each field shows, and that nothing read is left out."""

import msgspec
import pytest

from dnsplan.codec import seal, unseal
from dnsplan.errors import DnsplanError
from dnsplan.fence import FenceRecord, NoFence, SeenFence, to_record_set
from dnsplan.generation import GenerationItem
from dnsplan.names import Name
from dnsplan.plan import Digest, Generation, NameLedger, Plan, PlanId
from dnsplan.ports import Presence, ZoneSighting
from dnsplan.records import AliasTarget, Multivalue, RecordSet, Weighted
from dnsplan.runtime.status.model import (
    EnactorStatus,
    FenceStatus,
    NameStatus,
    Status,
    Unread,
    ZoneStatus,
    to_json,
)
from dnsplan.runtime.status.shape import (
    ZoneFacts,
    applied_id,
    enactor_statuses,
    name_statuses,
    unread_of,
    zone_status,
)

APEX = Name("example.com.")
API = Name("api.example.com.")
AZS = ("use1-az1", "use1-az2")

PLAN = Plan(
    schema=1,
    owner="o1",
    label="shop",
    zone=APEX,
    generation=Generation(7),
    base=Generation(6),
    created_s=1_000,
    author="planner",
    reason="health",
    content=(
        RecordSet(API, "A", 30, ("192.0.2.1",), "a", Weighted(100)),
        RecordSet(API, "A", 30, ("192.0.2.2",), "b", Weighted(0)),
        RecordSet(APEX, "A", 30, ("192.0.2.1",), "a", Multivalue()),
        RecordSet(APEX, "A", 30, ("192.0.2.2",), "b", Multivalue()),
        RecordSet(APEX, "MX", 300, ("10 mail.example.com.",)),
        RecordSet(Name("\\052.example.com."), "A", None, (), alias=AliasTarget("Z2", APEX, False)),
    ),
    ledger=(
        NameLedger(API, "A", targets=2, healthy=1, spent=()),
        NameLedger(APEX, "A", targets=3, healthy=2, spent=()),
    ),
)

ITEM = GenerationItem(
    label="shop",
    owner="o1",
    incarnation="t1",
    nonce="n1",
    zone_id="Z1",
    head=Generation(7),
    head_digest=Digest("d7"),
    claimed=Generation(7),
    applied=Generation(7),
    last_known_good=Generation(6),
    floor=Generation(2),
)

FENCE = FenceRecord(
    generation=Generation(7),
    step=1,
    steps=2,
    base=Generation(6),
    held=0,
    owner="o1",
    writer="use1-az2",
    nonce="f00d",
    digest=Digest("d7"),
)

PRESENCES = (
    Presence("use1-az1", 990, (ZoneSighting("shop", Generation(7), 2, None, 985),)),
    Presence("use1-az9", 990, (ZoneSighting("shop", Generation(3), 1, "frozen", 900),)),
    Presence("use1-az2", 990, (ZoneSighting("other", Generation(1), 1, None, 985),)),
)


def facts(**changed: object) -> ZoneFacts:
    """A zone where everything was read."""
    whole = {
        "label": "shop",
        "name": APEX,
        "zone_id": "Z1",
        "item": ITEM,
        "fence": SeenFence(FENCE, to_record_set(FENCE, APEX)),
        "plan": PLAN,
        "presences": PRESENCES,
        "held": {},
    }
    return ZoneFacts(**{**whole, **changed})  # type: ignore[arg-type]  # a test names the field it changes


def test_every_field_comes_from_where_it_is_written() -> None:
    """Head and applied are the item's, the fence is Route 53's, names the applied plan's."""
    expected = ZoneStatus(
        label="shop",
        zone="example.com.",
        zone_id="Z1",
        head=7,
        applied=7,
        last_known_good=6,
        floor=2,
        frozen=None,
        pin=None,
        ahead=None,
        fence=FenceStatus(
            generation=7,
            step=1,
            steps=2,
            base=6,
            held=0,
            owner="o1",
            writer="use1-az2",
            nonce="f00d",
            digest="d7",
        ),
        names=name_statuses(PLAN, {}),
        enactors=enactor_statuses(PRESENCES, label="shop", azs=AZS, now_s=1_000),
    )
    assert expected == zone_status(facts(), azs=AZS, now_s=1_000)


def test_names_count_what_answers_and_only_pools_have_targets() -> None:
    """A member of weight 0 is no answer; a wildcard is shown as people write it."""
    expected = {
        ("*.example.com.", "A", 1, None, None),
        ("api.example.com.", "A", 1, 2, 1),
        ("example.com.", "A", 2, 3, 2),
        ("example.com.", "MX", 1, None, None),
    }
    found = name_statuses(PLAN, {})
    assert expected == {(n.name, n.type, n.answers, n.targets, n.healthy) for n in found}
    assert name_statuses(None, {}) == ()


def test_each_configured_az_has_a_line_seen_or_not() -> None:
    """An AZ that never looked is null, not left out; one taken out of the config comes last."""
    expected = (
        EnactorStatus(az="use1-az1", generation=7, age_s=15, holding=None),
        EnactorStatus(az="use1-az2", generation=None, age_s=None, holding=None),
        EnactorStatus(az="use1-az9", generation=3, age_s=100, holding="frozen"),
    )
    assert expected == enactor_statuses(PRESENCES, label="shop", azs=AZS, now_s=1_000)


def test_a_clock_that_differs_makes_no_negative_age() -> None:
    """Machines' clocks differ by a little; an age is never below zero."""
    early = enactor_statuses(PRESENCES, label="shop", azs=AZS, now_s=980)
    assert [one.age_s for one in early] == [0, None, 80]


@pytest.mark.parametrize("part", ["item", "fence", "plan", "presences"])
def test_what_could_not_be_read_is_null_and_named(part: str) -> None:
    """A failed read hides nothing else, and never shows as zero or as an empty list."""
    lost = Unread("shop", part, "timed out")
    broken = facts(**{part: lost})
    shown = zone_status(broken, azs=AZS, now_s=1_000)
    nulls = {
        "item": ("head", "applied", "last_known_good", "floor", "frozen", "pin", "ahead"),
        "fence": ("fence",),
        "plan": ("names",),
        "presences": ("enactors",),
    }[part]
    whole = zone_status(facts(), azs=AZS, now_s=1_000)
    assert msgspec.structs.replace(whole, **dict.fromkeys(nulls)) == shown
    assert (lost,) == unread_of(broken)


def test_a_zone_without_item_fence_or_plan_has_its_line() -> None:
    """Before the first plan there is nothing, which is not the same as unreadable."""
    shown = zone_status(
        facts(item=None, fence=NoFence.MISSING, plan=None, presences=()), azs=AZS, now_s=1_000
    )
    assert (shown.head, shown.floor, shown.fence) == (None, None, None)
    assert shown.names == ()
    assert [one.generation for one in shown.enactors or ()] == [None, None]


def test_a_freeze_in_the_fence_alone_shows_as_frozen() -> None:
    """A freeze stands in the table and in the zone; either is enough to hold."""
    frozen = msgspec.structs.replace(FENCE, frozen="fz1")
    shown = zone_status(
        facts(fence=SeenFence(frozen, to_record_set(frozen, APEX))), azs=AZS, now_s=1_000
    )
    assert shown.frozen == "fz1"


def test_the_applied_plan_is_found_by_head_or_by_its_fence() -> None:
    """Below head the digest is the one in the fence text that was written with it."""
    assert PlanId("shop", Generation(7), Digest("d7")) == applied_id(ITEM)
    behind = msgspec.structs.replace(
        ITEM, head=Generation(8), applied_fence=to_record_set(FENCE, APEX).values[0]
    )
    assert PlanId("shop", Generation(7), Digest("d7")) == applied_id(behind)
    assert applied_id(msgspec.structs.replace(ITEM, applied=Generation(0))) is None


@pytest.mark.parametrize("text", [None, "nonsense"])
def test_an_applied_plan_without_its_digest_is_unreadable(text: str | None) -> None:
    """It is never guessed from a neighbour."""
    behind = msgspec.structs.replace(ITEM, head=Generation(8), applied_fence=text)
    with pytest.raises(DnsplanError):
        applied_id(behind)


def test_the_object_has_exactly_the_promised_keys_in_order() -> None:
    """Scripts lean on these names; null stands for absent and the keys stay."""
    status = Status((zone_status(facts(plan=None), azs=AZS, now_s=1_000),))
    decoded = msgspec.json.decode(to_json(status))
    zone = decoded["zones"][0]
    assert list(decoded) == ["zones"]
    assert list(zone) == [
        "label",
        "zone",
        "zone_id",
        "head",
        "applied",
        "last_known_good",
        "floor",
        "frozen",
        "pin",
        "ahead",
        "fence",
        "names",
        "enactors",
    ]
    assert list(zone["fence"]) == [
        "generation",
        "step",
        "steps",
        "base",
        "held",
        "owner",
        "writer",
        "nonce",
        "digest",
    ]
    assert list(zone["enactors"][0]) == ["az", "generation", "age_s", "holding"]
    assert NameStatus.__struct_fields__ == ("name", "type", "answers", "targets", "healthy")


def test_a_sealed_plan_is_the_one_the_status_counts() -> None:
    """The counted content survives the archive's codec."""
    assert name_statuses(PLAN, {}) == name_statuses(unseal(seal(PLAN)), {})
