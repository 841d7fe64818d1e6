"""The sentinel's disk, its name servers' finder and its control API, on real files and servers."""

import asyncio
import os
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import dns.asyncresolver
import pytest

from dnsplan.errors import ReadFailed
from dnsplan.names import Name, parse_name
from dnsplan.records import AliasTarget, RecordSet
from dnsplan.runtime.aws import AwsClients
from dnsplan.runtime.bucket import BucketRate, TokenBucket
from dnsplan.runtime.clock import SystemClock, SystemJitter
from dnsplan.runtime.config.schema import ZoneEntry
from dnsplan.runtime.retry import RetryBudget, Retrying, RetryPolicy
from sandbox.aws.server import serve
from sandbox.route53.model import StoredRecordSet
from sentinel.adapters import route53
from sentinel.adapters.finding import ZoneServers
from sentinel.adapters.memory import DiskMemory
from sentinel.adapters.route53 import Route53View
from sentinel.ports import MemoryFailed, NameServer, ZoneMemory
from sentinel.rules.findings import Finding
from sentinel.rules.judging import Ailment
from sentinel.rules.paging import Kind, Page, Subject
from sentinel.rules.remembering import LastGood
from tests.integration.dns_clients import HOST, address, serving, soon, zone

WWW = parse_name("www.example.com")
WILD = parse_name("*.example.com")
GONE = (Ailment("A", Finding.NXDOMAIN), Ailment("AAAA", Finding.NODATA, partly=True))
FULL = ZoneMemory(
    last_good={
        (WWW, "A"): LastGood(("192.0.2.1",), 30, 5.5, (("192.0.2.1", 5.5), ("192.0.2.2", 1.0))),
        (WILD, "TXT"): LastGood(('"a b"',), 60, 6.0, (('"a b"', 6.0),)),
    },
    ill={WWW: GONE},
    pages=(
        Page(Subject(Kind.NAME, "shop", WWW), 7.0, GONE, (("shop", WWW),)),
        Page(Subject(Kind.MANY), 8.0, (), (("cafe", WWW), ("shop", WILD))),
    ),
    servers=(NameServer("192.0.2.53", 53, "ns1.example.net."), NameServer("::1", 5353)),
)


async def test_what_is_stored_is_loaded_by_the_next_process(tmp_path: Path) -> None:
    """All of it, value for value; another label has its own; nothing stored is an empty memory."""
    folder = tmp_path / "state" / "sentinel"
    await DiskMemory(folder).store("shop", FULL)
    assert await DiskMemory(folder).load("shop") == FULL
    assert await DiskMemory(folder).load("cafe") == ZoneMemory()
    assert sorted(one.name for one in folder.iterdir()) == ["shop.json"]


async def test_a_store_that_fails_leaves_the_former_memory(tmp_path: Path) -> None:
    """A full disk costs the newest, never what was there."""
    disk = DiskMemory(tmp_path)
    await disk.store("shop", FULL)
    (tmp_path / "shop.new").mkdir()  # whoever writes beside it fails now
    with pytest.raises(MemoryFailed, match=r"shop\.new"):
        await disk.store("shop", ZoneMemory())
    assert await disk.load("shop") == FULL


def kept_aside(folder: Path) -> list[bytes]:
    """What was set aside."""
    return [one.read_bytes() for one in folder.iterdir() if ".unreadable" in one.name]


@pytest.mark.parametrize(
    "damage", [b"", b"{", b"[]", b'{"format": 1}', b"\xff\xfe", b'{"format": 2, "last_good": []}']
)
async def test_a_damaged_memory_is_set_aside_and_not_lost(tmp_path: Path, damage: bytes) -> None:
    """It may hold the only copy of what a name should answer; the next store does not touch it."""
    disk = DiskMemory(tmp_path)
    (tmp_path / "shop.json").write_bytes(damage)
    with pytest.raises(MemoryFailed, match=r"set aside as shop\.unreadable"):
        await disk.load("shop")
    assert await disk.load("shop") == ZoneMemory()
    await disk.store("shop", FULL)
    assert kept_aside(tmp_path) == [damage]


