"""One tree out of a config file and the files that it includes.

Zones and pools of all files stand side by side; the same label twice is a problem that names both
places. `defaults:` of a file hold for the zones of that file, and those of the main file for all.
An include that names no file is a problem, since absence is never an instruction.
"""

from collections.abc import Mapping as AnyMapping
from dataclasses import dataclass, field
from pathlib import Path as FilePath

from dnsplan.errors import Problem
from dnsplan.runtime.config import files
from dnsplan.runtime.config.allowed import is_below_secret
from dnsplan.runtime.config.explain import Finding, nearest, valid_part
from dnsplan.runtime.config.nodes import (
    Entry,
    Listing,
    Mapping,
    Node,
    Path,
    Scalar,
    child,
    entries_of,
    locate,
    show_path,
)
from dnsplan.runtime.config.records_from import Gathered, with_records
from dnsplan.runtime.config.schema import Settings, ZoneDefaults
from dnsplan.runtime.config.tree import Slip, read_tree

MERGED = ("zones", "pools")
INCLUDED_KEYS = (*MERGED, "defaults")


@dataclass(slots=True)
class Merged:
    """The one tree, what was wrong so far, the paths it was wrong at, and the files read.

    `remarks` are what a person should know although nothing is wrong.
    `is_whole` is false once something that was stated could not be read.
    """

    root: Mapping | None = None
    is_whole: bool = True
    problems: list[Problem] = field(default_factory=list)
    damaged: list[Path] = field(default_factory=list)
    files: list[FilePath] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)


def read_all(path: FilePath, *, records: bool) -> Merged:
    """Read a config file and everything it includes; the records files of its zones if wanted."""
    merged = Merged()
    root = _read(path, merged)
    if root is None:
        return merged
    merged.root = root
    for included, stated_at in _included(root, path, merged):
        _take(included, stated_at, merged)
    merged.root = _with_defaults(merged.root, root, merged, report=False)
    gathered = Gathered()
    merged.root = with_records(merged.root, path.parent if records else None, gathered)
    merged.problems.extend(gathered.problems)
    merged.files.extend(gathered.files)
    merged.remarks.extend(gathered.remarks)
    return merged


def problem_at(root: Node, finding: Finding) -> Problem:
    """A finding at its file and line."""
    place = locate(root, finding.path)
    return Problem(place.file, place.line, show_path(place.path), finding.found, finding.allowed)


def _read(path: FilePath, merged: Merged) -> Mapping | None:
    merged.files.append(path)
    content = files.read_text(path)
    if content.problem is not None:
        merged.problems.append(content.problem)
        return None
    reading = read_tree(content.text, str(path))
    for slip in reading.slips:
        merged.problems.append(_problem_of(slip, path))
        merged.damaged.append(slip.path)
    if isinstance(reading.root, Mapping):
        return reading.root
    if reading.root is not None or not reading.slips:
        found = "an empty file" if reading.root is None else "no key: value lines"
        allowed = "a mapping with zones, pools and more; see docs/examples"
        line = None if reading.root is None else reading.root.line
        merged.problems.append(Problem(str(path), line, "", found, allowed))
    return None


def _problem_of(slip: Slip, path: FilePath) -> Problem:
    found = slip.found
    if slip.text and not is_below_secret(Settings, slip.path):
        found = f"{slip.text}, {slip.found}"
    return Problem(str(path), slip.line, show_path(slip.path), found, slip.allowed)


def _included(root: Mapping, path: FilePath, merged: Merged) -> list[tuple[FilePath, Scalar]]:
    stated = child(root, "include")
    found: list[tuple[FilePath, Scalar]] = []
    seen = {path.resolve()}
    for item in stated.items if isinstance(stated, Listing) else ():
        if not isinstance(item, Scalar) or not isinstance(item.value, str) or not item.value:
            continue  # the schema reports it
        there = files.matches(item.value, path.parent)
        if not there:
            merged.is_whole = False
            missing = f"{item.value}, which names no file"
            _note(merged, item, "include", missing, "a path or pattern that names a file")
        for one in there:
            if one.resolve() not in seen:
                seen.add(one.resolve())
                found.append((one, item))
    if len(found) > files.INCLUDED_FILES_MAX:
        _note(merged, root, "include", f"{len(found)} files", f"{files.INCLUDED_FILES_MAX} files")
        return []
    return found


