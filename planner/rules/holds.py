"""When a zone must not be planned or cleaned, told from what was read and nothing else.

Each hold names the rule and what an operator types next. In doubt the answer is a hold.
"""

from dnsplan.errors import DnsplanError, ItemUnreadable, PlanUnusable, PlanUnvouched, SchemaNewer
from dnsplan.fence import FenceRecord
from dnsplan.generation import GenerationItem
from dnsplan.names import Name
from dnsplan.plan import Plan
from dnsplan.signing import doubtful_words
from dnsplan.vouch import Keyring
from planner.rules.outcomes import Held, HoldRule

# DynamoDB's error code for a table that does not exist; it only chooses the words of a hint.
_NO_TABLE = "ResourceNotFoundException"


def held(rule: HoldRule, label: str, text: str, *, command: str) -> Held:
    """A hold of one zone; `command` is the runbook command that looks further."""
    return Held(rule, text, f"dns-runbook {command} {label}")


def unread(label: str, error: DnsplanError) -> Held:
    """Something could not be read. A table that is not there is named with what makes it, and one
    zone's item is no trouble of the table's."""
    if _NO_TABLE in str(error):
        return Held(HoldRule.READ_FAILED, str(error), "dns-planner init")
    is_item = isinstance(error, ItemUnreadable)
    rule = HoldRule.ITEM_UNREADABLE if is_item else HoldRule.READ_FAILED
    return held(rule, label, str(error), command="status")


def unread_because(outcome: object) -> str:
    """Why a zone could not be read; "" where it could."""
    if isinstance(outcome, Held) and outcome.rule is HoldRule.READ_FAILED:
        return outcome.text
    return ""


def unusable(label: str, error: PlanUnusable) -> Held:
    """The newest plan cannot be gone on from. One of a newer release is not lost: this planner is
    to be upgraded."""
    match error:
        case PlanUnvouched():
            return held(HoldRule.UNVOUCHED, label, str(error), command="reconcile")
        case SchemaNewer():
            return held(HoldRule.PLAN_UNUSABLE, label, str(error), command="history")
        case _:
            return held(HoldRule.PLAN_UNUSABLE, label, str(error), command="reconcile")


def foreign_table(item: GenerationItem, incarnation: str) -> Held | None:
    """The item was written in another table than the one that is open: restored or copied."""
    if item.incarnation == incarnation:
        return None
    text = (
        f"{item.label}'s item was written in table {item.incarnation}, and {incarnation} is open:"
        " the table was restored or copied"
    )
    return held(HoldRule.FOREIGN_TABLE, item.label, text, command="reconcile")


def before_planning(item: GenerationItem, incarnation: str) -> Held | None:
    """A table that lost history plans nothing until an operator reconciled it."""
    if (foreign := foreign_table(item, incarnation)) is not None:
        return foreign
    if item.ahead is not None:
        text = (
            f"{item.label}'s fence was seen at generation {item.ahead}, above head {item.head}:"
            " the table lost history"
        )
        return held(HoldRule.AHEAD, item.label, text, command="reconcile")
    return None


def unvouched_words(item: GenerationItem, keyring: Keyring, *, now_s: int) -> Held | None:
    """A waiver or a drain that no operator signed: somebody else wrote it, so nothing is planned
    on it and nothing as if it were not there."""
    doubts = doubtful_words(item, keyring, now_s=now_s)
    if not doubts:
        return None
    text = f"{item.label}: {'; '.join(one.text for one in doubts)}"
    return Held(HoldRule.UNVOUCHED, text, doubts[0].way)


def misplaced_plan(item: GenerationItem, plan: Plan, zone: Name) -> Held | None:
    """The newest plan must be this deployment's and this zone's."""
    if plan.owner != item.owner:
        text = f"plan {plan.generation} is of owner {plan.owner}, the zone's owner is {item.owner}"
        return held(HoldRule.FOREIGN_OWNER, item.label, text, command="history")
    if plan.zone != zone:
        text = (
            f"label {item.label} was planned for {plan.zone} and the config says {zone}:"
            " give the new zone a label of its own"
        )
        return held(HoldRule.OTHER_ZONE, item.label, text, command="status")
    return None


def before_cleaning(item: GenerationItem, incarnation: str) -> Held | None:
    """History is left alone while it may be needed: in a lost table, and while frozen."""
    if (lost := before_planning(item, incarnation)) is not None:
        return lost
    if item.frozen is not None:
        text = f"{item.label} is frozen ({item.frozen}); history is left alone until thaw"
        return held(HoldRule.FROZEN, item.label, text, command="status")
    return None


def unsafe_fence(item: GenerationItem, fence: FenceRecord) -> Held | None:
    """A fence that is not ours, or above head, says that the table cannot be trusted."""
    if fence.owner != item.owner:
        text = f"the fence belongs to owner {fence.owner}, the zone's owner is {item.owner}"
        return held(HoldRule.FOREIGN_OWNER, item.label, text, command="status")
    if fence.generation > item.head:
        text = f"the fence is at generation {fence.generation}, above head {item.head}"
        return held(HoldRule.AHEAD, item.label, text, command="reconcile")
    return None
