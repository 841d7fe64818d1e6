"""The config as one checked whole, or every mistake in it at once with file, line and key.

Nothing is started on half a config: `load` gives settings that passed the schema and every cross
check, or raises ConfigError. It reads files, and the environment that is passed in; nothing else.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from pydantic import Field

from dnsplan.errors import ConfigError, Problem
from dnsplan.runtime.config import files
from dnsplan.runtime.config.crosscheck import crosscheck, section_findings
from dnsplan.runtime.config.crosscheck.ground import Ground
from dnsplan.runtime.config.explain import Finding, valid_part
from dnsplan.runtime.config.merging import Merged, problem_at, read_all
from dnsplan.runtime.config.nodes import Entry, Node, child, entries_of, locate
from dnsplan.runtime.config.nodes import Mapping as Branch
from dnsplan.runtime.config.nodes import Path as KeyPath
from dnsplan.runtime.config.schema import Az, Label, Settings, ZoneEntry

# A cut leaves gaps up to this many steps above it: a target without an address, an empty pool, a
# source whose command has a bad word.
GAP_STEPS_MAX = 3


@dataclass(frozen=True, slots=True)
class LoadedConfig:
    """Settings, the file they came from, every file read, and a tree that knows all lines but those
    of names. `has_records`: the names are also those of the records files.

    `remarks` say what was left out of a records file, for people to see once.
    """

    settings: Settings
    path: Path
    files: tuple[Path, ...]
    tree: Node
    has_records: bool = True
    remarks: tuple[str, ...] = ()

    def problem(self, path: KeyPath, found: str, allowed: str) -> Problem:
        """A mistake that shows only later (a zone that is not there), at its file and line."""
        return problem_at(self.tree, Finding(path, found, allowed))


def load(path: Path | None, environ: Mapping[str, str], *, records: bool = True) -> LoadedConfig:
    """Load the config, or raise ConfigError with all problems sorted by file and line.

    Without `records` the files of `records_from` are not read: who moves plans that exist needs no
    names of the config, and neither their size nor a mistake in them is in the way of a freeze.
    """
    where = files.find(path, environ)
    if isinstance(where, Problem):
        raise ConfigError((where,))
    merged = read_all(where, records=records)
    if merged.root is None:
        raise ConfigError(_sorted(merged.problems))
    context = {"environ": environ, "folder": where.parent}
    part = valid_part(Settings, merged.root, context)
    problems = [*merged.problems, *_reported(part.findings, merged.root, merged)]
    if part.section is not None and not problems:
        pool_names = frozenset(part.section.pools)
        azs, everywhere = frozenset(part.section.azs), part.section.guardrails
        ground = Ground(part.section.zones, part.section.pools, pool_names, azs, everywhere)
        findings = (*crosscheck(ground), *section_findings(part.section, _labels(merged.root)))
        if not findings:
            remarks = tuple(dict.fromkeys(merged.remarks))
            files_read = tuple(merged.files)
            outline = _outline(merged.root)
            return LoadedConfig(part.section, where, files_read, outline, records, remarks)
        problems = [problem_at(merged.root, one) for one in findings]
    else:
        problems.extend(_beyond(merged, merged.root, part.findings, context))
    raise ConfigError(_sorted(problems))


def _outline(root: Branch) -> Branch:
    """The tree without names, which in a large zone would be kept for as long as a daemon runs."""
    zones = root.entries.get("zones")
    if zones is None:
        return root
    cut = {
        label: Entry(zone.line, _without(zone.node, "names"))
        for label, zone in entries_of(zones.node).items()
    }
    node = Branch(zones.node.file, zones.node.line, cut)
    return Branch(root.file, root.line, {**root.entries, "zones": Entry(zones.line, node)})


def _without(node: Node, key: str) -> Branch:
    entries = {one: entry for one, entry in entries_of(node).items() if one != key}
    return Branch(node.file, node.line, entries)


class _Lenient(Settings):
    """Settings whose needed keys may be absent, so that the rest can still be checked."""

    azs: list[Az] = Field(default_factory=list)
    zones: dict[Label, ZoneEntry] = Field(default_factory=dict)


def _reported(findings: Iterable[Finding], root: Node, merged: Merged) -> list[Problem]:
    """Schema findings, less those about values that were reported as ambiguous text already."""
    slipped = set(merged.damaged)
    return [problem_at(root, one) for one in findings if one.path not in slipped]


def _beyond(
    merged: Merged, root: Node, found: tuple[Finding, ...], context: Mapping[str, object]
) -> list[Problem]:
    """What the cross checks find in the parts that can be read."""
    damaged = (*merged.damaged, *(one.path for one in found))
    part = valid_part(_Lenient, root, context)
    if part.section is None:
        return []
    zones, pools, azs = part.section.zones, part.section.pools, frozenset(part.section.azs)
    pool_names = frozenset(entries_of(child(root, "pools")))
    are_azs_read = not any(path[:1] == ("azs",) for path in damaged)
    are_pools_read = merged.is_whole and ("pools",) not in damaged
    ground = Ground(
        zones,
        pools,
        pool_names if are_pools_read else None,
        azs if are_azs_read else None,
        part.section.guardrails,
    )
    findings = (*crosscheck(ground), *section_findings(part.section, _labels(root)))
    return [
        problem_at(part.node, one)
        for one in findings
        if not _is_gap(locate(part.node, one.path).path, damaged)
    ]


def _labels(root: Node) -> frozenset[str]:
    """Every zone's label, unreadable ones too, so that their mistakes are not reported twice."""
    return frozenset(entries_of(child(root, "zones")))


def _is_gap(path: KeyPath, damaged: Iterable[KeyPath]) -> bool:
    """Whether a finding may only be about the hole that a reported mistake has left."""
    size = len(path)
    return any(one[:size] == path and len(one) <= size + GAP_STEPS_MAX for one in damaged)


def _sorted(problems: Iterable[Problem]) -> tuple[Problem, ...]:
    ordered = sorted(problems, key=lambda one: (one.file, one.line or 0, one.key, one.found))
    return tuple(dict.fromkeys(ordered))
