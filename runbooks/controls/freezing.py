"""Freeze and thaw one zone.

Freeze writes the generation item first, so that nothing is claimed any more, then moves the fence,
so that a batch already in flight is refused too. It has succeeded only when that move is in sync,
also where the zone was frozen already. Thaw names the freeze that it ends.
"""

from msgspec import structs

from dnsplan.errors import DnsplanError
from dnsplan.fence import FenceRecord
from dnsplan.generation import GenerationItem, Transition
from dnsplan.outcomes import ConditionFailed, Written
from dnsplan.plan import NO_GENERATION, Digest
from dnsplan.ports import Zone
from dnsplan.transitions import freeze, thaw
from runbooks.controls.fence_mover import NONCE_BITS, FenceMover, MovedFence, Tell
from runbooks.controls.outside import AuditRow, Operator, Outside

FREEZE_ID_BITS = 64

# A table that somebody else changes more often than this while we look is asked again later.
ATTEMPTS_MAX = 5

# What a fence says that was made by a freeze in a zone where no plan ever stood.
NO_DIGEST = Digest("none")


class NothingToFreeze(DnsplanError):
    """The zone has no plan, so nothing could be sent to it."""


class NotFrozen(DnsplanError):
    """The zone is not frozen, or not by the freeze that was named."""


class HalfFrozen(DnsplanError):
    """No new plan is claimed, but a batch in flight may still land."""


class Freezing:
    """Freezes and thaws through the ports."""

    def __init__(self, outside: Outside, operator: Operator) -> None:
        """The operator is written into fence and audit."""
        self._outside = outside
        self._operator = operator
        self._mover = FenceMover(outside.records, clock=outside.clock, jitter=outside.jitter)

    async def freeze(self, zone: Zone, tell: Tell) -> str:
        """Freeze until it is in sync; the freeze's id."""
        item = await self._frozen_item(zone, tell)
        freeze_id = item.frozen or ""

        def frozen(standing: FenceRecord | None, nonce: str) -> FenceRecord:
            base = standing or self._first_fence(item, nonce)
            return structs.replace(base, frozen=freeze_id, nonce=nonce, writer=self._writer())

        try:
            moved = await self._mover.move(zone, item.owner, frozen, tell)
            await self._mover.in_sync(zone, moved, tell)
        except DnsplanError as error:
            await self._audit(zone, "freeze_in_table_only", freeze_id)
            raise HalfFrozen(
                f"{zone.label} is frozen in the table by {freeze_id}, in-flight batches are not"
                f" excluded: {error}; run dns-runbook freeze {zone.label} again"
            ) from error
        await self._audit(zone, "freeze", freeze_id)
        return freeze_id

    async def thaw(self, zone: Zone, freeze_id: str, tell: Tell) -> None:
        """End a freeze: the fence first, then the item; a crash in between leaves it frozen."""
        item = await self._item(zone)
        if item.frozen is not None and item.frozen != freeze_id:
            raise NotFrozen(
                f"{zone.label} is frozen by {item.frozen}, not by {freeze_id}; nothing was thawed"
            )

        def thawed(standing: FenceRecord | None, nonce: str) -> FenceRecord | None:
            if standing is None or standing.frozen != freeze_id:
                return None
            return structs.replace(standing, frozen=None, nonce=nonce, writer=self._writer())

        moved: MovedFence = await self._mover.move(zone, item.owner, thawed, tell)
        await self._mover.in_sync(zone, moved, tell)
        if item.frozen == freeze_id:
            await self._write(thaw(item, freeze_id, nonce=self._nonce()))
        elif moved.change_id is None:
            raise NotFrozen(f"{zone.label} is not frozen by {freeze_id}; nothing was thawed")
        await self._audit(zone, "thaw", freeze_id)

    async def _frozen_item(self, zone: Zone, tell: Tell) -> GenerationItem:
        for _ in range(ATTEMPTS_MAX):
            item = await self._item(zone)
            if item.frozen is not None:
                tell(f"{zone.label}: frozen in the table by {item.frozen}")
                return item
            freeze_id = self._outside.jitter.token(FREEZE_ID_BITS)
            await self._write(freeze(item, freeze_id, nonce=self._nonce()))
        raise NotFrozen(f"{zone.label}'s item changed {ATTEMPTS_MAX} times; run it again")

    async def _item(self, zone: Zone) -> GenerationItem:
        found = await self._outside.table.read((zone.label,))
        if zone.label not in found:
            raise NothingToFreeze(f"{zone.label} has no plan; nothing can be sent to it yet")
        return found[zone.label]

    async def _write(self, transition: Transition) -> None:
        """Write once; a failed condition is seen by the next read."""
        outcome = await self._outside.table.write(transition)
        if not isinstance(outcome, Written | ConditionFailed):
            raise NotFrozen(
                f"{transition.name} of {transition.label} got no answer ({outcome.reason});"
                " run the same command again"
            )

    def _first_fence(self, item: GenerationItem, nonce: str) -> FenceRecord:
        return FenceRecord(
            generation=NO_GENERATION,
            step=1,
            steps=1,
            base=NO_GENERATION,
            held=0,
            owner=item.owner,
            writer=self._writer(),
            nonce=nonce,
            digest=NO_DIGEST,
        )

    async def _audit(self, zone: Zone, action: str, freeze_id: str) -> None:
        await self._outside.audit.append(
            AuditRow(
                label=zone.label,
                at_s=int(self._outside.clock.now_s()),
                action=action,
                by=self._operator.name,
                because=self._operator.because,
                facts={"freeze_id": freeze_id},
            )
        )

    def _nonce(self) -> str:
        return self._outside.jitter.token(NONCE_BITS)

    def _writer(self) -> str:
        """The operator's name as a fence can hold it."""
        plain = "".join(c if c.isascii() and c.isalnum() else "-" for c in self._operator.name)
        return f"operator.{plain}"[:80]
