"""Which zones may take up a changed config now, and what every other one waits for. Pure.

The canaries go first; the others only when each canary holds what it took up and has done so for
the bake time. In a window no more than so many zones go, in the config's order, so that planners
that read the same choose the same. While something speaks against a zone's newest turn no other
zone goes: that one may, since it is the one to be mended. What goes back to what it held before its
turn waits for nobody. A wave is no promise of safety: every plan is judged as ever.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from dnsplan.plan import Generation

STATUS = "dns-runbook status"


@dataclass(frozen=True, slots=True, kw_only=True)
class Waves:
    """What the config says of waves. `observed` are zones that nothing is written to."""

    canaries: tuple[str, ...]
    bake_s: float
    zones_per_window: int
    window_s: float
    sentinel: str | None = None
    observed: frozenset[str] = frozenset()

    @property
    def watched_s(self) -> float:
        """For so long after its turn what befalls a zone is put down to it."""
        return self.bake_s + self.window_s


@dataclass(frozen=True, slots=True)
class OpenPage:
    """One page of the sentinel that is open: of which zone, what it says, and since when."""

    label: str
    text: str
    opened_s: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ZoneState:
    """One zone as a wave sees it, from what planners can read.

    `waits`: the config would have it hold something else. `is_busy`: something else of it came
    first in this pass. `generation` and `age_s` are of its newest turn; None: it never took one.
    `against` is what speaks against that turn. `by_hand` says that an operator holds the zone where
    it is, and `unplanned` why this pass could not plan it.
    """

    label: str
    waits: bool
    is_busy: bool = False
    goes_back: bool = False
    generation: Generation | None = None
    age_s: float | None = None
    is_applied: bool = True
    against: str = ""
    by_hand: str = ""
    unplanned: str = ""


@dataclass(frozen=True, slots=True)
class Go:
    """The zone takes its turn."""


@dataclass(frozen=True, slots=True)
class Wait:
    """It waits: for what, in a sentence with the number and the limit. `is_stopped`: until somebody
    acts, or what speaks against the wave is over."""

    why: str
    command: str
    is_stopped: bool = False


Leave: TypeAlias = Go | Wait


def leaves(zones: Sequence[ZoneState], waves: Waves, *, silent: str = "") -> Mapping[str, Leave]:
    """For each zone that waits: whether it goes now. `zones` are all of the config, in its order;
    `silent` is why it could not be asked whether all is well."""
    wave = _Wave(zones, waves, silent)
    first = [zone for zone in zones if zone.label in waves.canaries]
    rest = [zone for zone in zones if zone.label not in waves.canaries]
    return {zone.label: wave.leave(zone) for zone in (*first, *rest) if zone.waits}


class _Wave:
    """One wave while leaves are given; each takes a place in the window."""

    def __init__(self, zones: Sequence[ZoneState], waves: Waves, silent: str) -> None:
        self._waves = waves
        self._silent = silent
        self._against = [zone for zone in zones if zone.against]
        self._canaries = [zone for zone in zones if zone.label in waves.canaries]
        self._ages = [
            zone.age_s for zone in zones if zone.age_s is not None and zone.age_s < waves.window_s
        ]
        # Who goes back waits for no place, and takes one.
        self._ages += [0.0 for zone in zones if zone.waits and zone.goes_back and not zone.is_busy]

    def leave(self, zone: ZoneState) -> Leave:
        if zone.is_busy:
            return Wait("its health came first in this pass", f"dns-planner plan {zone.label}")
        if zone.goes_back:
            return Go()
        waits = self._stopped(zone) or self._unheard() or self._unbaked(zone) or self._full()
        if waits is not None:
            return waits
        self._ages.append(0.0)
        return Go()

    def _stopped(self, zone: ZoneState) -> Wait | None:
        for one in self._against:
            if one.label != zone.label:
                text = f"stopped by {one.label}: {one.against}"
                return Wait(text, f"dns-runbook explain {one.label}", is_stopped=True)
        return None

    def _unheard(self) -> Wait | None:
        return Wait(self._silent, STATUS, is_stopped=True) if self._silent else None

    def _unbaked(self, zone: ZoneState) -> Wait | None:
        if zone.label in self._waves.canaries:
            return None
        return next(filter(None, map(self._not_baked, self._canaries)), None)

    def _not_baked(self, canary: ZoneState) -> Wait | None:
        name, look = f"canary {canary.label}", f"dns-runbook explain {canary.label}"
        if canary.unplanned:
            return Wait(f"{name} is not planned: {canary.unplanned}", look, is_stopped=True)
        if canary.waits:
            return Wait(f"{name} goes first", f"dns-planner plan {canary.label}")
        if canary.age_s is None:
            return None
        if not canary.is_applied:
            held = f": {canary.by_hand}" if canary.by_hand else ""
            text = f"{name} does not hold generation {canary.generation} yet{held}"
            return Wait(text, look, is_stopped=bool(held))
        if canary.age_s < self._waves.bake_s:
            baked = f"{int(canary.age_s)} s of bake_s {self._waves.bake_s:g}"
            return Wait(f"{name} bakes: {baked}", look)
        return None

    def _full(self) -> Wait | None:
        waves = self._waves
        if len(self._ages) < waves.zones_per_window:
            return None
        over = len(self._ages) - waves.zones_per_window
        left_s = waves.window_s - sorted(self._ages, reverse=True)[over]
        text = (
            f"zones that went within window_s {waves.window_s:g}: {len(self._ages)};"
            f" limit: zones_per_window {waves.zones_per_window}; the next in {int(left_s) + 1} s"
        )
        return Wait(text, STATUS)
