"""Whether what stands at a name is explained by a plan of ours, was changed, or is others'.

A plan that is known to have stood in the zone, whole or in part, explains what it states. Nothing
at all explains records at a name that no such plan managed: they are not ours to change.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from enum import Enum

from dnsplan.names import Name, display
from dnsplan.normal import normal_form
from dnsplan.records import RecordSet, Unit, member_in_words, unit_of, values_in_words

FOREIGN = "it exists with records that no plan of ours made; dns-runbook adopt takes them over"
DRIFT_HELD = "it was changed by others, and drift is held in this zone"

# A line is read by a person; a set may hold 400 values, and a value 4,000 characters.
VALUES_SHOWN_MAX = 5
CHARACTERS_SHOWN_MAX = 60


class Origin(Enum):
    """Whose hand it was."""

    OURS = "ours"
    CHANGED = "changed"
    FOREIGN = "foreign"


@dataclass(frozen=True, slots=True)
class Drift:
    """A name and type that stands otherwise than the plan states; `wanted` is empty if it ended."""

    name: Name
    type: str
    wanted: tuple[RecordSet, ...]
    standing: tuple[RecordSet, ...]

    @property
    def unit(self) -> Unit:
        """The name with the type."""
        return self.name, self.type

    def __str__(self) -> str:
        """Both values in one line."""
        wanted, standing = in_words(self.wanted), in_words(self.standing)
        return f"{display(self.name)} {self.type}: wanted {wanted}; standing {standing}"


def origin_of(
    live: Iterable[RecordSet],
    known: Iterable[tuple[RecordSet, ...]],
    possible: Iterable[tuple[RecordSet, ...]] = (),
) -> Origin:
    """Judge what stands at one name by what each known plan states for it.

    A name that is missing is ours when some known plan does not have it, or none is known: it is
    yet to be made. It was changed by others when every known plan has it. What stands exactly as a
    plan states it that may have landed in part is ours too.
    """
    standing = {normal_form(one) for one in live}
    states = [set(state) for state in known]
    if standing in states or (not standing and not states):
        return Origin.OURS
    if standing and standing in [set(state) for state in possible]:
        return Origin.OURS
    return Origin.CHANGED if any(states) else Origin.FOREIGN


def drifts(listed: Iterable[RecordSet], wanted: Iterable[RecordSet]) -> tuple[Drift, ...]:
    """What stands otherwise than wanted, by name and type; all that is wanted nowhere is others'.

    Where a CNAME took the place of what is wanted, or something that of a CNAME, it is shown.
    """
    wanted = frozenset(wanted)
    at_unit: defaultdict[Unit, set[RecordSet]] = defaultdict(set)
    at_name: defaultdict[Name, set[RecordSet]] = defaultdict(set)
    for one in listed:
        normal = _normal(one, wanted)
        at_unit[unit_of(normal)].add(normal)
        at_name[normal.name].add(normal)
    stated: defaultdict[Unit, set[RecordSet]] = defaultdict(set)
    for one in wanted:
        stated[unit_of(one)].add(one)
    found = []
    for unit in sorted(stated):
        standing = at_unit.get(unit) or _in_the_way(unit, at_name.get(unit[0], set()))
        if standing != stated[unit]:
            found.append(Drift(*unit, _sorted(stated[unit]), _sorted(standing)))
    return tuple(found)


def returned(
    listed: Iterable[RecordSet],
    wanted: Iterable[RecordSet],
    ended: Collection[tuple[Name, str | None]],
) -> tuple[Drift, ...]:
    """What stands at names and types (None: any) that ended and are not wanted again.

    Nobody knows whose it is by now: a removal that was not made, or somebody's new record.
    """
    wanted = frozenset(wanted) if ended else frozenset()
    stated = {unit_of(one) for one in wanted}
    standing: defaultdict[Unit, set[RecordSet]] = defaultdict(set)
    for normal in (_normal(one, wanted) for one in listed) if ended else ():
        unit = unit_of(normal)
        if unit not in stated and (unit in ended or (unit[0], None) in ended):
            standing[unit].add(normal)
    return tuple(Drift(*unit, (), _sorted(standing[unit])) for unit in sorted(standing))


def in_words(record_sets: Iterable[RecordSet]) -> str:
    """Record sets of one name as a person reads them."""
    return ", ".join(map(_set_in_words, record_sets)) or "nothing"


def _normal(one: RecordSet, wanted: Collection[RecordSet]) -> RecordSet:
    """The normal form of what is listed; what is wanted has it, so most need not be read again."""
    return one if one in wanted else normal_form(one)


def _in_the_way(unit: Unit, at_name: set[RecordSet]) -> set[RecordSet]:
    return {one for one in at_name if "CNAME" in (one.type, unit[1])}


def _sorted(record_sets: set[RecordSet]) -> tuple[RecordSet, ...]:
    return tuple(sorted(record_sets, key=lambda one: (one.type, one.set_id or "")))


def _set_in_words(one: RecordSet) -> str:
    if one.alias is not None:
        answer = f"alias {one.alias.name}"
    else:
        more = len(one.values) - VALUES_SHOWN_MAX
        shown = values_in_words([_cut(value) for value in one.values[:VALUES_SHOWN_MAX]])
        answer = f"{one.type} {one.ttl_s} {shown}" + (f" and {more} more" if more > 0 else "")
    return answer if one.set_id is None else f"{answer} ({member_in_words(one)})"


def _cut(value: str) -> str:
    return value if len(value) <= CHARACTERS_SHOWN_MAX else f"{value[:CHARACTERS_SHOWN_MAX]}..."
