"""The XML both ways: every field and every byte of a name comes back as AWS would list it."""

import http.client
from collections.abc import AsyncIterator

import pytest

from sandbox.aws.threaded import ThreadedStandIn
from tests.contracts.aws.places import Zone, record, values
from tests.contracts.aws.talk import Json, Talk, talking

LABEL_BYTES = 32


@pytest.fixture
async def zone(stand_in: ThreadedStandIn) -> AsyncIterator[Zone]:
    """Open a zone on the stand-in."""
    async with talking("aiobotocore", stand_in.endpoint_url, stand_in) as talk:
        yield await Zone.make(talk)


def escaped(number: int) -> str:
    """Write one byte as an escape."""
    return f"\\{number:03o}"


async def test_every_byte_of_a_name_survives(zone: Zone) -> None:
    """All 256 bytes, escaped on the way in, come back folded, each in its listing form."""
    plain = "abcdefghijklmnopqrstuvwxyz0123456789-_"
    starts = range(0, 256, LABEL_BYTES)
    sent = [zone.at("".join(escaped(start + n) for n in range(LABEL_BYTES))) for start in starts]
    assert await zone.create(*[record(name) for name in sent]) == ""
    listed = {one["Name"] for one in await zone.held()}
    expected = set()
    for start in starts:
        folded = bytes(range(start, start + LABEL_BYTES)).lower()
        expected.add(zone.at("".join(chr(b) if chr(b) in plain else escaped(b) for b in folded)))
    assert listed == expected
    assert await zone.delete(*await zone.held()) == ""


FULL: list[Json] = [
    record("w", SetIdentifier="<&> id", Weight=0),
    record("l", SetIdentifier="l", Region="eu-west-1"),
    record("f", SetIdentifier="f", Failover="PRIMARY"),
    record("g", SetIdentifier="eu", GeoLocation={"ContinentCode": "EU"}),
    record("g", SetIdentifier="us", GeoLocation={"CountryCode": "US", "SubdivisionCode": "NY"}),
    record("m", SetIdentifier="m", MultiValueAnswer=True),
    record(
        "c",
        SetIdentifier="c",
        CidrRoutingConfig={
            "CollectionId": "aaaaaaaa-aaaa-aaaa-aaaa-aaaaaaaaaaaa",
            "LocationName": "*",
        },
    ),
    record(
        "p",
        SetIdentifier="p",
        GeoProximityLocation={"Coordinates": {"Latitude": "1.00", "Longitude": "2.00"}, "Bias": 3},
    ),
]


@pytest.mark.parametrize("stated", FULL, ids=[str(one["SetIdentifier"]) for one in FULL])
async def test_every_field_round_trips(zone: Zone, stated: Json) -> None:
    """A set comes back as it was stated, and can be deleted so."""
    sent = {**stated, "Name": zone.at(stated["Name"])}
    assert await zone.create(sent) == ""
    assert await zone.held() == [sent]
    assert await zone.delete(sent) == ""


async def test_markup_in_values_survives(zone: Zone) -> None:
    """Values are text, not XML."""
    sent = ["\"a xmlns='x' b\"", "\"<a href='x'>&amp;</a>\"", '"xmlns=\\"x\\""', '"gr\\303\\266"']
    await zone.create(record(zone.at("t"), "TXT", *sent))
    assert values(await zone.held()) == sent


def post(stand_in: ThreadedStandIn, zone: Zone, body: bytes) -> tuple[int, str]:
    """Send a body as it is."""
    host = stand_in.endpoint_url.removeprefix("http://")
    connection = http.client.HTTPConnection(host, timeout=10)
    try:
        connection.request("POST", f"/2013-04-01/hostedzone/{zone.id}/rrset", body)
        answer = connection.getresponse()
        return answer.status, answer.read().decode()
    finally:
        connection.close()


BATCH = (
    "<ChangeResourceRecordSetsRequest{}><ChangeBatch><Changes>{}</Changes></ChangeBatch>"
    "</ChangeResourceRecordSetsRequest>"
)
CHANGE = (
    "<Change><Action>CREATE</Action><ResourceRecordSet><Name>x.{}</Name><Type>A</Type>"
    "<TTL>{}</TTL><ResourceRecords><ResourceRecord><Value>192.0.2.1</Value></ResourceRecord>"
    "</ResourceRecords></ResourceRecordSet></Change>"
)


@pytest.mark.parametrize(
    "body",
    [
        "",
        "not xml",
        "<ChangeResourceRecordSetsRequest>",
        BATCH.format("", ""),
        BATCH.format("", "<Change><Action>CREATE</Action></Change>"),
        BATCH.format("", CHANGE.format("{zone}", "sixty")),
        BATCH.format("", "<Change><ResourceRecordSet><Name>x</Name></ResourceRecordSet></Change>"),
    ],
)
async def test_a_malformed_request_is_refused(
    stand_in: ThreadedStandIn, zone: Zone, body: str
) -> None:
    """InvalidInput, in XML, and the zone is as it was."""
    status, answer = post(stand_in, zone, body.replace("{zone}", zone.name).encode())
    assert status == 400
    assert "<Code>InvalidInput</Code>" in answer
    assert await zone.held() == []


@pytest.mark.parametrize("quote", ["'", '"'])
async def test_namespaces_are_read_in_either_quote(
    stand_in: ThreadedStandIn, zone: Zone, quote: str
) -> None:
    """As other languages' clients write them."""
    space = f" xmlns={quote}https://route53.amazonaws.com/doc/2013-04-01/{quote}"
    body = BATCH.format(space, CHANGE.format(zone.name, 60)).encode()
    assert post(stand_in, zone, body)[0] == 200
    assert len(await zone.held()) == 1


async def test_a_page_has_at_most_300_sets(talk: Talk) -> None:
    """Whatever MaxItems says; a bad one is refused."""
    zone = await Zone.make(talk)
    await zone.create(*[record(zone.at(f"n{n:03d}")) for n in range(310)])
    sizes = [
        len((await zone.page(**asked))["ResourceRecordSets"])
        for asked in ({}, {"MaxItems": "1000"}, {"MaxItems": "7"})
    ]
    assert sizes == [300, 300, 7]
    assert await zone.talk.ask("route53", "list_hosted_zones", MaxItems="1")
