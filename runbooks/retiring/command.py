"""What `dns-runbook retire` does: show what ends, ask for the name, publish, say what follows."""

import json
import sys
from collections.abc import Mapping

from dnsplan.exits import FINE, PENDING, USAGE
from dnsplan.names import display
from dnsplan.runtime.config.derived import limits_for
from runbooks.controls.outside import Operator, expect_head
from runbooks.controls.session import ControlOptions, done, is_sure, run, say
from runbooks.controls.telling import tell
from runbooks.controls.wiring import Desk
from runbooks.controls.words import record_set_in_words
from runbooks.retiring.retiring import Asked, Prepared, RetiredAlready, Retiring


def retire_name(
    options: ControlOptions,
    asked: Asked,
    environ: Mapping[str, str],
    *,
    expected: int | None,
    dry_run: bool,
) -> int:
    """End one name of one zone."""

    async def act(desk: Desk, operator: Operator) -> int:
        (label, zone), *_ = desk.zones.items()
        limits = limits_for(desk.settings, label)
        retiring = Retiring(desk.outside, operator)
        try:
            prepared = await retiring.prepare(zone, asked, desk.wish(label), limits)
        except RetiredAlready as already:
            return say(f"{already}; nothing is to be done", FINE)
        expect_head(label, prepared.item.head, expected)
        _show(prepared)
        if dry_run:
            return _done(options, prepared, published=False)
        name = display(prepared.name)
        if not is_sure(options, f"{name} will answer nothing", typed=name):
            return say("nothing was changed", USAGE)
        await retiring.publish(prepared)
        return _done(options, prepared, published=True)

    return run(options, environ, act, signs=not dry_run)


def _show(prepared: Prepared) -> None:
    tell(f"generation {prepared.plan.generation}: record sets that end: {len(prepared.ending)}")
    for one in prepared.ending:
        tell(f"  - {record_set_in_words(one)}")


def _done(options: ControlOptions, prepared: Prepared, *, published: bool) -> int:
    label, name = prepared.item.label, display(prepared.name)
    generation = prepared.plan.generation
    if options.json:
        facts = {
            "label": label,
            "name": name,
            "types": [kind for _, kind in prepared.units],
            "generation": generation if published else None,
            "undo": f"state {name} in dns.yaml again",
        }
        sys.stdout.write(json.dumps(facts) + "\n")
    elif published:
        done(
            f"{label}: {name} retired in generation {generation}, enactors remove it;"
            f" to undo it: state {name} in dns.yaml again"
        )
    return FINE if published else PENDING
