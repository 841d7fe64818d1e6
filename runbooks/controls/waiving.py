"""Which guardrails an operator may lift for one generation, and the way on from each refusal. Pure.

A refusal names the waiver that would lift it, or says that none can and why.
"""

from collections.abc import Iterable, Sequence

from dnsplan.bounds import NAMES_CHANGED, TTL
from dnsplan.guardrails import FLOOR, HANDS_OFF, NEVER_EMPTY, VELOCITY
from dnsplan.violation import Violation
from dnsplan.waivers import WAVE

WAIVABLE = (FLOOR, VELOCITY, NAMES_CHANGED, TTL)
# What an offer to the planner may lift beside: an operator's own plan waits for no turn.
OFFERED = (*WAIVABLE, WAVE)
_WHY_NEVER = {
    NEVER_EMPTY: "a name ends only by dns-runbook retire",
    HANDS_OFF: "what it guards belongs to others",
}


def waiver_mistakes(
    rules: Iterable[str], *, asked_by: str, waivable: Sequence[str] = WAIVABLE
) -> tuple[str, ...]:
    """What is wrong with the rules that are to be waived; none when all can be. `asked_by` is the
    option or command that names them."""
    allowed = ", ".join(waivable)
    found = []
    for rule in dict.fromkeys(rules):
        if rule in _WHY_NEVER:
            why = _WHY_NEVER[rule]
            found.append(f"{asked_by} {rule}: it cannot be waived, {why}; allowed: {allowed}")
        elif rule not in waivable:
            found.append(f"{asked_by} {rule}: there is no such rule; allowed: {allowed}")
    return tuple(found)


def way_on(violations: Iterable[Violation]) -> tuple[str, ...]:
    """For each rule that is broken, how an operator can go on."""
    rules = sorted({one.rule for one in violations})
    return tuple(
        f"{rule} cannot be waived: {_WHY_NEVER[rule]}"
        if rule in _WHY_NEVER
        else f"--waive {rule} lifts it for this generation alone"
        for rule in rules
    )
