"""Say whether one change is well-formed on its own, before any zone is looked at.

These are InvalidInput: the first one found ends the request.
"""

from sandbox.route53.model import TYPES, Change, StoredRecordSet

TTL_S_MAX = 2_147_483_647
WEIGHT_MAX = 255
SET_ID_CHARS_MAX = 128
ACTIONS = ("CREATE", "DELETE", "UPSERT")
TRAFFIC_POLICY = "TrafficPolicyInstanceId"


def shape_fault(change: Change) -> str | None:
    """Give the complaint about a malformed change, or None."""
    record = change.record
    return (
        enumeration_fault("Action", change.action, ACTIONS)
        or enumeration_fault("Type", record.type, TYPES)
        or bounds_fault(record)
        or source_fault(change)
        or policy_fault(change)
    )


def enumeration_fault(_element: str, value: str, allowed: tuple[str, ...]) -> str | None:
    """Complain of a value outside its enumeration."""
    if value in allowed:
        return None
    return (
        f"Invalid XML ; cvc-enumeration-valid: Value '{value}' is not facet-valid with respect to "
        f"enumeration '[{', '.join(allowed)}]'. It must be a value from the enumeration."
    )


def bounds_fault(record: StoredRecordSet) -> str | None:
    """Complain of a TTL, weight or identifier outside its bounds."""
    for value, most, kind in (
        (record.ttl, TTL_S_MAX, "TTL"),
        (record.weight, WEIGHT_MAX, "ResourceRecordSetWeight"),
    ):
        if value is not None and value > most:
            return facet("maxInclusive", value, most, kind)
        if value is not None and value < 0:
            return facet("minInclusive", value, 0, kind)
    if record.set_id is not None and not 1 <= len(record.set_id) <= SET_ID_CHARS_MAX:
        return facet("maxLength", record.set_id, SET_ID_CHARS_MAX, "ResourceRecordSetIdentifier")
    if record.failover is not None:
        return enumeration_fault("Failover", record.failover, ("PRIMARY", "SECONDARY"))
    return None


def facet(name: str, value: object, limit: int, kind: str) -> str:
    """Word a schema complaint."""
    return (
        f"Invalid XML ; cvc-{name}-valid: Value '{value}' is not facet-valid with respect to "
        f"{name} '{limit}' for type '{kind}'."
    )


def source_fault(change: Change) -> str | None:
    """A set answers from exactly one source: an alias, a TTL with values, or a traffic policy."""
    record = change.record
    policy_instance = any(tag == TRAFFIC_POLICY for tag, _ in record.other)
    plain = record.ttl is not None, bool(record.values)
    sources = (record.alias is not None) + any(plain) + policy_instance
    if sources == 1 and (not any(plain) or all(plain)):
        return None
    found = "more than one" if sources > 1 else "none"
    return (
        "Invalid request: Expected exactly one of [AliasTarget, all of [TTL, and ResourceRecords], "
        f"or TrafficPolicyInstanceId], but found {found} in Change with {shown(change)}"
    )


def policy_fault(change: Change) -> str | None:
    """A set identifier and a routing policy come together, and only one policy."""
    record = change.record
    count = len(record.policies)
    if count > 1:
        return expected_policy("more than one", change)
    if count == 0 and record.set_id is not None:
        return expected_policy("none", change)
    if count == 1 and record.set_id is None:
        return f"Invalid request: Missing field 'SetIdentifier' in Change with {shown(change)}"
    return None


def expected_policy(found: str, change: Change) -> str:
    """Word the complaint about the number of policies."""
    return (
        "Invalid request: Expected exactly one of [Weight, Region, Failover, GeoLocation, or "
        f"MultiValueAnswer], but found {found} in Change with {shown(change)}"
    )


def shown(change: Change) -> str:
    """Name a change as Route 53 does in these messages."""
    record = change.record
    return (
        f"[Action={change.action}, Name={record.name}, Type={record.type}, "
        f"SetIdentifier={record.set_id or 'null'}]"
    )