async def test_a_folder_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    """The reason names the place."""
    (tmp_path / "file").write_text("")
    with pytest.raises(MemoryFailed, match="file"):
        await DiskMemory(tmp_path / "file" / "sentinel").store("shop", FULL)


ZONE = ZoneEntry(name="example.com")
PRIVATE = ZoneEntry(name="example.com", private=True)


@dataclass
class FakeDelegations:
    """The control API's word for name servers."""

    names: Sequence[str] = ()
    failure: str = ""
    asked: list[str] = field(default_factory=list)

    async def delegation(self, label: str) -> Sequence[str]:
        """What Route 53 gave the zone."""
        self.asked.append(label)
        if self.failure:
            raise ReadFailed(self.failure)
        return self.names


@asynccontextmanager
async def resolving(*records: StoredRecordSet) -> AsyncIterator[dns.asyncresolver.Resolver]:
    """A resolver that knows one zone."""
    async with serving(zone(*records)) as server:
        resolver = dns.asyncresolver.Resolver(configure=False)
        resolver.nameservers = [HOST]
        resolver.port = server.port
        yield resolver


NS_RECORDS = (
    StoredRecordSet("example.com.", "NS", 60, ("ns1.example.com.", "ns2.example.com.")),
    address("192.0.2.1", "ns1.example.com."),
    address("192.0.2.2", "ns2.example.com."),
    address("192.0.2.9", "other.example.com."),
)


def finding(
    delegations: FakeDelegations | None,
    resolver: dns.asyncresolver.Resolver,
    *,
    has_way: Callable[[str], bool] = lambda address: ":" not in address,
) -> ZoneServers:
    """A finder of the zone's servers, on a host with IPv4 unless told otherwise."""
    return ZoneServers(
        {"shop": ZONE}, {}, delegations=delegations, resolver=resolver, has_way=has_way
    )


async def test_stated_servers_are_taken_without_asking_anybody() -> None:
    """Not even a resolver is needed."""
    own = (NameServer(HOST, 5353),)
    delegations = FakeDelegations()
    finder = ZoneServers({"shop": ZONE}, {"shop": own}, delegations=delegations, resolver=None)
    assert await finder.find("shop") == own
    assert delegations.asked == []


async def test_the_delegation_set_comes_before_what_dns_says() -> None:
    """Route 53 knows which servers it gave the zone."""
    async with resolving(*NS_RECORDS) as resolver:
        delegations = FakeDelegations(["other.example.com."])
        finder = finding(delegations, resolver)
        found = await soon(finder.find("shop"))
    assert found == [NameServer("192.0.2.9", 53, "other.example.com.")]


@pytest.mark.parametrize(
    "delegations", [None, FakeDelegations(failure="down"), FakeDelegations(["gone.example.com."])]
)
async def test_without_the_control_api_ns_records_tell(
    delegations: FakeDelegations | None,
) -> None:
    """Unused, unreachable, or naming servers without an address."""
    async with resolving(*NS_RECORDS) as resolver:
        finder = finding(delegations, resolver)
        found = await soon(finder.find("shop"))
    assert found == [
        NameServer("192.0.2.1", 53, "ns1.example.com."),
        NameServer("192.0.2.2", 53, "ns2.example.com."),
    ]


async def test_a_look_up_that_fails_takes_no_server_away() -> None:
    """One of two answers is lost: the zone is asked at both, as before."""
    async with resolving(*NS_RECORDS) as resolver, resolving(*NS_RECORDS[:2]) as lossy:
        finder = finding(None, resolver)
        before = await soon(finder.find("shop"))
        resolver.port = lossy.port
        assert await soon(finder.find("shop")) == before


@pytest.mark.parametrize("way", ["neither", ":", "."])
async def test_a_host_without_ipv4_asks_over_ipv6(way: str) -> None:
    """Without any way there, IPv4 stays: the network of a host that starts may come later."""
    records = (
        *NS_RECORDS,
        StoredRecordSet("ns1.example.com.", "AAAA", 60, ("2001:db8::1",)),
        StoredRecordSet("ns2.example.com.", "AAAA", 60, ("2001:db8::2",)),
    )
    async with resolving(*records) as resolver:
        found = await soon(finding(None, resolver, has_way=lambda one: way in one).find("shop"))
    hosts = ["2001:db8::1", "2001:db8::2"] if way == ":" else ["192.0.2.1", "192.0.2.2"]
    assert [one.host for one in found] == hosts


