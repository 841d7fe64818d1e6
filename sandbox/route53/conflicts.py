"""Say why a record set cannot stand beside its neighbours, or point where it points.

Neighbours are the sets that the same name holds by then; the set's own old self is not one.
"""

from collections.abc import Container

from sandbox.route53.model import StoredRecordSet
from sandbox.route53.names import lies_in
from sandbox.route53.switches import Switches
from sandbox.route53.zone import HostedZone, NameSets

SETS_PER_GROUP_MAX = 100
APEX_ONLY = ("SOA",)
SIMPLE_ONLY = ("SOA", "NS")
WILDCARD = "\\052."


def place_faults(
    zone: HostedZone, there: NameSets, record: StoredRecordSet, switches: Switches
) -> list[str]:
    """List why a set may not stand at its name."""
    others = [other for key, other in there.items() if key != record.key]
    group = [other for other in others if other.type == record.type]
    found = [
        type_fault(zone, record),
        cname_fault(zone, others, record),
        policy_fault(group, record),
        group_fault(group, record, switches),
    ]
    return [fault for fault in found if fault is not None]


def type_fault(zone: HostedZone, record: StoredRecordSet) -> str | None:
    """Some types stand only at the apex, only with simple routing, or not under a wildcard."""
    where = f"RRSet of type {record.type} with DNS name {record.name}"
    if record.type in APEX_ONLY and record.name != zone.name:
        return f"{where} is permitted only at the apex of zone {zone.name}"
    if record.type == "NS" and record.name.startswith(WILDCARD):
        return f"{where} is not permitted: a wildcard cannot have type NS"
    if record.type in SIMPLE_ONLY and record.policy != "simple":
        return f"{where} cannot have a routing policy"
    if record.alias is not None and record.policy == "multivalue":
        return f"{where} cannot be a multivalue answer alias"
    if record.alias is not None and record.type in SIMPLE_ONLY:
        return f"{where} cannot be an alias"
    return None


def cname_fault(
    zone: HostedZone, others: list[StoredRecordSet], record: StoredRecordSet
) -> str | None:
    """A CNAME stands alone, and never at the apex."""
    where = f"RRSet of type {record.type} with DNS name {record.name} is not permitted"
    if record.type == "CNAME":
        if record.name == zone.name:
            return f"{where} at apex in zone {zone.name}"
        if any(other.type != "CNAME" for other in others):
            return (
                f"{where} as it conflicts with other records with the same DNS name in zone "
                f"{zone.name}"
            )
    elif any(other.type == "CNAME" for other in others):
        return (
            f"{where} because a conflicting RRSet of type CNAME with the same DNS name already "
            f"exists in zone {zone.name}"
        )
    return None


def policy_fault(group: list[StoredRecordSet], record: StoredRecordSet) -> str | None:
    """All sets of a name and type have one routing policy."""
    policy = record.policy
    if all(other.policy == policy for other in group):
        return None
    if policy == "simple":
        return (
            f"RRSet with DNS name {record.name}, type {record.type} cannot be created as other "
            "RRSets exist with the same name and type."
        )
    who = f"RRSet with DNS name {record.name}, type {record.type}, SetIdentifier {record.set_id}"
    if policy == "multivalue":
        return (
            f"{who} cannot be created because a non multivalue answer rrset exists with the same "
            "name and type."
        )
    return f"{who} cannot be created as a non-{policy} set exists with the same name and type."


def group_fault(
    group: list[StoredRecordSet], record: StoredRecordSet, switches: Switches
) -> str | None:
    """A group has at most 100 sets, and no two for the same region, place or role."""
    if record.set_id is None:
        return None
    who = f"RRSet with DNS name {record.name}, type {record.type}, SetIdentifier {record.set_id}"
    if len(group) + 1 > SETS_PER_GROUP_MAX:
        return (
            f"{who} cannot be created as a group holds at most {SETS_PER_GROUP_MAX} sets with the "
            "same name and type."
        )
    if any(twin(other, record) for other in group):
        return f"{who} cannot be created as a set with the same {record.policy} exists."
    if record.policy != "weighted":
        return None
    if len(record.values) > 1 and not switches.weighted_holds_several_values:
        return f"{who} cannot be created as a weighted set holds one value only."
    if switches.weighted_ttl_must_match and any(
        None not in (other.ttl, record.ttl) and other.ttl != record.ttl for other in group
    ):
        return f"{who} cannot be created as the sets of a weighted group must have one TTL."
    return None


def twin(other: StoredRecordSet, record: StoredRecordSet) -> bool:
    """Do two sets of a group claim the same region, place or role?"""
    mine = (record.region, record.geo, record.failover)
    return any(mine) and mine == (other.region, other.geo, other.failover)


def alias_faults(
    zone: HostedZone, record: StoredRecordSet, target: NameSets, zone_ids: Container[str]
) -> list[str]:
    """An alias points at an AWS resource, or at a set of its own zone and type that is there."""
    alias = record.alias
    if alias is None:
        return []
    who = (
        f"Tried to create an alias that targets {alias.name}, type {record.type} in zone "
        f"{alias.zone_id}, but "
    )
    if alias.zone_id != zone.id:
        if alias.zone_id in zone_ids:
            return [who + "the alias target name does not lie within the target zone"]
        return []
    if not lies_in(alias.name, zone.name):
        return [who + "the alias target name does not lie within the target zone"]
    if not any(kind == record.type for kind, _ in target):
        return [who + "that target was not found"]
    return []
