"""Asks AWS whether a role may make its calls, without making them: requests that must be refused.

A write to the table carries a condition that never holds; a batch deletes a record that bears a
fresh random value, so that it cannot stand. AWS looks at permissions first: a denial says no, any
other refusal says yes. Nothing is written, whichever it is.
"""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

from dnsplan.ports import Jitter, Zone
from dnsplan.runtime.aws_errors import AWS_TROUBLE, code_of, in_words, is_denial
from dnsplan.runtime.dynamodb import PARTITION_KEY, SORT_KEY, Answer
from dnsplan.runtime.retry import Retrying
from dnsplan.runtime.zones import ZoneProblem
from runbooks.preflight.facts import Unseen
from runbooks.preflight.findings import Finding, fine, refused, unread

CHECK = "permission"
# Not a label: none has this letter, so no item of a zone is ever meant.
NOBODY = "preflight~"
NONCE_BITS = 128

# The calls of each role that can be tried, as docs/permissions.md lists them.
TABLE_CALLS: Mapping[str, tuple[tuple[str, str], ...]] = {
    "planner": (
        ("GetItem", "gen#"), ("BatchGetItem", "gen#"), ("UpdateItem", "gen#"),
        ("PutItem", "plan#"), ("GetItem", "plan#"), ("Query", "plan#"),
        ("PutItem", "row#"), ("GetItem", "row#"), ("PutItem", "obs#health"),
        ("Query", "obs#health"), ("Query", "obs#enactors"),
    ),
    "enactor": (
        ("GetItem", "gen#"), ("BatchGetItem", "gen#"), ("UpdateItem", "gen#"), ("Query", "plan#"),
        ("PutItem", "exc#"), ("GetItem", "exc#"), ("Query", "exc#"),
        ("PutItem", "obs#enactors"), ("Query", "obs#enactors"),
    ),
    "cleanup": (
        ("GetItem", "gen#"), ("BatchGetItem", "gen#"), ("UpdateItem", "gen#"), ("Query", "plan#"),
        ("DeleteItem", "plan#"), ("Query", "row#"), ("UpdateItem", "row#"),
        ("DeleteItem", "row#"),
        ("Query", "obs#enactors"),
    ),
    "sentinel": (),
    "look": (
        ("GetItem", "gen#"), ("BatchGetItem", "gen#"), ("Query", "plan#"), ("Query", "row#"),
        ("GetItem", "exc#"), ("Query", "obs#enactors"),
    ),
    "freeze": (("UpdateItem", "gen#"), ("PutItem", "audit#")),
    "change": (
        ("UpdateItem", "gen#"), ("PutItem", "plan#"), ("GetItem", "plan#"), ("PutItem", "row#"),
        ("GetItem", "row#"),
    ),
    "break-glass": (),
}  # fmt: skip
ZONE_CALLS: Mapping[str, tuple[str, ...]] = {
    "planner": (),
    "enactor": (
        "ListResourceRecordSets", "ChangeResourceRecordSets", "GetChange", "GetHostedZoneLimit",
        "GetHostedZone", "ListHostedZonesByName", "ListHostedZones",
    ),
    "cleanup": ("ListResourceRecordSets",),
    "sentinel": ("ListResourceRecordSets", "GetHostedZone", "ListHostedZonesByName"),
    "look": (
        "ListResourceRecordSets", "GetHostedZone", "GetHostedZoneLimit", "ListHostedZonesByName",
    ),
    "freeze": ("ChangeResourceRecordSets", "GetChange", "ListHostedZones"),
    "change": (),
    "break-glass": (
        "ListResourceRecordSets", "ChangeResourceRecordSets", "GetChange", "GetHostedZone",
        "ListHostedZonesByName",
    ),
}  # fmt: skip
# A tier of operators may do what those below it may.
TIERS: Mapping[str, tuple[str, ...]] = {
    "freeze": ("look", "freeze"),
    "change": ("look", "freeze", "change"),
}
ROLES = tuple(TABLE_CALLS)


@dataclass(frozen=True, slots=True)
class Target:
    """A zone, and the client of its account."""

    client: Any
    zone: Zone


@dataclass(frozen=True, slots=True)
class Ground:
    """What a role is tried on; zones that could not be found stand there with the reason."""

    dynamodb: Any
    table: str
    targets: Mapping[str, Target | Unseen | ZoneProblem]
    retrying: Retrying
    jitter: Jitter


def table_calls(role: str) -> tuple[tuple[str, str], ...]:
    """What a role asks of the table, the tiers below it included."""
    return tuple(
        dict.fromkeys(call for part in TIERS.get(role, (role,)) for call in TABLE_CALLS[part])
    )


def zone_calls(role: str) -> tuple[str, ...]:
    """What a role asks of each zone."""
    return tuple(
        dict.fromkeys(call for part in TIERS.get(role, (role,)) for call in ZONE_CALLS[part])
    )


