"""The gate: what is counted, what the account's rate lets through, what a failure of moto becomes.

And how a request is told: which service, operation and resource it asks for.
"""

import asyncio
from collections.abc import Iterator
from dataclasses import replace

import pytest

from sandbox.aws.backend import Backend
from sandbox.aws.call import Answer, Call, read_call
from sandbox.aws.faults import STRIKES_KEPT_MAX, HoldRequest, LoseRequest, Where
from sandbox.aws.gate import ConnectionLostError, Gate
from sandbox.aws.settings import Chance, StandInSettings
from tests.unit.sandbox.route53.cases import rule

SIGNED = "AWS4-HMAC-SHA256 Credential=AKIAENACTOR/20260101/us-east-1/{}/aws4_request, x=y"


def call(service: str, method: str, target: str, body: bytes = b"", **headers: str) -> Call:
    """Make a signed request."""
    signed = {"authorization": SIGNED.format(service), "host": "127.0.0.1:1"}
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return read_call(method, target, signed | named, body)


def creation(zone_id: str, label: str = "a") -> Call:
    """Ask for one more record set."""
    change = (
        "<ChangeResourceRecordSetsRequest><ChangeBatch><Changes><Change><Action>CREATE</Action>"
        f"<ResourceRecordSet><Name>{label}.example.com</Name><Type>A</Type><TTL>60</TTL>"
        "<ResourceRecords><ResourceRecord><Value>192.0.2.1</Value></ResourceRecord>"
        "</ResourceRecords></ResourceRecordSet></Change></Changes></ChangeBatch>"
        "</ChangeResourceRecordSetsRequest>"
    )
    return call("route53", "POST", f"/2013-04-01/hostedzone/{zone_id}/rrset", change.encode())


@pytest.fixture
def gate() -> Iterator[Gate]:
    """Make a gate whose clock stands still."""
    backend = Backend(StandInSettings(), Chance(clock=lambda: 1.0, wall=lambda: 1.0))
    backend.route53.create_zone(name="example.com", private=False, caller_reference="1")
    yield Gate(backend, lambda: 1.0)
    backend.close()


def zone_id(gate: Gate) -> str:
    """Give the id of the one zone."""
    return next(iter(gate.backend.route53.zones))


def carry(gate: Gate, asked: Call) -> Answer:
    """Carry one request to its end."""
    return asyncio.run(gate.carry(asked))


@rule("throttled-lands")
@pytest.mark.parametrize("lands", [True, False])
def test_a_throttled_batch(gate: Gate, lands: bool) -> None:
    """Whether it was applied all the same is a switch; its answer is the same."""
    settings = gate.backend.route53.settings
    settings.switches = replace(settings.switches, throttled_batch_may_land=lands)
    settings.rate_per_s = 5
    answers = [carry(gate, creation(zone_id(gate), f"n{n}")) for n in range(6)]
    assert [answer.error for answer in answers] == [None] * 5 + ["Throttling"]
    zone = gate.backend.route53.zone(zone_id(gate))
    assert lands == bool(zone.sets_at("n5.example.com."))


def test_requests_are_counted_by_who_asked_what(gate: Gate) -> None:
    """Service, operation and key; and what came of it."""
    carry(gate, creation(zone_id(gate)))
    carry(gate, creation(zone_id(gate)))
    gate.faults.arm(LoseRequest(), Where())
    with pytest.raises(ConnectionLostError):
        carry(gate, call("route53", "GET", "/2013-04-01/hostedzone"))
    change = ("route53", "ChangeResourceRecordSets")
    assert dict(gate.ledger.requests) == {
        (*change, "AKIAENACTOR"): 2,
        ("route53", "ListHostedZones", "AKIAENACTOR"): 1,
    }
    assert dict(gate.ledger.outcomes) == {
        (*change, "ok"): 1,
        (*change, "InvalidChangeBatch"): 1,
        ("route53", "ListHostedZones", "lost"): 1,
    }
    assert [entry.outcome for entry in gate.ledger.recent] == ["ok", "InvalidChangeBatch", "lost"]
    gate.ledger.reset()
    assert (gate.ledger.total, len(gate.ledger.recent)) == (0, 0)


