"""Zones are found by id, or by exact name and visibility; many of one account by listing it."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

import pytest

from dnsplan.errors import ReadFailed
from dnsplan.names import parse_name
from dnsplan.ports import Zone
from dnsplan.runtime.aws import AwsClients
from dnsplan.runtime.config.schema import ZoneEntry
from dnsplan.runtime.retry import RetryBudget, Retrying
from dnsplan.runtime.zones import FoundZones, ZoneFinder
from sandbox.aws.faults import INTERNAL, Refuse, Where
from sandbox.aws.server import StandIn, serve
from tests.fakes.clock import FakeClock, SeededJitter


@dataclass
class Account:
    """A stand-in with some hosted zones, and a client for it."""

    stand_in: StandIn
    client: Any  # aiobotocore's client has no type

    async def make(self, name: str, *, private: bool = False) -> str:
        """A hosted zone's id."""
        vpc: dict[str, Any] = {}
        if private:
            vpc["VPC"] = {"VPCRegion": "us-east-1", "VPCId": "vpc-1"}
            vpc["HostedZoneConfig"] = {"Comment": "", "PrivateZone": True}
        made = await self.client.create_hosted_zone(
            Name=name, CallerReference=str(len(self.stand_in.route53.zones)), **vpc
        )
        return str(made["HostedZone"]["Id"]).removeprefix("/hostedzone/")

    async def find(self, **entries: ZoneEntry) -> FoundZones:
        """Find labels' zones, counting requests afresh."""
        self.stand_in.ledger.reset()
        retrying = Retrying(FakeClock(), SeededJitter(), budget=RetryBudget())
        clients = dict.fromkeys(entries, self.client)
        return await ZoneFinder(clients, retrying).find_all(entries)

    def requests(self) -> dict[str, int]:
        """Requests since the last look, by operation."""
        return {op: n for (_, op, _), n in self.stand_in.ledger.requests.items()}


@pytest.fixture
async def account(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Account]:
    """An empty account."""
    async with serve() as stand_in:
        monkeypatch.setenv("AWS_ENDPOINT_URL", stand_in.endpoint_url)
        async with AwsClients().open("route53") as client:
            yield Account(stand_in, client)


async def test_by_name_and_visibility(account: Account) -> None:
    """B86, B87: a private zone of the same name is another zone."""
    public = await account.make("example.com")
    private = await account.make("example.com", private=True)
    found = await account.find(
        out=ZoneEntry(name="Example.COM"), inside=ZoneEntry(name="example.com.", private=True)
    )
    name = parse_name("example.com")
    assert found == FoundZones(
        {"out": Zone("out", public, name), "inside": Zone("inside", private, name)}, ()
    )


async def test_a_name_is_a_cursor(account: Account) -> None:
    """B90: the list goes on with the next zone; it is not taken for ours."""
    await account.make("b.example.com")
    found = await account.find(a=ZoneEntry(name="a.example.com"))
    assert found.zones == {}
    assert "no public hosted zone a.example.com." in str(found.problems[0])


async def test_two_of_one_name_are_never_a_choice(account: Account) -> None:
    """Both ids are listed, and the config must name one."""
    ids = {await account.make("example.com") for _ in range(2)}
    found = await account.find(shop=ZoneEntry(name="example.com"))
    assert found.zones == {}
    assert all(one in str(found.problems[0]) for one in ids)
    chosen = min(ids)
    by_id = await account.find(shop=ZoneEntry(name="example.com", id=chosen))
    assert by_id.zones["shop"].zone_id == chosen


@pytest.mark.parametrize("beside", [0, 5])
async def test_an_id_must_be_that_zone(account: Account, beside: int) -> None:
    """A wrong name or visibility behind an id is a problem, however the zone is looked up."""
    zone_id = await account.make("example.com")
    others = {f"o{n}": ZoneEntry(name=f"o{n}.test") for n in range(beside)}
    for entry in others.values():
        await account.make(entry.name)
    wrong_name = await account.find(z=ZoneEntry(name="example.org", id=zone_id), **others)
    private = ZoneEntry(name="example.com", id=zone_id, private=True)
    wrong_kind = await account.find(z=private, **others)
    unknown = await account.find(z=ZoneEntry(name="example.com", id="ZNONE"), **others)
    for found in (wrong_name, wrong_kind, unknown):
        assert [problem.label for problem in found.problems] == ["z"]
        assert set(found.zones) == set(others)


async def test_two_hundred_zones_cost_a_few_requests(account: Account) -> None:
    """The account is listed, a hundred zones a request: no herd at start-up."""
    entries = {f"z{n}": ZoneEntry(name=f"z{n}.example.com") for n in range(200)}
    ids = {label: await account.make(entry.name) for label, entry in entries.items()}
    found = await account.find(**entries)
    assert {label: zone.zone_id for label, zone in found.zones.items()} == ids
    assert account.requests() == {"ListHostedZones": 2}


async def test_where_listing_is_denied_zones_are_looked_up(account: Account) -> None:
    """A policy for single zones is enough."""
    entries = {f"z{n}": ZoneEntry(name=f"z{n}.example.com") for n in range(4)}
    for entry in entries.values():
        await account.make(entry.name)
    denied = Where(operation="ListHostedZones", times=None)
    account.stand_in.faults.arm(Refuse("AccessDenied", "no", 403), denied)
    found = await account.find(**entries)
    assert set(found.zones) == set(entries)


async def test_an_account_that_does_not_answer_is_not_empty(account: Account) -> None:
    """P8: no answer finds nothing and denies nothing."""
    account.stand_in.faults.arm(INTERNAL, Where(service="route53", times=None))
    with pytest.raises(ReadFailed):
        await account.find(**{f"z{n}": ZoneEntry(name=f"z{n}.test") for n in range(4)})
