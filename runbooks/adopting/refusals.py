"""When a zone must not be adopted, told from the generation item and the fence. Pure.

Each refusal names what was found and what to run first. In doubt the zone is left alone.
"""

import re

from dnsplan.fence import SeenFence
from dnsplan.generation import GenerationItem
from dnsplan.records import RecordSet
from runbooks.controls.outside import Refused

_OWNER = re.compile(r"owner=([0-9a-f]{32})")
_GENERATION = re.compile(r"generation=([0-9]{1,15})")


def check_item(item: GenerationItem, incarnation: str) -> None:
    """The table knows its history, and no operator's word stands against it."""
    label = item.label
    if item.incarnation != incarnation or item.ahead is not None:
        raise Refused(f"{label}'s history is in doubt; run dns-runbook reconcile {label} first")
    if item.frozen is not None:
        raise Refused(
            f"{label} is frozen by {item.frozen}; run dns-runbook thaw {label} {item.frozen} first"
            " (where the fence cannot be read, delete its TXT record by hand before)"
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


def check_damaged(item: GenerationItem, damaged: tuple[RecordSet, ...]) -> None:
    """What can still be read of a damaged fence counts: its owner, and how far it had come."""
    text = " ".join(value for one in damaged for value in one.values)
    owner = _OWNER.search(text)
    if owner is not None and owner[1] != item.owner:
        raise _foreign(item, owner[1])
    numbers = [int(number) for number in _GENERATION.findall(text)]
    if numbers and max(numbers) > item.head:
        raise _above_head(item, max(numbers))


def _foreign(item: GenerationItem, owner: str) -> Refused:
    return Refused(
        f"the fence of {item.label}'s zone belongs to owner {owner}, and this deployment's owner is"
        f" {item.owner}: another deployment writes this zone; nothing was changed. Take the zone"
        " out of its config first; only if it is gone for good, delete its TXT record at"
        " _dnsplan by hand and adopt again"
    )


def _above_head(item: GenerationItem, generation: int) -> Refused:
    return Refused(
        f"{item.label}'s fence is at generation {generation}, above head {item.head}: this table"
        f" lost history; run dns-runbook reconcile {item.label}"
    )
