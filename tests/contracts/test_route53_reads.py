"""Fence reader, signs of life and clients on the stand-in: one request each, and what it means."""

from collections.abc import AsyncIterator
from typing import Any

import pytest
from msgspec import structs

from dnsplan.errors import AccessDenied, FenceDamaged, ReadFailed
from dnsplan.fence import NoFence, SeenFence, to_record_set
from dnsplan.names import Name, parse_name
from dnsplan.plan import Generation
from dnsplan.ports import Presence, Zone, ZoneSighting
from dnsplan.records import Multivalue, RecordSet
from dnsplan.runtime.aws import AwsClients
from dnsplan.runtime.presence import DynamoPresenceBoard
from dnsplan.runtime.route53_fence import Route53FenceReader
from dnsplan.runtime.route53_forms import record_set_to_aws
from dnsplan.runtime.table import create_table
from sandbox.aws.faults import THROTTLE, LoseReply, Refuse, Where
from sandbox.aws.server import StandIn, serve
from tests.contracts.conftest import CLIENTS, TABLE, new_retrying
from tests.fakes.clock import FakeClock, SeededJitter
from tests.unit.dnsplan.samples import FENCE

ZONE_NAME = parse_name("example.com.")
STANDING = to_record_set(FENCE, ZONE_NAME)


