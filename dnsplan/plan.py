"""A plan: the complete desired record sets of one zone's managed names, immutable.

A generation is issued once. Numbers live in eras of a million: the planner counts by one inside an
era, and only an operator's command opens the next, so that no number ever names two contents,
whatever was restored or lost.
"""

from collections.abc import Iterable
from itertools import compress, pairwise
from operator import eq, le
from typing import NewType

from msgspec import Struct

from dnsplan.errors import InvalidRecord
from dnsplan.names import Name
from dnsplan.records import Key, RecordSet, Unit, key_of, unit_of

Generation = NewType("Generation", int)
Digest = NewType("Digest", str)

ERA = 1_000_000
# A million eras: a higher number was never issued, whoever wrote it into a fence. A fence can hold
# a thousand times as much, so that there is always room above what is believed.
BELIEVED_MAX = 1_000_000 * ERA
SCHEMA = 1
_CNAME = "CNAME"

NO_GENERATION = Generation(0)


class NameLedger(Struct, frozen=True, array_like=True, gc=False):
    """What velocity control knows of one pool-driven name and type.

    `targets` are the pool's members of this type and `healthy` those seen healthy; `spent` lists
    (second since 1970, targets taken out then), oldest first, for one window and no longer.
    """

    name: Name
    type: str
    targets: int
    healthy: int
    spent: tuple[tuple[int, int], ...]


class Retirement(Struct, frozen=True, array_like=True, gc=False):
    """An operator's word that a name (or one type of it) may end: the only way it ends.

    The planner gives it for what it made itself, a shard that nothing leads to.
    """

    name: Name
    type: str | None
    generation: int
    by: str


class Waiver(Struct, frozen=True, array_like=True, gc=False):
    """A named operator's leave for one guardrail in one generation.

    Later plans carry it on until that generation, or a later one, is applied: else a plan that was
    allowed, and passed over before anybody applied it, would be refused as part of the next.
    """

    rule: str
    by: str
    because: str
    generation: int


class Turn(Struct, frozen=True, array_like=True, gc=False, kw_only=True):
    """Which wording of the config a plan was made of, and since when its zone goes by it.

    `config` and `before` are digests of what the config makes of the zone, now and before (empty:
    there is nothing to go back to). The zone took it up with `generation`, at `since_s`. The rest
    is for the time until its next turn: `pools` are digests of what the config makes of each pool's
    names, `sources` the pools' further sources, and `out` are answers, by name and type, that it
    states and that did not answer in this plan: who comes back is no new target.
    """

    config: str
    before: str
    generation: Generation
    since_s: int
    pools: tuple[tuple[str, str], ...] = ()
    sources: tuple[tuple[str, str], ...] = ()
    out: tuple[tuple[Name, str, tuple[str, ...]], ...] = ()


class Plan(Struct, frozen=True, array_like=True, gc=False, kw_only=True):
    """Everything an enactor needs to make a zone right, and nothing that must be looked up.

    `content` is in normal form, sorted by key and without doubles (`new_plan` makes it so).
    `base` is the generation it was planned against; it is for people, never a source of truth
    about the zone. `turn` is for planners; None in a plan that no configuration made.
    """

    schema: int
    owner: str
    label: str
    zone: Name
    generation: Generation
    base: Generation
    created_s: int
    author: str
    reason: str
    content: tuple[RecordSet, ...]
    ledger: tuple[NameLedger, ...] = ()
    retired: tuple[Retirement, ...] = ()
    waivers: tuple[Waiver, ...] = ()
    turn: Turn | None = None


class PlanId(Struct, frozen=True, array_like=True, gc=False):
    """Where a plan's body is kept: by generation and digest, so that a half-written body blocks
    nobody and a late write cannot change a published one."""

    label: str
    generation: Generation
    digest: Digest


def next_generation(head: Generation) -> Generation:
    """The number after head, or InvalidRecord when the era is used up and an operator must act."""
    following = Generation(head + 1)
    if following % ERA == 0:
        raise InvalidRecord(f"the era of generation {head} is used up; run dns-runbook reconcile")
    return following


def plans_after(applied: Generation, head: Generation) -> int:
    """How many plans were published after `applied`, head included.

    Of eras before head's none is counted: the command that ended them dealt with their plans.
    """
    first = head // ERA * ERA
    return head - max(applied, first - 1)


def next_era(*seen: int) -> Generation:
    """The first number of the era after every number seen anywhere that was ever issued."""
    issued = (number for number in seen if number <= BELIEVED_MAX)
    return Generation((max(issued, default=0) // ERA + 1) * ERA)


def sorted_content(record_sets: tuple[RecordSet, ...]) -> tuple[RecordSet, ...]:
    """Sort by key and refuse doubles: order must be decided before it can reach a digest."""
    if _is_sorted(record_sets):
        return record_sets  # as where a plan differs from the one before in a few values
    content = tuple(sorted(record_sets, key=key_of))
    for before, after in pairwise(content):
        if key_of(before) == key_of(after):
            raise InvalidRecord(f"record set {key_of(after)} is stated twice")
    return content


def _is_sorted(record_sets: tuple[RecordSet, ...]) -> bool:
    """By key and without doubles. Keys are made only where two neighbours have one name."""
    names = [one.name for one in record_sets]
    if not all(map(le, names, names[1:])):
        return False
    alike = compress(pairwise(record_sets), map(eq, names, names[1:]))
    return all(key_of(before) < key_of(after) for before, after in alike)


def managed_units(plan: Plan) -> frozenset[Unit]:
    """The names and types that the plan answers for."""
    return frozenset(map(unit_of, plan.content))


def is_retired(unit: Unit, retired: Iterable[Retirement]) -> bool:
    """Whether an operator retired this name and type."""
    return any(one.name == unit[0] and one.type in (None, unit[1]) for one in retired)


def lets_end(retirement: Retirement, unit: Unit) -> bool:
    """Whether this name and type may end by that word.

    A zone may still hold what a plan that was passed over would have turned to or from CNAME. Since
    a CNAME stands alone, the word about it covers what stood before it, and the other way round.
    """
    either = _CNAME in (retirement.type, unit[1]) and retirement.name == unit[0]
    return either or is_retired(unit, (retirement,))


def may_end(plan: Plan, key: Key) -> bool:
    """Whether the name and type that this record set belongs to may end in the zone."""
    name, record_type, _ = key
    return any(lets_end(one, (name, record_type)) for one in plan.retired)


def carried_waivers(newest: Plan, applied: Generation) -> tuple[Waiver, ...]:
    """The waivers that a plan after the newest must carry: what they allowed may not stand yet."""
    return tuple(one for one in newest.waivers if one.generation > applied)
