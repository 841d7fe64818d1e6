"""What the planner and cleanup log: at most one event a zone a cycle, and only when it is news.

A publication, a refusal and a lost race are news each time. A state that lasts (a hold, a withheld
target, a panic) is said when it changes, and a hold again each minute. It decides nothing.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, assert_never

import structlog

from dnsplan.guardrails import answers
from dnsplan.names import display, typed
from dnsplan.pages import path_of
from dnsplan.ports import Clock
from dnsplan.records import Unit
from dnsplan.trace import trace_of
from planner.cleanup import CleanReport
from planner.cycle import ZoneReport
from planner.membership import FeedKey
from planner.rules.notes import LASTING, Place
from planner.rules.outcomes import (
    Cleaned,
    Held,
    Overtaken,
    Pending,
    PlanOutcome,
    Published,
    Refused,
    Unchanged,
    Unsettled,
    Waiting,
)
from planner.rules.roll import NOT_READ, Roll

SAID_AGAIN_S = 60.0
NAMED_MAX = 10
_SECONDS = re.compile(r"\b\d+ s\b")

_EVENTS: dict[type[PlanOutcome], str] = {
    Unchanged: "zone_planned",
    Pending: "plan_pending",
    Published: "plan_published",
    Refused: "plan_refused",
    Held: "zone_held",
    Waiting: "plan_waiting",
    Overtaken: "plan_overtaken",
    Unsettled: "plan_unsettled",
}


class PlanLog:
    """Tells what came of each pass."""

    def __init__(self, clock: Clock) -> None:
        """Nothing was said yet."""
        self._log = structlog.get_logger("planner")
        self._clock = clock
        self._said: dict[str, tuple[object, float]] = {}

    def tell(self, reports: Sequence[ZoneReport]) -> None:
        """One pass over all zones."""
        for report in reports:
            self._tell_zone(report)
        kinds = [type(report.outcome).__name__.lower() for report in reports]
        counts = {kind: kinds.count(kind) for kind in sorted(set(kinds))}
        self._log.debug("pass_ended", zones=len(reports), **counts)

    def _tell_zone(self, report: ZoneReport) -> None:
        event = _EVENTS[type(report.outcome)]
        is_warning, facts = _outcome_facts(report.outcome)
        if isinstance(report.outcome, Published | Refused):
            facts["observed"] = _bounded(observed(report))
        lasting = _lasting_facts(report)
        label, now_s = report.wish.label, self._clock.elapsed_s()
        # What only grows older is no news.
        gist = (event, _SECONDS.sub("", str(facts)), str(lasting))
        before, said_s = self._said.get(label, (None, now_s))
        is_due = is_warning and now_s - said_s >= SAID_AGAIN_S
        is_plain = isinstance(report.outcome, Unchanged) and not lasting and before is None
        if gist == before and not is_due and not _is_news_each_time(report.outcome):
            return
        self._said[label] = (gist, now_s)
        if is_plain:
            return
        tell = self._log.warning if is_warning or "malformed" in lasting else self._log.info
        tell(event, zone=label, **facts, **lasting)


class SourceLog:
    """Tells of sources whose list is not whole, and of what they lack: when it changes, and what is
    wrong again each minute."""

    def __init__(self, clock: Clock) -> None:
        """Nothing was said yet."""
        self._log = structlog.get_logger("planner")
        self._clock = clock
        self._said: dict[FeedKey, tuple[object, float]] = {}
        self._left_out: tuple[str, ...] = ()

    def tell(self, rolls: Mapping[FeedKey, Roll], left_out: Sequence[str]) -> None:
        """What is known of all sources now."""
        for key, roll in rolls.items():
            if roll.is_read or not roll.is_awaited or roll.problem != NOT_READ.problem:
                self._tell_one(key, roll)
        if tuple(left_out) != self._left_out:
            self._left_out = tuple(left_out)
            self._log.warning("targets_left_out", targets=_bounded(left_out), count=len(left_out))

    def _tell_one(self, key: FeedKey, roll: Roll) -> None:
        now_s = self._clock.elapsed_s()
        gist = (roll.problem, roll.absent)
        before, said_s = self._said.get(key, ((None, ()), now_s))
        is_due = roll.problem is not None and now_s - said_s >= SAID_AGAIN_S
        if gist == before and not is_due:
            return
        self._said[key] = (gist, now_s)
        log = self._log.bind(pool=key[0], source=key[1], targets=len(roll.targets))
        if roll.problem is not None:
            log.warning("source_incomplete", reason=roll.problem, absent=_bounded(roll.absent))
        else:
            log.info("source_complete", absent=_bounded(roll.absent))


def log_clean(log: structlog.typing.FilteringBoundLogger, report: CleanReport) -> None:
    """One event for a cleanup pass that did something or could not."""
    outcome = report.outcome
    log = log.bind(zone=report.label)
    match outcome:
        case Cleaned(floor, deleted, swept):
            tell = log.info if deleted or swept else log.debug
            tell("plans_cleaned", floor=floor, deleted=deleted, swept=swept)
        case Held(rule, text, command):
            log.warning(
                "cleanup_held", rule=str(rule), reason=text, command=command, page=path_of(rule)
            )
        case Overtaken(why):
            log.info("cleanup_overtaken", reason=why)
        case Unsettled(reason):
            log.warning("cleanup_unsettled", reason=reason)
        case _:
            assert_never(outcome)


def _is_news_each_time(outcome: PlanOutcome) -> bool:
    return isinstance(outcome, Published | Refused | Overtaken | Unsettled)


def _outcome_facts(outcome: PlanOutcome) -> tuple[bool, dict[str, Any]]:
    """Whether it is a warning, and fields."""
    match outcome:
        case Unchanged(generation) | Pending(generation):
            return False, {"generation": generation}
        case Published(plan_id):
            return False, {
                "generation": plan_id.generation,
                "trace": trace_of(plan_id.digest),
                "digest": plan_id.digest,
            }
        case Refused(violations):
            return True, {
                "violations": [str(one) for one in violations[:NAMED_MAX]],
                "count": len(violations),
                "command": f"dns-runbook explain {typed(violations[0].name)}",
                "see_also": "dns-planner plan",
                "page": path_of(violations[0].rule),
            }
        case Held(rule, text, command):
            return True, {
                "rule": str(rule),
                "reason": text,
                "command": command,
                "page": path_of(rule),
            }
        case Waiting(why, rule, command) if rule:
            return False, {"rule": rule, "reason": why, "command": command}
        case Waiting(why) | Overtaken(why):
            return False, {"reason": why}
        case Unsettled(reason):
            return True, {"reason": reason}
        case _:
            assert_never(outcome)


def observed(report: ZoneReport) -> Iterator[str]:
    """What was seen of each target whose answer comes or goes: what the change rests on."""
    if report.candidate is None or report.standing is None:
        return
    for note in report.candidate.notes:
        before = answers(report.standing.answering(note.unit))
        for target in note.targets:
            moves = (target.answer in before) == (target.place is Place.OUT)
            if moves and target.health is not None and target.health.last is not None:
                seen = f"{target.health.phase.value}: {target.health.last.detail}"
                yield f"{target.target_id} {target.answer} {seen}"


def _lasting_facts(report: ZoneReport) -> dict[str, Any]:
    """What is not as the config wants it, by kind, each list bounded."""
    if report.candidate is None:
        return {}
    found: dict[str, list[str]] = {}
    for note in report.candidate.notes:
        if note.is_panic:
            found.setdefault("panic", []).append(_words(note.unit))
        for target in note.withheld:
            text = f"{_words(note.unit)} {target.answer}"
            found.setdefault("withheld", []).append(text)
        if (kind := LASTING.get(note.fate)) is not None:
            detail = f": {note.detail}" if note.detail else ""
            found.setdefault(kind, []).append(f"{_words(note.unit)}{detail}")
    return {kind: _bounded(found[kind]) for kind in sorted(found)}


def _words(unit: Unit) -> str:
    return f"{display(unit[0])} {unit[1]}"


def _bounded(texts: Iterable[str]) -> list[str]:
    ordered = sorted(texts)
    more = len(ordered) - NAMED_MAX
    return [*ordered[:NAMED_MAX], f"and {more} more"] if more > 0 else ordered
