"""The parts of an explanation as facts for machines. Pure."""

from dnsplan.records import RecordSet
from dnsplan.runtime.status.model import Unread
from dnsplan.trace import trace_of
from runbooks.controls.words import record_set_in_words
from runbooks.explaining.facts import NameFacts
from runbooks.explaining.units import PoolState, UnitReport
from runbooks.history.past import never_stated
from runbooks.looking.line import Gone
from runbooks.looking.wanted import in_route53_form


def unit_facts(one: UnitReport) -> dict[str, object]:
    """One unit of the name: planned, standing, answered."""
    return {
        "type": one.unit[1],
        "stands": str(one.stands),
        "reason": one.reason or None,
        "stated": one.stated,
        "planned": _set_facts(one.planned),
        "standing": _set_facts(one.standing),
        "answers": [
            {
                "server": answer.server,
                "finding": str(answer.seen.finding),
                "values": list(in_route53_form(one.unit[1], answer.seen.values)),
                "as_planned": good,
            }
            for answer, good in one.answers
        ],
        "pool": None if one.pool is None else _pool_facts(one.pool),
    }


def _pool_facts(state: PoolState) -> dict[str, object]:
    return {
        "pool": state.pool.pool,
        "targets": state.targets,
        "healthy": state.healthy,
        "answering": state.answering,
        "shards": dict(state.shards),
        "spent": state.spent,
        "allowed": state.allowed,
        "window_s": state.limit.window_s,
        "min_targets": state.limit.min_targets,
        "may_go": state.may_go,
        "free_s": state.free_s,
    }


def last_facts(name: NameFacts) -> dict[str, object] | None:
    """Which plan changed the name last, or None where none is known to have."""
    if name.last is None or isinstance(name.last, Unread):
        return None
    if never_stated(name.last, name.owner):
        return None
    row = name.last.row
    return {
        "generation": row.plan_id.generation,
        "trace": trace_of(row.plan_id.digest),
        "created_s": row.created_s,
        "author": row.author,
        "reason": row.reason,
        "is_certain": not isinstance(name.last.changes, Gone),
    }


def _set_facts(record_sets: tuple[RecordSet, ...] | None) -> list[str] | None:
    return None if record_sets is None else [record_set_in_words(one) for one in record_sets]
