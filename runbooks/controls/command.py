"""What `dns-runbook freeze`, `thaw`, `pin` and `unpin` do: ask, act, say how to undo it."""

import json
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import assert_never

from dnsplan.errors import DnsplanError
from dnsplan.plan import Generation
from dnsplan.runtime.config.schema import Settings
from runbooks.controls.freezing import Freezing, Froze, Frozen, HalfFrozen, Unfrozen
from runbooks.controls.outside import Operator
from runbooks.controls.pinning import Pinning, undo_of_unpin
from runbooks.controls.session import (
    FAILED,
    FINE,
    PENDING,
    USAGE,
    ControlOptions,
    done,
    is_sure,
    run,
    run_with,
    say,
    tell,
)
from runbooks.controls.wiring import Desk, open_route53, open_tables


@dataclass(frozen=True, slots=True, kw_only=True)
class Sure:
    """What a script says beside."""

    expected: int | None
    dry_run: bool


def freeze_zones(options: ControlOptions, environ: Mapping[str, str]) -> int:
    """Freeze each zone; 0 only when every move is in sync."""

    async def work(settings: Settings, operator: Operator) -> int:
        if not is_sure(options, "no planner-fed batch will land until it is thawed"):
            return say("nothing was changed", USAGE)
        labels = options.labels or tuple(settings.zones)
        try:
            async with open_tables(settings) as tables:
                ended = await Freezing(tables.side, operator, tell).freeze(
                    labels, lambda: open_route53(settings, labels)
                )
        except DnsplanError as error:  # the table cannot even be opened
            return say(f"nothing was frozen: {error}", FAILED)
        return max(_froze(options, one) for one in ended)

    return run_with(options, environ, work)


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


def thaw_zone(options: ControlOptions, freeze_id: str, environ: Mapping[str, str]) -> int:
    """Thaw one zone from one freeze."""

    async def act(desk: Desk, operator: Operator) -> int:
        if not is_sure(options, "enactors will work to the newest plan again"):
            return say("nothing was changed", USAGE)
        (label, zone), *_ = desk.zones.items()
        freezing = Freezing(desk.outside, operator, tell)
        await freezing.thaw(zone, freeze_id, desk.outside.records)
        _done(options, {"label": label, "thawed": freeze_id, "undo": f"dns-runbook freeze {label}"})
        return FINE

    return run(options, environ, act, signs=False)


def pin_zone(
    options: ControlOptions, generation: int, sure: Sure, environ: Mapping[str, str]
) -> int:
    """Let enactors work to one generation and none above."""

    async def act(desk: Desk, operator: Operator) -> int:
        (label, zone), *_ = desk.zones.items()
        pinning = Pinning(desk.outside, operator)
        await pinning.pinnable(zone, Generation(generation), expected=sure.expected)
        consequence = f"enactors will work to generation {generation} until unpin"
        if sure.dry_run:
            return say(f"{label}: {consequence}", PENDING)
        if not is_sure(options, consequence):
            return say("nothing was changed", USAGE)
        await pinning.pin(zone, Generation(generation), expected=sure.expected)
        _done(options, {"label": label, "pinned": generation, "undo": f"dns-runbook unpin {label}"})
        return FINE

    return run(options, environ, act, signs=not sure.dry_run)


def unpin_zone(options: ControlOptions, sure: Sure, environ: Mapping[str, str]) -> int:
    """Let enactors work to the newest plan again."""

    async def act(desk: Desk, operator: Operator) -> int:
        (label, zone), *_ = desk.zones.items()
        pinning = Pinning(desk.outside, operator)
        item, was_at = await pinning.pinned(zone, expected=sure.expected)
        consequence = "enactors will work to the newest plan again"
        if sure.dry_run:
            return say(f"{label}: pin {was_at} ends, {consequence}: {item.head}", PENDING)
        if not is_sure(options, consequence):
            return say("nothing was changed", USAGE)
        was = await pinning.unpin(zone, expected=sure.expected)
        _done(options, {"label": label, "unpinned": was.pin, "undo": undo_of_unpin(was)})
        return FINE

    return run(options, environ, act, signs=False)


def _done(options: ControlOptions, facts: Mapping[str, str | int | None]) -> None:
    if options.json:
        sys.stdout.write(json.dumps(facts) + "\n")
        return
    label, *rest = facts.items()
    told = ", ".join(f"{key} {value}" for key, value in rest if key != "undo")
    done(f"{label[1]}: {told}; to undo it: {facts['undo']}")
