"""CNAMEs that answer through a wildcard, and that what comes or ends elsewhere would silence.

A wildcard answers directly below the closest name that exists, and a name exists as soon as a
record stands at it or below it. So a text at `_acme-challenge.t` takes `t` away from `*`, and a
CNAME to `t` answers nothing, though nobody touched either. Source: RFC 4592, section 3.3.1.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TypeAlias

from dnsplan.loops import types_by_name
from dnsplan.names import Name, display, is_wildcard, is_within, upwards
from dnsplan.records import RecordSet, Unit, leads_to, loses_answers, unit_of

_Types: TypeAlias = Mapping[Name, set[str]]
_Units: TypeAlias = Mapping[Unit, Sequence[RecordSet]]


_Change: TypeAlias = tuple[_Units, _Units]


def silenced(
    standing: Sequence[RecordSet], content: Sequence[RecordSet], change: _Change, zone: Name
) -> Iterator[tuple[Name, str, str]]:
    """Each name with a CNAME in `content` to what nothing would answer for any more, in words, with
    what is allowed.

    `change` is what stands at the names that differ, before and after. `standing` may be a part of
    the zone: what `content` states elsewhere is taken to stand.
    """
    for name, target in _silenced(standing, content, change, zone):
        text = f"a CNAME to {display(target)}, for which no wildcard would answer any more"
        yield name, text, "an address there, or lead elsewhere"


def silencing(
    standing: Sequence[RecordSet], content: Sequence[RecordSet], change: _Change, zone: Name
) -> Iterator[tuple[Name, str]]:
    """Each name that comes and would silence such a CNAME, with what it would do."""
    before, after = change
    come = sorted({name for name, _ in after} - {name for name, _ in before})
    for name, target in _silenced(standing, content, change, zone) if come else ():
        text = (
            f"{display(name)} leads to {display(target)}, for which no wildcard would answer any"
            " more; state an address there, or lead it elsewhere"
        )
        yield from ((one, text) for one in come if is_within(one, target) or is_within(target, one))


def _silenced(
    standing: Sequence[RecordSet], content: Sequence[RecordSet], change: _Change, zone: Name
) -> Iterator[tuple[Name, Name]]:
    before, after = change
    come = {name for name, _ in after} - {name for name, _ in before}
    if not standing:
        return  # a first plan: nobody has an answer to lose
    if not come and not any(is_wildcard(name) for name, _ in before.keys() - after.keys()):
        return
    known = (*standing, *content)
    if not any(is_wildcard(one.name) for one in known):
        return
    touched = {name for name, _ in (*before, *after)}
    same = types_by_name(unit_of(one) for one in known if one.name not in touched)
    had, has = {**same, **types_by_name(before)}, {**same, **types_by_name(after)}
    links = [pair for pair in _links(content, zone) if pair[0] in had and pair[1] not in had]
    if not links:
        return
    earlier, later = _Existing(had, zone), _Existing(has, zone)
    for name, target in links:
        was, stays = earlier.types(target), later.types(target)
        if was is not None and stays is not None and loses_answers(was - stays, stays, None):
            yield name, target


def _links(content: Iterable[RecordSet], zone: Name) -> Iterator[tuple[Name, Name]]:
    for one in content:
        if one.type == "CNAME":
            for target, record_type in leads_to((one,), zone):
                if record_type is None:  # an alias finds its target by the exact name
                    yield one.name, target


class _Existing:
    """Which names exist, by their own records or by those below them."""

    def __init__(self, types: _Types, zone: Name) -> None:
        self._types, self._zone = types, zone
        self._names: set[str] = set()
        for name in types:
            above: str = name
            while above not in self._names and above != zone:
                self._names.add(above)
                above = above.partition(".")[2]

    def types(self, target: Name) -> set[str] | None:
        """The types that a client finds at a name; None where other servers answer."""
        ways = tuple(upwards(target, self._zone))
        if any("NS" in self._types.get(above, ()) for above, _ in ways):
            return None
        for above, wildcard in ways:
            if above in self._names:
                return self._types.get(target, set()) if above == target else set()
            if wildcard in self._types:
                return self._types[wildcard]
        return set()
