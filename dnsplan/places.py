"""Groups by place that lose the member for all other places: whoever asks from there gets nothing.

By place are geolocation and CIDR routing; `*` is the default of both. Source: Route 53 Developer
Guide, geolocation and IP-based routing.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from dnsplan.names import Name
from dnsplan.records import Geolocation, OtherPolicy, RecordSet, Unit


def elsewhere(
    there: Mapping[Unit, Sequence[RecordSet]], wanted: Mapping[Unit, Sequence[RecordSet]]
) -> Iterator[tuple[Name, str, str]]:
    """Each name whose default goes and that stays by place, in words, with what is allowed."""
    for (name, record_type), before in there.items():
        after = wanted.get((name, record_type), ())
        if _has_default(before) and leaves_some_out(after):
            text = f"{record_type} would have no answers outside the places that are stated"
            yield name, text, 'the default, "*", stays'


def leaves_some_out(members: Collection[RecordSet]) -> bool:
    """Whether clients outside the places of a group get no answer."""
    return bool(members) and _is_by_place(members) and not _has_default(members)


def _is_by_place(members: Iterable[RecordSet]) -> bool:
    return all(
        isinstance(one.routing, Geolocation)
        or (isinstance(one.routing, OtherPolicy) and '"CidrRoutingConfig"' in one.routing.fields)
        for one in members
    )


def _has_default(members: Iterable[RecordSet]) -> bool:
    return any(map(_is_default, members))


def _is_default(one: RecordSet) -> bool:
    match one.routing:
        case Geolocation(_, country, _):
            return country == "*"
        case OtherPolicy(fields):
            return '"LocationName":"*"' in fields
        case _:
            return False
