"""Shards that nothing leads to any more: the planner ends them, since it made them.

One ends two plans after its last target left it. The first plan takes the alias away and leaves the
shard as it was. Once that plan is known to be in the zone nobody is led to the shard, and the next
one carries the planner's word that it may end. A name that was held back there keeps its alias, and
an enactor then keeps what that leads to.
"""

from collections.abc import Iterable, Iterator, Mapping

from dnsplan.names import Name
from dnsplan.plan import Generation, Retirement
from dnsplan.records import RecordSet, Unit, leads_to
from dnsplan.shards import sharded_name
from planner.rules.standing import Standing

BY = "the planner: nothing leads to this shard"


def shards_to_end(
    beside: Iterable[Unit],
    units: Mapping[Unit, tuple[RecordSet, ...]],
    standing: Standing,
    *,
    zone: Name,
    applied: Generation,
) -> tuple[Retirement, ...]:
    """The word for each of `beside` that is a shard and may end, sorted; `units` is the candidate.

    `beside` are the units of the newest plan that nobody wants now, `applied` is the newest
    generation known to be in the zone.
    """
    plan = standing.plan
    if plan is None or applied != plan.generation:
        return ()
    idle = {unit for unit in beside if sharded_name(unit[0]) is not None}
    if not idle:
        return ()
    led = set(_led(units, zone)) | set(_led(standing.units, zone))
    following = plan.generation + 1
    return tuple(
        Retirement(name, record_type, following, BY)
        for name, record_type in sorted(idle)
        if not {(name, record_type), (name, None)} & led
    )


def _led(
    units: Mapping[Unit, tuple[RecordSet, ...]], zone: Name
) -> Iterator[tuple[Name, str | None]]:
    return (way for sets in units.values() for way in leads_to(sets, zone))
