"""What a candidate changes against the newest plan, unit by unit, and in one sentence.

For people: the reason that stands in a plan, and what `dns-planner plan` shows.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from dnsplan.guardrails import answers
from dnsplan.names import display
from dnsplan.records import RecordSet, Unit
from dnsplan.shards import seen_through, sharded_name, shards_at
from planner.rules.candidate import Candidate
from planner.rules.standing import Standing

UNITS_NAMED_MAX = 5
ANSWERS_NAMED_MAX = 4


@dataclass(frozen=True, slots=True)
class UnitChange:
    """The record sets of one name and type before and after; one of them may be empty.

    Those of a pool in shards are seen through them, `shards` how many there were and are.
    """

    unit: Unit
    before: tuple[RecordSet, ...]
    after: tuple[RecordSet, ...]
    shards: tuple[int, int] = (0, 0)

    @property
    def coming(self) -> tuple[str, ...]:
        """Answers that are new."""
        return tuple(sorted(answers(self.after) - answers(self.before)))

    @property
    def going(self) -> tuple[str, ...]:
        """Answers that end."""
        return tuple(sorted(answers(self.before) - answers(self.after)))


def changes(candidate: Candidate, standing: Standing) -> tuple[UnitChange, ...]:
    """Every unit that differs, sorted; what changes in a shard changes its pool's name."""
    heads = dict.fromkeys(_head(unit, candidate) for unit in candidate.changed)
    return tuple(_change(unit, candidate, standing) for unit in sorted(heads))


def _head(unit: Unit, candidate: Candidate) -> Unit:
    """The unit itself, but for a shard that does not end: the name that leads to it."""
    name = sharded_name(unit[0]) if unit in candidate.units else None
    return unit if name is None else (name, unit[1])


def _change(unit: Unit, candidate: Candidate, standing: Standing) -> UnitChange:
    there, wanted = (
        len(shards_at(unit[0], units.get(unit, ()))) for units in (standing.units, candidate.units)
    )
    after = seen_through(candidate.units, unit)
    return UnitChange(unit, standing.answering(unit), after, (there, wanted))


def summary(candidate: Candidate, standing: Standing) -> str:
    """One sentence for the plan's row: the first changes by name, and how many more there are."""
    if standing.plan is None:
        heads = {_head(unit, candidate) for unit in candidate.units}
        return f"first plan: {len(heads)} names and types"
    found = changes(candidate, standing)
    if not found:
        return "retirements changed"
    named = [_sentence(one) for one in found[:UNITS_NAMED_MAX]]
    more = len(found) - len(named)
    return "; ".join([*named, f"and {more} more"] if more else named)


def _sentence(change: UnitChange) -> str:
    name, record_type = change.unit
    subject = f"{display(name)} {record_type}"
    if not change.after:
        return f"{subject} ends"
    signs = [*_signed("-", change.going), *_signed("+", change.coming)]
    return f"{subject} {' '.join(signs) or 'settings'}"


def _signed(sign: str, texts: Sequence[str]) -> list[str]:
    shown = [f"{sign}{text}" for text in texts[:ANSWERS_NAMED_MAX]]
    more = len(texts) - len(shown)
    return [*shown, f"{sign}({more} more)"] if more else shown
