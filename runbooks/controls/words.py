"""Record sets and numbers in the words that commands show. Pure."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from itertools import groupby

from dnsplan.diff import NameChange
from dnsplan.names import display
from dnsplan.records import (
    OtherPolicy,
    RecordSet,
    member_in_words,
    policy_in_words,
    settings_in_words,
    values_in_words,
)

# A change of more names than this is summed up; --json has it whole.
NAMES_SHOWN_MAX = 20


def record_set_in_words(one: RecordSet) -> str:
    """Name, type, member and what it answers, in one line."""
    return f"{display(one.name)} {one.type} {answer_in_words(one)}"


def answer_in_words(one: RecordSet) -> str:
    """What a record set answers, with its set identifier, policy and TTL."""
    what = _source_in_words(one)
    member = f" [{member_in_words(one)}]" if one.set_id is not None else ""
    ttl = "" if one.ttl_s is None else f" ttl {one.ttl_s}"
    settings = f" ({words})" if (words := settings_in_words(one)) else ""
    return f"{what}{member}{ttl}{settings}"


def _source_in_words(one: RecordSet) -> str:
    """Where its answers come from; a traffic policy's are nowhere in the zone."""
    if one.alias is not None:
        return f"alias {one.alias.name}"
    if not one.values and isinstance(one.routing, OtherPolicy):
        return f"{policy_in_words(one.routing)} {one.routing.fields}"
    return values_in_words(one.values)


def change_lines(change: NameChange) -> Iterator[tuple[str, str]]:
    """What goes and what comes at one name, each with its sign."""
    for one in change.before:
        yield "-", record_set_in_words(one)
    for one in change.after:
        yield "+", record_set_in_words(one)


def changed_lines(changes: Sequence[NameChange]) -> Iterator[str]:
    """What goes and what comes at each name; many names are summed up."""
    for change in changes[:NAMES_SHOWN_MAX]:
        yield from (f"  {sign} {text}" for sign, text in change_lines(change))
    if len(changes) > NAMES_SHOWN_MAX:
        yield f"  and {counted(len(changes) - NAMES_SHOWN_MAX, 'more name')}"


def change_facts(change: NameChange) -> dict[str, object]:
    """One name's change, as JSON has it."""
    return {
        "name": change.name,
        "before": [record_set_in_words(one) for one in change.before],
        "after": [record_set_in_words(one) for one in change.after],
    }


def moment(at_s: float) -> str:
    """A wall time as people compare it with their logs."""
    return datetime.fromtimestamp(at_s, UTC).strftime("%Y-%m-%d %H:%M:%SZ")


def counted(count: int, noun: str) -> str:
    """`1 name`, `2 names`."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def ranges(numbers: Iterable[int]) -> str:
    """`1, 3 to 7, 9`."""
    runs = groupby(enumerate(sorted(set(numbers))), key=lambda pair: pair[1] - pair[0])
    spans = [[number for _, number in run] for _, run in runs]
    return ", ".join(f"{one[0]} to {one[-1]}" if len(one) > 1 else f"{one[0]}" for one in spans)
