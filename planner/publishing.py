"""Makes a plan the newest one: body first, then the move of head, each sent once.

Chunks and row are stored before head moves, so that a crash between the two blocks nobody and head
never names a body that is not there. Head moves only in the table that the item was read from, and
only if nobody moved it, so that of two planners one loses and starts over. A write that got no
answer is settled by the next cycle's read. It writes no DNS.
"""

from typing import assert_never

from dnsplan.codec import Envelope, seal, to_chunks
from dnsplan.errors import DnsplanError
from dnsplan.generation import GenerationItem
from dnsplan.outcomes import ConditionFailed, Unknown, Written
from dnsplan.plan import Plan
from dnsplan.ports import GenerationTable, Jitter, PlanArchive, PlanRow
from dnsplan.transitions import create, publish
from planner.rules.holds import foreign_table, held
from planner.rules.outcomes import Held, HoldRule, Overtaken, Published, Unsettled

NONCE_BITS = 64


class Publisher:
    """Writes plans, one at a call. It remembers nothing."""

    def __init__(self, *, table: GenerationTable, archive: PlanArchive, jitter: Jitter) -> None:
        """Both ports open the same table."""
        self._table = table
        self._archive = archive
        self._jitter = jitter

    async def create(self, item: GenerationItem) -> Overtaken | Unsettled | None:
        """Make a zone's item where there is none; None when it is made."""
        outcome = await self._table.write(create(item))
        match outcome:
            case Written():
                return None
            case ConditionFailed():
                return Overtaken("another planner made the zone's item first")
            case Unknown(reason):
                return Unsettled(f"making the zone's item: {reason}")
            case _:
                assert_never(outcome)

    async def publish(
        self, item: GenerationItem, plan: Plan
    ) -> Published | Overtaken | Unsettled | Held:
        """Store the plan and move head from what the item says to it."""
        sealed = seal(plan)
        try:
            await self._archive.store(sealed, row_of(plan, sealed))
            incarnation = await self._table.incarnation()
        except DnsplanError as error:
            return held(HoldRule.STORE_FAILED, item.label, str(error), command="status")
        if (foreign := foreign_table(item, incarnation)) is not None:
            return foreign
        nonce = self._jitter.token(NONCE_BITS)
        outcome = await self._table.write(publish(item, sealed.plan_id, nonce=nonce))
        match outcome:
            case Written():
                return Published(sealed.plan_id)
            case ConditionFailed() as refused:
                return Overtaken(f"head is no longer {item.head}: {refused.why}")
            case Unknown(reason):
                return Unsettled(f"publishing {plan.generation}: {reason}")
            case _:
                assert_never(outcome)


def row_of(plan: Plan, sealed: Envelope) -> PlanRow:
    """What is kept beside a body."""
    return PlanRow(
        plan_id=sealed.plan_id,
        created_s=plan.created_s,
        author=plan.author,
        reason=plan.reason,
        base=plan.base,
        chunks=len(to_chunks(sealed.body)),
        record_sets=len(plan.content),
    )
