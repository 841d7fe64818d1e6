"""The fence as an operator meets it: readable, damaged, or not there.

What can still be read of a damaged fence counts: its owner, how far it had come, and its freeze.
One at a number that nobody ever issued is as good as damaged: above it there would soon be no
number to go on with.
"""

import re
from dataclasses import dataclass

from dnsplan.errors import FenceDamaged
from dnsplan.fence import NoFence, SeenFence, fence_name, is_fence
from dnsplan.plan import BELIEVED_MAX, NO_GENERATION, Generation
from dnsplan.ports import Zone
from dnsplan.records import RecordSet
from enactor.ports import ZoneRecords

_OWNER = re.compile(r"owner=([0-9a-f]{32})")
_FROZEN = re.compile(r"frozen=([0-9a-f]{16})(?![0-9a-f])")
_GENERATION = re.compile(r"generation=([0-9]{1,15})(?![0-9])")


@dataclass(frozen=True, slots=True)
class Standing:
    """`damaged` is what stands at the fence's name and cannot be read; then `fence` is None."""

    fence: SeenFence | None
    damaged: tuple[RecordSet, ...] = ()

    @property
    def generation(self) -> Generation:
        """The highest number that the fence is known to have reached."""
        if self.fence is not None:
            return self.fence.record.generation
        numbers = map(int, _GENERATION.findall(self._text))
        issued = (number for number in numbers if number <= BELIEVED_MAX)
        return Generation(max(issued, default=NO_GENERATION))

    @property
    def owner(self) -> str | None:
        """Whose the zone is, if that can be told."""
        if self.fence is not None:
            return self.fence.record.owner
        found = _OWNER.search(self._text)
        return None if found is None else found[1]

    @property
    def frozen(self) -> str | None:
        """The freeze that the fence carries, as far as can be told."""
        if self.fence is not None:
            return self.fence.record.frozen
        found = _FROZEN.search(self._text)
        return None if found is None else found[1]

    @property
    def _text(self) -> str:
        return " ".join(value for one in self.damaged for value in one.values)


async def read_standing(records: ZoneRecords, zone: Zone) -> Standing:
    """The fence as it is now, in one request, or two where it is damaged."""
    try:
        fence = await records.read_fence(zone)
    except FenceDamaged:
        listed = await records.list_name(zone, fence_name(zone.name))
        return Standing(None, tuple(one for one in listed if is_fence(one, zone.name)))
    if isinstance(fence, NoFence):
        return Standing(None)
    if fence.record.generation > BELIEVED_MAX:
        return Standing(None, (fence.listed,))
    return Standing(fence)
