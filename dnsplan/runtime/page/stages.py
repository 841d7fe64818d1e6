"""When each of a zone's newest generations was planned, claimed, applied, and in sync in each AZ.

Pure. An instant is when a stage was first seen to be reached; one that was reached before anybody
looked is told apart from one that is not reached. For people: nothing decides by it.
"""

from collections.abc import Iterable, Mapping

from msgspec import structs

from dnsplan.generation import GenerationItem
from dnsplan.plan import NO_GENERATION, Generation, Plan
from dnsplan.runtime.page.model import EARLIER_S, Stages
from dnsplan.trace import trace_of

KEPT_MAX = 10


def moved_on(
    before: tuple[Stages, ...] | None,
    item: GenerationItem,
    seen: Mapping[str, Generation],
    *,
    now_s: float,
) -> tuple[Stages, ...]:
    """The newest generation first. `before` is None at the first look; `seen` is by AZ."""
    reached_s = EARLIER_S if before is None else now_s
    known = before or ()
    if item.head != NO_GENERATION and all(one.generation != item.head for one in known):
        trace = trace_of(item.head_id.digest)
        known = (Stages(generation=item.head, planned_s=reached_s, trace=trace), *known)
    newest_first = sorted(known, key=lambda one: -one.generation)[:KEPT_MAX]
    return tuple(_moved(one, item, seen, reached_s) for one in newest_first)


def described(stages: Iterable[Stages], plan: Plan) -> tuple[Stages, ...]:
    """The plan itself says when it was made, by whom and why."""
    return tuple(
        structs.replace(
            one, planned_s=float(plan.created_s), author=plan.author, reason=plan.reason
        )
        if one.generation == plan.generation
        else one
        for one in stages
    )


def _moved(
    one: Stages, item: GenerationItem, seen: Mapping[str, Generation], now_s: float
) -> Stages:
    claimed_s, applied_s = one.claimed_s, one.applied_s
    if claimed_s is None and item.claimed == one.generation:
        claimed_s = now_s
    if applied_s is None and item.applied == one.generation:
        applied_s = now_s
    there = {az for az, _ in one.seen_by}
    new = [(az, now_s) for az, at in sorted(seen.items()) if at == one.generation]
    return structs.replace(
        one,
        claimed_s=claimed_s,
        applied_s=applied_s,
        seen_by=(*one.seen_by, *((az, at_s) for az, at_s in new if az not in there)),
        passed_by=applied_s is None and item.applied > one.generation,
    )
