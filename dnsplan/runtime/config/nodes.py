"""The tree of a config text: every key and value knows the file and line it was written in.

Trees are never changed in place, since an anchor's node stands in several places at once.
"""

from typing import TypeAlias

from msgspec import Struct

from dnsplan.runtime.config.scalars import ScalarValue

Path: TypeAlias = tuple[str | int, ...]


class Scalar(Struct, frozen=True, gc=False):
    """One value."""

    file: str
    line: int
    value: ScalarValue


class Entry(Struct, frozen=True, gc=False):
    """A value under its key; `line` is the key's."""

    line: int
    node: "Node"


class Mapping(Struct, frozen=True, gc=False):
    """Entries by key, in the order of the file."""

    file: str
    line: int
    entries: dict[str, Entry]


class Listing(Struct, frozen=True, gc=False):
    """Items in order. `origin` holds their places in the file once some were left out."""

    file: str
    line: int
    items: "list[Node]"
    origin: list[int] | None = None


Node: TypeAlias = Scalar | Mapping | Listing


class Place(Struct, frozen=True):
    """Where a path leads: the line to show for it, and the path as its writer counts it."""

    file: str
    line: int
    path: Path
    node: Node


def locate(root: Node, path: Path) -> Place:
    """The place of a path; of what is absent, the nearest place that there is."""
    node, file, line, shown = root, root.file, root.line, list[str | int]()
    for index, step in enumerate(path):
        match node:
            case Mapping() if isinstance(step, str) and step in node.entries:
                line, node = node.entries[step].line, node.entries[step].node
                file = node.file  # a key that came from another file brought its value along
                shown.append(step)
            case Listing() if isinstance(step, int) and step < len(node.items):
                shown.append(node.origin[step] if node.origin else step)
                node = node.items[step]
                file, line = node.file, node.line
            case _:
                return Place(file, line, (*shown, *path[index:]), node)
    return Place(file, line, tuple(shown), node)


def plain(node: Node) -> object:
    """The same tree as dicts, lists and scalars."""
    match node:
        case Scalar():
            return node.value
        case Mapping():
            return {key: plain(entry.node) for key, entry in node.entries.items()}
        case Listing():
            return [plain(item) for item in node.items]


def without(node: Node, path: Path) -> Node:
    """The tree less what stands at the path; the same tree when nothing stands there."""
    step, rest = path[0], path[1:]
    match node:
        case Mapping() if isinstance(step, str) and step in node.entries:
            entries = dict(node.entries)
            if rest:
                old = entries[step]
                entries[step] = Entry(old.line, without(old.node, rest))
            else:
                del entries[step]
            return Mapping(node.file, node.line, entries)
        case Listing() if isinstance(step, int) and step < len(node.items):
            items = list(node.items)
            origin = list(node.origin or range(len(items)))
            if rest:
                items[step] = without(items[step], rest)
            else:
                del items[step], origin[step]
            return Listing(node.file, node.line, items, origin)
        case _:
            return node


def entries_of(node: Node | None) -> dict[str, Entry]:
    """The entries of a mapping; none of anything else."""
    return node.entries if isinstance(node, Mapping) else {}


def child(node: Node | None, key: str) -> Node | None:
    """The value under a key, if there is one."""
    entry = entries_of(node).get(key)
    return entry.node if entry else None


def show_path(path: Path) -> str:
    """A path as text: `pools.web.targets[0].address`; odd keys are quoted."""
    text = ""
    for step in path:
        if isinstance(step, int):
            text += f"[{step}]"
            continue
        is_word = step and all(letter.isalnum() or letter in "_-@*" for letter in step)
        text += ("." if text else "") + (step if is_word else f'"{step}"')
    return text
