"""Freeze and thaw zones.

Freeze writes the generation items of all its zones first, so that nothing is claimed any more, also
where Route 53 cannot be reached. Then it moves each fence, so that a batch already in flight is
refused too; a zone is frozen only when that move is in sync, also where it was frozen already. No
zone's trouble keeps another from being frozen. Thaw names the freeze that it ends.
"""

import asyncio
from collections.abc import Collection, Iterable, Mapping, Sequence

from msgspec import structs

from dnsplan.errors import DnsplanError, FenceDamaged
from dnsplan.fence import FenceRecord, NoFence, next_nonce
from dnsplan.generation import GenerationItem, Transition
from dnsplan.outcomes import ConditionFailed, Written
from dnsplan.plan import NO_GENERATION
from dnsplan.ports import Zone
from dnsplan.transitions import freeze, thaw
from enactor.ports import ZoneRecords
from runbooks.controls.blank_fence import blank_fence
from runbooks.controls.fence_mover import NONCE_BITS, FenceMover, ForeignFence, Tell
from runbooks.controls.froze import Froze, Frozen, HalfFrozen, Unfrozen
from runbooks.controls.outside import (
    AuditRow,
    OpenZones,
    Operator,
    TableSide,
    ZoneSide,
    expect_head,
)

FREEZE_ID_BITS = 64

# A table that somebody else changes more often than this while we look is asked again later.
ATTEMPTS_MAX = 5

# What stands is shown before the question; a table that is away must not keep anybody waiting.
LOOK_S_MAX = 3.0

# Over such a fence enactors send nothing, whatever the table says, and no freeze can move it.
HELD_OVER = (FenceDamaged, ForeignFence)


class NothingToFreeze(DnsplanError):
    """The zone has no plan, so nothing could be sent to it."""


class NotFrozen(DnsplanError):
    """The zone is not frozen, or not by the freeze that was named."""


