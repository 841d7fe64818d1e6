"""Judge an ordered change batch against a zone: give what every touched name is to hold, or refuse.

All or nothing: the zone is only read here. Changes are looked at one by one on a working copy, in
list order, and every complaint is collected, as Route 53 does.
"""

from collections.abc import Container, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from sandbox.route53.conflicts import alias_faults, place_faults
from sandbox.route53.model import Change, SetKey, StoredRecordSet
from sandbox.route53.names import lies_in
from sandbox.route53.normal import content, meaning, routing
from sandbox.route53.refusals import InvalidChangeBatch, InvalidInput, NoSuchHealthCheck
from sandbox.route53.shape import shape_fault
from sandbox.route53.switches import Switches
from sandbox.route53.values import value_faults
from sandbox.route53.zone import HostedZone, NameSets, Work

ELEMENTS_MAX = 1_000
VALUE_CHARS_MAX = 32_000
Place = tuple[str, str, str]  # name, type, set identifier or ""


class Surroundings(Protocol):
    """What a batch may refer to outside its own zone."""

    @property
    def health_checks(self) -> Container[str]: ...

    @property
    def zone_ids(self) -> Container[str]: ...


@dataclass(slots=True)
class Draft:
    """A working copy: names touched so far hold what the batch made of them."""

    zone: HostedZone
    around: Surroundings
    switches: Switches
    work: dict[str, dict[SetKey, StoredRecordSet]] = field(default_factory=dict)
    seen: dict[Place, tuple[str, ...]] = field(default_factory=dict)
    faults: list[str] = field(default_factory=list)

    def at(self, name: str) -> NameSets:
        """Give what a name holds by now."""
        found = self.work.get(name)
        return self.zone.sets_at(name) if found is None else found

    def open(self, name: str) -> dict[SetKey, StoredRecordSet]:
        """Give a name's sets to write to."""
        if name not in self.work:
            self.work[name] = dict(self.zone.sets_at(name))
        return self.work[name]


def judge(
    zone: HostedZone, changes: Sequence[Change], around: Surroundings, switches: Switches
) -> Work:
    """Work out what an accepted batch leaves, or raise the refusal that names every reason."""
    check_shapes(changes)
    check_size(changes)
    draft = Draft(zone, around, switches)
    for change in in_order(changes, switches):
        if change.complaints:
            draft.faults += change.complaints
        else:
            make(draft, change)
    draft.faults += apex_faults(draft)
    if draft.faults:
        raise InvalidChangeBatch(draft.faults)
    check_health(changes, around)
    drop_equal(draft)
    return draft.work


def check_shapes(changes: Sequence[Change]) -> None:
    """Refuse the whole request at the first malformed change."""
    if not changes:
        raise InvalidInput("Invalid request: Missing field 'Changes'")
    for change in changes:
        fault = shape_fault(change)
        if fault is not None:
            raise InvalidInput(fault)


def check_size(changes: Sequence[Change]) -> None:
    """Count elements and characters as Route 53 does: an alias is one, an UPSERT counts twice."""
    elements = 0
    characters = 0
    for change in changes:
        times = 2 if change.action == "UPSERT" else 1
        elements += times * max(1, len(change.record.values))
        characters += times * sum(map(len, change.record.values))
    if elements > ELEMENTS_MAX:
        raise InvalidChangeBatch([f"Number of records limit of {ELEMENTS_MAX} exceeded."])
    if characters > VALUE_CHARS_MAX:
        raise InvalidChangeBatch([f"RDATA character limit of {VALUE_CHARS_MAX} exceeded."])


def in_order(changes: Sequence[Change], switches: Switches) -> Sequence[Change]:
    """Take the changes as listed, or all deletes first where list order carries no meaning."""
    if switches.list_order_matters:
        return changes
    return sorted(changes, key=lambda change: change.action != "DELETE")


def make(draft: Draft, change: Change) -> None:
    """Make one change on the working copy, or note why not."""
    record = change.record
    zone = draft.zone
    if not lies_in(record.name, zone.name):
        draft.faults.append(
            f"RRSet with DNS name {record.name} is not permitted in zone {zone.name}"
        )
        return
    if not takes_turn(draft, change):
        draft.faults.append(
            "The request contains an invalid set of changes for a resource record set "
            f"'{record.type} {record.name}'"
        )
        return
    if change.action == "DELETE":
        remove(draft, record)
    else:
        put(draft, change)


