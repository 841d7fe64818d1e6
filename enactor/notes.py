"""Reads the note of the names that a fence counts as held; a note that does not fit its fence is
no note, so that nothing is ever concluded from half of one."""

from collections.abc import Mapping

from dnsplan.errors import FenceDamaged
from dnsplan.fence import FenceRecord, parse_fence
from dnsplan.generation import GenerationItem
from dnsplan.names import Name
from enactor.ports import ExceptionsLog
from enactor.rules.exceptions import HeldName


async def held_at(
    exceptions: ExceptionsLog, label: str, fence: FenceRecord
) -> Mapping[Name, HeldName] | None:
    """The names held at this fence value, none if it counts none; None: the note is missing."""
    if fence.held == 0:
        return {}
    row = await exceptions.find(label, fence.generation, fence.nonce)
    if row is None or len(row.names) != fence.held:
        return None
    return {one.name: one for one in row.names}


async def held_when_applied(
    exceptions: ExceptionsLog, item: GenerationItem
) -> Mapping[Name, HeldName]:
    """The names held under the newest applied plan, as far as they are noted.

    A plan that is only half done since then may not have come to them: its own fence does not
    count them yet, and the applied plan states what never stood there.
    """
    fence = noted_fence(item)
    return {} if fence is None else await held_at(exceptions, item.label, fence) or {}


def noted_fence(item: GenerationItem) -> FenceRecord | None:
    """The fence under which the newest applied plan was noted."""
    if item.applied_fence is None:
        return None
    try:
        return parse_fence(item.applied_fence)
    except FenceDamaged:
        return None
