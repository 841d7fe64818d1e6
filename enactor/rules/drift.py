"""Whether what stands at a name is explained by a plan of ours, was changed, or is others'.

A plan that is known to have stood in the zone, whole or in part, explains what it states. Nothing
at all explains records at a name that no such plan managed: they are not ours to change.
"""

from collections.abc import Iterable
from enum import Enum

from dnsplan.normal import normal_form
from dnsplan.records import RecordSet

FOREIGN = "it exists with records that no plan of ours made"
DRIFT_HELD = "it was changed by others, and drift is held in this zone"


class Origin(Enum):
    """Whose hand it was."""

    OURS = "ours"
    CHANGED = "changed"
    FOREIGN = "foreign"


def origin_of(live: Iterable[RecordSet], known: Iterable[tuple[RecordSet, ...]]) -> Origin:
    """Judge what stands at one name by what each known plan states for it.

    A name that is missing is ours when some known plan does not have it, or none is known: it is
    yet to be made. It was changed by others when every known plan has it.
    """
    standing = {normal_form(one) for one in live}
    states = [set(state) for state in known]
    if standing in states or (not standing and not states):
        return Origin.OURS
    return Origin.CHANGED if any(states) else Origin.FOREIGN
