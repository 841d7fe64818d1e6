"""Which answers of the newest plan stay although no target gives them: their absence is not proven.

After a restart, or when another planner knew more, an answer may have no target here although it
has one. It goes only when every source of the pool was read completely twice since that was
noticed, the second time at least the hold-down afterwards. A pool without any target takes nothing
away. What a source itself has seen go needs no second hold-down.

Who does not know all of a pool does not know its weights either: they go by the capacities of all.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from dnsplan.guardrails import answers
from dnsplan.records import Unit
from planner.rules.candidate import ZoneWish
from planner.rules.pools import PoolUnit
from planner.rules.roll import Attendance
from planner.rules.standing import Standing


@dataclass(frozen=True, slots=True)
class Noticed:
    """Since when each answer of the newest plan is known to have no target."""

    since_s: Mapping[tuple[Unit, str], float]


NOTHING_NOTICED = Noticed({})


def with_absences(
    wish: ZoneWish, standing: Standing, before: Noticed, *, now_s: float
) -> tuple[ZoneWish, Noticed]:
    """The wish with what must stay, and what to remember until the next pass."""
    if all(one.attendance is None for one in wish.driven):
        return wish, NOTHING_NOTICED
    since_s: dict[tuple[Unit, str], float] = {}
    driven: list[PoolUnit] = []
    for one in wish.driven:
        if one.attendance is None:
            driven.append(one)
            continue
        left = answers(standing.answering(one.unit)) - {m.answer for m in one.members}
        for answer in left:
            key = (one.unit, answer)
            since_s[key] = before.since_s.get(key, _began_s(answer, one.attendance, now_s))
        staying = frozenset(
            answer
            for answer in left
            if not one.members or not _is_proven(one.attendance, since_s[(one.unit, answer)])
        )
        driven.append(replace(one, staying=staying))
    return replace(wish, driven=tuple(driven)), Noticed(since_s)


def with_weights_left(wish: ZoneWish, standing: Standing, *, author: str) -> ZoneWish:
    """The wish, with the weights of pools that this planner knows in part left as another planner
    published them. Two that know different targets would undo each other's weights for ever, for as
    long as a source is away. What this one published itself it goes on with."""
    if standing.plan is None or standing.plan.author == author:
        return wish
    driven = tuple(
        replace(one, defers=True) if _is_known_in_part(one) else one for one in wish.driven
    )
    return replace(wish, driven=driven)


def _is_known_in_part(unit: PoolUnit) -> bool:
    return unit.attendance is not None and (bool(unit.staying) or unit.attendance.is_silent)


def _began_s(answer: str, attendance: Attendance, now_s: float) -> float:
    departure = attendance.departed.get(answer)
    return now_s if departure is None else departure.since_s


def _is_proven(attendance: Attendance, since_s: float) -> bool:
    older_s, newer_s = attendance.complete_s
    return older_s >= since_s and newer_s >= since_s + attendance.hold_s
