"""Which page of `runbooks/` each reason is read up in: holds, guardrails, what an explanation
judges, and what a read or a write ended with. Whoever tells a reason tells its page.
"""

from collections.abc import Mapping
from typing import Final

from dnsplan.errors import (
    DnsplanError,
    FenceDamaged,
    ItemUnreadable,
    PlanUnusable,
    ReadFailed,
)

INDEX: Final = "README"

# Without folder and ending, as a page about zones has it.
PAGES: Final[Mapping[str, str]] = {
    # Holds of planner, cleanup and enactors.
    "ahead": "table-restored",
    "beyond_pin": "bad-plan",
    "claim_refused": "stale-zone",
    "denied": "stale-zone",
    "drift": "audit",
    "era_used_up": "table-restored",
    "fence_damaged": "lost-fence",
    "fence_missing": "adopt",
    "foreign_owner": "fenced-out",
    "foreign_table": "table-restored",
    "frozen": "freeze-the-world",
    "guardrail": "velocity-hold",
    "item_unreadable": "unreadable-item",
    "no_item": "planner-silent",
    "no_plan": "planner-silent",
    "nothing_stated": "planner-silent",
    "observing": "adopt",
    "other_zone": "adopt",
    "plan_unusable": "lost-plan",
    "read_failed": "table-unreachable",
    "refused": "stale-zone",
    "store_failed": "table-unreachable",
    "unvouched": "unsigned-plan",
    "wave": "wave-stopped",
    "zone_full": "stale-zone",
    # Guardrails.
    "floor": "velocity-hold",
    "hands_off": "velocity-hold",
    "names_changed": "velocity-hold",
    "never_empty": "velocity-hold",
    "ttl": "velocity-hold",
    "velocity": "velocity-hold",
    # What an explanation judges beside these.
    "enactors": "stale-zone",
    "fence": "lost-fence",
    "held_names": "bad-name-held",
    "progress": "stale-zone",
    "readable": "table-unreachable",
    # What became of a write.
    "fenced": "fenced-out",
    "throttled": "throttling",
    "unknown": "throttling",
}
_THROTTLES = ("Throttl", "PriorRequestNotComplete", "ProvisionedThroughputExceeded")


def path_of(reason: str) -> str:
    """Where a reason is read up, in the repository and in the package."""
    return f"runbooks/{PAGES.get(reason, INDEX)}.md"


def page_of(error: DnsplanError) -> str:
    """Where an error is read up; the index for one that is none of the table's."""
    return path_of(reason_of(error))


def reason_of(error: DnsplanError) -> str:
    """The reason that an error stands for; empty where it is none of the table's."""
    match error:
        case PlanUnusable():
            return "plan_unusable"
        case FenceDamaged():
            return "fence_damaged"
        case ItemUnreadable():
            return "item_unreadable"
        case ReadFailed() if any(one in str(error) for one in _THROTTLES):
            return "throttled"
        case ReadFailed():
            return "read_failed"
        case _:
            return ""