def takes_turn(draft: Draft, change: Change) -> bool:
    """May this change follow what the batch already does to the same set?"""
    place = (change.record.name, *change.record.key)
    earlier = draft.seen.get(place, ())
    draft.seen[place] = (*earlier, change.action)
    if not earlier:
        return True
    if draft.seen[place] == ("DELETE", "CREATE"):
        present = draft.zone.sets_at(place[0]).get(place[1:])
        identical = present is not None and meaning(present) == meaning(change.record)
        return draft.switches.identical_delete_create_accepted or not identical
    return draft.seen[place] == ("CREATE", "DELETE") and draft.switches.create_then_delete_accepted


def remove(draft: Draft, record: StoredRecordSet) -> None:
    """Delete a set that is there exactly as the client states it."""
    present = draft.at(record.name).get(record.key)
    if present is None:
        draft.faults.append(
            f"Tried to delete resource record set {shown(record, close='')} but it was not found"
        )
    elif not same(present, record, draft.switches):
        draft.faults.append(
            f"Tried to delete resource record set {shown(record)} but the values provided do not "
            "match the current values"
        )
    elif not draft.switches.alias_target_delete_allowed and aliases_to(draft, present):
        draft.faults.append(
            f"Tried to delete resource record set {shown(record)} but an alias record targets it"
        )
    else:
        del draft.open(record.name)[record.key]


def same(present: StoredRecordSet, stated: StoredRecordSet, switches: Switches) -> bool:
    """Does a DELETE state the set as it is?"""
    if present.health_check_id != stated.health_check_id:
        return False
    if switches.delete_compares_routing_fields and routing(present) != routing(stated):
        return False
    if switches.values_compared_in_normal_form:
        return content(present) == content(stated)
    return (present.ttl, sorted(present.values), present.alias) == (
        stated.ttl,
        sorted(stated.values),
        stated.alias,
    )


def aliases_to(draft: Draft, target: StoredRecordSet) -> bool:
    """Does an alias of this zone point at the set? Only the unlikely answer of a switch asks."""
    held = {name: draft.at(name) for name in draft.work}
    outside = [record for record in draft.zone.records() if record.name not in held]
    inside = [record for sets in held.values() for record in sets.values()]
    return any(
        record.alias is not None
        and (record.alias.zone_id, record.alias.name) == (draft.zone.id, target.name)
        and record.type == target.type
        for record in outside + inside
    )


def put(draft: Draft, change: Change) -> None:
    """Create a set, or replace it, where its values and its neighbours allow."""
    record = change.record
    there = draft.at(record.name)
    if change.action == "CREATE" and record.key in there:
        draft.faults.append(
            f"Tried to create resource record set {shown(record)} but it already exists"
        )
        return
    faults = value_faults(record)
    faults += place_faults(draft.zone, there, record, draft.switches)
    if record.alias is not None:
        faults += alias_faults(
            draft.zone, record, draft.at(record.alias.name), draft.around.zone_ids
        )
    if faults:
        draft.faults += faults
    else:
        draft.open(record.name)[record.key] = record


def apex_faults(draft: Draft) -> list[str]:
    """A zone keeps its SOA and its NS, whatever the batch."""
    name = draft.zone.name
    if name not in draft.work:
        return []
    kinds = [kind for kind, _ in draft.work[name]]
    faults = []
    if "NS" not in kinds:
        faults.append("A HostedZone must contain at least one NS record for the zone itself.")
    if kinds.count("SOA") != 1:
        faults.append("A HostedZone must contain exactly one SOA record.")
    return faults


def check_health(changes: Sequence[Change], around: Surroundings) -> None:
    """Refuse a set that names an unknown health check; a DELETE may still name one that is gone."""
    for change in changes:
        wanted = change.record.health_check_id
        if wanted is not None and change.action != "DELETE" and wanted not in around.health_checks:
            raise NoSuchHealthCheck(wanted)


def drop_equal(draft: Draft) -> None:
    """Silently leave a set as it was where the new one means the same and shares its batch."""
    if not draft.switches.equal_changes_dropped or len(draft.seen) < 2:
        return
    for name, sets in draft.work.items():
        before = draft.zone.sets_at(name)
        for key, record in sets.items():
            old = before.get(key)
            if old is not None and old is not record and meaning(old) == meaning(record):
                sets[key] = old


def shown(record: StoredRecordSet, *, close: str = "'") -> str:
    """Name a set as Route 53 does; where it found none it leaves the last quote out."""
    tail = f", set-identifier='{record.set_id}{close}" if record.set_id is not None else ""
    return f"[name='{record.name}', type='{record.type}'{tail}]"
