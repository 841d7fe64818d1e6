"""Bounds on what a changed config may do in one plan: how many names it touches, and their TTLs.

Judged where plans are made, against the newest plan, and never by enactors: after an outage a zone
is many plans behind, each of which kept to the bounds. Health is no change of the config: which of
a pool's targets answer, and by what weight, is velocity's to judge, however many names that moves.
"""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

from dnsplan.names import Name, display
from dnsplan.plan import Plan
from dnsplan.records import RecordSet, Unit
from dnsplan.shards import Units, seen_through, sharded_name
from dnsplan.validation import TTL_S_MAX
from dnsplan.violation import Violation, violation

NAMES_CHANGED = "names_changed"
TTL = "ttl"

# More names than any zone holds: how many an honest change touches is for each house to say.
NAMES_MAX = 1_000_000
NAMES_SHOWN_MAX = 3

# A name and type, and what it answers before and after.
Seen: TypeAlias = tuple[Unit, tuple[RecordSet, ...], tuple[RecordSet, ...]]


@dataclass(frozen=True, slots=True)
class Bounds:
    """A zone's bounds, as wide as Route 53's unless stated; both TTLs are allowed themselves."""

    names_changed_max: int = NAMES_MAX
    ttl_min_s: int = 0
    ttl_max_s: int = TTL_S_MAX

    def allows(self, ttl_s: int) -> bool:
        """Whether a TTL is within them."""
        return self.ttl_min_s <= ttl_s <= self.ttl_max_s

    @property
    def ttls(self) -> str:
        """The TTLs that they allow, in words."""
        return f"{self.ttl_min_s} to {self.ttl_max_s} s, ttl_min_s and ttl_max_s"


UNBOUNDED = Bounds()


def beyond(
    there: Units, wanted: Units, plan: Plan, bounds: Bounds, *, is_first: bool
) -> Iterator[Violation]:
    """Findings of both rules in the names that differ. A zone's first plan, before which nothing
    answers, may bring as many names as it likes."""
    if bounds == UNBOUNDED:
        return
    units = [unit for unit in sorted({*there, *wanted}) if sharded_name(unit[0]) is None]
    seen = [(unit, seen_through(there, unit), seen_through(wanted, unit)) for unit in units]
    driven = {(one.name, one.type) for one in plan.ledger}
    if not is_first:
        yield from _names_changed(_touched(seen, driven), plan, bounds)
    yield from _ttls(seen, plan, bounds)


def _touched(seen: Iterable[Seen], driven: Collection[Unit]) -> list[Name]:
    """Names that come, end, or whose records or TTL change; not those that health moves."""
    found: dict[Name, None] = {}
    for unit, before, after in seen:
        old, new = _ttls_of(before), _ttls_of(after)
        is_moved = unit in driven and before and after and (old == new or not (old and new))
        if before != after and not is_moved:
            found[unit[0]] = None
    return list(found)


def _names_changed(names: list[Name], plan: Plan, bounds: Bounds) -> Iterator[Violation]:
    if len(names) > bounds.names_changed_max:
        shown = ", ".join(display(one) for one in names[:NAMES_SHOWN_MAX])
        more = f" and {len(names) - NAMES_SHOWN_MAX} more" if len(names) > NAMES_SHOWN_MAX else ""
        measured = f"{len(names)} names would change, {shown}{more}"
        limit = f"{bounds.names_changed_max}, max_names_changed"
        yield violation(NAMES_CHANGED, plan, display(plan.zone), measured, limit)


def _ttls(seen: Iterable[Seen], plan: Plan, bounds: Bounds) -> Iterator[Violation]:
    """A TTL that stands may stay: tighter bounds must not keep a name's dead targets in."""
    for (name, record_type), before, after in seen:
        for ttl_s in sorted(_ttls_of(after) - _ttls_of(before)):
            if not bounds.allows(ttl_s):
                text = f"{record_type} gets TTL {ttl_s} s"
                yield violation(TTL, plan, display(name), text, bounds.ttls)


def _ttls_of(record_sets: Iterable[RecordSet]) -> frozenset[int]:
    """Aliases have none."""
    return frozenset(one.ttl_s for one in record_sets if one.ttl_s is not None)
