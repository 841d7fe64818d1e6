"""The enactor's Route 53 port: one suite for the strict fake and for the adapter on the stand-in.

What passes here on both may be believed of the fake in every other test.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from dnsplan.errors import AccessDenied, FenceDamaged, ReadFailed
from dnsplan.fence import FenceRecord, NoFence, SeenFence, fence_name, to_record_set
from dnsplan.names import parse_name
from dnsplan.outcomes import Accepted, Refused, Unknown
from dnsplan.plan import Digest, Generation
from dnsplan.ports import Zone
from dnsplan.records import (
    AliasTarget,
    Failover,
    Geolocation,
    Latency,
    Multivalue,
    RecordSet,
    Weighted,
    key_of,
)
from dnsplan.runtime.aws import AwsClients
from dnsplan.runtime.bucket import BucketRate, TokenBucket
from dnsplan.runtime.clock import SystemClock
from dnsplan.runtime.retry import RetryBudget, Retrying, RetryPolicy
from enactor.adapters.route53 import Route53Records
from enactor.ports import ChangeStatus, Cursor, ZoneRecords
from enactor.rules.packing import Change, ChangeBatch
from sandbox.aws.faults import INTERNAL, LoseReply, LoseRequest, Refuse, Where
from sandbox.aws.faults import Fault as StandInFault
from sandbox.aws.server import StandIn, serve
from sandbox.route53.account import Account, Route53Settings
from tests.fakes.clock import FakeClock, SeededJitter
from tests.fakes.world import a, cname
from tests.fakes.zone_records import FakeRoute53, Fault

CHANGES = Where(service="route53", operation="ChangeResourceRecordSets")


class Bench:
    """A port under test with a zone behind it, and hands to prepare what stands there."""

    def __init__(self, records: ZoneRecords, account: Account, zone: Zone) -> None:
        """`account` is the stand-in's own Route 53, whichever way it is reached."""
        self.records, self.account, self.zone = records, account, zone

    def lose(self, what: str) -> None:
        """Lose the next change batch's "request" or its "reply"."""
        raise NotImplementedError

    def fail_reads(self) -> None:
        """Make every read fail from now on."""
        raise NotImplementedError


class FakeBench(Bench):
    """The strict fake."""

    def lose(self, what: str) -> None:
        """Queue a fault."""
        faults = {"request": Fault.LOSE_REQUEST, "reply": Fault.LOSE_REPLY}
        assert isinstance(self.records, FakeRoute53)
        self.records.submit_faults.append(faults[what])

    def fail_reads(self) -> None:
        """A hundred failures."""
        assert isinstance(self.records, FakeRoute53)
        self.records.read_failures = 100


class StandInBench(Bench):
    """The adapter over HTTP on the stand-in."""

    stand_in: StandIn

    def lose(self, what: str) -> None:
        """Arm a fault."""
        faults: dict[str, StandInFault] = {"request": LoseRequest(), "reply": LoseReply()}
        self.stand_in.faults.arm(faults[what], CHANGES)

    def fail_reads(self) -> None:
        """Refuse whatever is listed."""
        where = Where(service="route53", operation="ListResourceRecordSets", times=None)
        self.stand_in.faults.arm(INTERNAL, where)


@asynccontextmanager
async def fake_bench() -> AsyncIterator[Bench]:
    """The strict fake with one zone."""
    route53 = FakeRoute53(FakeClock().elapsed_s, Route53Settings())
    yield FakeBench(route53, route53.account, route53.make_zone("shop", "example.com"))


@asynccontextmanager
async def stand_in_bench(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Bench]:
    """The adapter with one zone on the stand-in."""
    async with serve() as stand_in:
        monkeypatch.setenv("AWS_ENDPOINT_URL", stand_in.endpoint_url)
        clock = SystemClock()
        bucket = TokenBucket(clock, BucketRate(per_s=10_000.0, burst=10_000, least_per_s=100.0))
        policy = RetryPolicy(tries_max=2, first_delay_s=0.01)
        retrying = Retrying(
            clock, SeededJitter(), budget=RetryBudget(), policy=policy, bucket=bucket
        )
        async with AwsClients().open("route53") as client:
            made = await client.create_hosted_zone(Name="example.com", CallerReference="1")
            zone_id = made["HostedZone"]["Id"].removeprefix("/hostedzone/")
            zone = Zone("shop", zone_id, parse_name("example.com"))
            records = Route53Records({"shop": client}, retrying=retrying, bucket=bucket)
            bench = StandInBench(records, stand_in.route53, zone)
            bench.stand_in = stand_in
            yield bench


@pytest.fixture(params=["fake", "stand-in"])
async def bench(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Bench]:
    """Each case runs on both."""
    chosen = fake_bench() if request.param == "fake" else stand_in_bench(monkeypatch)
    async with chosen as made:
        yield made


