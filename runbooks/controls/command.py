"""What `dns-runbook freeze`, `thaw` and `rollback` do: show, ask, act, say how to undo it."""

import json
import sys
from collections.abc import Mapping
from dataclasses import dataclass

from dnsplan.diff import NameChange, diff
from dnsplan.errors import DnsplanError
from dnsplan.names import display
from dnsplan.plan import Generation
from dnsplan.runtime.config.derived import limits_for
from runbooks.controls.freezing import Freezing
from runbooks.controls.outside import Operator
from runbooks.controls.pinning import Pinning
from runbooks.controls.rolling_back import Prepared, RollbackRefused, RollingBack
from runbooks.controls.session import (
    FAILED,
    FINE,
    PENDING,
    REFUSED,
    USAGE,
    ControlOptions,
    is_sure,
    loaded,
    run,
    say,
    tell,
)
from runbooks.controls.wiring import Desk
from runbooks.controls.words import record_set_in_words

# A change of more names than this is summed up; `dns-runbook diff` shows it whole.
NAMES_SHOWN_MAX = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class RollbackOptions:
    """What rollback takes beside."""

    generation: int
    pin: bool
    waive: tuple[str, ...]
    expect_generation: int | None
    dry_run: bool


def freeze_zones(options: ControlOptions, environ: Mapping[str, str]) -> int:
    """Freeze each zone; 0 only when every move is in sync."""

    async def act(desk: Desk, operator: Operator) -> int:
        if not is_sure(options, "no planner-fed batch will land until it is thawed"):
            return say("nothing was changed", USAGE)
        freezing = Freezing(desk.outside, operator)
        worst = FINE
        for label, zone in desk.zones.items():
            try:
                freeze_id = await freezing.freeze(zone, tell)
            except DnsplanError as error:
                worst = say(str(error), FAILED)
                continue
            undo = f"dns-runbook thaw {label} {freeze_id}"
            _done(options, {"label": label, "frozen": freeze_id, "undo": undo})
        return worst

    return run(options, environ, act)


def thaw_zone(options: ControlOptions, freeze_id: str, environ: Mapping[str, str]) -> int:
    """Thaw one zone from one freeze."""

    async def act(desk: Desk, operator: Operator) -> int:
        if not is_sure(options, "enactors will work to the newest plan again"):
            return say("nothing was changed", USAGE)
        (label, zone), *_ = desk.zones.items()
        await Freezing(desk.outside, operator).thaw(zone, freeze_id, tell)
        _done(options, {"label": label, "thawed": freeze_id, "undo": f"dns-runbook freeze {label}"})
        return FINE

    return run(options, environ, act)


def roll_back(options: ControlOptions, wish: RollbackOptions, environ: Mapping[str, str]) -> int:
    """Republish old content of one zone as a new generation."""

    async def act(desk: Desk, operator: Operator) -> int:
        (label, zone), *_ = desk.zones.items()
        rolling = RollingBack(desk.outside, operator)
        limits = limits_for(loaded(options, environ), label)
        prepared = await rolling.prepare(zone, Generation(wish.generation), limits, wish.waive)
        head = prepared.item.head
        if wish.expect_generation not in (None, head):
            text = f"{label} is at generation {head}, not {wish.expect_generation}"
            return say(f"{text}; nothing was changed", REFUSED)
        _show(prepared)
        if prepared.violations:
            raise RollbackRefused("; ".join(map(str, prepared.violations)))
        if wish.dry_run:
            return PENDING
        if not is_sure(options, f"generation {prepared.plan.generation} will be published"):
            return say("nothing was changed", USAGE)
        plan_id = await rolling.publish(prepared, pinned=wish.pin)
        if not wish.pin:
            tell(f"{label}: the planner plans this away at its next pass; --pin keeps it")
        undo = f"dns-runbook unpin {label}" if wish.pin else f"dns-runbook rollback {label} {head}"
        _done(options, {"label": label, "generation": plan_id.generation, "undo": undo})
        return FINE

    return run(options, environ, act)


def pin_zone(options: ControlOptions, generation: int, environ: Mapping[str, str]) -> int:
    """Let enactors work to one generation and none above."""

    async def act(desk: Desk, operator: Operator) -> int:
        if not is_sure(options, f"enactors will work to generation {generation} until unpin"):
            return say("nothing was changed", USAGE)
        (label, zone), *_ = desk.zones.items()
        await Pinning(desk.outside, operator).pin(zone, Generation(generation))
        _done(options, {"label": label, "pinned": generation, "undo": f"dns-runbook unpin {label}"})
        return FINE

    return run(options, environ, act)


def unpin_zone(options: ControlOptions, environ: Mapping[str, str]) -> int:
    """Let enactors work to the newest plan again."""

    async def act(desk: Desk, operator: Operator) -> int:
        if not is_sure(options, "enactors will work to the newest plan again"):
            return say("nothing was changed", USAGE)
        (label, zone), *_ = desk.zones.items()
        was = await Pinning(desk.outside, operator).unpin(zone)
        undo = f"dns-runbook rollback {label} {was} --pin"
        _done(options, {"label": label, "unpinned": was, "undo": undo})
        return FINE

    return run(options, environ, act)


def _show(prepared: Prepared) -> None:
    """The records before and after, so that nobody agrees to what he has not seen."""
    changes = diff(prepared.newest.content, prepared.plan.content)
    tell(f"generation {prepared.plan.generation}: {len(changes)} names change")
    for change in changes[:NAMES_SHOWN_MAX]:
        for line in _change_lines(change):
            tell(line)
    if len(changes) > NAMES_SHOWN_MAX:
        tell(f"  and {len(changes) - NAMES_SHOWN_MAX} more names")
    if prepared.carried:
        names = ", ".join(sorted({display(one.name) for one in prepared.carried})[:5])
        tell(f"  carried forward, since only retire ends a name: {names}")


def _change_lines(change: NameChange) -> list[str]:
    gone = [f"  - {record_set_in_words(one)}" for one in change.before]
    return gone + [f"  + {record_set_in_words(one)}" for one in change.after]


def _done(options: ControlOptions, facts: Mapping[str, str | int]) -> None:
    if options.json:
        sys.stdout.write(json.dumps(facts) + "\n")
        return
    label, *rest = facts.items()
    told = ", ".join(f"{key} {value}" for key, value in rest if key != "undo")
    sys.stdout.write(f"{label[1]}: {told}; to undo it: {facts['undo']}\n")
