"""What each request to Route 53 was good for.

To bring a zone to a plan takes one look at its fence, its batches, and one confirmation: a poll
that finds the last change in sync, and each page of the names that are read back. That is useful,
once for each zone and plan; all else is waste. Looks at zones that are in sync, which come by the
clock, are counted apart. What a lost answer costs is counted apart: the
request itself, and the look at the fence that then stands for it.
"""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from tests.simulation.fleet.network import End
from tests.simulation.loop import SimLoop
from tests.simulation.processes import Process

# A batch that moves the fence and no record.
FENCE_PAIR = 2
APART = "apart"


@dataclass(frozen=True, slots=True)
class Request:
    """One request. `about`: a batch's comment, a change's id, where a listing begins."""

    kind: str
    zone_id: str
    about: str
    size: int = 0


@dataclass(slots=True)
class Minute:
    """Requests of one minute: sent, by how they ended, and by what they were good for."""

    ends: Counter[str] = field(default_factory=Counter)
    useful: int = 0
    apart: int = 0
    wasted: Counter[str] = field(default_factory=Counter)

    @property
    def sent(self) -> int:
        """All of them."""
        return sum(self.ends.values())


@dataclass(slots=True)
class _Zone:
    """How far a zone came with its newest plan. `look`: when the fence was read for it first."""

    generation: int = 1
    look: int | None = None
    settling: bool = False
    change_id: str = ""
    confirmed: bool = True
    pages: set[str] = field(default_factory=set)


@dataclass(slots=True)
class Counts:
    """All requests of a run, by minute of the loop's time.

    `overtaken`: batches of a plan that was not the newest any more when its sender last looked at
    the fence. `whole` is told of each plan's last batch, `heard` of each request that was answered
    and was not about a quiet zone: who sent it, and the zone.
    """

    loop: SimLoop
    whole: Callable[[str, int], None]
    heard: Callable[[Process, str], None] = lambda _process, _zone_id: None
    every_s: float = 60.0
    began_s: float = 0.0
    minutes: dict[int, Minute] = field(default_factory=dict)
    went_back: list[str] = field(default_factory=list)
    overtaken: int = 0
    heads: dict[str, int] = field(default_factory=dict)
    _zones: dict[str, _Zone] = field(default_factory=dict)
    _begun: dict[tuple[str, str], int] = field(default_factory=dict)
    _changes: dict[str, str] = field(default_factory=dict)

    def begin(self) -> None:
        """Forget what was counted so far; minutes are counted from now."""
        self.began_s = self.loop.time()
        self.minutes.clear()
        for zone in self._zones.values():
            zone.look = None

    def over(self) -> None:
        """The run is over: looks at a fence that led to nothing were no use."""
        for zone in self._zones.values():
            if zone.look is not None:
                self._minute(zone.look).wasted["fence looked at in vain"] += 1

    def _minute(self, at: int) -> Minute:
        return self.minutes.setdefault(at, Minute())

    def ended(
        self, process: Process, request: Request, end: End, answer: Mapping[str, Any] | None
    ) -> None:
        """Take a request down, when it reached Route 53 or failed to."""
        at = int((self.loop.time() - self.began_s) // self.every_s)
        minute = self._minute(at)
        minute.ends[end] += 1
        why = self._waste(process, request, end, answer, at)
        if why != APART:
            self.heard(process, request.zone_id or self._changes.get(request.about, ""))
        if why == "":
            minute.useful += 1
        elif why == APART:
            minute.apart += 1
        elif why is not None:
            minute.wasted[why] += 1

    def _waste(
        self,
        process: Process,
        request: Request,
        end: End,
        answer: Mapping[str, Any] | None,
        at: int,
    ) -> str | None:
        """Why a request was no use; empty when it was, None when that is not known yet or it was
        lost on the way back."""
        if end is End.LOST:
            if request.kind == "batch":
                self._batch(process, request, answer or {}, lost=True)
            return None
        if end is not End.ANSWERED or answer is None:
            return f"{request.kind} {end}"
        match request.kind:
            case "fence":
                return self._fence(process, request, at)
            case "batch":
                return self._batch(process, request, answer, lost=False)
            case "poll":
                return self._poll(request, answer)
            case "page":
                return self._page(request)
            case _:
                return request.kind

    def _of(self, zone_id: str) -> _Zone:
        return self._zones.setdefault(zone_id, _Zone())

    def _fence(self, process: Process, request: Request, at: int) -> str | None:
        zone = self._of(request.zone_id)
        self._begun[process.name, request.zone_id] = self.heads.get(request.zone_id, 0)
        if zone.confirmed and self.heads.get(request.zone_id, 0) <= zone.generation:
            return APART
        if zone.settling:
            zone.settling = False
            return ""
        if zone.look is None:
            zone.look = at
            return None
        return "fence read again"

    def _batch(
        self,
        process: Process,
        request: Request,
        answer: Mapping[str, Any],
        *,
        lost: bool,
    ) -> str | None:
        zone = self._of(request.zone_id)
        words = request.about.split()  # "plan 7 step 1/2"
        generation, (step, steps) = int(words[1]), words[3].split("/")
        if generation < zone.generation:
            self.went_back.append(f"{request.zone_id}: {generation} after {zone.generation}")
        self.overtaken += generation < self._begun.get((process.name, request.zone_id), 0)
        if step == steps:
            self.whole(request.zone_id, generation)
        zone.change_id = answer["ChangeInfo"]["Id"]
        self._changes[zone.change_id] = request.zone_id
        is_new = generation > zone.generation
        if zone.look is not None:
            looked, zone.look = self._minute(zone.look), None
            looked.useful += is_new
            looked.wasted["fence read again"] += not is_new
        if is_new:
            zone.generation, zone.pages = generation, set()
        elif request.size <= FENCE_PAIR:
            return "fence alone"
        zone.confirmed = False
        zone.settling = lost
        return None if lost else ""

    def _poll(self, request: Request, answer: Mapping[str, Any]) -> str:
        if answer["ChangeInfo"]["Status"] != "INSYNC":
            return "poll too soon"
        zone_id = self._changes[request.about]
        zone = self._of(zone_id)
        if zone.change_id != request.about or zone.confirmed:
            return "poll again"
        zone.confirmed = True
        return ""

    def _page(self, request: Request) -> str:
        zone = self._of(request.zone_id)
        if (
            zone.confirmed
            and self.heads.get(request.zone_id, 0) <= zone.generation
            and (not request.about)
        ):
            return APART
        if not zone.confirmed or not request.about:
            return "listed"
        if request.about in zone.pages:
            return "read back again"
        zone.pages.add(request.about)
        return ""
