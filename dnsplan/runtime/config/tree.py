"""YAML text read into a tree, with every mistake noted at its line and reading on after it.

Only the plain parts of YAML are read: mappings with text keys, lists, scalars, and anchors within
a bound. Tags, merge keys, doubled keys and ambiguous scalars are slips, never guesses. No object
is ever built but nodes, and only a syntax error ends the reading.
"""

from dataclasses import dataclass, field

import yaml

from dnsplan.runtime.config.nodes import Entry, Listing, Mapping, Node, Path, Scalar
from dnsplan.runtime.config.scalars import ScalarValue, Trap, resolve_plain

# The deepest key of the schema is at depth 9; twice that is no config of ours.
DEPTH_MAX = 20
# 300,000 names with one record each are some 4 million nodes; an alias counts what it repeats.
NODES_MAX = 8_000_000


@dataclass(frozen=True, slots=True)
class Slip:
    """A mistake at a place of one file; `path` leads there from the file's root.

    `text` is what the writer wrote, kept apart because it may be a secret.
    """

    line: int
    path: Path
    found: str
    allowed: str
    text: str = ""


@dataclass(frozen=True, slots=True)
class Reading:
    """What one text gave: its root (None when it cannot be read at all) and every slip."""

    root: Node | None
    slips: tuple[Slip, ...]


def read_tree(text: str, file: str) -> Reading:
    """Read one YAML document; an empty text has no root and no slip."""
    builder = _Builder(file)
    try:
        for event in yaml.parse(text, Loader=yaml.CSafeLoader):
            builder.take(event)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = mark.line + 1 if mark else builder.line
        return Reading(None, (*builder.slips, Slip(line, (), _syntax(error, text), "YAML")))
    except yaml.reader.ReaderError as error:
        line = text.count("\n", 0, error.position) + 1
        found = f"the character {text[error.position : error.position + 1]!a}"
        return Reading(None, (*builder.slips, Slip(line, (), found, "printable text")))
    except _Unreadable as error:
        slip = Slip(builder.line, (), error.found, error.allowed)
        return Reading(None, (*builder.slips, slip))
    return Reading(builder.root, tuple(builder.slips))


class _Unreadable(Exception):
    def __init__(self, found: str, allowed: str) -> None:
        super().__init__(found)
        self.found = found
        self.allowed = allowed


@dataclass(slots=True)
class _Open:
    """A mapping or list that has begun and not ended; `skip` drops the value that follows."""

    node: Mapping | Listing
    anchor: str | None
    nodes_before: int
    key: str | None = None
    key_line: int = 0
    skip: bool = False


