"""Pin and unpin one zone: enactors work to one generation while the planner may publish on.

A generation that is applied already, or claimed beyond, cannot be pinned: what happened is undone
by a rollback, which has a number of its own.
"""

from collections.abc import Iterable

from dnsplan.errors import DnsplanError
from dnsplan.generation import GenerationItem, Transition, failed
from dnsplan.outcomes import ConditionFailed, Unknown
from dnsplan.plan import NO_GENERATION, Generation, PlanId
from dnsplan.ports import PlanRow, Zone
from dnsplan.signing import signed_pin
from dnsplan.transitions import pin, unpin
from dnsplan.vouch import vouch_text
from runbooks.controls.fence_mover import NONCE_BITS
from runbooks.controls.outside import AuditRow, Operator, Outside, Refused, expect_head
from runbooks.controls.words import ranges
from runbooks.looking.line import Gone, published


class NotPinned(DnsplanError):
    """It is not known whether the pin was set or ended."""


class PinRefused(Refused):
    """The zone's state does not allow it; the text says why."""


class Pinning:
    """Pins and unpins through the ports."""

    def __init__(self, outside: Outside, operator: Operator) -> None:
        """The operator is written into the audit."""
        self._outside = outside
        self._operator = operator

    async def pin(self, zone: Zone, generation: Generation, *, expected: int | None = None) -> None:
        """Work to this generation and none above."""
        await self.pin_to(*await self.pinnable(zone, generation, expected=expected))

    async def pinnable(
        self, zone: Zone, generation: Generation, *, expected: int | None = None
    ) -> tuple[GenerationItem, PlanId]:
        """What a pin would be of; PinRefused where it would be refused now, before anybody is
        asked."""
        item = await self._item(zone)
        expect_head(zone.label, item.head, expected)
        rows = await self._outside.archive.rows(zone.label)
        found = published(item, rows, generation)
        if isinstance(found, Gone):
            raise PinRefused(f"{found.why}; plans that can be pinned: {_pinnable(item, rows)}")
        wish = pin(item, found, vouch=None, nonce="")
        if unmet := failed(wish.conditions, item):
            raise _refused(wish, ConditionFailed(item, unmet))
        return item, found

    async def pin_to(self, item: GenerationItem, plan_id: PlanId) -> None:
        """Pin a plan whose digest is known."""
        signer = self._operator.signer
        vouch = None if signer is None else vouch_text(signed_pin(item, plan_id, signer))
        await self._write(pin(item, plan_id, vouch=vouch, nonce=self._nonce()))
        await self._audit(item.label, "pin", plan_id.generation)

    async def unpin(self, zone: Zone, *, expected: int | None = None) -> GenerationItem:
        """End the pin that stands; the item as it was with it."""
        item, pinned = await self.pinned(zone, expected=expected)
        await self._write(unpin(item, pinned, nonce=self._nonce()))
        await self._audit(item.label, "unpin", pinned)
        return item

    async def pinned(
        self, zone: Zone, *, expected: int | None = None
    ) -> tuple[GenerationItem, Generation]:
        """The pin that an unpin would end; PinRefused where there is none."""
        item = await self._item(zone)
        expect_head(zone.label, item.head, expected)
        if item.pin is None:
            raise PinRefused(f"{zone.label} is not pinned")
        return item, item.pin

    async def _item(self, zone: Zone) -> GenerationItem:
        found = await self._outside.table.read((zone.label,))
        item = found.get(zone.label)
        if item is None or item.head == NO_GENERATION:
            raise PinRefused(f"{zone.label} has no plan")
        return item

    async def _write(self, transition: Transition) -> None:
        outcome = await self._outside.table.write(transition)
        match outcome:
            case ConditionFailed() as refused:
                raise _refused(transition, refused)
            case Unknown(reason):
                raise NotPinned(
                    f"{transition.name} of {transition.label} got no answer ({reason}), so it may"
                    " be done, without an audit row; run the same command again"
                )
            case _:
                return

    async def _audit(self, label: str, action: str, generation: Generation) -> None:
        await self._outside.audit.append(
            AuditRow(
                label=label,
                at_s=int(self._outside.clock.now_s()),
                action=action,
                by=self._operator.name,
                because=self._operator.because,
                facts={"generation": generation},
            )
        )

    def _nonce(self) -> str:
        return self._outside.jitter.token(NONCE_BITS)


def _refused(transition: Transition, why: ConditionFailed) -> PinRefused:
    return PinRefused(
        f"{transition.name} of {transition.label} was refused: {why.why}; older content comes back"
        f" by dns-runbook rollback {transition.label} GENERATION"
    )


def undo_of_unpin(was: GenerationItem) -> str:
    """The command that brings a pin back: at head another pin, below head a rollback."""
    if was.pin == was.head:
        return f"dns-runbook pin {was.label} {was.pin}"
    return f"dns-runbook rollback {was.label} {was.pin} --pin"


def _pinnable(item: GenerationItem, rows: Iterable[PlanRow]) -> str:
    """The numbers that a pin takes now, for who mistyped one."""
    kept = {row.plan_id.generation for row in rows if row.deleted_s is None}
    first = max(item.applied, item.claimed, item.floor, NO_GENERATION + 1)
    return ranges(one for one in {*kept, item.head} if first <= one <= item.head) or "none"
