"""The records of other tools' files, put into the tree as if `names:` had stated them.

What a file states therefore passes the same schema and the same checks, with its own file and line
for every mistake. A name and type stated in two places is a mistake that names both: which of the
two is meant cannot be known.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from dnsplan.errors import InvalidName, Problem
from dnsplan.names import Name, display, join, parse_name
from dnsplan.records import Unit
from dnsplan.runtime.config.nodes import (
    Entry,
    Listing,
    Mapping,
    Node,
    Scalar,
    child,
    entries_of,
    show_path,
)
from dnsplan.runtime.config.records_from.bind_file import read_bind
from dnsplan.runtime.config.records_from.octodns_file import read_octodns
from dnsplan.runtime.config.records_from.stated import Gathered, StatedRecord, Statement, mapping

KEY = "records_from"
OCTODNS_SUFFIXES = frozenset({".yaml", ".yml"})


def with_records(root: Mapping, folder: Path | None, gathered: Gathered) -> Mapping:
    """The tree with the records of every zone's files in its names; without a folder none is read,
    and only the paths are as the schema takes them."""
    zones = root.entries.get("zones")
    if zones is None or not isinstance(zones.node, Mapping):
        return root
    grown = {
        label: Entry(zone.line, _grown(label, zone.node, folder, gathered))
        for label, zone in zones.node.entries.items()
    }
    node = Mapping(zones.node.file, zones.node.line, grown)
    return Mapping(root.file, root.line, {**root.entries, "zones": Entry(zones.line, node)})


def _grown(label: str, zone: Node, folder: Path | None, gathered: Gathered) -> Node:
    paths = list(_paths(child(zone, KEY)))
    apex = _apex(zone)
    if not isinstance(zone, Mapping) or not paths:
        return zone
    stated = zone.entries[KEY]
    listed = Listing(zone.file, stated.line, list(paths))
    entries = {**zone.entries, KEY: Entry(stated.line, listed)}
    names = zone.entries.get("names")
    ground = Mapping(zone.file, zone.line, {}) if names is None else names.node
    if folder is not None and apex is not None and isinstance(ground, Mapping):
        grafting = _Grafting(apex, ground, gathered)
        key = show_path(("zones", label, KEY))
        for path in paths:
            grafting.take(path, key, folder)
        line = zone.line if names is None else names.line
        entries["names"] = Entry(line, Mapping(ground.file, ground.line, grafting.names))
    return Mapping(zone.file, zone.line, entries)


def _paths(stated: Node | None) -> Iterator[Scalar]:
    """The paths that can be read; the schema reports the others."""
    items = stated.items if isinstance(stated, Listing) else [stated]
    for one in items:
        path = _text(one)
        if isinstance(one, Scalar) and path and "\0" not in path:
            yield one


def _apex(zone: Node) -> Name | None:
    stated = _text(child(zone, "name"))
    try:
        return None if stated is None else parse_name(stated)
    except InvalidName:
        return None


@dataclass(frozen=True, slots=True)
class _Place:
    file: str
    line: int


class _Grafting:
    """One zone's names, growing file by file."""

    def __init__(self, apex: Name, names: Mapping, gathered: Gathered) -> None:
        self._apex = apex
        self._gathered = gathered
        self.names = dict(names.entries)
        self._keys: dict[Name, str] = {}
        self._places: dict[Unit, _Place] = {}
        for key, entry in names.entries.items():
            self._know(key, entry.node)

    def take(self, stated: Scalar, key: str, folder: Path) -> None:
        """Graft one file's records; its path is relative to the config file that names it."""
        path = Path(stated.file).parent / str(stated.value)
        text = self._gathered.read(path, Statement(Path(stated.file), stated.line, key))
        if text is None:
            return
        before = len(self._gathered.records)
        if path.suffix.lower() in OCTODNS_SUFFIXES:
            read_octodns(path, text, self._apex, self._gathered)
        else:
            read_bind(path, text, self._apex, folder, self._gathered)
        fresh = self._gathered.records[before:]
        for record in fresh:
            if self._is_new(record):
                self._graft(record)
        # Only now: two sets of one name and type in the same file are the checks' to judge.
        for record in fresh:
            place = _Place(record.node.file, record.node.line)
            self._places.setdefault((record.name, record.type), place)

    def _know(self, key: str, node: Node) -> None:
        try:
            name = join(key, self._apex)
        except InvalidName:
            return
        self._keys.setdefault(name, key)
        stated = child(node, "records")
        for one in stated.items if isinstance(stated, Listing) else ():
            kind = _text(child(one, "type"))
            if kind is not None:
                self._places.setdefault((name, kind), _Place(one.file, one.line))

    def _is_new(self, record: StatedRecord) -> bool:
        first = self._places.get((record.name, record.type))
        if first is None:
            return True
        what = f"{display(record.name)} {record.type}"
        found = f"{what}, which {first.file}:{first.line} states already"
        problem = Problem(
            record.node.file, record.node.line, "", found, "each name and type in one place"
        )
        self._gathered.problems.append(problem)
        return False

    def _graft(self, record: StatedRecord) -> None:
        key = self._keys.setdefault(record.name, display(record.name))
        there = self.names.get(key)
        if there is None:
            records = Listing(record.node.file, record.node.line, [record.node])
            node = mapping(record.node.file, record.node.line, records=records)
            self.names[key] = Entry(record.node.line, node)
            return
        stated = child(there.node, "records")
        if not isinstance(there.node, Mapping) or not isinstance(stated, Listing | None):
            return  # the schema reports it
        items = [*(stated.items if stated else ()), record.node]
        base = stated or there.node
        entry = Entry(there.line, Listing(base.file, base.line, items))
        entries = {**entries_of(there.node), "records": entry}
        self.names[key] = Entry(there.line, Mapping(there.node.file, there.node.line, entries))


def _text(node: Node | None) -> str | None:
    return node.value if isinstance(node, Scalar) and isinstance(node.value, str) else None
