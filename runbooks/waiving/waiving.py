"""Offers a waiver to the next plan of a zone, or ends what is offered. Needs the table alone.

It publishes nothing and writes no DNS: the planner takes the offer up at its next pass, judges all
other rules as ever, and the number is the plan's. Two rules can be lifted by nobody.
"""

from dataclasses import dataclass

from dnsplan.codec import unseal
from dnsplan.errors import DnsplanError
from dnsplan.generation import GenerationItem
from dnsplan.guardrails import Limits
from dnsplan.outcomes import ConditionFailed, Unknown
from dnsplan.plan import NO_GENERATION, Generation, Waiver
from dnsplan.signing import signed_offer
from dnsplan.transitions import waive
from dnsplan.waivers import Offer, encoded, standing
from runbooks.controls.fence_mover import NONCE_BITS
from runbooks.controls.outside import AuditRow, Mistaken, Operator, Refused, TableSide
from runbooks.controls.waiving import OFFERED, waiver_mistakes
from runbooks.waiving.rules import Allowed, allowed_by


class WaiveLost(DnsplanError):
    """It is not known whether the offer stands."""


@dataclass(frozen=True, slots=True)
class Prepared:
    """An offer that may be made (None: one that is to end), and what will wait then.

    `allowed`: how many answers more may go, name by name.
    """

    item: GenerationItem
    offer: Offer | None
    rule: str
    waiting: tuple[Offer, ...]
    allowed: tuple[Allowed, ...]


class Waiving:
    """One operator's waivers through the ports."""

    def __init__(self, side: TableSide, operator: Operator) -> None:
        """The operator's name and reason stand in the plan that takes it up."""
        self._side = side
        self._operator = operator

    async def prepare(
        self, label: str, rule: str, limits: Limits, *, until_s: int, expected: int | None
    ) -> Prepared:
        """An offer for the number after head; Mistaken or Refused, each with what to do."""
        if mistakes := waiver_mistakes((rule,), asked_by="waive", waivable=OFFERED):
            raise Mistaken("\n".join(mistakes))
        item = await self._item(label, expected)
        number = Generation(item.head + 1)
        waiver = Waiver(rule, self._operator.name, self._operator.because, number)
        now_s = int(self._side.clock.now_s())
        others = [one for one in standing(item, now_s=now_s) if one.waiver.rule != rule]
        newest = unseal(await self._side.archive.load(item.head_id))
        stand = [one.waiver.rule for one in others]
        allowed = allowed_by((rule,), stand, newest, limits, now_s=now_s)
        offer = Offer(waiver, until_s)
        if (signer := self._operator.signer) is not None:
            offer = signed_offer(item, offer, signer)
        return Prepared(item, offer, rule, (*others, offer), allowed)

    async def prepare_end(self, label: str, rule: str, *, expected: int | None) -> Prepared:
        """The end of an offer that waits; Refused when there is none."""
        item = await self._item(label, expected)
        waiting = standing(item, now_s=int(self._side.clock.now_s()))
        others = tuple(one for one in waiting if one.waiver.rule != rule)
        if len(others) == len(waiting):
            shown = ", ".join(one.waiver.rule for one in waiting) or "none"
            raise Refused(f"{label} has no waiver of {rule} that waits; there is {shown}")
        return Prepared(item, None, rule, others, ())

    async def write(self, prepared: Prepared) -> None:
        """Let it wait, or end it; whoever published or offered meanwhile wins."""
        item, label = prepared.item, prepared.item.label
        nonce = self._side.jitter.token(NONCE_BITS)
        outcome = await self._side.table.write(waive(item, encoded(prepared.waiting), nonce=nonce))
        match outcome:
            case ConditionFailed():
                raise Refused(
                    f"{label} moved on from generation {item.head} meanwhile, or another waiver"
                    " came, and nothing was changed;"
                    f" look at dns-runbook explain {label} and run it again"
                )
            case Unknown(reason):
                raise WaiveLost(
                    f"the waiver got no answer ({reason}), so it may wait, or be used up, without"
                    f" an audit row; look at dns-runbook explain {label} and run it again where it"
                    " is still needed"
                )
            case _:
                await self._audit(prepared)

    async def _item(self, label: str, expected: int | None) -> GenerationItem:
        item = (await self._side.table.read((label,))).get(label)
        if item is None or item.head == NO_GENERATION:
            raise Refused(f"{label} has no plan yet, so no limit holds it; see dns-planner plan")
        if item.incarnation != await self._side.table.incarnation() or item.ahead is not None:
            raise Refused(f"{label}'s history is in doubt; run dns-runbook reconcile {label} first")
        if expected not in (None, item.head):
            raise Refused(
                f"{label} is at generation {item.head}, not {expected}; nothing was changed"
            )
        return item

    async def _audit(self, prepared: Prepared) -> None:
        offer = prepared.offer
        await self._side.audit.append(
            AuditRow(
                label=prepared.item.label,
                at_s=int(self._side.clock.now_s()),
                action="waive" if offer is not None else "end waiver",
                by=self._operator.name,
                because=self._operator.because,
                facts={
                    "rule": prepared.rule,
                    "generation": prepared.item.head + 1,
                    "until_s": None if offer is None else offer.until_s,
                },
            )
        )
