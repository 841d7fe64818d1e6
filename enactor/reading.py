"""Reads single names of a zone in as few requests as their places in the listing allow.

A page shows 300 record sets from its start on, so names that lie near each other share one. What it
returns is every record set of each name that was asked for, and of no other.
"""

from bisect import bisect_left
from collections.abc import AsyncGenerator, Collection, Iterable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass

from dnsplan.names import Name, listing_order
from dnsplan.ports import Clock, Zone
from dnsplan.records import RecordSet
from enactor.ports import Cursor, ZoneRecords


@dataclass(frozen=True, slots=True)
class NamesRead:
    """Some of the names, and all that stands at them."""

    names: tuple[Name, ...]
    listed: tuple[RecordSet, ...]


async def read_names(
    records: ZoneRecords, zone: Zone, names: Iterable[Name]
) -> AsyncGenerator[NamesRead]:
    """What stands at these names, a page at a time, so that many of them need little memory."""
    waiting = sorted(set(names), key=listing_order)
    places = [listing_order(name) for name in waiting]
    at = 0
    while at < len(waiting):
        page = await records.list_page(zone, Cursor(waiting[at]))
        listed, following = page.record_sets, page.following
        upto = len(waiting)
        if following is not None:
            upto = bisect_left(places, listing_order(following.name), at)
        if upto == at:  # a name of more than one page
            listed, upto = await records.list_name(zone, waiting[at]), at + 1
        covered = frozenset(waiting[at:upto])
        yield NamesRead(
            tuple(waiting[at:upto]), tuple(one for one in listed if one.name in covered)
        )
        at = upto


async def read_in_time(
    records: ZoneRecords, zone: Zone, names: Iterable[Name], *, clock: Clock, within_s: float
) -> NamesRead:
    """As many of the names as can be read in this time, and at least one page of them."""
    until_s = clock.elapsed_s() + within_s
    covered: list[Name] = []
    listed: list[RecordSet] = []
    async with aclosing(read_names(records, zone, names)) as pages:
        async for read in pages:
            covered.extend(read.names)
            listed.extend(read.listed)
            if clock.elapsed_s() > until_s:
                break
    return NamesRead(tuple(covered), tuple(listed))


def at_names(
    listed: Iterable[RecordSet], names: Collection[Name]
) -> Mapping[Name, Sequence[RecordSet]]:
    """What stands at each of these names, which may be nothing."""
    found: dict[Name, list[RecordSet]] = {name: [] for name in names}
    for one in listed:
        if one.name in found:
            found[one.name].append(one)
    return found