@dataclass(slots=True)
class _Builder:
    file: str
    root: Node | None = None
    slips: list[Slip] = field(default_factory=list)
    line: int = 1
    nodes: int = 0
    documents: int = 0
    stack: list[_Open] = field(default_factory=list)
    anchors: dict[str, tuple[Node, int]] = field(default_factory=dict)

    def take(self, event: yaml.Event) -> None:
        mark = event.start_mark
        self.line = mark.line + 1 if mark else self.line
        match event:
            case yaml.ScalarEvent():
                self._scalar(event)
            case yaml.MappingStartEvent():
                self._open(Mapping(self.file, self.line, {}), event)
            case yaml.SequenceStartEvent():
                self._open(Listing(self.file, self.line, []), event)
            case yaml.MappingEndEvent() | yaml.SequenceEndEvent():
                self._close()
            case yaml.AliasEvent():
                self._alias(event)
            case yaml.DocumentStartEvent():
                self.documents += 1
                if self.documents > 1:
                    raise _Unreadable("a second document (---)", "one document a file")
            case _:
                pass

    def _scalar(self, event: yaml.ScalarEvent) -> None:
        self._count(1)
        self._refuse_tag(event.tag)
        text = event.value
        value = resolve_plain(text) if event.implicit[0] and event.tag is None else text
        if self._wants_key():
            self._key(text, value)
            return
        if isinstance(value, Trap):
            found = f"a value that YAML 1.1 reads as {value.reading}"
            self._slip(found, "text in quotes, or a plain number", text=text)
            value = text
        node = Scalar(self.file, self.line, value)
        if event.anchor:
            self.anchors[event.anchor] = (node, 1)
        self._place(node)

    def _wants_key(self) -> bool:
        return bool(self.stack) and _is_open_mapping(self.stack[-1])

    def _key(self, text: str, value: ScalarValue | Trap) -> None:
        top = self.stack[-1]
        top.key, top.key_line = text, self.line
        there = top.node.entries.get(text) if isinstance(top.node, Mapping) else None
        if isinstance(value, Trap):
            found = f"the key {text}, which YAML 1.1 reads as {value.reading}"
            self._slip(found, f'the key in quotes: "{text}"')
        elif value is None or isinstance(value, bool):
            self._slip(f"the key {text}" if text else "no key", f'text in quotes: "{text}"')
        elif text == "<<":
            self._slip("a merge key (<<)", "`defaults:`, or every key written out")
            top.skip = True
        if there is not None:
            found = f"the key {text} a second time (first in line {there.line})"
            self._slip(found, "each key once")
            top.skip = True

    def _open(self, node: Mapping | Listing, event: yaml.CollectionStartEvent) -> None:
        if self._wants_key():
            raise _Unreadable("a list or a mapping as a key", "a text as a key")
        if len(self.stack) >= DEPTH_MAX:
            raise _Unreadable(f"more than {DEPTH_MAX} levels", "fewer levels")
        self._refuse_tag(event.tag)
        self.stack.append(_Open(node, event.anchor, self.nodes))
        self._count(1)

    def _close(self) -> None:
        done = self.stack.pop()
        if done.anchor:
            self.anchors[done.anchor] = (done.node, self.nodes - done.nodes_before)
        self._place(done.node)

    def _alias(self, event: yaml.AliasEvent) -> None:
        if event.anchor not in self.anchors or self._wants_key():
            raise _Unreadable(
                f"the alias *{event.anchor}",
                "an anchor that ended before it, or the text in quotes",
            )
        node, size = self.anchors[event.anchor]
        self._count(size)
        if len(self.stack) + _depth(node) > DEPTH_MAX:
            raise _Unreadable(f"more than {DEPTH_MAX} levels", "fewer levels")
        self._place(node)

    def _place(self, node: Node) -> None:
        if not self.stack:
            self.root = node
            return
        top = self.stack[-1]
        if isinstance(top.node, Listing):
            top.node.items.append(node)
            return
        if top.key is not None and not top.skip:
            top.node.entries[top.key] = Entry(top.key_line, node)
        top.key, top.skip = None, False

    def _count(self, nodes: int) -> None:
        self.nodes += nodes
        if self.nodes > NODES_MAX:
            raise _Unreadable(f"more than {NODES_MAX} values", "a smaller file, or fewer aliases")

    def _refuse_tag(self, tag: str | None) -> None:
        if tag is not None and tag != "!":
            shown = tag.replace("tag:yaml.org,2002:", "!!")
            self._slip(f"the tag {shown}", "no tags: text in quotes, numbers without")

    def _slip(self, found: str, allowed: str, *, text: str = "") -> None:
        steps: list[str | int] = []
        for one in self.stack:
            if isinstance(one.node, Listing):
                steps.append(len(one.node.items))
            elif one.key is not None:
                steps.append(one.key)
        self.slips.append(Slip(self.line, tuple(steps), found, allowed, text))


def _is_open_mapping(top: _Open) -> bool:
    return isinstance(top.node, Mapping) and top.key is None


def _depth(node: Node) -> int:
    match node:
        case Scalar():
            return 0
        case Mapping():
            return 1 + max((_depth(entry.node) for entry in node.entries.values()), default=0)
        case Listing():
            return 1 + max(map(_depth, node.items), default=0)


_IN_WORDS = {
    "found character that cannot start any token": "a character that can start no value",
    "did not find expected alphabetic or numeric character": (
        "a bare * or & before a text (a name as *.example stands in quotes)"
    ),
    "mapping values are not allowed in this context": "a `key:` where none can stand",
    "could not find expected ':'": "a key without `:` after it",
}


def _syntax(error: yaml.MarkedYAMLError, text: str) -> str:
    problem = error.problem or error.context or "a syntax error"
    found = _IN_WORDS.get(problem, problem)
    mark, begun = error.problem_mark, error.context_mark
    if mark is not None and begun is not None and begun.line < mark.line:
        found += f" (in what begins in line {begun.line + 1})"
    lines = text.splitlines()
    if mark is not None and mark.line < len(lines) and "\t" in lines[mark.line]:
        found += " (a tab in this line; indent with spaces)"
    return found
