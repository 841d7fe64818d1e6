"""What keeps a zone from its newest plan, rule by rule, each with the next command. Pure.

A rule is clear, holds, or is not known: what could not be read is never taken for clear.
"""

from dataclasses import replace

from dnsplan.generation import AbsentOr, Condition, failed
from dnsplan.guardrails import judge_velocity
from dnsplan.names import Name, display, typed
from dnsplan.plan import NO_GENERATION, Plan
from dnsplan.ports import Zone
from dnsplan.runtime.status.model import Unread
from dnsplan.runtime.status.verdict import ENACTOR_QUIET_S
from dnsplan.transitions import claim
from enactor.rules.adoption import target_of
from enactor.rules.drift import DRIFT_HELD, FOREIGN
from runbooks.explaining import fence_rules
from runbooks.explaining.facts import ZoneFacts
from runbooks.explaining.findings import Finding, Judge, Said, State, fence_of, item_of

NAMES_SHOWN_MAX = 10
_MENDS = {FOREIGN: "dns-runbook adopt {} --dry-run", DRIFT_HELD: "dns-runbook audit {}"}


def findings(facts: ZoneFacts, *, name: Name | None) -> tuple[Finding, ...]:
    """Every rule; one that says nothing is clear. With a name, other names that are held back are
    nothing to it."""
    if name is not None and not isinstance(facts.held, Unread):
        held = {one: why for one, why in facts.held.items() if one == name}
        facts = replace(facts, held=held)
    found = (one for rule, judge in RULES.items() for one in _judged(rule, judge, facts))
    return tuple(one if name is None else _seen_at_the_name(one, facts, name) for one in found)


def _seen_at_the_name(found: Finding, facts: ZoneFacts, name: Name) -> Finding:
    """Who sees the zone looks at a held name next; who sees the name does what its reason asks."""
    held = None if isinstance(facts.held, Unread) else facts.held.get(name)
    if found.rule != "held_names" or held is None:
        return found
    command = _MENDS.get(held.reason, f"dns-runbook history {{}} {typed(name)}")
    return replace(found, command=command.format(facts.label))


def _judged(rule: str, judge: Judge, facts: ZoneFacts) -> tuple[Finding, ...]:
    found = tuple(Finding(rule, *one) for one in judge(facts))
    if found:
        return found
    blind = any(isinstance(getattr(facts, part), Unread) for part in NEEDS.get(rule, ()))
    return (Finding(rule, State.UNKNOWN if blind else State.CLEAR),)


def _readable(facts: ZoneFacts) -> Said:
    for one in facts.unread():
        yield State.UNKNOWN, f"{one.what} could not be read: {one.why}", ""


def _plan_unusable(facts: ZoneFacts) -> Said:
    if item_of(facts) is not None and isinstance(facts.target, Unread):
        text = f"{facts.target.what} cannot be loaded: {facts.target.why}"
        yield State.HOLDS, text, f"dns-runbook reconcile {facts.label}"


def _claim(facts: ZoneFacts) -> Said:
    """What the claim of the plan to reach would be refused for, beside what other rules say."""
    item = item_of(facts)
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


def _guardrail(facts: ZoneFacts) -> Said:
    live, target = facts.live, facts.target
    if not isinstance(live, Plan) or not isinstance(target, Plan):
        return
    if live.generation < target.generation:
        for one in judge_velocity(live, target, facts.stated.limits):
            yield State.HOLDS, str(one), f"dns-runbook diff {facts.label} {live.generation}"


def _wave(facts: ZoneFacts) -> Said:
    turn = facts.target.turn if isinstance(facts.target, Plan) else None
    if not facts.stated.config or turn is None or turn.config == facts.stated.config:
        return
    text = f"dns.yaml was changed since generation {turn.generation}; the zone waits for its turn"
    yield State.BEHIND, text, f"dns-planner plan {facts.label}"


def _held_names(facts: ZoneFacts) -> Said:
    if isinstance(facts.held, Unread):
        return
    names = sorted(facts.held)
    for name in names[:NAMES_SHOWN_MAX]:
        shown = display(name)
        keeps = "has no records" if facts.held[name].kept == () else "keeps what it had"
        text = f"{shown} is held and {keeps}: {facts.held[name].reason}"
        yield State.HOLDS, text, f"dns-runbook explain {typed(name)}"
    if len(names) > NAMES_SHOWN_MAX:
        text = f"and {len(names) - NAMES_SHOWN_MAX} more names are held"
        yield State.HOLDS, text, f"dns-runbook verify {facts.label}"


def _enactors(facts: ZoneFacts) -> Said:
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


def _progress(facts: ZoneFacts) -> Said:
    item, fence = item_of(facts), fence_of(facts)
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
    "no_plan": fence_rules.no_plan,
    "frozen": fence_rules.frozen,
    "foreign_table": fence_rules.foreign_table,
    "ahead": fence_rules.ahead,
    "foreign_owner": fence_rules.foreign_owner,
    "other_zone": fence_rules.other_zone,
    "fence": fence_rules.fence_there,
    "beyond_pin": fence_rules.pinned,
    "observing": fence_rules.observing,
    "wave": _wave,
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
    "wave": ("target",),
    "held_names": ("held",),
    "enactors": ("presences",),
    "progress": ("item", "fence"),
}


def _field(condition: Condition) -> str:
    return condition.condition.field if isinstance(condition, AbsentOr) else condition.field
