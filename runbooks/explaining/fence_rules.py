"""Rules of table, fence and operators' words that can hold a zone. Pure.

Each says what it found, or nothing; what a silence means is decided where the rules are listed.
"""

from dnsplan.fence import FenceRecord
from dnsplan.generation import GenerationItem
from dnsplan.plan import NO_GENERATION
from dnsplan.ports import Zone
from dnsplan.runtime.status.model import Unread
from runbooks.explaining.facts import ZoneFacts
from runbooks.explaining.findings import Said, State, fence_of, item_of


def no_plan(facts: ZoneFacts) -> Said:
    """Nothing was ever published."""
    item = facts.item
    if item is None or (isinstance(item, GenerationItem) and item.head == NO_GENERATION):
        yield State.HOLDS, "no plan is published yet", f"dns-planner plan {facts.label}"


def frozen(facts: ZoneFacts) -> Said:
    """A freeze stands in the table, in the fence or in both."""
    for place, freeze in (
        ("the table", None if (item := item_of(facts)) is None else item.frozen),
        ("the fence", None if (fence := fence_of(facts)) is None else fence.frozen),
    ):
        if freeze is not None:
            text = f"frozen by {freeze} in {place}"
            yield State.HOLDS, text, f"dns-runbook thaw {facts.label} {freeze}"


def foreign_table(facts: ZoneFacts) -> Said:
    """The item was written in another table."""
    item = item_of(facts)
    if item is None or isinstance(facts.incarnation, Unread):
        return
    if item.incarnation != facts.incarnation:
        text = (
            f"the item was written in table {item.incarnation}, and {facts.incarnation} is open:"
            " the table was restored or copied"
        )
        yield State.HOLDS, text, f"dns-runbook reconcile {facts.label}"


def ahead(facts: ZoneFacts) -> Said:
    """The fence knows more than the table."""
    item, fence = item_of(facts), fence_of(facts)
    if item is None:
        return
    seen = item.ahead
    if fence is not None and fence.owner == item.owner and fence.generation > item.head:
        seen = fence.generation
    if seen is not None:
        text = f"the fence is at generation {seen}, above head {item.head}: the table lost history"
        yield State.HOLDS, text, f"dns-runbook reconcile {facts.label}"
    elif fence is not None and _is_other_content(item, fence):
        text = f"the fence holds another content as generation {item.head} than the table"
        yield State.HOLDS, text, f"dns-runbook reconcile {facts.label}"


def other_zone(facts: ZoneFacts) -> Said:
    """The label is bound to another hosted zone."""
    item = item_of(facts)
    if item is None or not isinstance(facts.found, Zone):
        return
    if item.zone_id not in (None, facts.found.zone_id):
        text = f"bound to zone {item.zone_id}, and {facts.found.zone_id} was found by its name"
        yield State.HOLDS, text, f"dns-runbook adopt {facts.label}"


def fence_there(facts: ZoneFacts) -> Said:
    """The fence is gone or cannot be read."""
    if isinstance(facts.fence, Unread) or facts.fence.fence is not None:
        return
    if facts.fence.damaged:
        text = "the TXT record _dnsplan cannot be read: somebody edited it"
        yield State.HOLDS, text, f"dns-runbook adopt {facts.label}"
    elif (item := item_of(facts)) is not None and item.applied > NO_GENERATION:
        text = f"generation {item.applied} was applied, and the zone has no fence: it was deleted"
        yield State.HOLDS, text, f"dns-runbook adopt {facts.label}"
    else:
        yield State.BEHIND, "the zone has no fence yet", f"dns-runbook adopt {facts.label}"


def foreign_owner(facts: ZoneFacts) -> Said:
    """The zone is another deployment's."""
    item, fence = item_of(facts), fence_of(facts)
    if item is not None and fence is not None and fence.owner != item.owner:
        text = f"the fence belongs to owner {fence.owner}, this deployment is {item.owner}"
        yield State.HOLDS, text, f"dns-runbook reconcile {facts.label}"


def pinned(facts: ZoneFacts) -> Said:
    """An operator's word keeps the zone below head."""
    item, fence = item_of(facts), fence_of(facts)
    if item is None or item.pin is None or item.pin == item.head:
        return
    text = f"pinned to generation {item.pin}, head is {item.head}"
    if fence is not None and fence.generation > item.pin:
        text += f", and the fence is beyond, at {fence.generation}"
    yield State.HOLDS, text, f"dns-runbook unpin {facts.label}"


def observing(facts: ZoneFacts) -> Said:
    """The zone is only looked at."""
    if facts.stated.observe:
        text = "mode observe: plans are made and compared, nothing is written"
        yield State.HOLDS, text, f"dns-runbook diff {facts.label}"


def _is_other_content(item: GenerationItem, fence: FenceRecord) -> bool:
    same_owner = fence.owner == item.owner
    return same_owner and fence.generation == item.head > 0 and fence.digest != item.head_digest