ROUTE53_REQUESTS = {
    ("GET", "/hostedzone/Z1/rrset?name=a"): ("ListResourceRecordSets", ("Z1",)),
    ("POST", "/hostedzone/Z1/rrset/"): ("ChangeResourceRecordSets", ("Z1",)),
    ("GET", "/hostedzone/Z1"): ("GetHostedZone", ("Z1",)),
    ("GET", "/change/C1"): ("GetChange", ()),
    ("POST", "/hostedzone"): ("CreateHostedZone", ()),
    ("GET", "/hostedzonesbyname?dnsname=a"): ("ListHostedZonesByName", ()),
    ("GET", "/nowhere"): ("GET /2013-04-01/nowhere", ()),
}
DYNAMODB_REQUESTS = {
    "GetItem": (b'{"TableName": "t"}', ("t",)),
    "BatchWriteItem": (b'{"RequestItems": {"t": []}}', ("t",)),
    "TransactWriteItems": (
        b'{"TransactItems": [{"Put": {"TableName": "x:table/t"}}, {"Update": {"TableName": "u"}}]}',
        ("t", "u"),
    ),
    "Broken": (b"not json", ()),
}


@pytest.mark.parametrize("asked", ROUTE53_REQUESTS)
def test_a_route53_request_is_told_by_its_path(asked: tuple[str, str]) -> None:
    """Operation and zone."""
    method, path = asked
    found = call("route53", method, f"/2013-04-01{path}")
    assert (found.operation, found.resources) == ROUTE53_REQUESTS[asked]


@pytest.mark.parametrize("operation", DYNAMODB_REQUESTS)
def test_a_dynamodb_request_is_told_by_its_target(operation: str) -> None:
    """Operation and tables."""
    body, tables = DYNAMODB_REQUESTS[operation]
    found = call("dynamodb", "POST", "/", body, x_amz_target=f"DynamoDB_20120810.{operation}")
    assert (found.operation, found.resources) == (operation, tables)


def test_a_form_request_is_told_by_its_action() -> None:
    """As SNS, CloudFormation and others send them."""
    form = "application/x-www-form-urlencoded; charset=utf-8"
    found = call("sns", "POST", "/", b"Action=Publish&Version=1", content_type=form)
    assert (found.service, found.operation) == ("sns", "Publish")


def test_an_unsigned_request_is_guessed() -> None:
    """By its target, its path or its host; otherwise it is unknown."""
    assert [
        read_call("POST", "/", {"x-amz-target": "DynamoDB_20120810.ListTables"}, b"").service,
        read_call("GET", "/2013-04-01/hostedzone", {}, b"").service,
        read_call("GET", "/", {"host": "sns.us-east-1.amazonaws.com"}, b"").service,
        read_call("GET", "/", {"host": "127.0.0.1:80"}, b"").service,
    ] == ["dynamodb", "route53", "sns", "unknown"]


def test_what_the_stand_in_cannot_do_is_a_clean_error(gate: Gate) -> None:
    """An operation that moto lacks is named, and is no error that clients retry."""
    answer = carry(gate, call("route53", "GET", "/2013-04-01/trafficpolicies"))
    assert (answer.status, answer.error) == (501, "NotImplemented")
    assert b"list_traffic_policies" in answer.body


def test_a_failure_of_moto_is_an_answer(gate: Gate) -> None:
    """Whatever breaks inside, the client gets an error of the service's own form."""
    asked = call("dynamodb", "POST", "/", b"{}", x_amz_target="DynamoDB_20120810.DescribeTable")
    answer = carry(gate, asked)
    assert (answer.status, answer.error) == (500, "InternalServerError")


def test_moto_s_own_api_is_not_served(gate: Gate) -> None:
    """Its reset would take every stand-in's state away."""
    unsigned = read_call("POST", "/moto-api/reset", {"host": "127.0.0.1:1"}, b"")
    answer = carry(gate, unsigned)
    assert answer.status == 404
    assert zone_id(gate) in gate.backend.route53.zones


def test_many_strikes_keep_what_is_still_held(gate: Gate) -> None:
    """A fault that stands for long forgets finished requests, never one that waits."""

    async def run() -> tuple[int, int, bool]:
        armed = gate.faults.arm(HoldRequest(), Where(times=None))
        asked = call("route53", "GET", "/2013-04-01/hostedzonecount")
        held = asyncio.create_task(gate.carry(asked))
        first = await armed.first()
        for _ in range(STRIKES_KEPT_MAX + 5):
            task = asyncio.create_task(gate.carry(asked))
            await asyncio.sleep(0)
            armed.strikes[-1].released.set()
            await task
        kept = first in armed.strikes and not first.done.is_set()
        gate.faults.clear()
        await held
        return armed.struck_count, len(armed.strikes), kept

    assert asyncio.run(run()) == (STRIKES_KEPT_MAX + 6, STRIKES_KEPT_MAX, True)