@pytest.fixture
async def aws(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[StandIn]:
    """A stand-in of this test alone."""
    async with serve() as stand_in:
        monkeypatch.setenv("AWS_ENDPOINT_URL", stand_in.endpoint_url)
        yield stand_in


@pytest.fixture
async def route53(aws: StandIn) -> AsyncIterator[Any]:
    """A plain client."""
    async with CLIENTS.open("route53") as client:
        yield client


@pytest.fixture
async def zone(route53: Any) -> Zone:
    """An empty hosted zone."""
    made = await route53.create_hosted_zone(Name=ZONE_NAME, CallerReference="1")
    zone_id = made["HostedZone"]["Id"].removeprefix("/hostedzone/")
    return Zone("shop", zone_id, ZONE_NAME)


async def hold(route53: Any, zone: Zone, *record_sets: RecordSet) -> None:
    """Put record sets into the zone."""
    changes = [
        {"Action": "CREATE", "ResourceRecordSet": record_set_to_aws(one)} for one in record_sets
    ]
    await route53.change_resource_record_sets(
        HostedZoneId=zone.zone_id, ChangeBatch={"Changes": changes}
    )


def text(name: str, value: str = '"x"') -> RecordSet:
    """A TXT set."""
    return RecordSet(Name(name), "TXT", 60, (value,))


def reader(route53: Any, zone: Zone) -> Route53FenceReader:
    """The adapter."""
    return Route53FenceReader({zone.label: route53}, new_retrying())


async def test_the_fence_is_read_in_one_request(aws: StandIn, route53: Any, zone: Zone) -> None:
    """What stands is read with the record set that a batch must delete."""
    others = [text("_dnsplan0.example.com."), text("a.example.com."), text("z.example.com.")]
    await hold(route53, zone, STANDING, *others)
    aws.ledger.reset()
    assert await reader(route53, zone).read_fence(zone) == SeenFence(FENCE, STANDING)
    asked = [entry.operation for entry in aws.ledger.recent]
    assert asked == ["ListResourceRecordSets"]


@pytest.mark.parametrize(
    "others",
    [
        [],
        [text("a.example.com.")],
        [text("_dnsplan0.example.com.")],
        [text("x._dnsplan.example.com.")],
        [RecordSet(Name("_dnsplan.example.com."), "AAAA", 60, ("2001:db8::1",))],
        [RecordSet(Name("_dnsplan.example.com."), "A", 60, ("192.0.2.1",))],
    ],
)
async def test_a_listing_starts_at_what_comes_next(
    route53: Any, zone: Zone, others: list[RecordSet]
) -> None:
    """Whatever stands beside or after the fence's place, it is no fence: none is a fact."""
    if others:
        await hold(route53, zone, *others)
    assert await reader(route53, zone).read_fence(zone) is NoFence.MISSING


@pytest.mark.parametrize(
    "damaged",
    [
        text("_dnsplan.example.com.", '"v=spf1"'),
        structs.replace(STANDING, values=('"a"', '"b"')),
        structs.replace(STANDING, set_id="a", routing=Multivalue()),
    ],
)
async def test_a_damaged_fence_is_no_missing_one(
    route53: Any, zone: Zone, damaged: RecordSet
) -> None:
    """Something else at the fence's place is FenceDamaged, never taken for none."""
    await hold(route53, zone, damaged)
    with pytest.raises(FenceDamaged):
        await reader(route53, zone).read_fence(zone)


async def test_a_fence_that_cannot_be_read_is_not_missing(
    aws: StandIn, route53: Any, zone: Zone
) -> None:
    """Trouble is ReadFailed or AccessDenied; a passing one is outlived by asking again."""
    await hold(route53, zone, STANDING)
    fences = reader(route53, zone)
    aws.faults.arm(THROTTLE, Where(service="route53", times=2))
    assert await fences.read_fence(zone) == SeenFence(FENCE, STANDING)
    aws.faults.arm(LoseReply(), Where(service="route53", times=None))
    with pytest.raises(ReadFailed):
        await fences.read_fence(zone)
    aws.faults.clear()
    aws.faults.arm(Refuse("AccessDenied", "no", 403), Where(service="route53"))
    with pytest.raises(AccessDenied):
        await fences.read_fence(zone)
    gone = structs.replace(zone, zone_id="Z00000000000000000000")
    with pytest.raises(ReadFailed, match="NoSuchHostedZone"):
        await Route53FenceReader({gone.label: route53}, new_retrying()).read_fence(gone)


async def test_signs_of_life(aws: StandIn) -> None:
    """Each AZ's newest sign is shown, sorted; a board that cannot be read is not an empty one."""
    sightings = (ZoneSighting("shop", Generation(7), 2, "frozen", 99, Generation(8)),)
    async with CLIENTS.open("dynamodb") as client:
        retrying = new_retrying()
        await create_table(
            client, TABLE, clock=FakeClock(), jitter=SeededJitter(), retrying=retrying
        )
        board = DynamoPresenceBoard(client, TABLE, retrying)
        assert list(await board.everyone()) == []
        await board.announce(Presence("az2", 1, ()))
        await board.announce(Presence("az1", 1, ()))
        await board.announce(Presence("az2", 2, sightings))
        assert list(await board.everyone()) == [
            Presence("az1", 1, ()),
            Presence("az2", 2, sightings),
        ]
        await client.put_item(
            TableName=TABLE,
            Item={"pk": {"S": "obs#enactors"}, "sk": {"S": "az3"}, "sign": {"S": "{"}},
        )
        with pytest.raises(ReadFailed, match="sign of life"):
            await board.everyone()
        await aws.go_away()
        with pytest.raises(ReadFailed):
            await board.everyone()
        with pytest.raises(ReadFailed):
            await board.announce(Presence("az1", 3, ()))


async def test_the_sdk_never_retries_by_itself(aws: StandIn) -> None:
    """Every request of every client is sent once: a hidden second one would break fences."""
    aws.faults.arm(Refuse("Throttling", "Rate exceeded", 400), Where(times=None))
    clients = AwsClients()
    async with clients.open("route53") as route53, clients.open("dynamodb") as dynamodb:
        with pytest.raises(route53.exceptions.ClientError):
            await route53.list_hosted_zones()
        with pytest.raises(dynamodb.exceptions.ClientError):
            await dynamodb.list_tables()
        config = route53.meta.config
        assert (config.connect_timeout, config.read_timeout) == (3.0, 10.0)
        assert route53.meta.region_name == "us-east-1"
    assert aws.ledger.total == 2


async def test_a_role_is_taken_on(aws: StandIn) -> None:
    """A zone of another account is asked with that account's role, and only it."""
    clients = AwsClients()
    roles = {"ours": None, "theirs": "arn:aws:iam::123456789012:role/dns", "too": None}
    async with clients.open_by_label("route53", roles) as by_label:
        assert by_label["ours"] is by_label["too"]
        assert by_label["ours"] is not by_label["theirs"]
        await by_label["ours"].list_hosted_zones()
        await by_label["theirs"].list_hosted_zones()
    asked = [(one.service, one.operation) for one in aws.ledger.recent]
    assert asked == [
        ("route53", "ListHostedZones"),
        ("sts", "AssumeRole"),
        ("route53", "ListHostedZones"),
    ]
    ours, _, theirs = [one.access_key for one in aws.ledger.recent]
    assert ours != theirs
