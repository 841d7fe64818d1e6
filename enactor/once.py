"""`dns-enactor once`: one cycle of each zone, shown, with an exit code that says how it went."""

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import assert_never

import msgspec

from dnsplan import exits
from dnsplan.errors import ReadFailed, visible
from dnsplan.generation import GenerationItem
from dnsplan.pages import path_of
from dnsplan.ports import Clock, GenerationTable
from enactor.cycle import EnactCycle
from enactor.rules.outcomes import (
    Applied,
    Fenced,
    Held,
    InSync,
    Outcome,
    Unknown,
    Waiting,
)
from enactor.settings import ZoneTask

# One cycle waits this long for its own change; a daemon would go on waiting.
CONFIRM_WITHIN_S = 120.0
CONFIRM_EVERY_S = 0.5


class Once:
    """Runs zones one after another and prints a line each."""

    def __init__(
        self, cycle: EnactCycle, table: GenerationTable, clock: Clock, show: Callable[[str], None]
    ) -> None:
        """`show` gets one line a zone."""
        self._cycle = cycle
        self._table = table
        self._clock = clock
        self._show = show

    async def run(self, tasks: Mapping[str, ZoneTask], *, as_json: bool) -> int:
        """The worst exit code of all zones."""
        items = await self._table.read_each(tuple(tasks))
        incarnation = await self._table.incarnation()
        worst = exits.FINE
        for label, task in tasks.items():
            outcome = await self._cycle.run_once(task, items.get(label), incarnation=incarnation)
            if isinstance(outcome, Applied):
                outcome = await self._confirmed(label, outcome)
            self._show(_as_json(label, outcome) if as_json else in_words(label, outcome))
            worst = max(worst, exit_code(outcome))
        return worst

    async def _confirmed(self, label: str, accepted: Applied) -> Outcome:
        until_s = self._clock.elapsed_s() + CONFIRM_WITHIN_S
        last: Outcome = accepted
        while self._clock.elapsed_s() < until_s:
            item = await self._item(label)
            if item is None:
                await self._clock.sleep(CONFIRM_EVERY_S)
                continue
            outcome = await self._cycle.confirm(item)
            if outcome is None:
                return last
            last = outcome
            if isinstance(outcome, Applied) and outcome.confirmed:
                return replace(accepted, confirmed=True)
            if isinstance(outcome, Held):
                return outcome
            await self._clock.sleep(CONFIRM_EVERY_S)
        return last

    async def _item(self, label: str) -> GenerationItem | None:
        """None where the table does not answer: that neither undoes what was accepted nor keeps
        the other zones from their turn."""
        try:
            return (await self._table.read((label,))).get(label)
        except ReadFailed:
            return None


def exit_code(outcome: Outcome) -> int:
    """0 in sync or applied, 3 held, as a zone or a name, 1 what the next cycle must settle."""
    match outcome:
        case InSync(held=held) | Applied(held=held) if held:
            return exits.REFUSED
        case InSync() | Applied() | Waiting():
            return exits.FINE
        case Held():
            return exits.REFUSED
        case Fenced() | Unknown():
            return exits.FAILED
        case _:
            assert_never(outcome)


def in_words(label: str, outcome: Outcome) -> str:
    """One line for a person, and one for each name that needs attention."""
    match outcome:
        case InSync(generation, held, notes):
            return _with_notes(label, f"{label}: in sync at generation {generation}", held, notes)
        case Waiting(generation):
            return f"{label}: generation {generation} is another enactor's turn"
        case Applied(generation, batches, held, confirmed, notes):
            state = "in sync" if confirmed else "accepted, not yet known to be in sync"
            sent = "1 batch" if batches == 1 else f"{batches} batches"
            first = f"{label}: generation {generation} applied in {sent}, {state}"
            return _with_notes(label, first, held, notes)
        case Fenced(expected, found):
            page = path_of("fenced")
            return (
                f"{label}: fenced: expected {expected}, found {found}; run it again; page: {page}"
            )
        case Held(rule, text, command):
            shown = visible(f"{label}: held ({rule}): {text}; next: {command}")
            return f"{shown}; page: {path_of(rule)}"
        case Unknown(reason):
            shown = visible(f"{label}: unknown: {reason}")
            return f"{shown}; run it again; page: {path_of('unknown')}"
        case _:
            assert_never(outcome)


def _with_notes(label: str, first: str, held: int, notes: tuple[str, ...]) -> str:
    if held:
        names = "1 name" if held == 1 else f"{held} names"
        first += f", but {names} held; next: dns-runbook explain {label}"
    return "\n".join([first, *(f"  {visible(note)}" for note in notes)])


def _as_json(label: str, outcome: Outcome) -> str:
    facts = msgspec.to_builtins(outcome)
    return json.dumps({"label": label, "outcome": type(outcome).__name__, **facts})
