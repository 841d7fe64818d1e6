"""Requests as they really arrive at the stand-in, read as IAM would read them.

Who sent one is told by its access key, so that real processes can be told apart.
"""

import json
import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from dnsplan.names import parse_name
from sandbox.aws.call import Answer, Call
from sandbox.aws.server import StandIn
from sandbox.aws.threaded import ThreadedStandIn
from tests.deploy.policies import Request

ASKS_NO_PERMISSION = "sts:GetCallerIdentity"
ROUTE53 = "{https://route53.amazonaws.com/doc/2013-04-01/}"


@dataclass(frozen=True, slots=True)
class Recorded:
    """A request and the access key it was signed with."""

    access_key: str
    request: Request


@contextmanager
def recording(aws: ThreadedStandIn) -> Iterator[list[Call]]:
    """Everything that arrives while the block lasts."""
    calls: list[Call] = []

    def listen(stand_in: StandIn) -> None:
        carry = stand_in.gate.carry

        async def heard(call: Call) -> Answer:
            calls.append(call)
            return await carry(call)

        stand_in.gate.carry = heard  # type: ignore[method-assign]  # the door is where all pass

    aws.call(listen)
    yield calls


def read(call: Call, *, account: str) -> Recorded | None:
    """What a call asks of whom; None when AWS answers it to everybody."""
    action = f"{call.service}:{call.operation}"
    if call.service == "dynamodb":
        return Recorded(call.access_key, _dynamodb(action, call, account))
    if action == ASKS_NO_PERMISSION:
        return None
    assert call.service == "route53", call
    return Recorded(call.access_key, _route53(action, call))


def _dynamodb(action: str, call: Call, account: str) -> Request:
    body = json.loads(call.body)
    [table] = call.resources
    resource = f"arn:aws:dynamodb:{call.region}:{account}:table/{table}"
    keys = tuple(sorted({key["S"] for key in _partitions(body)}))
    named = {*body.get("ExpressionAttributeNames", {}).values(), *body.get("Item", {})}
    fields = tuple(sorted(named | ({"pk", "sk"} if keys else set())))
    context = {"dynamodb:LeadingKeys": keys, "dynamodb:Attributes": fields} if keys else {}
    return Request(action, resource, context)


def _partitions(body: Mapping[str, Any]) -> Iterator[Mapping[str, str]]:
    for part in (body.get("Key"), body.get("Item")):
        if part is not None:
            yield part["pk"]
    for asked in body.get("RequestItems", {}).values():
        yield from (key["pk"] for key in asked["Keys"])
    if condition := body.get("KeyConditionExpression"):
        match = re.match(r"(?:#pk|pk) = (:\w+)", condition)
        assert match is not None, condition
        yield body["ExpressionAttributeValues"][match.group(1)]


def _route53(action: str, call: Call) -> Request:
    kind, _, resource = call.path.removeprefix("/2013-04-01/").partition("/")
    if action == "route53:ChangeResourceRecordSets":
        changes = ET.fromstring(call.body)
        names = {parse_name(one.text or "").rstrip(".") for one in changes.iter(f"{ROUTE53}Name")}
        context = {
            "route53:ChangeResourceRecordSetsNormalizedRecordNames": tuple(sorted(names)),
            "route53:ChangeResourceRecordSetsRecordTypes": _texts(changes, "Type"),
            "route53:ChangeResourceRecordSetsActions": _texts(changes, "Action"),
        }
        return Request(action, f"arn:aws:route53:::hostedzone/{call.resources[0]}", context)
    if not resource:
        return Request(action, "*")
    kind = {"hostedzonelimit": "hostedzone"}.get(kind, kind)  # a path of its own, no resource
    return Request(action, f"arn:aws:route53:::{kind}/{resource.partition('/')[0]}")


def _texts(changes: ET.Element, tag: str) -> tuple[str, ...]:
    return tuple(sorted({one.text or "" for one in changes.iter(f"{ROUTE53}{tag}")}))
