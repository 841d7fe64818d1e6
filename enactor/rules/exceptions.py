"""Names that do not hold the plan's content, with the reason: the exceptions of one fence value.

They are kept under the nonce of the fence that counts them, so that a note by another writer of the
same generation can never be taken for this one's.
"""

from collections.abc import Mapping

from msgspec import Struct

from dnsplan.names import Name, display
from dnsplan.plan import Generation
from dnsplan.records import RecordSet, leads_to
from enactor.rules.drift import DRIFT_HELD
from enactor.rules.waiting import WAITS


class HeldName(Struct, frozen=True, array_like=True):
    """A name that keeps what it had: why, and the record sets that it was refused.

    It is tried again only when the plan states something else for it. `kept` is what stands
    there of ours: no plan may be left that states it. None: it is others', or was changed by them.
    """

    name: Name
    reason: str
    refused: tuple[RecordSet, ...]
    kept: tuple[RecordSet, ...] | None = None

    def targets(self, zone: Name) -> frozenset[Name]:
        """Names of the zone that what was refused would lead to."""
        return frozenset(target for target, _ in leads_to(self.refused, zone))

    def __str__(self) -> str:
        """Who is held and why, in one line."""
        return f"{display(self.name)} held: {self.reason}"


class ExceptionsRow(Struct, frozen=True, array_like=True):
    """The names held back at one fence value, found again by that value's nonce."""

    label: str
    generation: Generation
    nonce: str
    names: tuple[HeldName, ...]


def stays_held(held: HeldName, desired: tuple[RecordSet, ...], *, repair_drift: bool) -> bool:
    """Whether the plan still states exactly what was refused, so that asking again is useless.

    What was held for the zone's word on drift is free again when that word has changed.
    """
    if held.reason == DRIFT_HELD and repair_drift:
        return False
    return set(held.refused) == set(desired)


def waiting_too(
    names: frozenset[Name], held: Mapping[Name, HeldName], zone: Name
) -> frozenset[Name]:
    """These names, the held ones that would lead to one of them, and where one of them is held and
    others wait with it, all that are held."""
    waits = any(one.reason.startswith(WAITS) for one in held.values())
    if waits and names & held.keys():
        return names | held.keys()
    return names | {one.name for one in held.values() if one.targets(zone) & names}
