"""What the planner pages: zones it cannot plan, plans that a guardrail refuses, pools in panic.

Pure. What lasts a moment is nobody's business: probes flap, two planners race, a table is slow.
What an operator did (a freeze) pages nobody. Where the table cannot be read every zone is held for
the same reason, and that is one page.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from dnsplan.names import display, typed
from dnsplan.notices import Cause
from dnsplan.pages import PAGES
from dnsplan.violation import Violation
from planner.rules.notes import UnitNote
from planner.rules.outcomes import Held, HoldRule, Overtaken, PlanOutcome, Refused, Unsettled

UNPLANNED, REFUSED, PANIC, UNREAD = "unplanned-zone", "refused-plan", "pool-panic", "planner-unread"
STOPPED = "wave-stopped"
KINDS = (UNPLANNED, REFUSED, PANIC, UNREAD, STOPPED)
LINES_MAX = 10

# An operator's own word needs no page to anybody.
_QUIET = frozenset({HoldRule.FROZEN})
RUNBOOKS: Mapping[HoldRule, str | None] = {
    rule: None if rule in _QUIET else PAGES[rule] for rule in HoldRule
}
_AT_ONCE = frozenset(
    {
        HoldRule.FOREIGN_TABLE,
        HoldRule.FOREIGN_OWNER,
        HoldRule.AHEAD,
        HoldRule.UNVOUCHED,
        HoldRule.ITEM_UNREADABLE,
    }
)
AT_ONCE_S = 10.0


@dataclass(frozen=True, slots=True)
class Passed:
    """How the newest pass ended for one zone, with the notes of its candidate."""

    label: str
    outcome: PlanOutcome
    notes: Sequence[UnitNote] = ()


@dataclass(frozen=True, slots=True)
class Ripening:
    """A cause that is not told yet, and how long it must last before it is."""

    cause: Cause
    wait_s: float


def causes_of(passed: Sequence[Passed], *, held_s: float) -> list[Ripening]:
    """What needs somebody, if it lasts."""
    if is_blind(passed):
        holds = (_unread_hold(one.outcome) for one in passed)
        return [Ripening(_unread(hold), held_s) for hold in holds if hold is not None][:1]
    ripening = [ripening for one in passed for ripening in _of_zone(one, held_s)]
    if waiting := [one for one in passed if _is_stopped(one.outcome)]:
        ripening.append(Ripening(_stopped(waiting), held_s))
    return ripening


def is_blind(passed: Sequence[Passed]) -> bool:
    """Whether no zone at all could be read."""
    return bool(passed) and all(_unread_hold(one.outcome) is not None for one in passed)


def is_unsure(cause: Cause, passed: Mapping[str, Passed]) -> bool:
    """Whether this pass says nothing about a cause: the zone could not be read, or lost a race."""
    if cause.kind == UNREAD:
        return False
    one = passed.get(cause.label)
    if one is None:
        return False
    if isinstance(one.outcome, Overtaken | Unsettled):
        return True
    return _unread_hold(one.outcome) is not None and cause.kind in (REFUSED, PANIC)


def _unread_hold(outcome: PlanOutcome) -> Held | None:
    if isinstance(outcome, Held) and outcome.rule is HoldRule.READ_FAILED:
        return outcome
    return None


def _of_zone(passed: Passed, held_s: float) -> Iterator[Ripening]:
    match passed.outcome:
        case Held(HoldRule.WAVE):
            pass  # all zones that wait are one page
        case Held(rule):
            if (runbook := RUNBOOKS[rule]) is not None:
                wait_s = AT_ONCE_S if rule in _AT_ONCE else held_s
                yield Ripening(_held(passed.label, passed.outcome, runbook), wait_s)
        case Refused(violations):
            yield Ripening(_refused(passed.label, violations), held_s)
        case _:
            pass
    panics = sorted(
        f"{display(note.unit[0])} {note.unit[1]}" for note in passed.notes if note.is_panic
    )
    if panics:
        yield Ripening(_panic(passed.label, panics), held_s)


def _held(label: str, hold: Held, runbook: str) -> Cause:
    return Cause(
        kind=UNPLANNED,
        label=label,
        verdict=str(hold.rule),
        title=f"zone {label} is not planned: {hold.rule}",
        lines=(hold.text, "its newest plan stands"),
        commands=(hold.command,),
        runbook=runbook,
    )


def _refused(label: str, violations: Sequence[Violation]) -> Cause:
    rules = sorted({str(one.rule) for one in violations})
    return Cause(
        kind=REFUSED,
        label=label,
        verdict=", ".join(rules),
        title=f"zone {label}: a new plan is refused: {', '.join(rules)}",
        lines=_bounded([str(one) for one in violations]),
        commands=(f"dns-runbook explain {typed(violations[0].name)}", f"dns-planner plan {label}"),
        runbook="velocity-hold",
    )


def _panic(label: str, panics: Sequence[str]) -> Cause:
    return Cause(
        kind=PANIC,
        label=label,
        verdict="panic",
        title=f"zone {label}: health is ignored, since most of a pool looks dead",
        lines=_bounded(panics),
        commands=(f"dns-planner plan {label}",),
        runbook="velocity-hold",
    )


def _is_stopped(outcome: PlanOutcome) -> bool:
    return isinstance(outcome, Held) and outcome.rule is HoldRule.WAVE


def _stopped(waiting: Sequence[Passed]) -> Cause:
    """What stops a wave stops it for all zones that wait."""
    hold = waiting[0].outcome
    labels = ", ".join(one.label for one in waiting[:LINES_MAX])
    more = f" and {len(waiting) - LINES_MAX} more" if len(waiting) > LINES_MAX else ""
    return Cause(
        kind=STOPPED,
        verdict="stopped",
        title=f"a changed config goes out no further: {len(waiting)} zones wait",
        lines=(hold.text if isinstance(hold, Held) else "", f"waiting: {labels}{more}"),
        commands=(hold.command if isinstance(hold, Held) else "", "dns-planner plan"),
        runbook=RUNBOOKS[HoldRule.WAVE] or "",
    )


def _unread(hold: Held) -> Cause:
    return Cause(
        kind=UNREAD,
        verdict="unread",
        title="the planner cannot read the table",
        lines=(hold.text, "no zone is planned; the newest plans stand"),
        commands=("dns-runbook status",),
        runbook=PAGES[HoldRule.READ_FAILED],
    )


def _bounded(texts: Sequence[str]) -> tuple[str, ...]:
    more = len(texts) - LINES_MAX
    return (*texts[:LINES_MAX], f"and {more} more") if more > 0 else tuple(texts)
