"""What a records file states, as nodes that know their file and line, and what was wrong in it."""

from dataclasses import dataclass, field
from pathlib import Path

from dnsplan.errors import Problem
from dnsplan.names import Name
from dnsplan.runtime.config import files
from dnsplan.runtime.config.nodes import Entry, Listing, Mapping, Node, Scalar


@dataclass(frozen=True, slots=True)
class StatedRecord:
    """One record set as an item of `records:` would state it."""

    name: Name
    type: str
    node: Mapping


@dataclass(frozen=True, slots=True)
class Statement:
    """Where a file is named."""

    file: Path
    line: int
    key: str


@dataclass(slots=True)
class Gathered:
    """What has been read so far: record sets, mistakes, remarks for people, and files."""

    records: list[StatedRecord] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    files: list[Path] = field(default_factory=list)

    def note(self, file: Path, line: int | None, key: str, found: str, allowed: str) -> None:
        """Add a mistake."""
        self.problems.append(Problem(str(file), line, key, found, allowed))

    def read(self, path: Path, stated_at: Statement) -> str | None:
        """A file's text; where it cannot be opened, whoever named it is told."""
        self.files.append(path)
        content = files.read_text(path)
        problem = content.problem
        if problem is None:
            return content.text
        if problem.line is None:
            found = f"{path}: {problem.found}"
            self.note(stated_at.file, stated_at.line, stated_at.key, found, "a readable file")
        else:
            self.problems.append(problem)
        return None


def mapping(file: str, line: int, **nodes: Node) -> Mapping:
    """A mapping whose keys all stand in one line."""
    return Mapping(file, line, {key: Entry(line, node) for key, node in nodes.items()})


def simple_record(file: str, line: int, record_type: str, ttl: Node, values: list[Node]) -> Mapping:
    """A record set of type, TTL and values."""
    return mapping(
        file,
        line,
        type=Scalar(file, line, record_type),
        ttl_s=ttl,
        values=Listing(file, line, values),
    )
