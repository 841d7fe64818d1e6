"""Draws one zone's candidates: what it should hold now, and what waits for its turn.

What is kept between passes is work saved, and since when answers lack a target; losing it takes
nothing out sooner.
"""

from dataclasses import dataclass, field, replace

from dnsplan.drains import standing as drains_of
from dnsplan.generation import GenerationItem
from dnsplan.plan import NO_GENERATION, Generation, Turn, Waiver
from dnsplan.ports import Clock
from dnsplan.waivers import WAVE, waived
from planner.rules.absence import (
    NOTHING_NOTICED,
    Noticed,
    with_absences,
    with_weights_left,
)
from planner.rules.candidate import Candidate, ZoneWish, build
from planner.rules.comparing import Comparing
from planner.rules.draining import set_aside
from planner.rules.health import Sight
from planner.rules.outcomes import PlanOutcome, Unchanged, Waiting
from planner.rules.review import Findings, reviewed
from planner.rules.standing import Standing
from planner.rules.turning import (
    before_turn,
    is_reworded,
    is_same,
    older_words,
    turn_kept,
    turn_of,
    turn_taken,
)
from planner.rules.waivers import lifted


@dataclass(frozen=True, slots=True)
class Drawn:
    """A candidate and the wish it was made of; `kept` is the turn that goes on with it, None where
    the zone takes up the wish's own wording. `waits`: why what the config has otherwise is left."""

    candidate: Candidate
    wish: ZoneWish
    kept: Turn | None = None
    waits: str = ""

    def turn(self, standing: Standing, generation: Generation, *, now_s: int) -> Turn | None:
        """What the plan of this candidate tells of its zone's turn."""
        if self.kept is not None:
            return turn_kept(self.wish, self.kept, self.candidate)
        return turn_taken(self.wish, standing, self.candidate, generation=generation, now_s=now_s)

    def told(self, outcome: PlanOutcome) -> PlanOutcome:
        """The outcome; where nothing is to be done, what is left."""
        return Waiting(self.waits) if self.waits and isinstance(outcome, Unchanged) else outcome


@dataclass(slots=True)
class _Kept:
    """What saves work where one candidate is drawn like the last."""

    comparing: Comparing = field(default_factory=Comparing)
    findings: Findings = field(default_factory=Findings)


class Drawing:
    """One zone's candidates, pass by pass."""

    def __init__(self, clock: Clock, author: str) -> None:
        """Nothing was drawn yet; `author` is written into plans."""
        self._clock = clock
        self._author = author
        self._noticed: Noticed = NOTHING_NOTICED
        self._kept = _Kept()
        # The config's wording, and whether the newest plan has been of it.
        self._wording, self._has_agreed = "", False

    def draw(
        self,
        wish: ZoneWish,
        item: GenerationItem | None,
        standing: Standing,
        sight: Sight,
        *,
        in_waves: bool,
    ) -> tuple[Drawn, Drawn | None]:
        """The candidate of now; and that of the changed config, where it must wait for its turn."""
        waivers = () if item is None else waived(item, now_s=int(self._clock.now_s()))
        present, self._noticed = with_absences(
            wish, standing, self._noticed, now_s=self._clock.elapsed_s()
        )
        present = with_weights_left(present, standing, author=self._author)
        whole = Drawn(self._candidate(present, item, standing, sight, waivers), present)
        is_waived = any(one.rule == WAVE for one in waivers)
        is_older = self._is_older(wish, standing)
        if not (in_waves or is_older) or is_waived or not is_reworded(wish, standing):
            return whole, None
        before, turn = before_turn(present, standing), turn_of(standing)
        # Reworded zones are few, and soon none: nothing is kept for them.
        now = self._candidate(before, item, standing, sight, waivers, kept=_Kept())
        waits = None if is_same(whole.candidate, now) else whole
        if is_older:
            why = "" if waits is None else older_words(wish, standing)
            return Drawn(now, before, turn, why), None
        return Drawn(now, before, turn), waits

    def _is_older(self, wish: ZoneWish, standing: Standing) -> bool:
        """Whether the zone went over to another wording while this planner's stayed: somebody
        brought it to another planner first, and two would undo each other's plans for ever."""
        if wish.wording is None:
            return False
        if self._wording != wish.wording.config:
            self._wording, self._has_agreed = wish.wording.config, False
        if is_reworded(wish, standing):
            return self._has_agreed
        self._has_agreed = self._has_agreed or turn_of(standing) is not None
        return False

    def _candidate(
        self,
        wish: ZoneWish,
        item: GenerationItem | None,
        standing: Standing,
        sight: Sight,
        waivers: tuple[Waiver, ...],
        *,
        kept: _Kept | None = None,
    ) -> Candidate:
        now_s, kept = int(self._clock.now_s()), kept or self._kept
        drains = () if item is None else drains_of(item, now_s=now_s)
        aside = set_aside(lifted(wish, waivers), drains)
        built = build(
            aside.wish,
            standing,
            sight,
            now_s=now_s,
            applied=NO_GENERATION if item is None else item.applied,
            comparing=kept.comparing,
        )
        noted = replace(built, notes=(*aside.notes, *built.notes))
        return reviewed(noted, standing, wish.zone, kept.findings)