def _take(path: FilePath, stated_at: Scalar, merged: Merged) -> None:
    known = len(merged.problems)
    root = _read(path, merged)
    if root is None:
        merged.is_whole = False
        if len(merged.problems) == known:
            _note(merged, stated_at, "include", f"{path}, which cannot be read", "a config file")
        return
    for key, entry in root.entries.items():
        if key not in INCLUDED_KEYS:
            allowed = nearest(key, INCLUDED_KEYS) + " (in an included file)"
            problem = Problem(str(path), entry.line, key, f"an unknown key {key}", allowed)
            merged.problems.append(problem)
    root = _with_defaults(root, root, merged, report=True)
    for section in MERGED:
        _join(section, root, merged)


def _join(section: str, root: Mapping, merged: Merged) -> None:
    entry = root.entries.get(section)
    if entry is None or merged.root is None:
        return
    if not isinstance(entry.node, Mapping):
        _note(merged, entry.node, section, "no key: value lines", "a mapping")
        return
    there = merged.root.entries.get(section)
    ours = dict(entries_of(there.node)) if there else {}
    for label, one in entry.node.entries.items():
        first = ours.get(label)
        if first is not None:
            found = f"{label} again; it is stated in {first.node.file}:{first.line} already"
            problem = Problem(
                root.file, one.line, show_path((section, label)), found, "each label once"
            )
            merged.problems.append(problem)
        else:
            ours[label] = one
    if there is None or isinstance(there.node, Mapping):
        base = there.node if there else entry.node
        joined = Entry(there.line if there else entry.line, Mapping(base.file, base.line, ours))
        merged.root = _put(merged.root, section, joined)


def _with_defaults(target: Mapping, source: Mapping, merged: Merged, *, report: bool) -> Mapping:
    """Give the zones of a tree what they leave out; mistakes in it are left out and reported."""
    stated, zones = child(source, "defaults"), target.entries.get("zones")
    if stated is None:
        return target
    part = valid_part(ZoneDefaults, stated, {})
    if report:
        for one in part.findings:
            wanted = Finding(("defaults", *one.path), one.found, one.allowed)
            merged.problems.append(problem_at(source, wanted))
    if part.section is None or zones is None or not isinstance(zones.node, Mapping):
        return target
    filled = {
        label: Entry(zone.line, _filled(zone.node, entries_of(part.node)))
        for label, zone in zones.node.entries.items()
    }
    node = Mapping(zones.node.file, zones.node.line, filled)
    return _put(target, "zones", Entry(zones.line, node))


def _filled(zone: Node, defaults: AnyMapping[str, Entry]) -> Node:
    if not isinstance(zone, Mapping):
        return zone
    entries = dict(zone.entries)
    for key, entry in defaults.items():
        mine = entries.get(key)
        if isinstance(entry.node, Scalar) and entry.node.value is None:
            continue
        if mine is None:
            entries[key] = entry
        elif isinstance(mine.node, Mapping) and isinstance(entry.node, Mapping):
            inner = {**entry.node.entries, **mine.node.entries}
            entries[key] = Entry(mine.line, Mapping(mine.node.file, mine.node.line, inner))
    return Mapping(zone.file, zone.line, entries)


def _put(root: Mapping, key: str, entry: Entry) -> Mapping:
    return Mapping(root.file, root.line, {**root.entries, key: entry})


def _note(merged: Merged, node: Node, key: str, found: str, allowed: str) -> None:
    merged.problems.append(Problem(node.file, node.line, key, found, allowed))
