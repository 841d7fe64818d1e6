"""What `dns-runbook adopt` does: list, show, ask, take over, say what happens next."""

import json
import sys
from collections.abc import Mapping, Sequence

from rich.console import Console

from planner.settings import planner_settings
from runbooks.adopting.preparing import NothingToAdopt, Prepared, Preparing
from runbooks.adopting.show import adopt_facts, adopt_lines, adopt_table
from runbooks.adopting.survey import Finding, findings
from runbooks.adopting.taking_over import TakingOver
from runbooks.controls.outside import Operator, Refused
from runbooks.controls.session import (
    FINE,
    PENDING,
    USAGE,
    ControlOptions,
    is_sure,
    loaded,
    run,
    say,
    tell,
)
from runbooks.controls.wiring import Desk


def adopt_zone(options: ControlOptions, environ: Mapping[str, str], *, dry_run: bool) -> int:
    """Take one zone over as it stands."""

    async def act(desk: Desk, operator: Operator) -> int:
        (label, zone), *_ = desk.zones.items()
        settings = loaded(options, environ)
        wish = next(one for one in planner_settings(settings).wishes if one.label == label)
        try:
            prepared = await Preparing(desk.outside, operator).prepare(zone, wish, tell)
        except NothingToAdopt as nothing:
            if options.json:
                sys.stdout.write(json.dumps({"label": label, "adopted": None}) + "\n")
            return say(str(nothing), FINE)
        now_s = int(desk.outside.clock.now_s())
        found = findings(prepared.plan, wish, now_s=now_s) if prepared.plan is not None else ()
        _show(options, prepared, found)
        if dry_run:
            _facts(options, prepared, found, adopted=None)
            return PENDING
        if settings.zones[label].mode == "observe":
            raise Refused(
                f"{label} is in mode observe, where nothing is written to Route 53, not even a"
                " fence; set mode: enforce in dns.yaml, then adopt"
            )
        if not is_sure(options, "this deployment will manage the names above"):
            return say("nothing was changed", USAGE)
        adopted = await TakingOver(desk.outside, operator).take_over(prepared, tell)
        generation = None if adopted.plan is None else adopted.plan.generation
        _facts(options, prepared, found, adopted=generation)
        if not options.json:
            at = "" if generation is None else f" at generation {generation}"
            sys.stdout.write(f"{label}: adopted{at}; see dns-planner plan for what is planned\n")
        return FINE

    return run(options, environ, act)


def _show(options: ControlOptions, prepared: Prepared, found: Sequence[Finding]) -> None:
    if options.json:
        return
    if sys.stdout.isatty():
        Console().print(adopt_table(prepared, found))
        return
    for line in adopt_lines(prepared, found):
        sys.stdout.write(line + "\n")


def _facts(
    options: ControlOptions,
    prepared: Prepared,
    found: Sequence[Finding],
    *,
    adopted: int | None,
) -> None:
    if options.json:
        facts = {**adopt_facts(prepared, found), "adopted": adopted}
        sys.stdout.write(json.dumps(facts) + "\n")