def fence(generation: int, nonce: str) -> FenceRecord:
    """A fence of one owner."""
    return FenceRecord(
        generation=Generation(generation),
        step=1,
        steps=1,
        base=Generation(0),
        held=0,
        owner="o" * 32,
        writer="az1",
        nonce=nonce,
        digest=Digest("d" * 64),
    )


def batch(
    zone: Zone, before: FenceRecord | None, after: FenceRecord, *changes: Change
) -> ChangeBatch:
    """A batch with its fence pair."""
    pair = [Change("DELETE", to_record_set(before, zone.name))] if before is not None else []
    pair.append(Change("CREATE", to_record_set(after, zone.name)))
    return ChangeBatch(after, (*pair, *changes))


async def begin(bench: Bench, *record_sets: RecordSet) -> FenceRecord:
    """A zone with a first fence and some record sets."""
    first = fence(1, "n1")
    creates = [Change("CREATE", one) for one in record_sets]
    outcome = await bench.records.submit(bench.zone, batch(bench.zone, None, first, *creates))
    assert isinstance(outcome, Accepted)
    return first


async def test_no_fence_is_a_fact(bench: Bench) -> None:
    """A zone that was read and has none, also when other names follow in the listing."""
    assert await bench.records.read_fence(bench.zone) is NoFence.MISSING
    later = a("a.example.com", "192.0.2.1")
    await bench.records.submit(bench.zone, ChangeBatch(fence(1, "x"), (Change("CREATE", later),)))
    assert await bench.records.read_fence(bench.zone) is NoFence.MISSING


async def test_the_fence_is_read_as_it_stands(bench: Bench) -> None:
    """What it says, and the very record set to delete."""
    first = await begin(bench)
    expected = SeenFence(first, to_record_set(first, bench.zone.name))
    assert await bench.records.read_fence(bench.zone) == expected


async def test_a_fence_that_cannot_be_read_is_damaged(bench: Bench) -> None:
    """It is neither missing nor ours."""
    strange = RecordSet(fence_name(bench.zone.name), "TXT", 60, ('"hello"',))
    await bench.records.submit(bench.zone, ChangeBatch(fence(1, "x"), (Change("CREATE", strange),)))
    with pytest.raises(FenceDamaged):
        await bench.records.read_fence(bench.zone)


async def test_a_stale_batch_is_refused_whole(bench: Bench) -> None:
    """The compare-and-swap: the second of two batches from one fence changes nothing."""
    first = await begin(bench)
    winner = batch(
        bench.zone, first, fence(2, "n2"), Change("CREATE", a("w.example.com", "192.0.2.1"))
    )
    loser = batch(
        bench.zone, first, fence(2, "n3"), Change("CREATE", a("l.example.com", "192.0.2.1"))
    )
    assert isinstance(await bench.records.submit(bench.zone, winner), Accepted)
    outcome = await bench.records.submit(bench.zone, loser)
    assert isinstance(outcome, Refused)
    assert "do not match the current values" in outcome.messages[0]
    assert await bench.records.list_name(bench.zone, parse_name("l.example.com")) == ()


@pytest.mark.parametrize(("what", "landed"), [("request", False), ("reply", True)])
async def test_a_lost_answer_is_unknown_and_nothing_is_sent_again(
    bench: Bench, what: str, landed: bool
) -> None:
    """P11: one submission is one request; what became of it, only the fence tells."""
    first = await begin(bench)
    bench.lose(what)
    second = batch(bench.zone, first, fence(2, "n2"))
    assert isinstance(await bench.records.submit(bench.zone, second), Unknown)
    now = await bench.records.read_fence(bench.zone)
    assert isinstance(now, SeenFence)
    assert (now.record.nonce == "n2") is landed


async def test_a_failed_read_is_not_an_empty_zone(bench: Bench) -> None:
    """P8: what could not be read is unknown."""
    bench.fail_reads()
    with pytest.raises(ReadFailed):
        await bench.records.read_fence(bench.zone)
    with pytest.raises(ReadFailed):
        await bench.records.list_page(bench.zone, None)
    with pytest.raises(ReadFailed):
        await bench.records.list_name(bench.zone, parse_name("www.example.com"))


