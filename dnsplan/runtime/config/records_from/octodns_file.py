"""An octoDNS YAML file: names to a record or a list of records, as YamlProvider reads them.

What octoDNS itself would work out when it runs (dynamic pools, geo, health checks, who is excluded)
cannot be taken over from the file alone, and is refused in words. A record without a TTL has
YamlProvider's own default.
"""

from pathlib import Path

from dnsplan.errors import InvalidName, InvalidRecord
from dnsplan.formats.octodns import (
    ALIAS_TYPE,
    DEFAULT_TTL_S,
    FIELDS,
    TYPES,
    is_service,
    text_value,
    value_from,
)
from dnsplan.names import Name, join
from dnsplan.runtime.config.explain import nearest, show
from dnsplan.runtime.config.nodes import (
    Entry,
    Listing,
    Mapping,
    Node,
    Scalar,
    child,
    plain,
    show_path,
)
from dnsplan.runtime.config.nodes import Path as KeyPath
from dnsplan.runtime.config.records_from.stated import (
    Gathered,
    StatedRecord,
    mapping,
    simple_record,
)
from dnsplan.runtime.config.slips import Slip, place_again, slip_in_name
from dnsplan.runtime.config.tree import read_tree
from dnsplan.text import TEXT_TYPES

RECORD_KEYS = ("type", "ttl", "value", "values", "octodns")
ALIAS_KEYS = ("type", "name", "hosted-zone-id", "evaluate-target-health")
OLD_FIELDS = {"MX": {"priority": "preference", "value": "exchange"}}
REFUSED_KEYS = {
    "dynamic": "names: with weight, geo or failover in the config, one record set an answer",
    "geo": "names: with geo in the config, one record set a place",
}
REFUSED_EXTRAS = {
    "ignored": "the record left out of this file, since octoDNS ignores it",
    "included": "the record in a file of its own, which only its own zone reads",
    "excluded": "the record in a file of its own, which only its own zone reads",
    "healthcheck": "health_check_id under names: in the config",
    "route53": "health_check_id under names: in the config",
}
REFUSED_TYPES = {
    "ALIAS": f"{ALIAS_TYPE}, or an alias under names: in the config",
    "SOA": "no SOA; Route 53 keeps it",
}


def read_octodns(path: Path, text: str, apex: Name, gathered: Gathered) -> None:
    """Add what an octoDNS file states to what was gathered."""
    reading = read_tree(text, str(path))
    for slip in reading.slips:
        found = f"{slip.text}, {slip.found}" if slip.text else slip.found
        gathered.note(path, slip.line, show_path(slip.path), found, slip.allowed)
    if isinstance(reading.root, Mapping):
        _OctodnsFile(path, apex, gathered).read(reading.root)
    elif not reading.slips:
        gathered.note(path, None, "", "no names", "a mapping of names to records")


