"""When a zone must not be adopted, told from the generation item and the fence. Pure.

Each refusal names what was found and what to run first. In doubt the zone is left alone.
"""

from dnsplan.fence import SeenFence
from dnsplan.generation import GenerationItem
from runbooks.controls.outside import Refused
from runbooks.controls.standing import Standing


def check_mode(label: str, mode: str, *, then: str) -> None:
    """Nothing is written to a zone that is only observed; `then` is the command that would."""
    if mode == "observe":
        raise Refused(
            f"{label} is in mode observe, where nothing is written to Route 53, not even a fence;"
            f" set mode: enforce in dns.yaml, then {then}"
        )


def check_item(item: GenerationItem, incarnation: str) -> None:
    """The table knows its history, and no operator's word stands against it."""
    label = item.label
    if item.incarnation != incarnation or item.ahead is not None:
        raise Refused(f"{label}'s history is in doubt; run dns-runbook reconcile {label} first")
    if item.frozen is not None:
        raise Refused(
            f"{label} is frozen by {item.frozen}; run dns-runbook thaw {label} {item.frozen} first"
        )
    if item.pin is not None:
        raise Refused(f"{label} is pinned to {item.pin}; run dns-runbook unpin {label} first")


def check_fence(item: GenerationItem, fence: SeenFence) -> None:
    """The fence is ours, not frozen, and not above what this table knows."""
    seen, label = fence.record, item.label
    if seen.owner != item.owner:
        raise _foreign(item, seen.owner)
    if seen.frozen is not None:
        raise Refused(
            f"{label}'s fence is frozen by {seen.frozen}; run dns-runbook thaw {label}"
            f" {seen.frozen} first"
        )
    if seen.generation > item.head:
        raise _above_head(item, seen.generation)


def check_damaged(item: GenerationItem, standing: Standing) -> None:
    """What can still be read of a damaged fence counts: its owner, and how far it had come."""
    if standing.owner is not None and standing.owner != item.owner:
        raise _foreign(item, standing.owner)
    if standing.generation > item.head:
        raise _above_head(item, standing.generation)


def _foreign(item: GenerationItem, owner: str) -> Refused:
    return Refused(
        f"the fence of {item.label}'s zone belongs to owner {owner}, and this deployment's owner is"
        f" {item.owner}: another deployment writes this zone; nothing was changed. Take the zone"
        " out of its config first; only if it is gone for good, run dns-runbook reconcile"
        f" {item.label} --take-over {owner}"
    )


def _above_head(item: GenerationItem, generation: int) -> Refused:
    return Refused(
        f"{item.label}'s fence is at generation {generation}, above head {item.head}: this table"
        f" lost history; run dns-runbook reconcile {item.label}"
    )
