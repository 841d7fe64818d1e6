"""What `dns-runbook waive` does: show what it lets go, ask, offer it, say how to undo it."""

import json
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from dnsplan.bounds import NAMES_CHANGED, TTL
from dnsplan.exits import FINE, PENDING, USAGE
from dnsplan.guardrails import UNWAIVABLE
from dnsplan.runtime.config.derived import limits_for
from dnsplan.runtime.config.schema import Settings
from dnsplan.waivers import WAVE
from runbooks.controls.outside import Operator
from runbooks.controls.session import ControlOptions, done, is_sure, run_with, say
from runbooks.controls.telling import tell
from runbooks.controls.wiring import open_tables
from runbooks.controls.words import counted, moment
from runbooks.waiving.waiving import Prepared, Waiving

NAMES_SHOWN_MAX = 20
# Rules that hold back what the config changed, and no target.
_LETS_CONFIG = {
    WAVE: "whatever the other zones wait for",
    NAMES_CHANGED: "in however many names: look at dns-planner plan first",
    TTL: "by whatever TTL: look at dns-planner plan first",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class WaiveOptions:
    """What waive takes beside."""

    rule: str
    expires_s: int
    end: bool
    expect_generation: int | None
    dry_run: bool


def waive_rule(options: ControlOptions, wish: WaiveOptions, environ: Mapping[str, str]) -> int:
    """Offer one waiver to the next plan of one zone, or end it."""

    async def work(settings: Settings, operator: Operator) -> int:
        (label,) = options.labels
        async with open_tables(settings) as tables:
            waiving = Waiving(tables.side, operator)
            expected = wish.expect_generation
            if wish.end:
                prepared = await waiving.prepare_end(label, wish.rule, expected=expected)
            else:
                prepared = await waiving.prepare(
                    label,
                    wish.rule,
                    limits_for(settings, label),
                    until_s=int(tables.side.clock.now_s()) + wish.expires_s,
                    expected=expected,
                )
            for line in _lines(prepared):
                tell(line)
            if wish.dry_run:
                return _done(options, prepared, written=False)
            if not is_sure(options, _consequence(prepared)):
                return say("nothing was changed", USAGE)
            await waiving.write(prepared)
        return _done(options, prepared, written=True)

    return run_with(options, environ, work, signs=not (wish.end or wish.dry_run), records=False)


def _consequence(prepared: Prepared) -> str:
    number = prepared.item.head + 1
    if prepared.offer is None:
        return f"generation {number} will keep to {prepared.rule}"
    return f"generation {number} may break {prepared.rule}"


def _lines(prepared: Prepared) -> Iterator[str]:
    """What may go, so that nobody agrees to what he has not seen."""
    label, number, rule = prepared.item.label, prepared.item.head + 1, prepared.rule
    if prepared.offer is None:
        yield f"{label}: the waiver of {rule} for generation {number} ends"
        return
    when = f"generation {number} alone, if it is planned before {moment(prepared.offer.until_s)}"
    yield f"{label}: {rule} is lifted for {when}"
    for one in prepared.allowed[:NAMES_SHOWN_MAX]:
        yield f"  {one}"
    if len(prepared.allowed) > NAMES_SHOWN_MAX:
        yield f"  and {counted(len(prepared.allowed) - NAMES_SHOWN_MAX, 'more name')}"
    if rule in _LETS_CONFIG:
        yield f"  what the config changed goes out with it, {_LETS_CONFIG[rule]}"
    elif not prepared.allowed:
        yield f"  no pool-driven name is kept from anything by {rule} now"
    yield f"  {' and '.join(sorted(UNWAIVABLE))} hold as ever: one target of each name stays"


def _done(options: ControlOptions, prepared: Prepared, *, written: bool) -> int:
    label, rule, offer = prepared.item.label, prepared.rule, prepared.offer
    undo = f"dns-runbook waive {label} {rule} --because TEXT"
    if offer is not None:
        undo += " --end"
    if options.json:
        facts = {
            "label": label,
            "rule": rule,
            "generation": prepared.item.head + 1,
            "until_s": None if offer is None else offer.until_s,
            "written": written,
            "allowed": [
                {
                    "name": one.unit[0],
                    "type": one.unit[1],
                    "answering": one.answering,
                    "healthy": one.healthy,
                    "may_go_now": one.now,
                    "may_go_then": one.then,
                }
                for one in prepared.allowed
            ],
            "undo": undo,
        }
        sys.stdout.write(json.dumps(facts) + "\n")
    elif written:
        what = "waits for the planner's next pass" if offer is not None else "is ended"
        done(
            f"{label}: waiver of {rule} {what}; see dns-runbook history {label}; to undo it: {undo}"
        )
    return FINE if written else PENDING