FORMS = (
    a("plain.example.com", "192.0.2.1", "192.0.2.2"),
    RecordSet(parse_name("six.example.com"), "AAAA", 60, ("2001:db8::1",)),
    cname("c.example.com", "target.example.net."),
    RecordSet(parse_name("m.example.com"), "MX", 60, ("10 mail.example.com.", "20 b.example.com.")),
    RecordSet(parse_name("t.example.com"), "TXT", 60, ('"a \\"b\\" \\\\ c\\351" "second"',)),
    RecordSet(parse_name("*.example.com"), "A", 60, ("192.0.2.3",)),
    RecordSet(parse_name("odd!name.example.com"), "A", 60, ("192.0.2.3",)),
    RecordSet(parse_name("_sip._tcp.example.com"), "SRV", 60, ("1 2 5060 sip.example.com.",)),
    RecordSet(parse_name("w.example.com"), "A", 30, ("192.0.2.1",), "a", Weighted(0)),
    RecordSet(parse_name("w.example.com"), "A", 30, ("192.0.2.2",), "b", Weighted(255)),
    RecordSet(parse_name("mv.example.com"), "A", 30, ("192.0.2.1",), "a", Multivalue()),
    RecordSet(parse_name("l.example.com"), "A", 30, ("192.0.2.1",), "a", Latency("eu-west-1")),
    RecordSet(parse_name("f.example.com"), "A", 30, ("192.0.2.1",), "p", Failover("PRIMARY")),
    RecordSet(
        parse_name("g.example.com"), "A", 30, ("192.0.2.1",), "d", Geolocation(None, "*", None)
    ),
    RecordSet(
        parse_name("g.example.com"), "A", 30, ("192.0.2.2",), "e", Geolocation("EU", None, None)
    ),
)


async def test_every_form_comes_back_as_it_was_written(bench: Bench) -> None:
    """An exact DELETE of a later batch needs nothing but what we wrote."""
    alias = RecordSet(
        parse_name("al.example.com"),
        "A",
        None,
        (),
        alias=AliasTarget(bench.zone.zone_id, parse_name("plain.example.com"), False),
    )
    forms = (*FORMS, alias)
    first = await begin(bench, *forms)
    for form in forms:
        assert form in await bench.records.list_name(bench.zone, form.name)
    gone = batch(
        bench.zone, first, fence(2, "n2"), *(Change("DELETE", one) for one in reversed(forms))
    )
    assert isinstance(await bench.records.submit(bench.zone, gone), Accepted)


async def test_pages_hold_everything_once_and_in_order(bench: Bench) -> None:
    """700 names and a group across a page's end: none lost, none doubled, cursors exact."""
    plain = [a(f"h{n:03d}.example.com", "192.0.2.1") for n in range(598)]
    group = [
        RecordSet(
            parse_name("h298x.example.com"), "A", 30, (f"10.0.0.{n}",), f"m{n:02d}", Weighted(1)
        )
        for n in range(90)
    ]
    await begin(bench, *plain, *group)
    found: list[RecordSet] = []
    cursor: Cursor | None = None
    pages = 0
    while True:
        page = await bench.records.list_page(bench.zone, cursor)
        assert len(page.record_sets) <= 300
        found.extend(page.record_sets)
        pages += 1
        if page.following is None:
            break
        cursor = page.following
    keys = [key_of(one) for one in found]
    assert len(keys) == len(set(keys)) == 598 + 90 + 3
    assert pages == 3
    assert set(plain) | set(group) <= set(found)
    assert set(await bench.records.list_name(bench.zone, group[0].name)) == set(group)


async def test_a_name_is_a_cursor_not_a_filter(bench: Bench) -> None:
    """B65, B90: an absent name lists what follows; none of it is the name's."""
    await begin(bench, a("b.example.com", "192.0.2.1"))
    assert await bench.records.list_name(bench.zone, parse_name("a.example.com")) == ()


async def test_a_change_is_pending_then_in_sync_or_lost(bench: Bench) -> None:
    """The status is of one's own change; one that nobody knows is lost."""
    bench.account.settings.insync_after_s = 1e9
    outcome = await bench.records.submit(bench.zone, batch(bench.zone, None, fence(1, "n1")))
    assert isinstance(outcome, Accepted)
    status = bench.records.change_status
    assert await status(bench.zone, outcome.change_id) is ChangeStatus.PENDING
    bench.account.settings.insync_after_s = 0.0
    assert await status(bench.zone, outcome.change_id) is ChangeStatus.IN_SYNC
    assert await status(bench.zone, "C0000000000000000000X") is ChangeStatus.LOST


async def test_a_busy_zone_is_unknown(bench: Bench) -> None:
    """B97: PriorRequestNotComplete is no verdict about the batch; the fence is read."""
    first = await begin(bench)
    bench.account.zone(bench.zone.zone_id).busy_until_s = float("inf")
    outcome = await bench.records.submit(bench.zone, batch(bench.zone, first, fence(2, "n2")))
    assert isinstance(outcome, Unknown)
    bench.account.zone(bench.zone.zone_id).busy_until_s = 0.0
    now = await bench.records.read_fence(bench.zone)
    assert isinstance(now, SeenFence)
    assert now.record == first


async def test_denied_is_its_own_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """B89: a missing permission is permanent until somebody acts; it is not retried as a fault."""
    async with stand_in_bench(monkeypatch) as bench:
        assert isinstance(bench, StandInBench)
        where = Where(service="route53", times=None)
        bench.stand_in.faults.arm(Refuse("AccessDenied", "not authorized", 403), where)
        with pytest.raises(AccessDenied):
            await bench.records.read_fence(bench.zone)
        with pytest.raises(AccessDenied):
            await bench.records.submit(bench.zone, batch(bench.zone, None, fence(1, "n1")))
