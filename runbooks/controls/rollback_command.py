"""What `dns-runbook rollback` does: show what would change and what forbids it, ask, publish.

With --json every end that is about the zone is one object, a refusal and a dry run too.
"""

import json
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from dnsplan.exits import FINE, PENDING, REFUSED, USAGE
from dnsplan.names import display
from dnsplan.plan import Generation
from dnsplan.runtime.config.derived import limits_for
from runbooks.controls.outside import Operator
from runbooks.controls.returning import what_follows
from runbooks.controls.rolling_back import Prepared, RollbackRefused, RollingBack, refusal
from runbooks.controls.session import ControlOptions, done, is_sure, run, say
from runbooks.controls.telling import tell
from runbooks.controls.waiving import WAIVABLE
from runbooks.controls.wiring import Desk
from runbooks.controls.words import change_facts, changed_lines, counted


@dataclass(frozen=True, slots=True, kw_only=True)
class RollbackOptions:
    """What rollback takes beside."""

    generation: int
    pin: bool
    waive: tuple[str, ...]
    expect_generation: int | None
    dry_run: bool


def roll_back(options: ControlOptions, wish: RollbackOptions, environ: Mapping[str, str]) -> int:
    """Republish old content of one zone as a new generation."""

    async def act(desk: Desk, operator: Operator) -> int:
        (label, zone), *_ = desk.zones.items()
        rolling = RollingBack(desk.outside, operator)
        limits = limits_for(desk.settings, label)
        try:
            prepared = await rolling.prepare(zone, Generation(wish.generation), limits, wish.waive)
            _expect(prepared, wish.expect_generation)
        except RollbackRefused as error:
            _print(options, {"label": label, "published": False, "refused": str(error)})
            raise
        for line in _lines(prepared, pinned=wish.pin):
            tell(line)
        ended = _end_before_publishing(prepared, wish)
        if ended is not None:
            _print(options, _facts(prepared, published=False))
            return ended
        if not is_sure(options, f"generation {prepared.plan.generation} will be published"):
            return say("nothing was changed", USAGE)
        await rolling.publish(prepared, pinned=wish.pin)
        _done(options, prepared, pinned=wish.pin)
        return FINE

    return run(options, environ, act, signs=not wish.dry_run, records=False)


def _expect(prepared: Prepared, generation: int | None) -> None:
    label, head = prepared.item.label, prepared.item.head
    if generation not in (None, head):
        raise RollbackRefused(
            f"{label} is at generation {head}, not {generation}; nothing was changed"
        )


def _end_before_publishing(prepared: Prepared, wish: RollbackOptions) -> int | None:
    """The exit code where nothing is to be published; None goes on."""
    if not prepared.changes and (not wish.pin or prepared.item.pin is not None):
        return FINE
    if prepared.violations:
        return say("\n".join(refusal(prepared.violations)), REFUSED)
    return PENDING if wish.dry_run else None


def _done(options: ControlOptions, prepared: Prepared, *, pinned: bool) -> None:
    label, head = prepared.item.label, prepared.item.head
    undo = f"dns-runbook unpin {label}" if pinned else f"dns-runbook rollback {label} {head}"
    _print(options, {**_facts(prepared, published=True), "undo": undo})
    if not options.json:
        said = f"{label}: generation {prepared.plan.generation} published"
        done(f"{said}{' and pinned' if pinned else ''}; to undo it: {undo}")


def _lines(prepared: Prepared, *, pinned: bool) -> Iterator[str]:
    """The records before and after, so that nobody agrees to what he has not seen."""
    label, changes = prepared.item.label, prepared.changes
    if not changes:
        end = "" if pinned else "; nothing is published without --pin"
        if prepared.item.pin is not None:
            end = " and is pinned; nothing is published"
        yield f"{label}: no record would change, head {prepared.item.head} holds the same{end}"
        return
    yield f"generation {prepared.plan.generation}: changes {counted(len(changes), 'name')}"
    yield from changed_lines(changes)
    if prepared.carried:
        names = ", ".join(sorted({display(one.name) for one in prepared.carried})[:5])
        yield f"  carried forward, since only retire ends a name: {names}"
    if not pinned and not prepared.violations:
        yield what_follows(label, prepared.withheld)


def _facts(prepared: Prepared, *, published: bool) -> dict[str, object]:
    return {
        "label": prepared.item.label,
        "head": prepared.item.head,
        "generation": prepared.plan.generation,
        "published": published,
        "changes": [change_facts(one) for one in prepared.changes],
        "carried": sorted({one.name for one in prepared.carried}),
        "violations": [
            {
                "rule": one.rule,
                "name": one.name,
                "measured": one.measured,
                "limit": one.limit,
                "waivable": one.rule in WAIVABLE,
            }
            for one in prepared.violations
        ],
    }


def _print(options: ControlOptions, facts: Mapping[str, object]) -> None:
    if options.json:
        sys.stdout.write(json.dumps(facts) + "\n")