async def test_a_server_with_an_ipv6_address_alone_is_asked() -> None:
    """A server's name need not have an A record."""
    alone = StoredRecordSet("six.example.com.", "AAAA", 60, ("2001:db8::6",))
    async with resolving(*NS_RECORDS, alone) as resolver:
        found = await soon(finding(FakeDelegations(["six.example.com."]), resolver).find("shop"))
    assert found == [NameServer("2001:db8::6", 53, "six.example.com.")]


async def test_a_private_zone_is_asked_through_the_resolver() -> None:
    """Its own servers are out of reach."""
    async with resolving() as resolver:
        finder = ZoneServers({"in": PRIVATE}, {}, delegations=FakeDelegations(), resolver=resolver)
        assert await finder.find("in") == [NameServer(HOST, 53)]


async def test_servers_that_cannot_be_found_are_a_failed_read_with_every_reason() -> None:
    """An operator sees what was tried."""
    async with resolving() as resolver:
        finder = ZoneServers(
            {"shop": ZONE}, {}, delegations=FakeDelegations(failure="denied"), resolver=resolver
        )
        with pytest.raises(ReadFailed, match=r"shop: denied; look up NS of example\.com\.: "):
            await soon(finder.find("shop"))
    nobody = ZoneServers({"shop": ZONE}, {}, delegations=None, resolver=None)
    with pytest.raises(ReadFailed, match="this host has no resolver"):
        await nobody.find("shop")


@asynccontextmanager
async def control_api(
    monkeypatch: pytest.MonkeyPatch,
    *,
    per_s: float = 1_000.0,
    burst: int = 1_000,
    is_patient: bool = False,
) -> AsyncIterator[tuple[Route53View, dict[Name, RecordSet], str]]:
    """A view of a zone on the stand-in that holds an address, an alias and many weighted sets."""
    clock = SystemClock()
    async with serve() as stand_in:
        monkeypatch.setenv("AWS_ENDPOINT_URL", stand_in.endpoint_url)
        async with AwsClients().open("route53") as client:
            made = await client.create_hosted_zone(Name="example.com", CallerReference="1")
            zone_id = made["HostedZone"]["Id"].removeprefix("/hostedzone/")
            await client.change_resource_record_sets(
                HostedZoneId=zone_id, ChangeBatch={"Changes": changes(zone_id)}
            )
            bucket = TokenBucket(clock, BucketRate(per_s=per_s, burst=burst, least_per_s=0.001))
            retrying = Retrying(
                clock,
                SystemJitter(),
                budget=RetryBudget(),
                policy=RetryPolicy(tries_max=1),
                bucket=bucket,
            )
            view = Route53View(
                {"shop": client},
                {"shop": ZONE},
                retrying=retrying,
                bucket=bucket,
                is_patient=is_patient,
            )
            expected = {
                WWW: RecordSet(WWW, "A", 60, ("192.0.2.1",)),
                WILD: RecordSet(WILD, "A", None, (), alias=AliasTarget(zone_id, WWW, False)),
            }
            yield view, expected, zone_id


def changes(zone_id: str) -> list[object]:
    """What the zone holds."""
    alias = {"HostedZoneId": zone_id, "DNSName": WWW, "EvaluateTargetHealth": False}
    sets: list[dict[str, object]] = [
        {"Name": WWW, "Type": "A", "TTL": 60, "ResourceRecords": [{"Value": "192.0.2.1"}]},
        {"Name": "*.example.com", "Type": "A", "AliasTarget": alias},
    ]
    return [{"Action": "CREATE", "ResourceRecordSet": one} for one in sets]


