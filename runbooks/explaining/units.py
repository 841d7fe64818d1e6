"""Why one name and type stands as it stands: who states it, what drives it, what is withheld. Pure.

What could not be read is said to be unknown; nothing is concluded from it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from dnsplan.diff import diff
from dnsplan.guardrails import answers
from dnsplan.names import Name, display, typed
from dnsplan.plan import NameLedger, Plan, is_retired
from dnsplan.records import RecordSet, Unit, by_unit, unit_of
from dnsplan.runtime.config.derived import PoolUnit
from dnsplan.runtime.status.model import Unread
from dnsplan.shards import seen_through, sharded_name, shards_at
from dnsplan.velocity import VelocityLimit, allowance, may_remove, spent_in_window
from enactor.rules.drift import drifts
from runbooks.explaining.facts import NameFacts, ZoneFacts, units_at
from runbooks.looking.asking import Answer
from runbooks.looking.wanted import is_as_wanted, wanted


class Stands(StrEnum):
    """How what stands compares with the plan to reach."""

    AS_PLANNED = "as planned"
    PENDING = "as the plan before"
    HELD = "held back"
    DRIFT = "drift"
    NOT_MANAGED = "not managed"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class PoolState:
    """What the newest ledger says of a pool-driven name and type, and what may go now.

    `shards` says how many answer in each shard; a pool that fits one name has none.
    `free_s` is in how many seconds the oldest removal leaves the window; None where none is in it.
    """

    pool: PoolUnit
    targets: int
    healthy: int
    answering: int
    shards: tuple[tuple[Name, int], ...]
    spent: int
    allowed: int
    may_go: int
    free_s: int | None
    limit: VelocityLimit


@dataclass(frozen=True, slots=True)
class UnitReport:
    """One name and type. `planned` and `standing` are None where they could not be read."""

    unit: Unit
    stated: str
    stands: Stands
    reason: str
    planned: tuple[RecordSet, ...] | None
    standing: tuple[RecordSet, ...] | None
    pool: PoolState | None
    answers: tuple[tuple[Answer, bool], ...]

    @property
    def is_fine(self) -> bool:
        """Answered as planned, as far as anybody was asked."""
        return self.stands is Stands.AS_PLANNED and all(good for _, good in self.answers)


def unit_reports(facts: ZoneFacts, name: NameFacts) -> tuple[UnitReport, ...]:
    """One report for each type of a name."""
    return tuple(_report(unit, facts, name) for unit in units_at(name.owner, facts, name.listed))


def _report(unit: Unit, facts: ZoneFacts, name: NameFacts) -> UnitReport:
    planned, standing = _in_plan(facts.target, unit), _standing(name, unit)
    stands, reason = _stands(unit, facts, name)
    return UnitReport(
        unit=unit,
        stated=_stated(unit, facts),
        stands=stands,
        reason=reason,
        planned=planned,
        standing=standing,
        pool=_pool(unit, facts),
        answers=_answers(unit, facts, name),
    )


def _stated(unit: Unit, facts: ZoneFacts) -> str:
    """Who says that it should be there."""
    if (pool := facts.stated.driven.get(unit)) is not None:
        return f"dns.yaml: pool {pool.pool}, {pool.routing}, ttl {pool.ttl_s}"
    if (name := sharded_name(unit[0])) is not None and _in_plan(facts.target, unit):
        return (
            f"the planner: a shard of {display(name)}, and it ends when nothing leads here;"
            f" next: dns-runbook explain {typed(name)}"
        )
    if unit in facts.stated.static:
        return "dns.yaml: records"
    if not isinstance(facts.target, Plan):
        return "not in dns.yaml"
    if (by := _retired_by(unit, facts.target)) is not None:
        return by
    if _in_plan(facts.target, unit):
        return (
            "not in dns.yaml: carried forward unchanged; to end it: dns-runbook retire"
            f" {facts.label} {typed(unit[0])} --type {unit[1]}"
        )
    return "not in dns.yaml, and no plan manages it"


def _retired_by(unit: Unit, plan: Plan) -> str | None:
    for one in plan.retired:
        if is_retired(unit, (one,)) and not _in_plan(plan, unit):
            return f"retired by {one.by} in generation {one.generation}"
    return None


def _stands(unit: Unit, facts: ZoneFacts, name: NameFacts) -> tuple[Stands, str]:
    """The comparison, with the reason where it is held or drifted."""
    if isinstance(name.listed, Unread) or not isinstance(facts.target, Plan):
        return Stands.UNKNOWN, ""
    if not _in_plan(facts.target, unit) and not _in_plan(facts.live, unit):
        return Stands.NOT_MANAGED, ""
    if _is_same(unit, facts.target, name.listed):
        return Stands.AS_PLANNED, ""
    if not isinstance(facts.held, Unread) and (held := facts.held.get(unit[0])) is not None:
        return Stands.HELD, held.reason
    if isinstance(facts.live, Plan) and _is_same(unit, facts.live, name.listed):
        return Stands.PENDING, f"generation {facts.live.generation} is live"
    if isinstance(facts.live, Unread):
        return Stands.UNKNOWN, str(facts.live)
    if _standing(name, unit) == ():
        return Stands.DRIFT, "it was planned and applied, and nothing stands"
    return Stands.DRIFT, "no plan of ours that is known states what stands"


def _is_same(unit: Unit, plan: Plan, listed: Sequence[RecordSet]) -> bool:
    planned = _in_plan(plan, unit) or ()
    there = [one for one in listed if unit_of(one) == unit]
    return not diff(there, planned) and not drifts(listed, planned)


def _pool(unit: Unit, facts: ZoneFacts) -> PoolState | None:
    pool = facts.stated.driven.get(unit)
    if pool is None or not isinstance(facts.target, Plan):
        return None
    ledger = _ledger(facts.target, unit)
    if ledger is None:
        return None
    limit = facts.stated.limits.of(unit)
    content = by_unit(facts.target.content)
    answering = len(answers(seen_through(content, unit)))
    inside = [second for second, _ in ledger.spent if second > facts.now_s - limit.window_s]
    return PoolState(
        pool=pool,
        targets=ledger.targets,
        healthy=ledger.healthy,
        answering=answering,
        shards=tuple(
            (shard, len(answers(content.get((shard, unit[1]), ()))))
            for shard in shards_at(unit[0], content.get(unit, ()))
        ),
        spent=spent_in_window(ledger, limit, facts.now_s),
        allowed=allowance(limit, ledger.targets),
        may_go=may_remove(ledger, limit, answering=answering, now_s=facts.now_s),
        free_s=min(inside) + limit.window_s - facts.now_s if inside else None,
        limit=limit,
    )


def _answers(unit: Unit, facts: ZoneFacts, name: NameFacts) -> tuple[tuple[Answer, bool], ...]:
    if isinstance(name.answers, Unread):
        return ()
    heard = name.answers.get(unit, ())
    if not isinstance(facts.target, Plan) or not _in_plan(facts.target, unit):
        return tuple((one, False) for one in heard)
    what = wanted(unit, by_unit(facts.target.content))
    return tuple((one, is_as_wanted(what, unit[1], one.seen)) for one in heard)


def _standing(name: NameFacts, unit: Unit) -> tuple[RecordSet, ...] | None:
    if isinstance(name.listed, Unread):
        return None
    return tuple(one for one in name.listed if unit_of(one) == unit)


def _in_plan(plan: Plan | Unread | None, unit: Unit) -> tuple[RecordSet, ...] | None:
    if plan is None or isinstance(plan, Unread):
        return None
    return tuple(one for one in plan.content if unit_of(one) == unit)


def _ledger(plan: Plan, unit: Unit) -> NameLedger | None:
    return next((one for one in plan.ledger if (one.name, one.type) == unit), None)
