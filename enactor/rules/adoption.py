"""Which plan an enactor works to, decided from the generation item and the fence alone.

`before_fence` uses only the table and costs no Route 53 request; `after_fence` is the decision that
the fence, read in this very cycle, allows. Nothing is ever concluded from `applied` alone but that
there is nothing urgent.
"""

from dataclasses import dataclass
from typing import TypeAlias

from dnsplan.errors import (
    AccessDenied,
    DnsplanError,
    ItemUnreadable,
    PlanUnusable,
    PlanUnvouched,
    SchemaNewer,
)
from dnsplan.fence import NoFence, SeenFence
from dnsplan.generation import GenerationItem
from dnsplan.plan import NO_GENERATION, Digest, Generation, PlanId
from dnsplan.ports import Zone
from dnsplan.signing import pin_doubt
from dnsplan.vouch import Keyring
from enactor.rules.outcomes import Held, HoldRule


@dataclass(frozen=True, slots=True)
class Adopt:
    """Work to this plan; `item` is what says so."""

    item: GenerationItem
    plan_id: PlanId


@dataclass(frozen=True, slots=True)
class Done:
    """The fence says that the zone holds the whole plan; `noted` when the table knows it too."""

    fence: SeenFence
    noted: bool


@dataclass(frozen=True, slots=True)
class Advance:
    """The zone holds an older plan whole: change what differs between the two."""

    fence: SeenFence


@dataclass(frozen=True, slots=True)
class Relist:
    """The zone's content must be listed: a plan half done, or accepted changes that were lost."""

    fence: SeenFence
    why: str


@dataclass(frozen=True, slots=True)
class First:
    """No plan of ours ever stood here: there is no fence, or only one that a freeze made. The first
    batch may begin if the zone allows it."""

    fence: SeenFence | None


@dataclass(frozen=True, slots=True)
class MarkAhead:
    """The fence is above everything this table knows: note it, hold, page."""

    generation: Generation


Decision: TypeAlias = Done | Advance | Relist | First | MarkAhead | Held


def before_fence(
    item: GenerationItem | ItemUnreadable | None,
    zone: Zone,
    *,
    incarnation: str,
    keyring: Keyring,
) -> Adopt | Held:
    """The plan to work to, or why to hold, before anything is asked of Route 53."""
    label = zone.label
    if isinstance(item, ItemUnreadable):
        return Held(HoldRule.ITEM_UNREADABLE, str(item), f"dns-runbook status {label}")
    if item is None or item.head == NO_GENERATION:
        text = f"no plan of {label} is published yet"
        return Held(HoldRule.NO_PLAN, text, "dns-planner plan")
    if item.frozen is not None:
        text = f"{label} is frozen by {item.frozen}"
        return Held(HoldRule.FROZEN, text, f"dns-runbook thaw {label} {item.frozen}")
    if item.incarnation != incarnation:
        text = f"{label}'s item was written in table {item.incarnation}, this is {incarnation}"
        return Held(HoldRule.FOREIGN_TABLE, text, f"dns-runbook reconcile {label}")
    if item.ahead is not None:
        text = f"{label}'s fence was seen at {item.ahead}, above head {item.head}"
        return Held(HoldRule.AHEAD, text, f"dns-runbook reconcile {label}")
    if item.zone_id not in (None, zone.zone_id):
        text = f"{label} is bound to zone {item.zone_id}, and {zone.zone_id} was found by its name"
        return Held(HoldRule.OTHER_ZONE, text, f"dns-runbook adopt {label}")
    if (doubt := pin_doubt(item, keyring)) is not None:
        text = f"the pin of {label} to generation {item.pin} {doubt}"
        return Held(HoldRule.UNVOUCHED, text, f"dns-runbook unpin {label}")
    return Adopt(item, target_of(item))


def unusable(label: str, error: PlanUnusable) -> Held:
    """The plan to reach cannot be had. One of a newer release is not lost: this daemon is to be
    upgraded."""
    match error:
        case PlanUnvouched():
            return Held(HoldRule.UNVOUCHED, str(error), f"dns-runbook reconcile {label}")
        case SchemaNewer():
            return Held(HoldRule.PLAN_UNUSABLE, str(error), f"dns-runbook history {label}")
        case _:
            return Held(HoldRule.PLAN_UNUSABLE, str(error), f"dns-runbook reconcile {label}")


def unreachable(label: str, error: DnsplanError) -> Held:
    """The table or Route 53 does not answer, or denies it: the whole zone waits.

    A denied batch holds none of its names: AWS does not say which name a policy lacks, and a held
    name is asked for again only when a plan states something else for it.
    """
    if isinstance(error, AccessDenied):
        command = f"dns-runbook preflight {label} --role enactor"
        return Held(HoldRule.DENIED, str(error), command)
    return Held(HoldRule.READ_FAILED, str(error), f"dns-runbook status {label}")


def target_of(item: GenerationItem) -> PlanId:
    """The pinned plan if there is a pin, else the head."""
    if item.pin is not None and item.pin < item.head:
        return PlanId(item.label, item.pin, item.pin_digest or Digest(""))
    return item.head_id


def after_fence(item: GenerationItem, target: PlanId, fence: SeenFence | NoFence) -> Decision:
    """What the fence allows."""
    if isinstance(fence, NoFence):
        return First(None)
    seen = fence.record
    label = item.label
    if seen.owner != item.owner:
        text = f"{label}'s fence belongs to owner {seen.owner}, not to {item.owner}"
        return Held(HoldRule.FOREIGN_OWNER, text, f"dns-runbook explain {label}")
    if seen.frozen is not None:
        text = f"{label}'s fence is frozen by {seen.frozen}"
        return Held(HoldRule.FROZEN, text, f"dns-runbook thaw {label} {seen.frozen}")
    if _is_ahead(item, seen.generation, seen.digest):
        return MarkAhead(seen.generation)
    if seen.generation > target.generation:
        text = f"{label}'s fence is at {seen.generation}, beyond pin {target.generation}"
        return Held(HoldRule.BEYOND_PIN, text, f"dns-runbook unpin {label}")
    return _forward(item, target, fence)


def _forward(item: GenerationItem, target: PlanId, fence: SeenFence) -> Decision:
    seen = fence.record
    if seen.generation == NO_GENERATION:
        return First(fence)
    if seen.generation == target.generation:
        if seen.digest != target.digest:
            return MarkAhead(seen.generation)
        if seen.is_complete:
            return Done(fence, noted=item.applied == target.generation)
        return Relist(fence, "the plan is half done")
    if seen.generation < item.applied:
        return Relist(fence, "accepted changes were lost")
    if not seen.is_complete:
        return Relist(fence, "an older plan is half done")
    return Advance(fence)


def _is_ahead(item: GenerationItem, generation: Generation, digest: Digest) -> bool:
    if generation > item.head:
        return True
    return generation == item.head and digest != item.head_digest
