"""What `dns-runbook restore` does: read the file, show, ask, restore, say what happens next.

It opens neither config nor table. What stood is written to a file before anything changes, where
the operator names one.
"""

import asyncio
import json
import sys
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from dnsplan.errors import DnsplanError
from dnsplan.exits import FAILED, FINE, PENDING, USAGE
from dnsplan.formats.planfile import PlanFile, write_plan_file
from dnsplan.names import display
from dnsplan.runtime import telemetry
from runbooks.controls.outside import Operator
from runbooks.controls.session import ControlOptions, done, exit_code_of, is_sure, say, show
from runbooks.controls.telling import tell
from runbooks.restoring.file import read_file
from runbooks.restoring.preparing import Prepared, Preparing, saved
from runbooks.restoring.restoring import Restored, Restoring
from runbooks.restoring.rules import Word, check_file
from runbooks.restoring.saving import save
from runbooks.restoring.show import restore_facts, restore_lines, restore_table
from runbooks.restoring.vouching import asks_for_keys, doubt_of, page_unsigned, refuse_doubtful
from runbooks.restoring.wiring import GlassDesk, open_glass_desk, zone_of

NAMES_TOLD_MAX = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class RestoreOptions:
    """The command line."""

    file: Path
    zone_id: str | None
    word: Word
    save: Path | None
    requests_per_s: float
    dry_run: bool
    unsigned: bool = False


def restore_zone(options: ControlOptions, wish: RestoreOptions, environ: Mapping[str, str]) -> int:
    """Restore one zone from a file, and give the exit code."""

    def work() -> int:
        stated = read_file(wish.file)
        check_file(stated)
        doubt, settings = doubt_of(stated, options.config, environ, tell)
        refuse_doubtful(wish.file, doubt, unsigned=wish.unsigned, because=options.because)
        who = options.by or environ.get("USER", "unknown")
        checks = doubt is not None or (settings is not None and asks_for_keys(settings))

        async def page() -> None:
            if doubt is not None:
                operator = Operator(who, options.because)
                quiet = {telemetry.LEVEL_VARIABLE: "warning", **environ}
                telemetry.configure(quiet, sys.stderr, component="restore")
                await page_unsigned(settings, stated, doubt, operator, environ)

        by_whom = replace(options, labels=(stated.label,), by=who)
        return asyncio.run(_restore(by_whom, wish, stated, page, way_back(wish, checks=checks)))

    return exit_code_of(work)


def way_back(wish: RestoreOptions, *, checks: bool) -> str:
    """How to undo it. Nobody signs what stood, so where signatures count the reader must."""
    if wish.save is None:
        return "an older file"
    return f"dns-runbook restore {wish.save}{' --unsigned --because TEXT' if checks else ''}"


async def _restore(
    options: ControlOptions,
    wish: RestoreOptions,
    stated: PlanFile,
    page: Callable[[], Awaitable[None]],
    undo: str,
) -> int:
    async with open_glass_desk(stated.label, requests_per_s=wish.requests_per_s) as desk:
        zone = await zone_of(desk.finder, stated.label, stated.zone, wish.zone_id)
        preparing = Preparing(desk.records, desk.clock, desk.jitter, pace=desk.pace)
        prepared = await preparing.prepare(zone, stated, wish.word, operator=options.by, tell=tell)
        if not options.json:
            show(lambda: restore_table(prepared), restore_lines(prepared))
        if prepared.is_done or wish.dry_run:
            _facts(options, prepared, restored=prepared.is_done)
            return FINE if prepared.is_done else PENDING
        if not is_sure(options, "the records above are written; enactors stop until reconcile"):
            return say("nothing was changed", USAGE)
        _save(wish.save, prepared)
        await page()
        return await _do(options, wish, desk, prepared, undo)


async def _do(
    options: ControlOptions, wish: RestoreOptions, desk: GlassDesk, prepared: Prepared, undo: str
) -> int:
    restoring = Restoring(desk.records, desk.clock, desk.jitter, pace=desk.pace, tell=tell)
    try:
        restored = await restoring.restore(prepared, wish.word, operator=options.by)
    except (DnsplanError, asyncio.CancelledError):  # Ctrl-C cancels, as asyncio does it
        tell(f"{prepared.zone.label}: not known to be restored whole; the same command goes on")
        raise
    whole = not restored.held and not restored.drifted
    _facts(options, prepared, restored=whole)
    _tell_names(restored)
    label, number = prepared.zone.label, restored.fence.generation
    if not whole:
        return say(f"{label}: generation {number} stands but for the names above", FAILED)
    if not options.json:
        done(
            f"{label}: generation {number} stands, in sync; when the table is back:"
            f" dns-runbook reconcile {label}; to undo it: {undo}"
        )
    return FINE


def _save(file: Path | None, prepared: Prepared) -> None:
    if file is None:
        return
    standing = saved(prepared)
    if standing is None:
        tell(f"nothing stands at the names of the file, so {file} is not written")
        return
    save(file, write_plan_file(standing), tell)


def _tell_names(restored: Restored) -> None:
    for name, why in list(restored.held.items())[:NAMES_TOLD_MAX]:
        tell(f"{display(name)} keeps what it has: {why}")
    for one in restored.drifted[:NAMES_TOLD_MAX]:
        tell(f"changed by others meanwhile: {one}")


def _facts(options: ControlOptions, prepared: Prepared, *, restored: bool) -> None:
    if options.json:
        sys.stdout.write(json.dumps(restore_facts(prepared, restored=restored)) + "\n")
