"""Which calls of each role can be tried, as docs/permissions.md lists them."""

from collections.abc import Mapping

TABLE_CALLS: Mapping[str, tuple[tuple[str, str], ...]] = {
    "planner": (
        ("GetItem", "gen#"),
        ("BatchGetItem", "gen#"),
        ("UpdateItem", "gen#"),
        ("PutItem", "plan#"),
        ("GetItem", "plan#"),
        ("Query", "plan#"),
        ("PutItem", "row#"),
        ("GetItem", "row#"),
        ("PutItem", "obs#health"),
        ("Query", "obs#health"),
        ("Query", "obs#enactors"),
    ),
    "enactor": (
        ("GetItem", "gen#"),
        ("BatchGetItem", "gen#"),
        ("UpdateItem", "gen#"),
        ("Query", "plan#"),
        ("PutItem", "exc#"),
        ("GetItem", "exc#"),
        ("Query", "exc#"),
        ("PutItem", "obs#enactors"),
        ("Query", "obs#enactors"),
    ),
    "cleanup": (
        ("GetItem", "gen#"),
        ("BatchGetItem", "gen#"),
        ("UpdateItem", "gen#"),
        ("Query", "plan#"),
        ("DeleteItem", "plan#"),
        ("Query", "row#"),
        ("UpdateItem", "row#"),
        ("DeleteItem", "row#"),
        ("Query", "obs#enactors"),
    ),
    "sentinel": (),
    "look": (
        ("GetItem", "gen#"),
        ("BatchGetItem", "gen#"),
        ("Query", "plan#"),
        ("Query", "row#"),
        ("GetItem", "exc#"),
        ("Query", "obs#enactors"),
    ),
    "freeze": (("UpdateItem", "gen#"), ("PutItem", "audit#")),
    "change": (
        ("UpdateItem", "gen#"),
        ("PutItem", "plan#"),
        ("GetItem", "plan#"),
        ("PutItem", "row#"),
        ("GetItem", "row#"),
    ),
    "break-glass": (),
}
ZONE_CALLS: Mapping[str, tuple[str, ...]] = {
    "planner": (),
    "enactor": (
        "ListResourceRecordSets",
        "ChangeResourceRecordSets",
        "GetChange",
        "GetHostedZoneLimit",
        "GetHostedZone",
        "ListHostedZonesByName",
        "ListHostedZones",
    ),
    "cleanup": ("ListResourceRecordSets",),
    "sentinel": ("ListResourceRecordSets", "GetHostedZone", "ListHostedZonesByName"),
    "look": (
        "ListResourceRecordSets",
        "GetHostedZone",
        "GetHostedZoneLimit",
        "ListHostedZonesByName",
    ),
    "freeze": ("ChangeResourceRecordSets", "GetChange", "ListHostedZones"),
    "change": (),
    "break-glass": (
        "ListResourceRecordSets",
        "ChangeResourceRecordSets",
        "GetChange",
        "GetHostedZone",
        "ListHostedZonesByName",
    ),
}
# A tier of operators may do what those below it may.
TIERS: Mapping[str, tuple[str, ...]] = {
    "freeze": ("look", "freeze"),
    "change": ("look", "freeze", "change"),
}
ROLES = tuple(TABLE_CALLS)


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
