"""What several vantage points together find of a target: only their majority turns it.

Each AZ's planner is one and says what its own probes have shown, by its own hysteresis. Unhealthy
is what more than half of the fresh ones find at this moment, so that one AZ's broken network takes
nothing out; who has not looked lately has no voice, and still counts among those to be outvoted.
"""

import hashlib
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from msgspec import Struct, structs

from planner.rules.health import (
    FALLS_KEPT_MAX,
    NEVER_SEEN,
    Observation,
    Phase,
    Sight,
    TargetHealth,
    falls,
)
from planner.rules.pools import TargetKey

# Three signs in a row may be lost.
FRESH_S = 30.0

TOLD_AGAIN_S = 10.0

# AWS refuses requests of a machine whose clock is off by more.
CLOCKS_APART_MAX_S = 300.0


class Voice(Struct, frozen=True, array_like=True):
    """What one vantage point finds of one target. `is_well` is its newest look, None without.

    `fell` are the falls that it goes by, so that all hold a target on probation alike: on the board
    in whole seconds of wall time, else on the clock of whoever reads them.
    """

    pool: str
    target_id: str
    address: str
    phase: Phase
    is_well: bool | None
    fell: tuple[float, ...] = ()


class Report(Struct, frozen=True, array_like=True):
    """All that the planner of one AZ finds. `written_s` is wall time."""

    az: str
    written_s: int
    voices: tuple[Voice, ...]


@dataclass(frozen=True, slots=True)
class Said:
    """One voice, and whether what it says against a target is doubted; see `aftermath`."""

    voice: Voice
    is_doubted: bool


Heard: TypeAlias = Mapping[tuple[TargetKey, str], Sequence[Said]]
"""What others say, by target and address: of another address it says nothing."""


@dataclass(frozen=True, slots=True)
class _Count:
    """How a vote went. `bad_sure` are the bad voices that are not doubted."""

    of: int
    good: int
    bad: int
    bad_sure: int
    looks: int
    bad_looks: int


def voices_of(
    own: Sight, before: Mapping[TargetKey, TargetHealth], *, wall_s: float
) -> tuple[Voice, ...]:
    """What this process says of every target that it probes, sorted; `before` was agreed last."""
    ahead_s = wall_s - own.now_s
    voices = []
    for key in sorted(own.asked):
        voice, fell = _voice(key, own), before.get(key, NEVER_SEEN).fell
        if fell:
            voice = structs.replace(voice, fell=tuple(round(one + ahead_s) for one in fell))
        voices.append(voice)
    return tuple(voices)


def _voice(key: TargetKey, own: Sight) -> Voice:
    pool, target_id = key
    asked, health = own.asked[key], own.states.get(key, NEVER_SEEN)
    if health.last is None or own.now_s - health.last.at_s > asked.gap_s:
        return Voice(pool, target_id, asked.address, Phase.UNKNOWN, None)
    return Voice(pool, target_id, asked.address, health.phase, health.last.healthy)


def voiceless(report: Report) -> Report:
    """The same vantage point with nothing to say of any target, but for falls."""
    voices = tuple(structs.replace(one, phase=Phase.UNKNOWN, is_well=None) for one in report.voices)
    return structs.replace(report, voices=voices)


def heard(
    reports: Iterable[Report], doubts: Mapping[str, Collection[str]], *, ahead_s: float
) -> Heard:
    """Fresh reports, sorted by what they speak of; wall time is `ahead_s` ahead of our clock.

    `doubts` are by AZ the pools of which its bad voices are doubted.
    """
    found: dict[tuple[TargetKey, str], list[Said]] = {}
    for report in reports:
        doubted = doubts.get(report.az, ())
        for one in report.voices:
            voice = one
            if one.fell:
                voice = structs.replace(one, fell=tuple(at_s - ahead_s for at_s in one.fell))
            said = Said(voice, one.pool in doubted)
            found.setdefault(((one.pool, one.target_id), one.address), []).append(said)
    return found


