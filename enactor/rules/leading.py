"""Which names that answer would come to lead nowhere: by a CNAME to a name of the zone that no plan
states and where nothing stands.

The planner never sees the zone and only says so; whoever sends looks first, and such a name keeps
its records (P2). Route 53 itself refuses an alias to nothing. In doubt nobody is held: where a
wildcard stands or a part of the zone is delegated, the target may well have an answer.
"""

from collections.abc import Iterable, Mapping, Sequence

from dnsplan.diff import NameChange
from dnsplan.names import Name, display, upwards
from dnsplan.records import RecordSet, leads_to, loses_answers
from enactor.rules.waiting import RecordsOf

NOWHERE = "would lead nowhere: "


def unstated_target(change: NameChange, stated: RecordsOf, zone: Name) -> Name | None:
    """The name that a CNAME of this change newly leads to, if the plan does not state it."""
    if not change.before:
        return None  # it answers nothing yet
    so_far = {target for target, _ in leads_to(change.before, zone)}
    for target, record_type in leads_to(change.after, zone):
        if record_type is None and target not in so_far and not stated(target):
            return target
    return None


def may_answer(targets: Iterable[Name], zone: Name) -> frozenset[Name]:
    """The names whose records decide whether these have an answer."""
    found = set(targets)
    for target in tuple(found):
        for pair in upwards(target, zone):
            found.update(pair)
    return frozenset(found)


def why_nowhere(
    change: NameChange, target: Name, standing: Mapping[Name, Sequence[RecordSet]], zone: Name
) -> str | None:
    """Why this change must not be made; None when the target has an answer, or may have one.

    `standing` is what stands at the names of `may_answer`.
    """
    for above, wildcard in upwards(target, zone):
        if standing[wildcard] or any(one.type == "NS" for one in standing[above]):
            return None
    had = frozenset(one.type for one in change.before)
    if not loses_answers(had, frozenset(one.type for one in standing[target]), None):
        return None
    return f"{NOWHERE}nothing stands at {display(target)}, and no plan states it"
