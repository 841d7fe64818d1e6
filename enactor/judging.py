"""Guardrails as a cycle meets them: a hold that says which rule, how much, and where to look.

What the rules are is the contract's; here they are only asked and put into words.
"""

from dnsplan.guardrails import judge_velocity
from dnsplan.names import typed
from dnsplan.violation import Violation
from enactor.progress import Progress
from enactor.rules.outcomes import Held, HoldRule

# The text stands in a sign of life beside those of all other zones, and a person reads it.
VIOLATIONS_SHOWN_MAX = 5


def judged_against_base(progress: Progress) -> Held | None:
    """Velocity, from the newest plan that stood whole to the one to reach."""
    plan, base = progress.plan, progress.base
    if base is None or base.generation >= plan.generation:
        return None
    return refused(judge_velocity(base, plan, progress.task.limits))


def refused(found: tuple[Violation, ...]) -> Held | None:
    """A hold for these violations; None when there are none."""
    if not found:
        return None
    command = f"dns-runbook explain {typed(found[0].name)}"
    more = len(found) - VIOLATIONS_SHOWN_MAX
    shown = "; ".join(map(str, found[:VIOLATIONS_SHOWN_MAX]))
    return Held(HoldRule.GUARDRAIL, shown + (f"; {more} more" if more > 0 else ""), command)