async def test_the_control_api_lists_one_name_and_nothing_that_follows(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A listing starts at a name and goes on; a name that is not there has none."""
    async with control_api(monkeypatch) as (view, expected, zone_id):
        for name in (WWW, WILD):
            assert await soon(view.listed("shop", name, timeout_s=10.0)) == [expected[name]]
        nowhere = parse_name("nowhere.example.com")
        assert await soon(view.listed("shop", nowhere, timeout_s=10.0)) == []
        assert await soon(view.zone_id("shop")) == zone_id
        assert len(await soon(view.delegation("shop"))) == 4


async def test_a_name_of_many_record_sets_is_listed_to_its_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Page by page, and not a record set of the next name; beyond a bound it is a failed read."""
    many = parse_name("many.example.com")
    async with control_api(monkeypatch) as (view, _, zone_id):
        async with AwsClients().open("route53") as client:
            sets = [
                {
                    "Name": many,
                    "Type": "A",
                    "TTL": 60,
                    "SetIdentifier": f"s{at}",
                    "Weight": 1,
                    "ResourceRecords": [{"Value": f"192.0.2.{at}"}],
                }
                for at in range(5)
            ]
            changes = [{"Action": "CREATE", "ResourceRecordSet": one} for one in sets]
            await client.change_resource_record_sets(
                HostedZoneId=zone_id, ChangeBatch={"Changes": changes}
            )
        monkeypatch.setattr(route53, "PAGE_ITEMS", 2)
        listed = await soon(view.listed("shop", many, timeout_s=10.0))
        assert [one.set_id for one in listed] == ["s0", "s1", "s2", "s3", "s4"]
        monkeypatch.setattr(route53, "PAGE_ITEMS", 1)
        with pytest.raises(ReadFailed, match="more than 4 pages"):
            await soon(view.listed("shop", many, timeout_s=10.0))


async def test_a_zone_that_is_not_there_is_a_failed_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """The reason names the key of the config."""
    async with control_api(monkeypatch) as (view, _, _):
        view._entries = {"shop": ZoneEntry(name="example.net")}
        with pytest.raises(ReadFailed, match=r"zones\.shop\.name: no public hosted zone"):
            await soon(view.zone_id("shop"))


async def test_the_control_api_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """A share that is spent is a failed read at once, and so is one that takes too long."""
    async with control_api(monkeypatch, per_s=0.001, burst=2) as (view, _, _):
        await soon(view.listed("shop", WWW, timeout_s=10.0))
        with pytest.raises(ReadFailed, match="share of the account's requests is spent"):
            await soon(view.listed("shop", WWW, timeout_s=10.0))
    async with control_api(monkeypatch) as (view, _, _):
        with pytest.raises(ReadFailed, match=r"no answer in 0\.0 s"):
            await soon(view.listed("shop", WWW, timeout_s=0.0))


async def test_a_check_waits_for_the_share_of_the_account(monkeypatch: pytest.MonkeyPatch) -> None:
    """Several ill names at once, with one request to spare: each gets its own answer in the end,
    and a time that is too short is still kept."""
    async with control_api(monkeypatch, per_s=20.0, burst=1, is_patient=True) as (
        view,
        expected,
        _,
    ):
        listing = [view.listed("shop", name, timeout_s=10.0) for name in (WWW, WILD, WWW)]
        assert await soon(asyncio.gather(*listing)) == [[expected[n]] for n in (WWW, WILD, WWW)]
    async with control_api(monkeypatch, per_s=0.001, burst=2, is_patient=True) as (view, _, _):
        await soon(view.listed("shop", WWW, timeout_s=10.0))
        with pytest.raises(ReadFailed, match=r"no answer in 0\.1 s"):
            await soon(view.listed("shop", WWW, timeout_s=0.1))


async def test_a_control_api_that_is_gone_is_a_failed_read(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """No error of the SDK leaves the adapter."""
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:1")
    clock = SystemClock()
    bucket = TokenBucket(clock, BucketRate(per_s=10.0, burst=10, least_per_s=1.0))
    retrying = Retrying(clock, SystemJitter(), budget=RetryBudget(), bucket=bucket)
    async with AwsClients().open("route53") as client:
        view = Route53View({"shop": client}, {"shop": ZONE}, retrying=retrying, bucket=bucket)
        with pytest.raises(ReadFailed):
            await soon(view.listed("shop", WWW, timeout_s=5.0))
        with pytest.raises(ReadFailed):
            await soon(view.delegation("shop"))
    assert asyncio.all_tasks() == {asyncio.current_task()}
    assert os.environ["AWS_ENDPOINT_URL"] == "http://127.0.0.1:1"
