"""What `dns-runbook freeze`, `thaw`, `pin` and `unpin` do: show, ask, act, say how to undo it."""

import json
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import assert_never

from dnsplan.errors import DnsplanError
from dnsplan.exits import FAILED, FINE, PENDING, USAGE
from dnsplan.generation import GenerationItem
from dnsplan.plan import Generation
from dnsplan.runtime.config.schema import Settings
from runbooks.controls.consequences import (
    aim,
    freeze_lines,
    standing_facts,
    step_lines,
    step_to,
    waiting_line,
)
from runbooks.controls.freezing import Freezing
from runbooks.controls.froze import Froze, Frozen, HalfFrozen, Unfrozen
from runbooks.controls.outside import Operator, Refused
from runbooks.controls.pinning import Pinning, undo_of_unpin
from runbooks.controls.session import ControlOptions, Sure, done, is_sure, run, run_with, say
from runbooks.controls.telling import tell
from runbooks.controls.wiring import Desk, open_route53, open_tables

FROZEN = "until thawed nothing is sent: no new plan, no repair, no target in or out"


@dataclass(frozen=True, slots=True)
class Word:
    """An operator's word about a zone, and what enactors work to then."""

    item: GenerationItem
    aim: Generation
    then: str


def freeze_zones(options: ControlOptions, sure: Sure, environ: Mapping[str, str]) -> int:
    """Freeze each zone; 0 only when every move is in sync."""

    async def work(settings: Settings, operator: Operator) -> int:
        labels = options.labels or tuple(settings.zones)
        try:
            async with open_tables(settings) as tables:
                freezing = Freezing(tables.side, operator, tell)
                items = await freezing.look(labels, expected=sure.expected)
                for line in () if items is None else freeze_lines(labels, items):
                    tell(line)
                if sure.dry_run:
                    return _would_freeze(options, labels, items or {})
                if not is_sure(options, FROZEN):
                    return say("nothing was changed", USAGE)
                ended = await freezing.freeze(
                    labels,
                    lambda: open_route53(settings, labels),
                    expected=sure.expected,
                    observed=[one for one in labels if settings.zones[one].mode == "observe"],
                )
        except Refused:
            raise
        except DnsplanError as error:  # the table cannot even be opened
            return say(f"nothing was frozen: {error}", FAILED)
        return max(_froze(options, one) for one in ended)

    return run_with(options, environ, work, records=False)


def _would_freeze(
    options: ControlOptions, labels: tuple[str, ...], items: Mapping[str, GenerationItem]
) -> int:
    """As the freeze would end, if all goes well."""
    for item in items.values() if options.json else ():
        sys.stdout.write(json.dumps(standing_facts(item)) + "\n")
    return say(FROZEN, PENDING if items.keys() >= set(labels) else FAILED)


def _froze(options: ControlOptions, ended: Froze) -> int:
    match ended:
        case Frozen(label, freeze_id):
            undo = f"dns-runbook thaw {label} {freeze_id}"
            _done(options, {"label": label, "frozen": freeze_id, "undo": undo})
            return FINE
        case HalfFrozen(label, freeze_id, reason):
            facts: dict[str, str | None] = {
                "label": label,
                "frozen_in_table": freeze_id,
                "reason": reason,
            }
        case Unfrozen(label, reason):
            facts = {"label": label, "frozen": None, "reason": reason}
        case _:
            assert_never(ended)
    if options.json:
        sys.stdout.write(json.dumps(facts) + "\n")
    return say(str(ended), FAILED)


def thaw_zone(
    options: ControlOptions, freeze_id: str, sure: Sure, environ: Mapping[str, str]
) -> int:
    """Thaw one zone from one freeze."""

    async def act(desk: Desk, operator: Operator) -> int:
        (label, zone), *_ = desk.zones.items()
        freezing, records = Freezing(desk.outside, operator, tell), desk.outside.records
        item = await freezing.thawable(zone, freeze_id, records, expected=sure.expected)
        ended = await _agreed(options, sure, desk, Word(item, aim(item), "enactors will go on"))
        if ended is not None:
            return ended
        await freezing.thaw(zone, freeze_id, records, expected=sure.expected)
        _done(options, {"label": label, "thawed": freeze_id, "undo": f"dns-runbook freeze {label}"})
        return FINE

    return run(options, environ, act, signs=False, records=False)


def pin_zone(
    options: ControlOptions, generation: int, sure: Sure, environ: Mapping[str, str]
) -> int:
    """Let enactors work to one generation and none above."""

    async def act(desk: Desk, operator: Operator) -> int:
        (label, zone), *_ = desk.zones.items()
        pinning = Pinning(desk.outside, operator)
        item, found = await pinning.pinnable(zone, Generation(generation), expected=sure.expected)
        then = f"enactors will work to generation {generation} until unpin"
        ended = await _agreed(options, sure, desk, Word(item, found.generation, then))
        if ended is not None:
            return ended
        await pinning.pin(zone, Generation(generation), expected=sure.expected)
        _done(options, {"label": label, "pinned": generation, "undo": f"dns-runbook unpin {label}"})
        return FINE

    return run(options, environ, act, signs=not sure.dry_run, records=False)


def unpin_zone(options: ControlOptions, sure: Sure, environ: Mapping[str, str]) -> int:
    """Let enactors work to the newest plan again."""

    async def act(desk: Desk, operator: Operator) -> int:
        (label, zone), *_ = desk.zones.items()
        pinning = Pinning(desk.outside, operator)
        item, was_at = await pinning.pinned(zone, expected=sure.expected)
        then = f"pin {was_at} ends, enactors will work to the newest plan again: {item.head}"
        ended = await _agreed(options, sure, desk, Word(item, item.head, then))
        if ended is not None:
            return ended
        was = await pinning.unpin(zone, expected=sure.expected)
        _done(options, {"label": label, "unpinned": was.pin, "undo": undo_of_unpin(was)})
        return FINE

    return run(options, environ, act, signs=False, records=False)


async def _agreed(options: ControlOptions, sure: Sure, desk: Desk, word: Word) -> int | None:
    """Show what follows and ask; None goes on, else it is the exit code."""
    item = word.item
    step = await step_to(desk.outside.archive, item, word.aim)
    for line in (*step_lines(item, word.aim, step), *waiting_line(item, word.aim)):
        tell(line)
    if sure.dry_run:
        if options.json:
            sys.stdout.write(json.dumps(standing_facts(item, step)) + "\n")
        return say(f"{item.label}: {word.then}", PENDING)
    return None if is_sure(options, word.then) else say("nothing was changed", USAGE)


def _done(options: ControlOptions, facts: Mapping[str, str | int | None]) -> None:
    if options.json:
        sys.stdout.write(json.dumps(facts) + "\n")
        return
    label, *rest = facts.items()
    told = ", ".join(f"{key} {value}" for key, value in rest if key != "undo")
    done(f"{label[1]}: {told}; to undo it: {facts['undo']}")