class Freezing:
    """Freezes and thaws through the ports."""

    def __init__(self, side: TableSide, operator: Operator, tell: Tell) -> None:
        """The operator is written into fence and audit; `tell` hears how far it is."""
        self._side = side
        self._operator = operator
        self._tell = tell

    async def look(
        self, labels: Sequence[str], *, expected: int | None = None
    ) -> Mapping[str, GenerationItem] | None:
        """What stands, in one read of the table; None, and told why, where nobody can say: a freeze
        is tried all the same."""
        try:
            async with asyncio.timeout(LOOK_S_MAX):
                items = await self._side.table.read(labels)
        except (DnsplanError, TimeoutError) as error:
            why = str(error) or f"no answer in {LOOK_S_MAX:g} s"
            self._tell(f"what stands is not known: {why}")
            return None
        for label in labels:
            expect_head(label, items[label].head if label in items else NO_GENERATION, expected)
        return items

    async def freeze(
        self,
        labels: Sequence[str],
        open_zones: OpenZones,
        *,
        expected: int | None = None,
        observed: Collection[str] = (),
    ) -> tuple[Froze, ...]:
        """Freeze what can be; an outcome for each label, in their order. `observed` zones are
        others': no fence is made where there is none and nothing was ever claimed."""
        ended: dict[str, Froze] = {}
        items: dict[str, GenerationItem] = {}
        for label in labels:
            try:
                items[label] = await self._frozen_item(label, expected)
            except DnsplanError as error:
                ended[label] = Unfrozen(label, str(error))
        if items:
            ended.update(await self._freeze_zones(items.values(), open_zones, observed))
        return tuple(ended[label] for label in labels)

    async def thawable(
        self, zone: Zone, freeze_id: str, records: ZoneRecords, *, expected: int | None = None
    ) -> GenerationItem:
        """The item of a zone that this freeze holds, be it in the fence alone; NotFrozen where it
        holds nothing, before anybody is asked."""
        item = await self._item(zone.label)
        expect_head(zone.label, item.head, expected)
        standing = item.frozen
        if standing is None:
            fence = await records.read_fence(zone)
            standing = None if isinstance(fence, NoFence) else fence.record.frozen
        if standing is None:
            raise NotFrozen(f"{zone.label} is not frozen by anybody; nothing was thawed")
        if standing != freeze_id:
            raise NotFrozen(
                f"{zone.label} is frozen by {standing}, not by {freeze_id}; nothing was thawed;"
                f" to end that one: dns-runbook thaw {zone.label} {standing}"
            )
        return item

    async def thaw(
        self, zone: Zone, freeze_id: str, records: ZoneRecords, *, expected: int | None = None
    ) -> None:
        """End a freeze: the fence first, then the item; a crash in between leaves it frozen."""
        item = await self.thawable(zone, freeze_id, records, expected=expected)

        def thawed(standing: FenceRecord | None, nonce: str) -> FenceRecord | None:
            if standing is None or standing.frozen != freeze_id:
                return None
            fresh = next_nonce(standing, nonce)
            return structs.replace(standing, frozen=None, nonce=fresh, writer=self._operator.writer)

        mover = self._mover(records)
        try:
            moved = await mover.move(zone, item.owner, thawed, self._tell)
            await mover.in_sync(zone, moved, self._tell)
        except HELD_OVER as error:
            if item.frozen is None:
                raise
            self._tell(f"{zone.label}: ends in the table alone, enactors hold on: {error}")
        except DnsplanError as error:
            stands = "stays frozen in the table" if item.frozen else "is not known to be thawed"
            again = f"run dns-runbook thaw {zone.label} {freeze_id} again"
            raise NotFrozen(f"{zone.label} {stands}: {error}; {again}") from error
        if item.frozen == freeze_id:
            await self._write(thaw(item, freeze_id, nonce=self._nonce()))
        await self._audit(zone.label, "thaw", freeze_id)

    async def _freeze_zones(
        self, items: Iterable[GenerationItem], open_zones: OpenZones, observed: Collection[str]
    ) -> Mapping[str, Froze]:
        """Move the fences side by side: each waits up to minutes for its own change."""
        frozen = tuple(items)
        try:
            async with open_zones() as side:
                moves = (self._freeze_zone(one, side, observed) for one in frozen)
                ended = await asyncio.gather(*moves)
        except DnsplanError as error:  # Route 53 cannot even be opened
            ended = [await self._half(one, error) for one in frozen]
        return {one.label: one for one in ended}

    async def _freeze_zone(
        self, item: GenerationItem, side: ZoneSide, observed: Collection[str]
    ) -> Froze:
        freeze_id = item.frozen or ""
        is_left = False

        def frozen(standing: FenceRecord | None, nonce: str) -> FenceRecord | None:
            if standing is None and is_left:
                return None
            base = standing or blank_fence(item.owner, self._operator.writer, nonce)
            fresh = next_nonce(standing, nonce)
            return structs.replace(
                base, frozen=freeze_id, nonce=fresh, writer=self._operator.writer
            )

        mover = self._mover(side.records)
        try:
            # Batches are claimed first, and since the freeze nothing is: none can be in flight.
            is_left = (
                item.label in observed and (await self._item(item.label)).claimed == NO_GENERATION
            )
            zone = await side.zone_of(item)
            moved = await mover.move(zone, item.owner, frozen, self._tell)
            await mover.in_sync(zone, moved, self._tell)
        except DnsplanError as error:
            return await self._half(item, error)
        await self._audit(item.label, "freeze", freeze_id)
        return Frozen(item.label, freeze_id)

    async def _half(self, item: GenerationItem, error: DnsplanError) -> HalfFrozen:
        freeze_id = item.frozen or ""
        await self._audit(item.label, "freeze_in_table_only", freeze_id)
        return HalfFrozen(item.label, freeze_id, str(error), isinstance(error, HELD_OVER))

    async def _frozen_item(self, label: str, expected: int | None) -> GenerationItem:
        for _ in range(ATTEMPTS_MAX):
            item = await self._item(label)
            expect_head(label, item.head, expected)
            if item.frozen is not None:
                self._tell(f"{label}: frozen in the table by {item.frozen}")
                return item
            freeze_id = self._side.jitter.token(FREEZE_ID_BITS)
            outcome = await self._write(freeze(item, freeze_id, nonce=self._nonce()))
            if isinstance(outcome, Written):  # no read after it may say that nothing is frozen
                self._tell(f"{label}: frozen in the table by {freeze_id}")
                return structs.replace(item, frozen=freeze_id)
        raise NotFrozen(f"{label}'s item changed {ATTEMPTS_MAX} times; run it again")

    async def _item(self, label: str) -> GenerationItem:
        found = await self._side.table.read((label,))
        if label not in found:
            raise NothingToFreeze(f"{label} has no plan; nothing can be sent to it yet")
        return found[label]

    async def _write(self, transition: Transition) -> Written | ConditionFailed:
        """Write once; a failed condition is seen by the next read."""
        outcome = await self._side.table.write(transition)
        if isinstance(outcome, Written | ConditionFailed):
            return outcome
        raise NotFrozen(
            f"{transition.name} of {transition.label} got no answer ({outcome.reason}), so it may"
            " be done, without an audit row; run the same command again"
        )

    async def _audit(self, label: str, action: str, freeze_id: str) -> None:
        """Leave a trace; without one the zone is frozen or thawed all the same, so it is said."""
        row = AuditRow(
            label=label,
            at_s=int(self._side.clock.now_s()),
            action=action,
            by=self._operator.name,
            because=self._operator.because,
            facts={"freeze_id": freeze_id},
        )
        try:
            await self._side.audit.append(row)
        except DnsplanError as error:
            self._tell(f"{label}: no audit row of this {action}: {error}")

    def _mover(self, records: ZoneRecords) -> FenceMover:
        return FenceMover(records, clock=self._side.clock, jitter=self._side.jitter)

    def _nonce(self) -> str:
        return self._side.jitter.token(NONCE_BITS)
