"""The schema's verdict on a tree, in words: what was found, what is allowed, and where.

`valid_part` goes on after mistakes: it leaves out what is wrong and gives the rest, so that the
checks that follow can report their own mistakes in the same pass. What a secret field holds is
never repeated.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, Generic, TypeVar

from pydantic import ValidationError

from dnsplan.runtime.config.allowed import (
    describe,
    field_at,
    is_below_secret,
    key_field,
    keys_of,
)
from dnsplan.runtime.config.nodes import Node, Path, locate, plain, without
from dnsplan.runtime.config.secret import ERROR_TYPE
from dnsplan.runtime.config.section import Section

SectionT = TypeVar("SectionT", bound=Section)

SHOWN_CHARACTERS_MAX = 60
# Each round leaves out at least one mistake's place; a file with more is reported in part.
ROUNDS_MAX = 8


@dataclass(frozen=True, slots=True)
class Finding:
    """A mistake at a path of a tree."""

    path: Path
    found: str
    allowed: str


@dataclass(frozen=True, slots=True)
class Part(Generic[SectionT]):
    """What is left of a tree once the mistakes are out; `section` is None when nothing is."""

    section: SectionT | None
    node: Node
    findings: tuple[Finding, ...]


def valid_part(kind: type[SectionT], node: Node, context: Mapping[str, object]) -> Part[SectionT]:
    """Decode a tree; findings are in the writer's own counting of list items."""
    findings: tuple[Finding, ...] = ()
    for turn in range(ROUNDS_MAX):
        try:
            section = kind.model_validate(plain(node), context=dict(context))
        except ValidationError as error:
            details = error.errors(include_url=False)
        else:
            return Part(section, node, findings)
        if turn == 0:  # what later rounds find missing is what the first one cut
            findings = tuple(_finding(kind, node, detail) for detail in details)
        bad = {_where_to_cut(detail) for detail in details}
        if () in bad:
            break
        # From the end of each list, so that the places of the items before stay as they are.
        for path in sorted(bad, key=_cutting_order, reverse=True):
            node = without(node, path)
    return Part(None, node, findings)


def show(value: object) -> str:
    """A value of the config as people would name it, cut to a line's length."""
    match value:
        case None:
            return "nothing"
        case bool():
            return "true" if value else "false"
        case str():
            short = value if len(value) <= SHOWN_CHARACTERS_MAX else f"{value[:57]}..."
            return f'the text "{short}"'
        case int() | float():
            return f"the number {value}"
        case list():
            return f"a list of {len(value)}" if value else "an empty list"
        case _:
            return "a mapping" if value else "an empty mapping"


def nearest(word: str, words: Mapping[str, object] | tuple[str, ...]) -> str:
    """`did you mean x?` when one of the words is close, else the words themselves."""
    known = sorted(words)
    if close := get_close_matches(word, known, n=1, cutoff=0.6):
        return f"did you mean {close[0]}?"
    shown = ", ".join(known[:12]) + (", ..." if len(known) > 12 else "")
    return f"one of {shown}" if known else "none here"


def _finding(kind: type[Section], node: Node, detail: Any) -> Finding:  # pydantic's ErrorDetails
    path = _path_of(detail)
    error = detail["type"]
    shown = locate(node, path).path
    if error == ERROR_TYPE:
        return Finding(shown, detail["ctx"]["found"], detail["ctx"]["allowed"])
    if error == "extra_forbidden":
        known = keys_of(field_at(kind, path[:-1]))
        return Finding(shown, f"an unknown key {path[-1]}", nearest(str(path[-1]), known))
    field = field_at(kind, path)
    allowed = describe(field) if field else "another value"
    if error == "missing":
        return Finding(shown, "nothing", f"this key is needed: {allowed}")
    if detail["loc"][-1:] == ("[key]",):
        keys = key_field(field_at(kind, path[:-1]))
        return Finding(shown, f"the key {path[-1]}", describe(keys) if keys else allowed)
    if is_below_secret(kind, path) or (field and keys_of(field)):
        return Finding(shown, _kind(detail["input"]), allowed)
    return Finding(shown, show(detail["input"]), allowed)


def _kind(value: object) -> str:
    """What sort of value it is, where the value itself says too much or nothing."""
    match value:
        case bool():
            return "true or false"
        case str():
            return "a text"
        case int() | float():
            return "a number"
        case _:
            return show(value)


def _path_of(detail: Any) -> Path:  # pydantic's ErrorDetails
    location: Path = detail["loc"]
    return location[:-1] if location[-1:] == ("[key]",) else location


def _where_to_cut(detail: Any) -> Path:  # pydantic's ErrorDetails
    path = _path_of(detail)
    return path[:-1] if detail["type"] == "missing" else path


def _cutting_order(path: Path) -> tuple[tuple[bool, int, str], ...]:
    return tuple(
        (isinstance(step, int), step if isinstance(step, int) else 0, str(step)) for step in path
    )
