"""Finds out what a zone holds: from the plan that the fence names, or by listing.

A listing counts only if no fenced write happened while it was read: the fence is seen in it or read
again behind it, and equals the one this cycle began with. A long zone is read in windows of names,
each acted upon while it is fresh.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass

from dnsplan.errors import ReadFailed
from dnsplan.fence import NoFence, SeenFence, is_fence, read_fence
from dnsplan.names import Name, listing_order
from dnsplan.plan import Plan
from dnsplan.ports import Zone
from dnsplan.records import RecordSet
from enactor.notes import held_at
from enactor.ports import Cursor, ZoneReach
from enactor.reading import read_names
from enactor.rules.exceptions import HeldName
from enactor.rules.view import says_all
from enactor.settings import Pace


@dataclass(frozen=True, slots=True)
class Window:
    """All record sets of the names from `start` up to, but not with, `following`.

    None is the zone's beginning or end. `expires_s` is on the elapsed clock.
    """

    listed: tuple[RecordSet, ...]
    start: Name | None
    following: Name | None
    expires_s: float | None

    def __contains__(self, name: Name) -> bool:
        """Whether the name lies in the window, listed or not."""
        place = listing_order(name)
        begins = self.start is None or listing_order(self.start) <= place
        return begins and (self.following is None or place < listing_order(self.following))


@dataclass(frozen=True, slots=True)
class Moved:
    """The fence changed while the zone was read."""

    found: SeenFence | NoFence


@dataclass(frozen=True, slots=True)
class Trusted:
    """What the fence's own plan says the zone holds, and the names that it holds back."""

    live: tuple[RecordSet, ...]
    held: Mapping[Name, HeldName]


class Viewer:
    """One enactor's eyes on Route 53."""

    def __init__(self, outside: ZoneReach, *, pace: Pace) -> None:
        """Listing stops at a third of a view's life, so that its batches fit in the rest."""
        self._records = outside.records
        self._exceptions = outside.exceptions
        self._clock = outside.clock
        self._pace = pace

    async def trusted(self, zone: Zone, fence: SeenFence, base: Plan) -> Trusted | None:
        """The zone as the fence and its plan state it; None when the zone must be listed."""
        seen = fence.record
        if says_all(seen):
            return Trusted(base.content, {})
        if not seen.is_complete:
            return None
        held = await held_at(self._exceptions, zone.label, seen)
        if held is None:
            return None
        live = [one for one in base.content if one.name not in held]
        async for read in read_names(self._records, zone, held):
            live.extend(read.listed)
        return Trusted(tuple(live), held)

    async def whole(self, zone: Zone) -> tuple[RecordSet, ...]:
        """Every record set of a zone that has no fence; creating the fence is the check."""
        listed: list[RecordSet] = []
        cursor: Cursor | None = None
        while True:
            page = await self._records.list_page(zone, cursor)
            listed.extend(page.record_sets)
            if page.following is None:
                return tuple(listed)
            cursor = page.following

    async def window(
        self, zone: Zone, start: Name | None, fence: SeenFence, *, pages_max: int | None = None
    ) -> Window | Moved:
        """The next window of a zone whose fence is known, or what the fence is now.

        It has at least one whole name, and no more than `pages_max` pages but for that.
        """
        began_s = self._clock.elapsed_s()
        listed: list[RecordSet] = []
        cursor = Cursor(start) if start is not None else None
        pages = 0
        while True:
            page = await self._records.list_page(zone, cursor)
            pages += 1
            listed.extend(page.record_sets)
            cursor = page.following
            if cursor is None:
                break
            late = self._clock.elapsed_s() - began_s > self._pace.view_max_s / 3
            has_whole_name = bool(listed) and listed[0].name != cursor.name
            if has_whole_name and (late or pages >= (pages_max or math.inf)):
                break
        following = cursor.name if cursor is not None else None
        whole_names = tuple(one for one in listed if one.name != following)
        seen = next((one for one in whole_names if is_fence(one, zone.name)), None)
        if seen is not None and seen != fence.listed:
            return Moved(read_fence(seen))
        one_look = pages == 1 and seen is not None
        if not one_look:
            now = await self._records.read_fence(zone)
            if isinstance(now, NoFence) or now.listed != fence.listed:
                return Moved(now)
        expires_s = None if one_look else began_s + self._pace.view_max_s
        if expires_s is not None and self._clock.elapsed_s() > expires_s:
            raise ReadFailed(f"listing {zone.label} took longer than a view may be old")
        return Window(whole_names, start, following, expires_s)
