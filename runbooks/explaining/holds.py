"""What keeps a zone from its newest plan, rule by rule, each with the next command. Pure.

A rule is clear, holds, or is not known: what could not be read is never taken for clear.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from enum import StrEnum

from dnsplan.fence import FenceRecord
from dnsplan.generation import AbsentOr, Condition, GenerationItem, failed
from dnsplan.guardrails import judge_velocity
from dnsplan.names import Name, display
from dnsplan.plan import NO_GENERATION, Plan
from dnsplan.ports import Zone
from dnsplan.runtime.status.model import Unread
from dnsplan.runtime.status.verdict import ENACTOR_QUIET_S
from dnsplan.transitions import claim
from enactor.rules.adoption import target_of
from runbooks.explaining.facts import ZoneFacts

NAMES_SHOWN_MAX = 10


class State(StrEnum):
    """How a rule stands."""

    CLEAR = "clear"
    HOLDS = "holds"
    BEHIND = "behind"  # it mends itself by waiting
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Finding:
    """One rule: what was measured, and what to type next (empty where nothing is to be done)."""

    rule: str
    state: State
    text: str = ""
    command: str = ""


def findings(facts: ZoneFacts, *, name: Name | None) -> tuple[Finding, ...]:
    """Every rule; one that says nothing is clear. With a name, other names that are held back are
    nothing to it."""
    if name is not None and not isinstance(facts.held, Unread):
        held = {one: why for one, why in facts.held.items() if one == name}
        facts = replace(facts, held=held)
    return tuple(one for rule, judge in RULES.items() for one in _judged(rule, judge, facts))


Judge = Callable[[ZoneFacts], Iterator[tuple[State, str, str]]]


def _judged(rule: str, judge: Judge, facts: ZoneFacts) -> tuple[Finding, ...]:
    found = tuple(Finding(rule, *one) for one in judge(facts))
    if found:
        return found
    blind = any(isinstance(getattr(facts, part), Unread) for part in NEEDS.get(rule, ()))
    return (Finding(rule, State.UNKNOWN if blind else State.CLEAR),)


def _readable(facts: ZoneFacts) -> Iterator[tuple[State, str, str]]:
    for one in facts.unread():
        yield State.UNKNOWN, f"{one.what} could not be read: {one.why}", ""


def _no_plan(facts: ZoneFacts) -> Iterator[tuple[State, str, str]]:
    item = facts.item
    if item is None or (isinstance(item, GenerationItem) and item.head == NO_GENERATION):
        yield State.HOLDS, "no plan is published yet", f"dns-planner plan {facts.label}"


def _frozen(facts: ZoneFacts) -> Iterator[tuple[State, str, str]]:
    for place, freeze in (
        ("the table", None if (item := _item(facts)) is None else item.frozen),
        ("the fence", None if (fence := _fence(facts)) is None else fence.frozen),
    ):
        if freeze is not None:
            text = f"frozen by {freeze} in {place}"
            yield State.HOLDS, text, f"dns-runbook thaw {facts.label} {freeze}"


def _foreign_table(facts: ZoneFacts) -> Iterator[tuple[State, str, str]]:
    item = _item(facts)
    if item is None or isinstance(facts.incarnation, Unread):
        return
    if item.incarnation != facts.incarnation:
        text = (
            f"the item was written in table {item.incarnation}, and {facts.incarnation} is open:"
            " the table was restored or copied"
        )
        yield State.HOLDS, text, f"dns-runbook reconcile {facts.label}"


def _ahead(facts: ZoneFacts) -> Iterator[tuple[State, str, str]]:
    item, fence = _item(facts), _fence(facts)
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


def _other_zone(facts: ZoneFacts) -> Iterator[tuple[State, str, str]]:
    item = _item(facts)
    if item is None or not isinstance(facts.found, Zone):
        return
    if item.zone_id not in (None, facts.found.zone_id):
        text = f"bound to zone {item.zone_id}, and {facts.found.zone_id} was found by its name"
        yield State.HOLDS, text, f"dns-runbook adopt {facts.label}"


def _fence_there(facts: ZoneFacts) -> Iterator[tuple[State, str, str]]:
    if isinstance(facts.fence, Unread) or facts.fence.fence is not None:
        return
    if facts.fence.damaged:
        text = "the TXT record _dnsplan cannot be read: somebody edited it"
        yield State.HOLDS, text, f"dns-runbook adopt {facts.label}"
    elif (item := _item(facts)) is not None and item.applied > NO_GENERATION:
        text = f"generation {item.applied} was applied, and the zone has no fence: it was deleted"
        yield State.HOLDS, text, f"dns-runbook adopt {facts.label}"
    else:
        yield State.BEHIND, "the zone has no fence yet", f"dns-runbook adopt {facts.label}"


def _foreign_owner(facts: ZoneFacts) -> Iterator[tuple[State, str, str]]:
    item, fence = _item(facts), _fence(facts)
    if item is not None and fence is not None and fence.owner != item.owner:
        text = f"the fence belongs to owner {fence.owner}, this deployment is {item.owner}"
        yield State.HOLDS, text, f"dns-runbook adopt {facts.label}"


def _pin(facts: ZoneFacts) -> Iterator[tuple[State, str, str]]:
    item, fence = _item(facts), _fence(facts)
    if item is None or item.pin is None or item.pin == item.head:
        return
    text = f"pinned to generation {item.pin}, head is {item.head}"
    if fence is not None and fence.generation > item.pin:
        text += f", and the fence is beyond, at {fence.generation}"
    yield State.HOLDS, text, f"dns-runbook unpin {facts.label}"


def _observing(facts: ZoneFacts) -> Iterator[tuple[State, str, str]]:
    if facts.stated.observe:
        text = "mode observe: plans are made and compared, nothing is written"
        yield State.HOLDS, text, f"dns-runbook diff {facts.label}"


def _plan_unusable(facts: ZoneFacts) -> Iterator[tuple[State, str, str]]:
    if _item(facts) is not None and isinstance(facts.target, Unread):
        text = f"{facts.target.what} cannot be loaded: {facts.target.why}"
        yield State.HOLDS, text, f"dns-runbook history {facts.label}"


def _claim(facts: ZoneFacts) -> Iterator[tuple[State, str, str]]:
    """What the claim of the plan to reach would be refused for, beside what other rules say."""
    item = _item(facts)
    if item is None or item.head == NO_GENERATION or not isinstance(facts.found, Zone):
        return
    target = target_of(item).generation
    wish = claim(item, target, zone_id=item.zone_id or facts.found.zone_id, nonce="")
    told = {"frozen", "incarnation", "pin", "zone_id"}
    refused = [one for one in failed(wish.conditions, item) if _field(one) not in told]
    if refused:
        why = ", ".join(map(str, refused))
        text = f"the claim of generation {target} would be refused: {why}"
        yield State.HOLDS, text, f"dns-runbook history {facts.label}"


def _guardrail(facts: ZoneFacts) -> Iterator[tuple[State, str, str]]:
    live, target = facts.live, facts.target
    if not isinstance(live, Plan) or not isinstance(target, Plan):
        return
    if live.generation < target.generation:
        for one in judge_velocity(live, target, facts.stated.limits):
            yield State.HOLDS, str(one), f"dns-runbook diff {facts.label} {live.generation}"


def _held_names(facts: ZoneFacts) -> Iterator[tuple[State, str, str]]:
    if isinstance(facts.held, Unread):
        return
    names = sorted(facts.held)
    for name in names[:NAMES_SHOWN_MAX]:
        shown = display(name)
        text = f"{shown} keeps older records: {facts.held[name].reason}"
        yield State.HOLDS, text, f"dns-runbook explain {shown}"
    if len(names) > NAMES_SHOWN_MAX:
        text = f"and {len(names) - NAMES_SHOWN_MAX} more names keep older records"
        yield State.HOLDS, text, f"dns-runbook verify {facts.label}"


def _enactors(facts: ZoneFacts) -> Iterator[tuple[State, str, str]]:
    if isinstance(facts.presences, Unread):
        return
    seen = {
        presence.az: sighting
        for presence in facts.presences
        for sighting in presence.zones
        if sighting.label == facts.label
    }
    status = f"dns-runbook status {facts.label}"
    for az in facts.stated.azs:
        sighting = seen.get(az)
        if sighting is None:
            yield State.BEHIND, f"enactor {az} has never looked at the zone", status
            continue
        age_s = max(0, facts.now_s - sighting.seen_s)
        if age_s > ENACTOR_QUIET_S:
            text = f"enactor {az} was last seen {age_s} s ago, more than {ENACTOR_QUIET_S} s"
            yield State.BEHIND, text, status
        elif sighting.holding is not None:
            yield State.HOLDS, f"enactor {az} holds: {sighting.holding}", status
        for text in sighting.drift:
            audit = f"dns-runbook audit {facts.label}"
            yield State.BEHIND, f"enactor {az} saw drift: {text}", audit


def _progress(facts: ZoneFacts) -> Iterator[tuple[State, str, str]]:
    item, fence = _item(facts), _fence(facts)
    if item is None or fence is None or item.head == NO_GENERATION:
        return
    target, status = target_of(item).generation, f"dns-runbook status {facts.label}"
    if fence.generation < target:
        text = f"generation {fence.generation} is live, {target} is to be applied"
        yield State.BEHIND, text, status
    if not fence.is_complete:
        yield State.BEHIND, f"the fence is at step {fence.step} of {fence.steps}", status


RULES: dict[str, Judge] = {
    "readable": _readable,
    "no_plan": _no_plan,
    "frozen": _frozen,
    "foreign_table": _foreign_table,
    "ahead": _ahead,
    "foreign_owner": _foreign_owner,
    "other_zone": _other_zone,
    "fence": _fence_there,
    "beyond_pin": _pin,
    "observing": _observing,
    "plan_unusable": _plan_unusable,
    "claim_refused": _claim,
    "guardrail": _guardrail,
    "held_names": _held_names,
    "enactors": _enactors,
    "progress": _progress,
}

# What must have been read before a rule that says nothing is clear.
NEEDS: dict[str, tuple[str, ...]] = {
    "no_plan": ("item",),
    "frozen": ("item", "fence"),
    "foreign_table": ("item", "incarnation"),
    "ahead": ("item", "fence"),
    "foreign_owner": ("item", "fence"),
    "other_zone": ("item", "found"),
    "fence": ("fence",),
    "beyond_pin": ("item", "fence"),
    "plan_unusable": ("item",),
    "claim_refused": ("item", "found"),
    "guardrail": ("live", "target"),
    "held_names": ("held",),
    "enactors": ("presences",),
    "progress": ("item", "fence"),
}


def _item(facts: ZoneFacts) -> GenerationItem | None:
    return facts.item if isinstance(facts.item, GenerationItem) else None


def _fence(facts: ZoneFacts) -> FenceRecord | None:
    if isinstance(facts.fence, Unread) or facts.fence.fence is None:
        return None
    return facts.fence.fence.record


def _is_other_content(item: GenerationItem, fence: FenceRecord) -> bool:
    same_owner = fence.owner == item.owner
    return same_owner and fence.generation == item.head > 0 and fence.digest != item.head_digest


def _field(condition: Condition) -> str:
    return condition.condition.field if isinstance(condition, AbsentOr) else condition.field
