"""The account: zones, changes, time, rate, and a failover that loses what was accepted."""

import pytest

from sandbox.route53.account import AcceptedChange
from sandbox.route53.model import Change, StoredRecordSet
from sandbox.route53.refusals import (
    HostedZoneAlreadyExists,
    HostedZoneNotEmpty,
    InvalidInput,
    NoSuchChange,
    NoSuchHostedZone,
    PriorRequestNotComplete,
    Refusal,
)
from tests.unit.sandbox.route53.bench import ZONE, Bench, record, text, weighted
from tests.unit.sandbox.route53.cases import rule


def accept(bench: Bench, made: StoredRecordSet) -> AcceptedChange:
    """Create one set and give the accepted change."""
    return bench.account.submit(bench.zone.id, [Change("CREATE", made)], "why")


@rule("list-order")
def test_listings_are_in_order() -> None:
    """By reversed labels, then type, then identifier."""
    bench = Bench()
    bench.create(record("b"), record("a.b"), weighted("z", name="a"), weighted("y", name="a"))
    bench.create(text("a", "x"), record("a-b"))
    assert [(one.name.removesuffix(f".{ZONE}"), one.type, one.set_id) for one in bench.held()] == [
        ("a-b", "A", None),
        ("a", "A", "y"),
        ("a", "A", "z"),
        ("a", "TXT", None),
        ("b", "A", None),
        ("a.b", "A", None),
    ]


@rule("list-pages")
def test_a_page_names_the_next_set() -> None:
    """Identifiers tell the sets of a group apart across pages."""
    bench = Bench()
    bench.create(*[weighted(f"s{n}") for n in range(5)])
    page = bench.zone.page("www.example.com.", "A", "s2", 2)
    assert [one.set_id for one in page.records] == ["s2", "s3"]
    assert page.following is not None
    assert page.following.set_id == "s4"
    assert bench.zone.page("www.example.com.", "A", "s4", 2).following is None
    assert bench.zone.page("zzz.example.com.", None, None, 2).records == ()


@rule("change-ids", "pending-insync")
def test_a_change_is_listed_at_once_and_in_sync_later() -> None:
    """Each accepted change has its own id and its own time."""
    bench = Bench()
    bench.settings.insync_after_s = 30
    first = accept(bench, record("a"))
    assert [record("a")] == bench.held()
    bench.now_s += 29
    second = accept(bench, record("b"))
    assert first.id != second.id
    assert not bench.account.insync(first)
    bench.now_s += 1
    found = bench.account.change(f"/change/{first.id}")
    assert (
        bench.account.insync(found),
        bench.account.insync(second),
        found.comment,
    ) == (True, False, "why")
    with pytest.raises(NoSuchChange):
        bench.account.change("CNOPE")


@rule("prior-request")
def test_a_zone_takes_one_change_at_a_time() -> None:
    """While one is processed, another of that zone is refused, another zone's is not."""
    bench = Bench()
    bench.settings.change_duration_s = 2
    other = bench.account.create_zone(name="example.org", private=False, caller_reference="2")
    accept(bench, record("a"))
    bench.now_s += 1.9
    with pytest.raises(PriorRequestNotComplete):
        accept(bench, record("b"))
    bench.account.submit(other.id, [Change("CREATE", record("x.example.org."))])
    bench.now_s += 0.1
    accept(bench, record("b"))


@rule("rate")
def test_an_account_has_a_rate() -> None:
    """Five at once, then five a second; without a limit any number."""
    bench = Bench()
    assert all(bench.account.spend() for _ in range(100))
    bench.settings.rate_per_s = 5
    assert [bench.account.spend() for _ in range(6)] == [True] * 5 + [False]
    bench.now_s += 0.5
    assert [bench.account.spend() for _ in range(3)] == [True, True, False]
    bench.now_s += 100
    assert [bench.account.spend() for _ in range(6)] == [True] * 5 + [False]


@rule("forgotten-change")
@pytest.mark.parametrize("unknown", [True, False])
def test_a_failover_loses_accepted_changes(unknown: bool) -> None:
    """The zone goes back; the lost change is never in sync, or not even known."""
    bench = Bench(forgotten_change_unknown=unknown)
    bench.settings.insync_after_s = 10
    first, second = accept(bench, record("a")), accept(bench, record("b"))
    assert bench.account.forget_last(bench.zone.id, 1) == 1
    assert [record("a")] == bench.held()
    bench.now_s += 100
    assert bench.account.insync(bench.account.change(first.id))
    if unknown:
        with pytest.raises(NoSuchChange):
            bench.account.change(second.id)
    else:
        assert not bench.account.insync(bench.account.change(second.id))


@rule("forgotten-change")
def test_a_zone_never_forgets_its_own_beginning() -> None:
    """NS and SOA, and what was loaded, are not accepted changes."""
    bench = Bench()
    bench.account.load(bench.zone.id, [record("loaded")])
    accept(bench, record("a"))
    assert bench.account.forget_last(bench.zone.id, 9) == 1
    assert [record("loaded")] == bench.held()
    assert [kind for kind, _ in bench.zone.sets_at(ZONE)] == ["NS", "SOA"]


@rule("zone-limit")
def test_a_zone_has_a_limit() -> None:
    """Growth over it is refused; changes in place are not."""
    bench = Bench()
    bench.settings.records_per_zone_max = 4
    assert bench.create(record("a"), record("b")) == ""
    assert "Exceeded limit MAX_RRSETS_BY_ZONE for zone: Z1" in bench.create(record("c"))
    assert bench.upsert(record("a", ttl=1)) == ""
    assert bench.send(("DELETE", record("b")), ("CREATE", record("c"))) == ""
    bench.settings.records_per_zone_max = 3
    assert bench.upsert(record("a", ttl=2)) == ""
    assert bench.delete(record("c")) == ""


@rule("zone-empty")
def test_only_an_empty_zone_goes() -> None:
    """NS and SOA may be left; a delegation below may not."""
    bench = Bench()
    delegation = record("sub", "NS", values=("ns.example.org.",))
    for made in (record("a"), delegation, record(ZONE)):
        bench.create(made)
        with pytest.raises(HostedZoneNotEmpty):
            bench.account.delete_zone(bench.zone.id)
        bench.delete(made)
    bench.account.delete_zone(f"/hostedzone/{bench.zone.id}")
    with pytest.raises(NoSuchHostedZone):
        bench.account.zone(bench.zone.id)


def test_zones_are_found_by_id_and_made_once_a_reference() -> None:
    """Two zones may share a name, not a caller reference; a bad name makes none."""
    bench = Bench()
    twin = bench.account.create_zone(name="EXAMPLE.com", private=True, caller_reference="2")
    assert (bench.zone.name, True) == (twin.name, twin.private)
    assert bench.account.zone(twin.id) is twin
    with pytest.raises(HostedZoneAlreadyExists):
        bench.account.create_zone(name="example.net", private=False, caller_reference="2")
    with pytest.raises(InvalidInput):
        bench.account.create_zone(name="a..b", private=False, caller_reference="3")


def test_every_refusal_has_a_code() -> None:
    """The codes are those that clients switch on."""
    codes = {kind.code for kind in Refusal.__subclasses__()}
    assert {
        "InvalidInput",
        "InvalidChangeBatch",
        "NoSuchHostedZone",
        "NoSuchChange",
        "NoSuchHealthCheck",
        "HostedZoneAlreadyExists",
        "HostedZoneNotEmpty",
        "PriorRequestNotComplete",
        "Throttling",
    } == codes
