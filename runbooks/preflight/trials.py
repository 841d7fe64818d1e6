"""Asks AWS whether a role may make its calls, without making them: requests that must be refused.

A write to the table carries a condition that never holds; a batch deletes records that bear a
fresh random value, so that it cannot stand. AWS looks at permissions first: a denial says no, any
other refusal says yes. Nothing is written, whichever it is.
"""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from dnsplan.fence import fence_name
from dnsplan.names import Name
from dnsplan.ports import Jitter, Zone
from dnsplan.runtime.aws_errors import AWS_TROUBLE, code_of, in_words, is_denial
from dnsplan.runtime.dynamodb import PARTITION_KEY, SORT_KEY, Answer
from dnsplan.runtime.retry import Retrying
from dnsplan.runtime.zones import ZoneProblem
from runbooks.preflight.calls import table_calls, zone_calls
from runbooks.preflight.facts import Unseen
from runbooks.preflight.findings import Finding, fine, refused, unread

CHECK = "permission"
# Not a label: none has this letter, so no item of a zone is ever meant.
NOBODY = "preflight~"
NONCE_BITS = 128
CHANGES = "ChangeResourceRecordSets"
# Who writes at every name of the config, and not at the fence alone.
WRITERS = frozenset(("enactor", "break-glass"))
# In one batch, by its 32,000 characters of values. RecordNames can never list so many, so where it
# does not let every name through, one of these is denied too.
NAMES_MAX = 900


@dataclass(frozen=True, slots=True)
class Target:
    """A zone, the client of its account, and what it is written at and with; a value a type."""

    client: Any
    zone: Zone
    names: tuple[Name, ...]
    types: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Ground:
    """What a role is tried on; zones that could not be found stand there with the reason."""

    dynamodb: Any
    table: str
    targets: Mapping[str, Target | Unseen | ZoneProblem]
    retrying: Retrying
    jitter: Jitter


async def try_role(role: str, ground: Ground) -> list[Finding]:
    """One finding a call that is denied or unclear, or one that says that all may be made."""
    findings: list[Finding] = []
    for action, prefix in table_calls(role):
        ask = _table_call(ground, action, prefix)
        findings += await _tried(f"dynamodb:{action} on {prefix}", ground.table, ask, ground)
    for label, target in ground.targets.items():
        findings += await _tried_on_zone(role, label, target, ground)
    if findings:
        return findings
    tried = len(table_calls(role)) + len(zone_calls(role)) * len(ground.targets)
    return [fine(CHECK, role, f"{tried} calls tried, none denied")]


async def _tried_on_zone(
    role: str, label: str, target: Target | Unseen | ZoneProblem, ground: Ground
) -> list[Finding]:
    if not isinstance(target, Target):
        why = target.why if isinstance(target, Unseen) else str(target)
        return [unread(CHECK, label, why, "state the zone's id in dns.yaml")]
    findings: list[Finding] = []
    for action in zone_calls(role):
        ask = _zone_call(target, action, ground.jitter)
        findings += await _tried(f"route53:{action}", label, ask, ground)
    # Nothing new would be said about names where the fence is denied already.
    if role in WRITERS and not findings:
        findings += await _tried_names(label, target, ground)
        findings += await _tried_types(label, target, ground)
    return findings


async def _tried_names(label: str, target: Target, ground: Ground) -> list[Finding]:
    """Whether the policy lets every name through: where it names them, one may be missing."""
    ask = _change(target, target.names[:NAMES_MAX], ground.jitter)
    todo = (
        "a name is missing from RecordNames of deploy/stacks/roles.yaml:"
        f" deploy it with what dns-runbook names prints, before {label} is planned"
    )
    return await _tried(f"route53:{CHANGES} at each name", label, ask, ground, todo=todo)


async def _tried_types(label: str, target: Target, ground: Ground) -> list[Finding]:
    """The same for every type: those of delegations are not granted by default."""
    ask = _change(target, (fence_name(target.zone.name),), ground.jitter, types=target.types)
    todo = (
        "a type is missing from RecordTypes of deploy/stacks/roles.yaml:"
        f" {label} has {', '.join(sorted({'TXT', *target.types}))}"
    )
    return await _tried(f"route53:{CHANGES} of each type", label, ask, ground, todo=todo)


async def _tried(
    call: str,
    subject: str,
    ask: Callable[[], Awaitable[Answer]],
    ground: Ground,
    *,
    todo: str = "",
) -> list[Finding]:
    try:
        await ground.retrying.call(ask)
    except AWS_TROUBLE as error:
        if is_denial(error):
            grant = f"grant {call} as deploy/stacks/roles.yaml does, or use the role's own profile"
            return [refused(CHECK, subject, f"{call}: {in_words(error)}", todo or grant)]
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
            return _change(target, (fence_name(zone.name),), jitter)


def _change(
    target: Target,
    names: tuple[Name, ...],
    jitter: Jitter,
    *,
    types: Mapping[str, str] = MappingProxyType({}),
) -> Callable[[], Awaitable[Answer]]:
    """A batch that Route 53 refuses: a DELETE has to match, and nobody has drawn this value.

    `types` go with the first name, and are refused with it.
    """
    drawn = f'"{jitter.token(NONCE_BITS)}"'
    kinds = [(one, "TXT", drawn) for one in names]
    kinds += [(names[0], kind, value) for kind, value in types.items()]
    changes = [{"Action": "DELETE", "ResourceRecordSet": _record(*kind)} for kind in kinds]
    return lambda: target.client.change_resource_record_sets(
        HostedZoneId=target.zone.zone_id, ChangeBatch={"Changes": changes}
    )


def _record(name: Name, kind: str, value: str) -> dict[str, Any]:
    return {"Name": name, "Type": kind, "TTL": 0, "ResourceRecords": [{"Value": value}]}
