"""What an enactor would change in a zone that it only observes, in data and in one sentence. Pure.

`live` are the record sets that the plan answers for, as they stand; of the others that are `listed`
only those are shown that stand in the way of a stated one.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence

from dnsplan.normal import normal_form
from dnsplan.plan import Generation, Plan, managed_units
from dnsplan.records import RecordSet, Unit, unit_of
from dnsplan.violation import Violation
from enactor.rules.drift import Drift, drifts

# A hold is one line; the log has an event for each.
CHANGES_SHOWN_MAX = 3


def would_change(
    live: Iterable[RecordSet], listed: Iterable[RecordSet], plan: Plan
) -> tuple[Drift, ...]:
    """Every name and type that would come, go or be set otherwise, sorted."""
    stated = managed_units(plan)
    ending: defaultdict[Unit, list[RecordSet]] = defaultdict(list)
    for one in map(normal_form, live):
        if unit_of(one) not in stated:
            ending[unit_of(one)].append(one)
    gone = (Drift(*unit, (), tuple(sets)) for unit, sets in ending.items())
    return tuple(sorted((*drifts(listed, plan.content), *gone), key=lambda one: one.unit))


def observed_in_words(
    generation: Generation,
    changes: Sequence[Drift],
    violations: Sequence[Violation],
    *,
    needs_adoption: bool,
) -> str:
    """What would be done, what the guardrails would say, and what must come first."""
    if not changes:
        text = f"observing: plan {generation} stands already, nothing would change"
    else:
        shown = "; ".join(map(str, changes[:CHANGES_SHOWN_MAX]))
        more = len(changes) - CHANGES_SHOWN_MAX
        rest = f"; and {more} more" if more > 0 else ""
        count = "1 name and type" if len(changes) == 1 else f"{len(changes)} names and types"
        text = f"observing: would change {count} to reach plan {generation}: {shown}{rest}"
    if violations:
        text += f"; would be refused by {violations[0]}"
    if needs_adoption:
        text += "; the zone must be adopted before it is enforced"
    return text