class _OctodnsFile:
    def __init__(self, path: Path, apex: Name, gathered: Gathered) -> None:
        self._path = path
        self._file = str(path)
        self._apex = apex
        self._gathered = gathered

    def read(self, root: Mapping) -> None:
        for key, entry in root.entries.items():
            try:
                name = join(f"{key}.{self._apex}" if key else "@", self._apex)
            except InvalidName as error:
                self._note(entry.line, (key,), str(error), "a name relative to the zone")
                continue
            if slip := slip_in_name(key) or self._slip_of_place(key):
                self._note(entry.line, (key,), f"{show(key)}, which {slip[0]}", slip[1])
                continue
            node = entry.node
            several = isinstance(node, Listing)
            for index, one in enumerate(node.items if isinstance(node, Listing) else [node]):
                self._entry(name, one, entry.line, (key, index) if several else (key,))

    def _slip_of_place(self, key: str) -> Slip | None:
        """A key that names the zone once more, which octoDNS would put below the zone."""
        if key == "@":
            return "octoDNS takes for a label", '"" for the zone itself'
        again = place_again(key, self._apex) if key else None
        return again and (f"would become {again[0]}", f'"{again[1]}"')

    def _entry(self, name: Name, node: Node, line: int, path: KeyPath) -> None:
        if not isinstance(node, Mapping):
            self._note(line, path, show(plain(node)), f"a record: {', '.join(RECORD_KEYS)}")
            return
        record_type = self._type(node, path)
        self._check_keys(node, path)
        if record_type is None or self._is_apex_ns(name, record_type):
            return
        values = self._stated_values(node, path)
        if values is None:
            return
        if record_type == ALIAS_TYPE:
            for value, here in values:
                self._alias(name, value, here)
            return
        ttl = self._ttl(node, path)
        if ttl is None:
            return
        written = [self._value(record_type, value, here) for value, here in values]
        kept: list[Node] = [one for one in written if one is not None]
        if len(kept) == len(written):
            record = simple_record(self._file, node.line, record_type, ttl, kept)
            self._gathered.records.append(StatedRecord(name, record_type, record))

    def _type(self, node: Mapping, path: KeyPath) -> str | None:
        stated = plain(child(node, "type") or Scalar(self._file, node.line, None))
        if isinstance(stated, str) and stated in TYPES:
            return stated
        allowed = REFUSED_TYPES.get(str(stated), f"one of {', '.join(TYPES)}")
        entry = node.entries.get("type")
        line = entry.line if entry else node.line
        self._note(line, (*path, "type"), show(stated), allowed)
        return None

    def _check_keys(self, node: Mapping, path: KeyPath) -> None:
        for key, entry in node.entries.items():
            if key not in RECORD_KEYS:
                allowed = REFUSED_KEYS.get(key) or nearest(key, RECORD_KEYS)
                found = f"{key}, which octoDNS works out when it runs"
                found = found if key in REFUSED_KEYS else f"an unknown key {key}"
                self._note(entry.line, (*path, key), found, allowed)
        extras = child(node, "octodns")
        for key, entry in extras.entries.items() if isinstance(extras, Mapping) else ():
            if key != "lenient":
                allowed = REFUSED_EXTRAS.get(key, "lenient, or nothing")
                here = (*path, "octodns", key)
                self._note(entry.line, here, f"{key}, which only octoDNS can follow", allowed)

    def _is_apex_ns(self, name: Name, record_type: str) -> bool:
        if name != self._apex or record_type != "NS":
            return False
        remark = f"{self._file}: left out the apex NS, which are Route 53's own"
        self._gathered.remarks.append(remark)
        return True

    def _stated_values(self, node: Mapping, path: KeyPath) -> list[tuple[Node, KeyPath]] | None:
        stated = [key for key in ("value", "values") if key in node.entries]
        if len(stated) != 1:
            found = "both value and values" if stated else "neither value nor values"
            self._note(node.line, path, found, "exactly one of value and values")
            return None
        (key,) = stated
        inner = node.entries[key].node
        if isinstance(inner, Listing):
            return [(one, (*path, key, index)) for index, one in enumerate(inner.items)]
        return [(inner, (*path, key))]

    def _ttl(self, node: Mapping, path: KeyPath) -> Node | None:
        ttl = child(node, "ttl") or Scalar(self._file, node.line, DEFAULT_TTL_S)
        if plain(ttl) is not None:
            return ttl
        allowed = f"a number of seconds, or no such key: octoDNS takes {DEFAULT_TTL_S} then"
        self._note(node.entries["ttl"].line, (*path, "ttl"), "nothing", allowed)
        return None

    def _value(self, record_type: str, node: Node, path: KeyPath) -> Scalar | None:
        try:
            text = self._text(record_type, node, path)
        except InvalidRecord as error:
            self._note(node.line, path, str(error), f"a value of type {record_type}")
            return None
        return None if text is None else Scalar(self._file, node.line, text)

    def _text(self, record_type: str, node: Node, path: KeyPath) -> str | None:
        if record_type in FIELDS:
            return self._from_fields(record_type, node, path)
        stated = plain(node)
        if not isinstance(stated, str):
            self._note(node.line, path, show(stated), "text")
            return None
        return text_value(stated) if record_type in TEXT_TYPES else stated

    def _from_fields(self, record_type: str, node: Node, path: KeyPath) -> str | None:
        keys = FIELDS[record_type]
        if not isinstance(node, Mapping):
            self._note(node.line, path, show(plain(node)), f"a mapping of {', '.join(keys)}")
            return None
        old = OLD_FIELDS.get(record_type, {})
        fields: dict[str, str | int] = {"flags": 0} if record_type == "CAA" else {}
        is_sound = True
        for key, entry in node.entries.items():
            stated = plain(entry.node)
            name = old.get(key, key)
            if name not in keys:
                self._note(entry.line, (*path, key), f"an unknown key {key}", nearest(key, keys))
            elif isinstance(stated, str | int) and not isinstance(stated, bool):
                fields[name] = stated
                continue
            else:
                self._note(entry.line, (*path, key), show(stated), "text or a number")
            is_sound = False
        missing = [key for key in keys if key not in fields]
        if missing and is_sound:
            self._note(node.line, path, f"no {', '.join(missing)}", ", ".join(keys))
        return value_from(record_type, fields) if is_sound and not missing else None

    def _alias(self, name: Name, node: Node, path: KeyPath) -> None:
        told = plain(node)
        if not isinstance(told, dict) or not isinstance(told.get("type"), str):
            self._note(node.line, path, show(told), f"a mapping of {', '.join(ALIAS_KEYS)}")
            return
        for key in told:
            if key not in ALIAS_KEYS:
                found, allowed = f"an unknown key {key}", nearest(key, ALIAS_KEYS)
                self._note(node.line, (*path, key), found, allowed)
        target = str(told.get("name") or "")
        if not is_service(target):
            if slip := self._slip_of_target(target, told.get("hosted-zone-id")):
                self._note(node.line, (*path, "name"), *slip)
                return
            target = f"{target}.{self._apex}" if target else self._apex
        line, file = node.line, self._file
        alias = mapping(file, line, name=Scalar(file, line, target))
        if (zone_id := told.get("hosted-zone-id")) is not None:
            alias.entries["zone_id"] = Entry(line, Scalar(file, line, zone_id))
        if (health := told.get("evaluate-target-health")) is not None:
            alias.entries["evaluate_target_health"] = Entry(line, Scalar(file, line, health))
        record_type = told["type"]
        record = mapping(file, line, type=Scalar(file, line, record_type), alias=alias)
        self._gathered.records.append(StatedRecord(name, record_type, record))

    def _slip_of_target(self, target: str, zone_id: object) -> Slip | None:
        """Why octoDNS would lead nowhere with a target that it takes for a name of the zone."""
        if zone_id is not None:
            found = (
                f"{show(target)} with a hosted zone id, which octoDNS takes for a name of the zone"
            )
            return found, "an alias under names: in the config, with name and zone_id"
        if target.endswith("."):
            return f"{show(target)}, which octoDNS puts below the zone", "the name without the zone"
        if again := place_again(target, self._apex) if target else None:
            return f"{show(target)}, which would become {again[0]}", f'"{again[1]}"'
        return None

    def _note(self, line: int, path: KeyPath, found: str, allowed: str) -> None:
        self._gathered.note(self._path, line, show_path(path), found, allowed)
