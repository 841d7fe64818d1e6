"""Reads a zone's past, plan by plan, newest first, with what each of them changed.

It only reads. A plan whose content is gone stays in the list with the reason, and bounds hold on
how many plans are read: what was not looked at is said.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from dnsplan.diff import NameChange, diff
from dnsplan.fence import SeenFence
from dnsplan.generation import GenerationItem
from dnsplan.names import Name
from dnsplan.plan import NO_GENERATION, Generation, Plan
from dnsplan.ports import PlanRow
from dnsplan.runtime.status.model import Unread
from runbooks.controls.outside import Refused
from runbooks.looking.eyes import Eyes, fact
from runbooks.looking.line import Gone, Line, Link, line_of

# One name's changes are looked for in as many plans; at six a minute that is half an hour, and a
# plan of a large zone takes a second to read.
PLANS_SEARCHED_MAX = 200


@dataclass(frozen=True, slots=True)
class Entry:
    """One plan. `changes` is Gone when its content, or that of the one before, is."""

    row: PlanRow
    marks: tuple[str, ...]
    changes: tuple[NameChange, ...] | Gone
    plan: Plan | Gone


@dataclass(frozen=True, slots=True)
class Past:
    """What was read. `older` are plans that were not looked at; `live` is what the zone's own fence
    says, or why it could not be read."""

    item: GenerationItem
    entries: tuple[Entry, ...]
    looked: int
    older: int
    live: Generation | Unread | None


async def read_past(
    eyes: Eyes, label: str, zone_name: str, *, name: Name | None, limit: int
) -> Past:
    """The newest plans, or of those the ones that changed a name; Refused when there is none."""
    item = await eyes.item(label)
    if item is None or item.head == NO_GENERATION:
        raise Refused(f"{label} has no plan yet; see dns-planner plan {label}")
    line = Line(eyes.archive, line_of(item, await eyes.archive.rows(label)))
    live = await fact(label, "the fence", _live(eyes, label, item, zone_name))
    entries: list[Entry] = []
    looked = 0
    while looked < len(line.links) and len(entries) < limit:
        if name is not None and looked == PLANS_SEARCHED_MAX:
            break
        entry = await _entry(line, looked, item, live)
        looked += 1
        if name is None:
            entries.append(entry)
        elif (about := about_name(entry, name)) is not None:
            entries.append(about)
    return Past(item, tuple(entries), looked, len(line.links) - looked, live)


def about_name(entry: Entry, name: Name) -> Entry | None:
    """The entry with nothing but this name's change; None when it is known to have none."""
    if isinstance(entry.changes, Gone):
        return entry
    changes = tuple(one for one in entry.changes if one.name == name)
    return Entry(entry.row, entry.marks, changes, entry.plan) if changes else None


def never_stated(entry: Entry, name: Name) -> bool:
    """Whether the last plan that could be compared knows neither a name nor that it ended, and what
    was before it is gone."""
    if not isinstance(entry.changes, Gone) or isinstance(entry.plan, Gone):
        return False
    known = {one.name for one in entry.plan.content} | {one.name for one in entry.plan.retired}
    return name not in known


def marks_of(link: Link, item: GenerationItem, live: Generation | Unread | None) -> tuple[str, ...]:
    """What stands at this number, in words."""
    at = link.generation
    found = {
        "head": at == item.head,
        "live": at == live,
        "applied": at == item.applied,
        "last known good": at == item.last_known_good,
        "pinned": at == item.pin,
        "floor": at == item.floor,
        "buried": link.row.deleted_s is not None,
        f"one of {link.rivals + 1} bodies": not link.is_certain,
    }
    return tuple(mark for mark, holds in found.items() if holds)


def came(changes: Iterable[NameChange]) -> tuple[Name, ...]:
    """Names that were not there before."""
    return tuple(one.name for one in changes if not one.before and not one.kept)


def went(changes: Iterable[NameChange]) -> tuple[Name, ...]:
    """Names that are there no more."""
    return tuple(one.name for one in changes if one.ends)


def differ(changes: Sequence[NameChange]) -> tuple[Name, ...]:
    """Names that were there and are, with other records."""
    others = {*came(changes), *went(changes)}
    return tuple(one.name for one in changes if one.name not in others)


async def _entry(
    line: Line, at: int, item: GenerationItem, live: Generation | Unread | None
) -> Entry:
    link = line.links[at]
    marks = marks_of(link, item, live)
    plan = await line.content(at)
    if isinstance(plan, Gone):
        return Entry(link.row, marks, plan, plan)
    if link.row.base == NO_GENERATION and at == len(line.links) - 1:
        return Entry(link.row, marks, diff((), plan.content), plan)
    before = await line.content(at + 1)
    if isinstance(before, Gone):
        return Entry(link.row, marks, Gone(f"the plan before it: {before.why}"), plan)
    return Entry(link.row, marks, diff(before.content, plan.content), plan)


async def _live(eyes: Eyes, label: str, item: GenerationItem, zone_name: str) -> Generation | None:
    fence = await eyes.records.read_fence(await eyes.zone(label, item, zone_name))
    return fence.record.generation if isinstance(fence, SeenFence) else None