async def try_role(role: str, ground: Ground) -> list[Finding]:
    """One finding a call that is denied or unclear, or one that says that all may be made."""
    findings: list[Finding] = []
    for action, prefix in table_calls(role):
        ask = _table_call(ground, action, prefix)
        findings += await _tried(f"dynamodb:{action} on {prefix}", ground.table, ask, ground)
    for label, target in ground.targets.items():
        if not isinstance(target, Target):
            why = target.why if isinstance(target, Unseen) else str(target)
            findings.append(unread(CHECK, label, why, "state the zone's id in dns.yaml"))
            continue
        for action in zone_calls(role):
            ask = _zone_call(target, action, ground.jitter)
            findings += await _tried(f"route53:{action}", label, ask, ground)
    if findings:
        return findings
    tried = len(table_calls(role)) + len(zone_calls(role)) * len(ground.targets)
    return [fine(CHECK, role, f"{tried} calls tried, none denied")]


async def _tried(
    call: str, subject: str, ask: Callable[[], Awaitable[Answer]], ground: Ground
) -> list[Finding]:
    try:
        await ground.retrying.call(ask)
    except AWS_TROUBLE as error:
        if is_denial(error):
            todo = f"grant {call} as deploy/stacks/roles.yaml does, or use the role's own profile"
            return [refused(CHECK, subject, f"{call}: {in_words(error)}", todo)]
        if code_of(error) not in ANSWERS_THAT_SAY_YES:
            return [unread(CHECK, subject, f"{call}: {in_words(error)}", "run it again later")]
    return []


# What AWS says only after it has found that the caller may ask.
ANSWERS_THAT_SAY_YES = frozenset(
    ("ConditionalCheckFailedException", "InvalidChangeBatch", "NoSuchChange")
)


def _table_call(ground: Ground, action: str, prefix: str) -> Callable[[], Awaitable[Answer]]:
    client = ground.dynamodb
    partition = f"{prefix}{NOBODY}" if prefix.endswith("#") else prefix
    key = {PARTITION_KEY: {"S": partition}, SORT_KEY: {"S": NOBODY}}
    named = {"TableName": ground.table}
    never = {
        **named,
        "ConditionExpression": "attribute_exists(#pk) AND attribute_not_exists(#pk)",
        "ExpressionAttributeNames": {"#pk": PARTITION_KEY},
    }
    match action:
        case "GetItem":
            return lambda: client.get_item(**named, Key=key, ConsistentRead=True)
        case "BatchGetItem":
            return lambda: client.batch_get_item(RequestItems={ground.table: {"Keys": [key]}})
        case "Query":
            return lambda: client.query(
                **named,
                KeyConditionExpression="pk = :pk",
                ExpressionAttributeValues={":pk": {"S": partition}},
                Limit=1,
            )
        case "PutItem":
            return lambda: client.put_item(**never, Item=key)
        case "DeleteItem":
            return lambda: client.delete_item(**never, Key=key)
        case _:
            # The fields are among those that the freeze tier is held to.
            changed: dict[str, Any] = {
                **never,
                "UpdateExpression": "SET #nonce = :nonce",
                "ExpressionAttributeNames": {"#pk": PARTITION_KEY, "#nonce": "nonce"},
                "ExpressionAttributeValues": {":nonce": {"S": NOBODY}},
            }
            return lambda: client.update_item(**changed, Key=key)


def _zone_call(target: Target, action: str, jitter: Jitter) -> Callable[[], Awaitable[Answer]]:
    client, zone = target.client, target.zone
    zone_id = zone.zone_id
    match action:
        case "ListResourceRecordSets":
            return lambda: client.list_resource_record_sets(HostedZoneId=zone_id, MaxItems="1")
        case "GetHostedZone":
            return lambda: client.get_hosted_zone(Id=zone_id)
        case "GetHostedZoneLimit":
            return lambda: client.get_hosted_zone_limit(
                Type="MAX_RRSETS_BY_ZONE", HostedZoneId=zone_id
            )
        case "ListHostedZonesByName":
            return lambda: client.list_hosted_zones_by_name(DNSName=zone.name, MaxItems="1")
        case "ListHostedZones":
            return lambda: client.list_hosted_zones(MaxItems="1")
        case "GetChange":
            return lambda: client.get_change(Id="C0000000000PREFLIGHT")
        case _:
            return lambda: client.change_resource_record_sets(
                HostedZoneId=zone_id, ChangeBatch=_impossible(zone, jitter)
            )


def _impossible(zone: Zone, jitter: Jitter) -> Mapping[str, Any]:
    """A batch that Route 53 refuses: a DELETE has to match, and nobody has drawn this value."""
    record_set = {
        "Name": f"_dnsplan.preflight.{zone.name}",
        "Type": "TXT",
        "TTL": 0,
        "ResourceRecords": [{"Value": f'"{jitter.token(NONCE_BITS)}"'}],
    }
    return {"Changes": [{"Action": "DELETE", "ResourceRecordSet": record_set}]}
