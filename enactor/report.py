"""An outcome as a log event and as a sighting for the peers. It decides nothing."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeAlias, assert_never

import structlog
from msgspec import structs

from dnsplan.names import display
from dnsplan.outcomes import Accepted, Refused, SubmitOutcome
from dnsplan.outcomes import Unknown as NoAnswer
from dnsplan.pages import path_of
from dnsplan.plan import Generation
from dnsplan.ports import Zone, ZoneSighting
from dnsplan.trace import trace_of
from enactor.rules import refusal
from enactor.rules.drift import Drift, in_words
from enactor.rules.findings import Findings
from enactor.rules.outcomes import Applied, Fenced, Held, InSync, Outcome, Unknown, Waiting
from enactor.rules.packing import ChangeBatch
from enactor.settings import ZoneTask

Heard: TypeAlias = Callable[[Zone, ChangeBatch, SubmitOutcome], None]

# A log line is read by a person; the table has them all.
NOTES_LOGGED_MAX = 10

# In observe mode the log is what people compare; beyond this `dns-runbook adopt` lists them all.
CHANGES_LOGGED_MAX = 100

# A sign of life holds all zones in one item; the audit command lists all drift.
DRIFT_SHOWN_MAX = 1


def sighting_of(
    label: str, outcome: Outcome, *, known: Generation, findings: Findings, now_s: int
) -> ZoneSighting:
    """What to show the peers: the generation this AZ knows to stand, why it holds, if it does, what
    others changed, and what people should know."""
    returned = (f"{one}; it was retired, and is left alone" for one in findings.returned)
    notes = (*_shortened(tuple(returned)), *filter(None, (findings.room_warning,)))
    drift = _shortened(findings.drift)
    sighting = ZoneSighting(label, known, 0, None, now_s, drift=drift, notes=notes)
    match outcome:
        case InSync(generation) | Applied(generation):
            return structs.replace(sighting, generation=generation)
        case Held(_, text, _):
            return structs.replace(sighting, holding=text)
        case Waiting() | Fenced() | Unknown():
            return sighting
        case _:
            assert_never(outcome)


def gist(sighting: ZoneSighting) -> ZoneSighting:
    """What makes a sighting news, its time left out."""
    return structs.replace(sighting, seen_s=0)


def log_findings(
    log: structlog.typing.FilteringBoundLogger, task: ZoneTask, *, before: Findings, now: Findings
) -> None:
    """What was found, and that it ended, once each."""
    if now.drift != before.drift:
        log_drift(log, task, before=before.drift, now=now.drift)
    log_returned(log, before=before.returned, now=now.returned)
    if now.would_change != before.would_change:
        log_would_change(log, before=before.would_change, now=now.would_change)
    if now.room_warning is not None and before.room_warning is None:
        log.warning("zone_nearly_full", reason=now.room_warning)


def log_drift(
    log: structlog.typing.FilteringBoundLogger,
    task: ZoneTask,
    *,
    before: Sequence[Drift],
    now: Sequence[Drift],
) -> None:
    """One event a name and type, with both values, when it is found and when it is over."""
    fate = "mended" if task.repair_drift and not task.observe else "held"
    command = f"dns-runbook audit {task.zone.label}"
    found = _new(before, now)
    for one in found[:NOTES_LOGGED_MAX]:
        log.error("drift_found", **_both(one), fate=fate, command=command)
    if len(found) > NOTES_LOGGED_MAX:
        log.error("more_drift_found", more=len(found) - NOTES_LOGGED_MAX, command=command)
    still = {one.unit for one in now}
    ended = [one for one in before if one.unit not in still]
    if ended:
        shown = [f"{display(one.name)} {one.type}" for one in ended[:NOTES_LOGGED_MAX]]
        log.info("drift_ended", names=shown, more=max(0, len(ended) - NOTES_LOGGED_MAX))


def log_returned(
    log: structlog.typing.FilteringBoundLogger, *, before: Sequence[Drift], now: Sequence[Drift]
) -> None:
    """One event a retired name and type that stands, when it is first seen or seen otherwise."""
    new = _new(before, now)
    for one in new[:NOTES_LOGGED_MAX]:
        log.warning(
            "retired_name_stands",
            name=display(one.name),
            type=one.type,
            standing=in_words(one.standing),
            fate="left alone",
        )
    if len(new) > NOTES_LOGGED_MAX:
        log.warning("more_retired_names_stand", more=len(new) - NOTES_LOGGED_MAX)


def log_would_change(
    log: structlog.typing.FilteringBoundLogger, *, before: Sequence[Drift], now: Sequence[Drift]
) -> None:
    """One event a name and type that would be changed, when it is first seen or seen otherwise."""
    new = _new(before, now)
    for one in new[:CHANGES_LOGGED_MAX]:
        log.info("would_change", **_both(one))
    if len(new) > CHANGES_LOGGED_MAX:
        log.info("more_would_change", more=len(new) - CHANGES_LOGGED_MAX)
    log.info("would_change_in_all", count=len(now), new=len(new))


def batch_log(log: structlog.typing.FilteringBoundLogger) -> Heard:
    """One event for each batch, whatever came of it: a refused or unanswered one is looked for as
    well, and Route 53 names an accepted one by its change id."""

    def heard(zone: Zone, batch: ChangeBatch, outcome: SubmitOutcome) -> None:
        fence = batch.fence
        about = log.bind(
            zone=zone.label,
            trace=trace_of(fence.digest),
            generation=fence.generation,
            step=f"{fence.step}/{fence.steps}",
            changes=len(batch.changes),
        )
        match outcome:
            case Accepted(change_id):
                about.info("batch_accepted", change_id=change_id)
            case Refused(messages):
                about.warning("batch_refused", reason=refusal.in_words(messages))
            case NoAnswer(reason):
                about.warning("batch_unanswered", reason=reason)
            case _:
                assert_never(outcome)

    return heard


def log_outcome(log: structlog.typing.FilteringBoundLogger, outcome: Outcome) -> None:
    """One event, named for what happened."""
    match outcome:
        case InSync(generation):
            log.info("zone_in_sync", generation=generation)
        case Waiting(generation):
            log.debug("zone_waiting_for_peer", generation=generation)
        case Applied(generation, batches, held, confirmed, notes):
            event = "plan_in_sync" if confirmed else "plan_accepted"
            log.info(event, generation=generation, batches=batches, held=held)
            if notes:
                shown, more = list(notes[:NOTES_LOGGED_MAX]), max(0, len(notes) - NOTES_LOGGED_MAX)
                log.warning("names_need_attention", notes=shown, more=more)
        case Fenced(expected, found):
            log.warning("zone_fenced", expected=expected, found=found, page=path_of("fenced"))
        case Held(rule, text, command):
            log.warning(
                "zone_held", rule=str(rule), reason=text, command=command, page=path_of(rule)
            )
        case Unknown(reason):
            log.warning("outcome_unknown", reason=reason, page=path_of("unknown"))
        case _:
            assert_never(outcome)


def _new(before: Iterable[Drift], now: Iterable[Drift]) -> Sequence[Drift]:
    known = set(before)
    return [one for one in now if one not in known]


def _both(one: Drift) -> Mapping[str, str]:
    wanted, standing = in_words(one.wanted), in_words(one.standing)
    return {"name": display(one.name), "type": one.type, "wanted": wanted, "standing": standing}


def _shortened(drift: Sequence[Drift | str]) -> tuple[str, ...]:
    more = len(drift) - DRIFT_SHOWN_MAX
    shown = tuple(map(str, drift[:DRIFT_SHOWN_MAX]))
    return (*shown, f"{more} more") if more > 0 else shown
