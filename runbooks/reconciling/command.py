"""What `dns-runbook reconcile` does: read, show what is in doubt, ask, write, say what goes on."""

import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from dnsplan.exits import FAILED, FINE, PENDING, USAGE
from dnsplan.names import display
from runbooks.adopting.refusals import check_mode
from runbooks.adopting.survey import Finding, findings
from runbooks.controls.outside import Operator
from runbooks.controls.session import ControlOptions, done, is_sure, run, say, show
from runbooks.controls.telling import tell
from runbooks.controls.wiring import Desk
from runbooks.reconciling.preparing import NothingToReconcile, Prepared, Reckoning
from runbooks.reconciling.reconciling import Reconciled, Reconciling
from runbooks.reconciling.rules import Word
from runbooks.reconciling.show import reconcile_facts, reconcile_lines, reconcile_table
from runbooks.restoring.file import read_file

NAMES_TOLD_MAX = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class ReconcileOptions:
    """What reconcile takes beside."""

    word: Word
    plan_file: Path | None
    dry_run: bool


def reconcile_zone(
    options: ControlOptions, wish: ReconcileOptions, environ: Mapping[str, str]
) -> int:
    """Let one zone's history go on."""

    async def act(desk: Desk, operator: Operator) -> int:
        (label, zone), *_ = desk.zones.items()
        config = desk.wish(label)
        file = None if wish.plan_file is None else read_file(wish.plan_file)
        reckoning = Reckoning(desk.outside, operator)
        try:
            prepared = await reckoning.prepare(zone, config, wish.word, file, tell)
        except NothingToReconcile as nothing:
            if options.json:
                sys.stdout.write(json.dumps({"label": label, "reconciled": None}) + "\n")
            return say(str(nothing), FINE)
        found = findings(prepared.plan, config, now_s=int(desk.outside.clock.now_s()))
        if not options.json:
            show(lambda: reconcile_table(prepared, found), reconcile_lines(prepared, found))
        if wish.dry_run:
            _facts(options, prepared, found, reconciled=False)
            return PENDING
        check_mode(label, desk.settings.zones[label].mode, then="reconcile")
        if not is_sure(options, "planner and enactors go on from what stands"):
            return say("nothing was changed", USAGE)
        reconciled = await Reconciling(desk.outside, operator).reconcile(prepared, tell)
        _facts(options, prepared, found, reconciled=True)
        return _end(options, label, prepared, reconciled)

    return run(options, environ, act, signs=not wish.dry_run)


def _end(options: ControlOptions, label: str, prepared: Prepared, ended: Reconciled) -> int:
    for one in ended.drifted[:NAMES_TOLD_MAX]:
        tell(f"changed by others meanwhile: {one}")
    if not options.json:
        done(
            f"{label}: reconciled at generation {ended.plan.generation}, {_then(prepared)}; records"
            f" stayed as they were, so there is nothing to undo; see dns-runbook status {label}"
        )
    if ended.drifted:
        names = ", ".join(display(one.name) for one in ended.drifted[:NAMES_TOLD_MAX])
        return say(f"{label} is reconciled, and others changed {names} meanwhile", FAILED)
    return FINE


def _then(prepared: Prepared) -> str:
    if prepared.frozen is None:
        return "planner and enactors go on"
    if not prepared.is_freeze_new:
        return f"frozen by {prepared.frozen} as before"
    thaw = f"dns-runbook thaw {prepared.zone.label} {prepared.frozen}"
    return f"frozen, since nobody can tell whether it was: to let enactors work, {thaw}"


def _facts(
    options: ControlOptions, prepared: Prepared, found: Sequence[Finding], *, reconciled: bool
) -> None:
    if options.json:
        facts = reconcile_facts(prepared, found, reconciled=reconciled)
        sys.stdout.write(json.dumps(facts) + "\n")
