"""An outcome as a log event and as a sighting for the peers. It decides nothing."""

from typing import assert_never

import structlog

from dnsplan.plan import Generation
from dnsplan.ports import ZoneSighting
from enactor.rules.outcomes import Applied, Fenced, Held, InSync, Outcome, Unknown, Waiting

# A log line is read by a person; the table has them all.
NOTES_LOGGED_MAX = 10


def sighting_of(label: str, outcome: Outcome, *, known: Generation, now_s: int) -> ZoneSighting:
    """What to show the peers: the generation this AZ knows to stand, and why it holds, if so."""
    match outcome:
        case InSync(generation) | Applied(generation):
            return ZoneSighting(label, generation, 0, None, now_s)
        case Held(_, text, _):
            return ZoneSighting(label, known, 0, text, now_s)
        case Waiting() | Fenced() | Unknown():
            return ZoneSighting(label, known, 0, None, now_s)
        case _:
            assert_never(outcome)


def gist(sighting: ZoneSighting) -> tuple[object, ...]:
    """What makes a sighting news, its time left out."""
    return (sighting.generation, sighting.step, sighting.holding, sighting.working_to)


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
            log.warning("zone_fenced", expected=expected, found=found)
        case Held(rule, text, command):
            log.warning("zone_held", rule=str(rule), reason=text, command=command)
        case Unknown(reason):
            log.warning("outcome_unknown", reason=reason)
        case _:
            assert_never(outcome)
