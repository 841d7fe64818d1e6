"""Which changes wait with a held name, since its records stay as they are.

What they lead to must not lose the type that they lead to; and nothing may come to lead to a held
name that cannot answer it. In doubt a change waits (P2): it is judged again with every plan.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from dnsplan.diff import NameChange
from dnsplan.names import Name, display
from dnsplan.normal import normal_form
from dnsplan.records import RecordSet, leads_to, loses_answers

RecordsOf: TypeAlias = Callable[[Name], tuple[RecordSet, ...]]

WAITS = "waits with a held name: "


@dataclass(slots=True)
class StandingHeld:
    """What stands at held names. `led_to`: a target, the type (None: any), a name that leads to it.

    A held name that is not in `records` was not looked at.
    """

    records: dict[Name, tuple[RecordSet, ...]] = field(default_factory=dict)
    led_to: dict[Name, dict[str | None, Name]] = field(default_factory=dict)

    def note(self, name: Name, standing: Iterable[RecordSet], zone: Name) -> None:
        """Take down the records that a held name keeps."""
        self.records[name] = tuple(map(normal_form, standing))
        for target, record_type in leads_to(self.records[name], zone):
            self.led_to.setdefault(target, {}).setdefault(record_type, name)


def takes_away(change: NameChange, desired: Iterable[RecordSet]) -> bool:
    """Whether a type is gone after the change; `desired` is all that the plan states there."""
    return bool(_types(change.before) - _types(desired))


def why_waits(change: NameChange, stated: RecordsOf, held: StandingHeld, zone: Name) -> str | None:
    """Why this change must not be made while those names are held; None when it may be.

    `stated` gives all that the plan states at a name.
    """
    had, stays = _types(change.before), _types(stated(change.name))
    for record_type, holder in held.led_to.get(change.name, {}).items():
        if loses_answers(had, stays, record_type):
            return f"{WAITS}the records of {display(holder)} lead to it"

    for target, record_type in leads_to(change.after, zone) if held.records else ():
        if target in held.records and not _answers(held.records[target], record_type):
            return f"{WAITS}it would lead to {display(target)}, which has no answer for it"
        if _may_lead_back(change.name, target, stated, held.records, zone=zone):
            return f"{WAITS}it would lead to {display(target)}, which may lead back to it"
    return None


def _types(record_sets: Iterable[RecordSet]) -> frozenset[str]:
    return frozenset(one.type for one in record_sets)


def _answers(there: tuple[RecordSet, ...], record_type: str | None) -> bool:
    return any(record_type in (None, one.type) for one in there)


def _may_lead_back(
    goal: Name,
    start: Name,
    stated: RecordsOf,
    held: Mapping[Name, tuple[RecordSet, ...]],
    *,
    zone: Name,
) -> bool:
    """Follows what will stand: records that are held, else what the plan states.

    Where those of a held name lead to a name that the plan ends, that one will be held too, with
    records that are not known here.
    """
    waiting, seen = [start], {start}
    while waiting:
        name = waiting.pop()
        for target, _ in leads_to(held[name] if name in held else stated(name), zone):
            if target == goal or (name in held and target not in held and not stated(target)):
                return True
            if target not in seen:
                seen.add(target)
                waiting.append(target)
    return False