def agreed(
    own: Sight,
    others: Heard,
    before: Mapping[TargetKey, TargetHealth],
    *,
    doubted: Collection[str] = (),
) -> Sight:
    """The sight of all together, given what was agreed before. What this process does not probe
    stays as it was told; of `doubted` pools its own bad voices are doubted."""
    states, doubtful = dict(own.states), set()
    for key, asked in own.asked.items():
        said = Said(_voice(key, own), key[0] in doubted)
        each = (said, *others.get((key, asked.address), ()))
        count = _counted(each)
        together = _agreed(own.states.get(key, NEVER_SEEN), count, before.get(key, NEVER_SEEN), own)
        if together.phase is Phase.UNHEALTHY and 2 * count.bad_sure <= count.of:
            doubtful.add(key)
        told = {at_s for one in each for at_s in one.voice.fell if at_s <= own.now_s}
        if told:
            fell = _told_apart(told.union(together.fell), gap_s=asked.gap_s)
            together = replace(together, fell=fell)
        states[key] = together
    return Sight(states, own.since_s, own.now_s, own.asked, frozenset(doubtful))


def _told_apart(fell: Iterable[float], *, gap_s: float) -> tuple[float, ...]:
    """The falls without those that another vantage point met a little later. What lies in the
    future by somebody's clock was left out before."""
    kept: list[float] = []
    for at_s in sorted(fell):
        if not kept or at_s - kept[-1] > gap_s:
            kept.append(at_s)
    return tuple(kept[-FALLS_KEPT_MAX:])


def _counted(each: Sequence[Said]) -> _Count:
    phases = [said.voice.phase for said in each]
    sure = [said.voice.phase for said in each if not said.is_doubted]
    looks = [said.voice.is_well for said in each if said.voice.is_well is not None]
    return _Count(
        of=len(each),
        good=phases.count(Phase.HEALTHY),
        bad=phases.count(Phase.UNHEALTHY),
        bad_sure=sure.count(Phase.UNHEALTHY),
        looks=len(looks),
        bad_looks=looks.count(False),
    )


def _agreed(own: TargetHealth, count: _Count, before: TargetHealth, sight: Sight) -> TargetHealth:
    phase = _phase(count, before.phase)
    if phase is before.phase:
        since_s = before.since_s
    else:
        since_s = own.since_s if own.phase is phase else sight.now_s
    last = _last(own, count, sight.now_s)
    return TargetHealth(phase, since_s, own.streak, last, falls(before, phase, at_s=since_s))


def _phase(count: _Count, before: Phase) -> Phase:
    """Health once agreed lasts until the contrary is; sickness lasts only while it is agreed."""
    if 2 * count.bad > count.of:
        return Phase.UNHEALTHY
    if 2 * count.good > count.of or before is Phase.HEALTHY:
        return Phase.HEALTHY
    return Phase.UNKNOWN


def _last(own: TargetHealth, count: _Count, now_s: float) -> Observation | None:
    if own.last is None and not count.looks:
        return None
    if count.of == 1:
        return own.last
    is_well = 2 * count.bad_looks <= count.looks
    here = "not seen from here" if own.last is None else own.last.detail
    detail = f"{here}; {count.bad} of {count.of} vantage points find it unhealthy"
    return Observation(now_s if own.last is None else own.last.at_s, is_well, detail)


def in_order(label: str, azs: Iterable[str]) -> list[str]:
    """The order in which AZs plan a zone: another for each zone, the same for everybody."""
    return sorted(azs, key=lambda az: hashlib.sha256(f"{label}/{az}".encode()).digest())


def is_of_now(report: Report, *, wall_s: float) -> bool:
    """Whether a report may have been written just now: whose clock is off by more could not write
    at all, and an older one is an old truth that somebody shows again."""
    return abs(wall_s - report.written_s) <= CLOCKS_APART_MAX_S


def is_fresh(report: Report, *, wall_s: float, unchanged_s: float | None) -> bool:
    """Whether a vantage point is alive. `unchanged_s` is for how long its report has stood here,
    None for one met just now, which only its own clock can date."""
    if unchanged_s is None:
        return abs(wall_s - report.written_s) <= FRESH_S
    return unchanged_s <= FRESH_S
