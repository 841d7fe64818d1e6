"""Drains a target or an AZ in one zone, or ends that. Needs the table alone.

It publishes nothing and writes no DNS: the planner sees the drain at its next pass and keeps to
floor and velocity as ever.
"""

from dataclasses import dataclass
from typing import assert_never

from dnsplan.drains import DRAINS_MAX, Drain, drain, encoded, standing
from dnsplan.errors import DnsplanError
from dnsplan.generation import GenerationItem
from dnsplan.outcomes import ConditionFailed, Unknown, Written
from dnsplan.plan import NO_GENERATION
from dnsplan.signing import signed_drain
from runbooks.controls.fence_mover import NONCE_BITS
from runbooks.controls.outside import AuditRow, Operator, Refused, TableSide
from runbooks.draining.rules import without


class DrainLost(DnsplanError):
    """It is not known whether the drain stands."""


@dataclass(frozen=True, slots=True)
class Prepared:
    """A drain that may be written (None: one that is to end), and all that hold then."""

    item: GenerationItem
    what: str
    drain: Drain | None
    holding: tuple[Drain, ...]


class Draining:
    """One operator's drains through the ports."""

    def __init__(self, side: TableSide, operator: Operator) -> None:
        """The operator's name and reason stand beside the drain."""
        self._side = side
        self._operator = operator

    async def prepare(self, label: str, what: str, *, until_s: int) -> Prepared:
        """A drain until then; one of the same target or AZ gives way to it."""
        item = await self._item(label)
        others = without(self._standing(item), what)
        if len(others) >= DRAINS_MAX:
            raise Refused(f"{label} has {len(others)} drains already; end one with undrain")
        one = Drain(what, until_s, self._operator.name, self._operator.because)
        if (signer := self._operator.signer) is not None:
            one = signed_drain(item, one, signer)
        return Prepared(item, what, one, (*others, one))

    async def prepare_end(self, label: str, what: str) -> Prepared:
        """The end of a drain that holds; Refused when there is none."""
        item = await self._item(label)
        there = self._standing(item)
        others = without(there, what)
        if len(others) == len(there):
            shown = ", ".join(one.what for one in there) or "none"
            raise Refused(f"{label} has no drain of {what}; there is {shown}")
        return Prepared(item, what, None, others)

    async def write(self, prepared: Prepared) -> None:
        """Let it hold, or end it; who changed the drains meanwhile wins."""
        label = prepared.item.label
        nonce = self._side.jitter.token(NONCE_BITS)
        outcome = await self._side.table.write(
            drain(prepared.item, encoded(prepared.holding), nonce=nonce)
        )
        match outcome:
            case Written():
                await self._audit(prepared)
            case ConditionFailed():
                raise Refused(
                    f"{label}'s drains were changed meanwhile, nothing was written there;"
                    f" look at dns-planner plan {label} and run it again"
                )
            case Unknown(reason):
                raise DrainLost(
                    f"the drain got no answer ({reason}), so it may be done, without an audit row;"
                    " run the same command again"
                )
            case _:
                assert_never(outcome)

    def _standing(self, item: GenerationItem) -> tuple[Drain, ...]:
        return standing(item, now_s=int(self._side.clock.now_s()))

    async def _item(self, label: str) -> GenerationItem:
        item = (await self._side.table.read((label,))).get(label)
        if item is None or item.head == NO_GENERATION:
            raise Refused(f"{label} has no plan yet; see dns-planner plan {label}")
        if item.incarnation != await self._side.table.incarnation() or item.ahead is not None:
            raise Refused(f"{label}'s history is in doubt; run dns-runbook reconcile {label} first")
        return item

    async def _audit(self, prepared: Prepared) -> None:
        one = prepared.drain
        await self._side.audit.append(
            AuditRow(
                label=prepared.item.label,
                at_s=int(self._side.clock.now_s()),
                action="drain" if one is not None else "undrain",
                by=self._operator.name,
                because=self._operator.because,
                facts={
                    "what": prepared.what,
                    "until_s": None if one is None else one.until_s,
                },
            )
        )
