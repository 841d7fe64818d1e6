"""Reads the note of the names that a fence counts as held; a note that does not fit its fence is
no note, so that nothing is ever concluded from half of one."""

from collections.abc import Mapping
from dataclasses import dataclass

from dnsplan.errors import FenceDamaged
from dnsplan.fence import FenceRecord, parse_fence
from dnsplan.generation import GenerationItem
from dnsplan.names import Name
from dnsplan.plan import Generation
from enactor.ports import ExceptionsLog
from enactor.rules.exceptions import HeldName
from enactor.rules.outcomes import InSync


async def held_at(
    exceptions: ExceptionsLog, label: str, fence: FenceRecord
) -> Mapping[Name, HeldName] | None:
    """The names held at this fence value, none if it counts none; None: the note is missing."""
    if fence.held == 0:
        return {}
    row = await exceptions.find(label, fence.generation, fence.note)
    if row is None or len(row.names) != fence.held:
        return None
    return {one.name: one for one in row.names}


async def in_sync(exceptions: ExceptionsLog, label: str, fence: FenceRecord) -> InSync:
    """A zone whose fence says that its plan stands, with the names for which it does not."""
    held = await held_at(exceptions, label, fence)
    if held is None:
        notes: tuple[str, ...] = (f"names held: {fence.held}; the note of which ones is gone",)
    else:
        notes = tuple(str(held[name]) for name in sorted(held))
    return InSync(fence.generation, fence.held, notes)


@dataclass(frozen=True, slots=True)
class HeldSoFar:
    """Names held under the newest applied plan and at the standing fence, as far as they are noted.

    `forgotten` are plans that stand but for names that nobody can tell any more.
    """

    names: Mapping[Name, HeldName]
    forgotten: frozenset[Generation]


async def held_so_far(
    exceptions: ExceptionsLog, item: GenerationItem, fence: FenceRecord | None
) -> HeldSoFar:
    """A plan that is only half done since the applied one may not have come to the names that were
    held then: its own fence does not count them yet, and the applied plan states what never stood
    there."""
    names: dict[Name, HeldName] = {}
    forgotten: set[Generation] = set()
    for one in dict.fromkeys(one for one in (noted_fence(item), fence) if one is not None):
        held = await held_at(exceptions, item.label, one)
        names.update(held or {})
        if held is None and one.is_complete:
            forgotten.add(one.generation)
    return HeldSoFar(names, frozenset(forgotten))


def noted_fence(item: GenerationItem) -> FenceRecord | None:
    """The fence under which the newest applied plan was noted."""
    if item.applied_fence is None:
        return None
    try:
        return parse_fence(item.applied_fence)
    except FenceDamaged:
        return None
