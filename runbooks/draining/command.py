"""What `dns-runbook drain` and `undrain` do: show what it leaves, ask, write it, say the undo."""

import json
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from shlex import quote

from dnsplan.errors import DnsplanError
from dnsplan.exits import FINE, PENDING, USAGE
from dnsplan.runtime.config.schema import Settings
from planner.rules.candidate import ZoneWish
from planner.settings import planner_settings
from runbooks.controls.outside import Mistaken, Operator, expect_head
from runbooks.controls.session import ControlOptions, done, is_sure, run_with, say
from runbooks.controls.telling import tell
from runbooks.controls.wiring import open_tables
from runbooks.controls.words import counted, moment
from runbooks.draining.draining import Draining, Prepared
from runbooks.draining.rules import Hit, hits, labels_hit, what_mistake, wish_of

NAMES_SHOWN_MAX = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class DrainOptions:
    """What drain takes beside; `expires_s` is None to end a drain."""

    what: str
    expires_s: int | None
    expected: int | None = None
    dry_run: bool


def drain_target(options: ControlOptions, wish: DrainOptions, environ: Mapping[str, str]) -> int:
    """Drain one target or AZ in each zone that it answers, or end that."""

    async def work(settings: Settings, operator: Operator) -> int:
        wishes = planner_settings(settings).wishes
        labels = _labels(options, wish.what, settings, wishes)
        async with open_tables(settings) as tables:
            draining = Draining(tables.side, operator)
            prepared = [
                await _prepared(draining, label, wish, now_s=int(tables.side.clock.now_s()))
                for label in labels
            ]
            for one in prepared:
                expect_head(one.item.label, one.item.head, wish.expected)
                for line in lines(one, wish_of(one.item.label, wishes)):
                    tell(line)
            if wish.dry_run:
                return _done(options, prepared, wishes, written=False)
            asked = replace(options, labels=labels)
            if not is_sure(asked, _consequence(wish)):
                return say("nothing was changed", USAGE)
            for at, one in enumerate(prepared):
                # A zone is said as soon as it is written: the next may refuse.
                try:
                    await draining.write(one)
                except DnsplanError:
                    _tell_left(prepared, at)
                    raise
                _done(options, [one], wishes, written=True)
        return FINE

    signs = wish.expires_s is not None and not wish.dry_run
    return run_with(options, environ, work, signs=signs, records=False)


def _labels(
    options: ControlOptions, what: str, settings: Settings, wishes: tuple[ZoneWish, ...]
) -> tuple[str, ...]:
    if (mistake := what_mistake(what, options.because, settings)) is not None:
        raise Mistaken(mistake)
    able = labels_hit(what, wishes, settings)
    strange = sorted(set(options.labels) - set(able))
    if strange:
        raise Mistaken(
            f"{what} answers no name of {', '.join(strange)}; zones: {', '.join(able) or 'none'}"
        )
    if not able:
        raise Mistaken(f"{what} answers no name of any zone")
    return options.labels or able


async def _prepared(draining: Draining, label: str, wish: DrainOptions, *, now_s: int) -> Prepared:
    if wish.expires_s is None:
        return await draining.prepare_end(label, wish.what)
    return await draining.prepare(label, wish.what, until_s=now_s + wish.expires_s)


def _tell_left(prepared: list[Prepared], at: int) -> None:
    """Of several zones, which were written before one was refused, and which were not tried."""
    labels = [one.item.label for one in prepared]
    for what, some in (("written", labels[:at]), ("not tried", labels[at + 1 :])):
        if some:
            tell(f"{what}: {', '.join(some)}")


def _consequence(wish: DrainOptions) -> str:
    if wish.expires_s is None:
        return f"{wish.what} may answer again"
    return f"{wish.what} will answer nobody, within the floor and as velocity allows"


def lines(prepared: Prepared, wish: ZoneWish) -> Iterator[str]:
    """What is shown before the question."""
    label, what = prepared.item.label, prepared.what
    if prepared.drain is None:
        yield f"{label}: the drain of {what} ends"
    else:
        yield f"{label}: {what} is drained until {moment(prepared.drain.until_s)}"
    found = _hits(prepared, wish)
    for hit in found[:NAMES_SHOWN_MAX]:
        yield f"  {hit}"
    if len(found) > NAMES_SHOWN_MAX:
        yield f"  and {counted(len(found) - NAMES_SHOWN_MAX, 'more name')}"
    if prepared.drain is not None and not hits(wish, (prepared.drain,)):
        yield "  no target of the config is meant; what sources name is matched when it is read"


def _hits(prepared: Prepared, wish: ZoneWish) -> tuple[Hit, ...]:
    return hits(wish, prepared.holding)


def _done(
    options: ControlOptions,
    prepared: list[Prepared],
    wishes: tuple[ZoneWish, ...],
    *,
    written: bool,
) -> int:
    for one in prepared:
        label, what, drain = one.item.label, one.what, one.drain
        undo = f"dns-runbook undrain {quote(what)} {label}"
        if drain is None:
            undo = f"dns-runbook drain {quote(what)} {label}"
        if options.json:
            facts = {
                "label": label,
                "what": what,
                "until_s": None if drain is None else drain.until_s,
                "written": written,
                "names": [
                    {
                        "name": hit.unit[0],
                        "type": hit.unit[1],
                        "targets": hit.targets,
                        "drained": hit.drained,
                    }
                    for hit in _hits(one, wish_of(label, wishes))
                ],
                "undo": undo,
            }
            sys.stdout.write(json.dumps(facts) + "\n")
        elif written:
            then = "is no longer drained" if drain is None else "is drained from the next plan on"
            done(f"{label}: {what} {then}; to undo it: {undo}")
    return FINE if written else PENDING
