"""Which names of a refused batch are at fault, and what each of them is.

Route 53's messages name record sets in prose that is no contract, so they only choose which names
are read again; the reading decides. A name that stands otherwise than believed has drifted. One
that stands as believed is sent alone, so that it is held for its own refusal and never for its
neighbour's.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TypeAlias

from dnsplan.diff import NameChange, diff
from dnsplan.errors import InvalidName
from dnsplan.names import parse_name
from dnsplan.records import RecordSet, unit_of
from enactor.rules.drift import DRIFT_HELD, FOREIGN, Origin, origin_of

# Names that one refusal makes us read again; more are found by halving the batch.
NAMES_READ_MAX = 5

_NAMED = re.compile(r"(?:name='|DNS name |Name=|record set (?!\[)(?:'[A-Z0-9]+ )?)([^'\s,\]]+)")


@dataclass(frozen=True, slots=True)
class Mended:
    """The name stood otherwise than believed; the change from what stands, if one is left."""

    change: NameChange | None


@dataclass(frozen=True, slots=True)
class Isolated:
    """The name keeps its present records."""

    reason: str


@dataclass(frozen=True, slots=True)
class Believed:
    """The name stands as believed: if it is at fault at all, it is for what the plan states."""


Verdict: TypeAlias = Mended | Isolated | Believed


def suspects(messages: Iterable[str], group: Sequence[NameChange]) -> tuple[NameChange, ...]:
    """The changes to read again: those the messages name, or the only one of a group."""
    names = set()
    for message in messages:
        for text in _NAMED.findall(message):
            try:
                names.add(parse_name(text))
            except InvalidName:
                continue
    named = tuple(change for change in group if change.name in names)
    if named:
        return named[:NAMES_READ_MAX]
    return tuple(group) if len(group) == 1 else ()


def in_words(messages: Iterable[str]) -> str:
    """What Route 53 said, in one line."""
    return "; ".join(messages) or "refused by Route 53 without a reason"


def halves(
    parts: Sequence[tuple[NameChange, ...]],
) -> tuple[tuple[NameChange, ...], tuple[NameChange, ...]]:
    """Two halves, for a refusal that does not say whom it means; what changes together stays so."""
    middle = len(parts) // 2
    return tuple(chain(*parts[:middle])), tuple(chain(*parts[middle:]))


def examine(
    change: NameChange,
    *,
    listed: tuple[RecordSet, ...],
    desired: tuple[RecordSet, ...],
    known: tuple[tuple[RecordSet, ...], ...],
    possible: tuple[tuple[RecordSet, ...], ...] = (),
    repair_drift: bool,
) -> Verdict:
    """What a refused name is, now that all record sets of it were read again.

    `known` and `possible` are what plans before this one stated for it; see `origin_of`.
    """
    units = {unit_of(one) for one in (*change.before, *desired)}
    exclusive = any(one.type == "CNAME" for one in (*desired, *listed))
    standing = tuple(one for one in listed if exclusive or unit_of(one) in units)
    found = diff(standing, desired)
    if not found:
        return Mended(None)
    mended = found[0]
    believed = set(mended.before) == set(change.before) and set(mended.after) == set(change.after)
    if believed:
        return Believed()
    origin = origin_of(standing, known, possible)
    if origin is Origin.FOREIGN:
        return Isolated(FOREIGN)
    if origin is Origin.CHANGED and not repair_drift:
        return Isolated(DRIFT_HELD)
    return Mended(mended)
