"""What `dns-runbook adopt` does: list, show, ask, take over, say what happens next."""

import json
import sys
from collections.abc import Mapping, Sequence

from dnsplan.exits import FINE, PENDING, USAGE
from runbooks.adopting.preparing import NothingToAdopt, Prepared, Preparing
from runbooks.adopting.refusals import check_mode
from runbooks.adopting.show import adopt_facts, adopt_lines, adopt_table
from runbooks.adopting.survey import Finding, findings
from runbooks.adopting.taking_over import TakingOver
from runbooks.controls.outside import Operator, expect_head
from runbooks.controls.session import ControlOptions, Sure, done, is_sure, run, say, show
from runbooks.controls.telling import tell
from runbooks.controls.wiring import Desk


def adopt_zone(options: ControlOptions, sure: Sure, environ: Mapping[str, str]) -> int:
    """Take one zone over as it stands."""

    async def act(desk: Desk, operator: Operator) -> int:
        (label, zone), *_ = desk.zones.items()
        wish = desk.wish(label)
        try:
            prepared = await Preparing(desk.outside, operator).prepare(zone, wish, tell)
        except NothingToAdopt as nothing:
            if options.json:
                sys.stdout.write(json.dumps({"label": label, "adopted": None}) + "\n")
            return say(str(nothing), FINE)
        expect_head(label, prepared.item.head, sure.expected)
        now_s = int(desk.outside.clock.now_s())
        found = findings(prepared.plan, wish, now_s=now_s) if prepared.plan is not None else ()
        if not options.json:
            show(lambda: adopt_table(prepared, found), adopt_lines(prepared, found))
        if sure.dry_run:
            _facts(options, prepared, found, adopted=None)
            return PENDING
        check_mode(label, desk.settings.zones[label].mode, then="adopt")
        if not is_sure(options, "this deployment will manage the names above"):
            return say("nothing was changed", USAGE)
        adopted = await TakingOver(desk.outside, operator).take_over(prepared, tell)
        generation = None if adopted.plan is None else adopted.plan.generation
        _facts(options, prepared, found, adopted=generation)
        if not options.json:
            at = "" if generation is None else f" at generation {generation}"
            done(f"{label}: adopted{at}; see dns-planner plan for what is planned")
        return FINE

    return run(options, environ, act, signs=not sure.dry_run)


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
