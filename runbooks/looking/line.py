"""A zone's line of plans, newest first: which content each number had, as far as that is kept.

A number may have several stored bodies, since of two publishers only one wins it. The winner is
named only where the generation item says which it is; nothing is guessed.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TypeAlias

from dnsplan.codec import contents
from dnsplan.errors import DnsplanError, FenceDamaged
from dnsplan.fence import parse_fence
from dnsplan.generation import GenerationItem
from dnsplan.plan import Generation, Plan, PlanId
from dnsplan.ports import PlanArchive, PlanRow


@dataclass(frozen=True, slots=True)
class Gone:
    """A plan whose content cannot be shown, and why."""

    why: str


Content: TypeAlias = Plan | Gone


@dataclass(frozen=True, slots=True)
class Link:
    """One number of the line with the row that is known, or thought, to be its own.

    `rivals` are other bodies of the same number; where there are some and nothing says which was
    published, `is_certain` is false.
    """

    row: PlanRow
    rivals: int
    is_certain: bool

    @property
    def generation(self) -> Generation:
        """Its number."""
        return self.row.plan_id.generation


def line_of(item: GenerationItem, rows: Iterable[PlanRow]) -> tuple[Link, ...]:
    """The published numbers, newest first; what was stored above head was never published."""
    known = known_ids(item)
    ordered = sorted(rows, key=lambda row: row.plan_id.generation, reverse=True)
    links = []
    for generation, group in groupby(ordered, key=lambda row: row.plan_id.generation):
        if generation > item.head:
            continue
        bodies = list(group)
        own = [row for row in bodies if row.plan_id in known]
        chosen = own[0] if own else bodies[0]
        links.append(Link(chosen, len(bodies) - 1, bool(own) or len(bodies) == 1))
    return tuple(links)


def published(
    item: GenerationItem, rows: Iterable[PlanRow], generation: Generation
) -> PlanId | Gone:
    """The plan that had this number, or why nobody can tell or show it."""
    named = [one for one in known_ids(item) if one.generation == generation]
    if generation == item.head:
        return item.head_id
    if len(named) == 1:
        return named[0]
    bodies = [row for row in rows if row.plan_id.generation == generation]
    if not bodies or generation > item.head:
        return Gone(f"no body of {item.label} {generation}")
    if len(bodies) > 1:
        return Gone(f"{len(bodies)} bodies of {item.label} {generation}, one of them was published")
    if bodies[0].deleted_s is not None:
        return Gone(f"the body of {item.label} {generation} was deleted by {bodies[0].deleted_by}")
    return bodies[0].plan_id


def known_ids(item: GenerationItem) -> frozenset[PlanId]:
    """The plans whose digest the generation item itself holds: head, pinned and applied."""
    found = {item.head_id}
    if item.pin is not None and item.pin_digest is not None:
        found.add(PlanId(item.label, item.pin, item.pin_digest))
    if item.applied_fence is not None:
        try:
            fence = parse_fence(item.applied_fence)
        except FenceDamaged:
            return frozenset(found)
        found.add(PlanId(item.label, fence.generation, fence.digest))
    return frozenset(found)


class Line:
    """Reads the contents of a line, one at a time, and keeps the last two: each is compared with
    the one before it, and a plan may be large."""

    def __init__(self, archive: PlanArchive, links: Sequence[Link]) -> None:
        """The links as `line_of` gives them."""
        self._archive = archive
        self.links = tuple(links)
        self._kept: dict[PlanId, Content] = {}

    async def content(self, at: int) -> Content:
        """The content of a link by its place; Gone behind the end."""
        if at >= len(self.links):
            return Gone("no older plan is kept")
        link = self.links[at]
        plan_id = link.row.plan_id
        if plan_id not in self._kept:
            read = await self._read(link)
            while len(self._kept) > 1:
                del self._kept[next(iter(self._kept))]
            self._kept[plan_id] = read
        return self._kept[plan_id]

    async def _read(self, link: Link) -> Content:
        row = link.row
        if not link.is_certain:
            return Gone(f"{link.rivals + 1} bodies of {link.generation}, one of them was published")
        if row.deleted_s is not None:
            return Gone(f"its content was deleted by {row.deleted_by}")
        try:
            return contents(await self._archive.load(row.plan_id))
        except DnsplanError as error:
            return Gone(str(error))
