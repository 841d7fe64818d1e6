"""Reads the note of the names that a fence counts as held; a note that does not fit its fence is
no note, so that nothing is ever concluded from half of one."""

from collections.abc import Mapping

from dnsplan.fence import FenceRecord
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
