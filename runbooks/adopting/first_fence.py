"""The fence that adopting a zone writes, and what it may be written over. Pure.

It is created where there is none, or swapped for exactly what was shown to the operator, or for
itself under a new nonce. Whatever else stands is somebody else's move and is left.
"""

from dataclasses import dataclass

from msgspec import structs

from dnsplan.errors import DnsplanError, check
from dnsplan.fence import FenceRecord, is_fence, next_nonce, renewed, to_record_set
from dnsplan.names import Name
from dnsplan.plan import NO_GENERATION, PlanId
from dnsplan.records import RecordSet
from enactor.rules.packing import Change, ChangeBatch
from runbooks.controls.fence_mover import MovedFence


class AdoptLost(DnsplanError):
    """Somebody else moved first, or a write got no answer: nothing is half done, run it again."""


def first_fence(
    plan_id: PlanId, *, owner: str, writer: str, nonce: str, stands: bool
) -> FenceRecord:
    """The whole plan stands, since it was made of what stands. Where nothing does, the fence says
    that the plan is half done, and enactors finish it from a listing."""
    return FenceRecord(
        generation=plan_id.generation,
        step=1,
        steps=1 if stands else 2,
        base=NO_GENERATION,
        held=0,
        owner=owner,
        writer=writer,
        nonce=nonce,
        digest=plan_id.digest,
    )


@dataclass(frozen=True, slots=True)
class Swap:
    """What a standing fence is swapped for; `shown` is the fence that the operator was shown."""

    wanted: FenceRecord
    shown: FenceRecord | None

    def __call__(self, standing: FenceRecord | None, nonce: str) -> FenceRecord | None:
        """The plan's fence; the same under a new nonce where it stands already; None: leave it."""
        wanted = self.wanted
        if standing is None or standing == self.shown:
            return structs.replace(wanted, nonce=next_nonce(wanted, nonce))
        if (standing.generation, standing.digest) == (wanted.generation, wanted.digest):
            is_free = standing.frozen == wanted.frozen
            fresh = next_nonce(standing, nonce)
            return renewed(standing, writer=wanted.writer, nonce=fresh) if is_free else None
        return None


def replacement(damaged: tuple[RecordSet, ...], fence: FenceRecord, *, zone: Name) -> ChangeBatch:
    """The batch that swaps an unreadable fence for a readable one, and touches nothing else."""
    check(all(is_fence(one, zone) for one in damaged), "only what stands at the fence's name goes")
    gone = tuple(Change("DELETE", one) for one in damaged)
    return ChangeBatch(fence, (*gone, Change("CREATE", to_record_set(fence, zone))))


def standing_after(moved: MovedFence, plan_id: PlanId) -> FenceRecord:
    """The fence that stands now, if it is the adopted plan's or an enactor's that went on."""
    fence = moved.fence
    if fence is None or fence.generation < plan_id.generation:
        found = "not there" if fence is None else f"at generation {fence.generation}"
        raise AdoptLost(
            f"the fence is {found}, by somebody else's move; look at dns-runbook status"
            f" {plan_id.label} and run it again"
        )
    return fence
