"""Waits until an accepted change is on all of Route 53's name servers, off the critical path.

A change that is not in sync may still be lost by a failover of the control plane, so `applied` and
`last_known_good` move only after it, and only for one's own change. INSYNC is no proof either: the
changed names are read back once. Polls are few, since they come out of the same request share: the
first is made when changes usually are in sync, as learned from the ones before.
"""

from dataclasses import dataclass
from typing import TypeAlias

from dnsplan.errors import AccessDenied, ReadFailed
from dnsplan.fence import FenceRecord, SeenFence
from dnsplan.generation import GenerationItem
from dnsplan.names import Name, listing_order
from dnsplan.plan import PlanId
from dnsplan.records import Unit
from enactor.ports import ChangeStatus, Outside
from enactor.progress import Desired, Progress
from enactor.reading import read_names
from enactor.rules import adoption
from enactor.rules.drift import Drift, drifts, returned
from enactor.rules.outcomes import Applied, Held
from enactor.settings import Pace, ZoneTask

# Until a change has been seen in sync, polls start here and double up to POLL_MAX_S.
POLL_FIRST_S = 1.0
POLL_MAX_S = 30.0

# The first poll waits a little longer than changes usually take, so that it is mostly the only one.
_MARGIN = 1.25

# Enough to see what kind of change it was; the audit command lists them all.
DRIFT_SHOWN_MAX = 3

# Weight of the newest observation in the learned propagation time.
_LEARN = 0.3

# A first poll that finds the change in sync tells nothing but "sooner": the next one comes a little
# sooner, until one comes too soon. To learn the poll's own time would make each wait longer.
_SOONER = 0.9

# A poll that came so much later than it was meant to, since other work went first, tells nothing.
_LATE = 1.5

# What one slow change makes the others wait for at most; Route 53 means to take 60 s.
_USUAL_S_MAX = 120.0


@dataclass(slots=True, kw_only=True)
class Awaited:
    """One accepted plan whose last change is not known to be in sync yet.

    `mends` a plan that the table knows as applied: that it is noted does not end the wait.
    `missed_s`: how old the change was at the last poll that came too soon. `found`: what was read
    back once it was in sync, until that is noted.
    """

    task: ZoneTask
    fence: SeenFence
    change_id: str
    changed: tuple[Name, ...]
    held: frozenset[Name]
    desired: Desired
    ended: frozenset[Unit]
    sent_s: float
    next_poll_s: float
    wait_s: float
    mends: bool
    missed_s: float = 0.0
    found: "Confirmed | None" = None

    def is_over(self, item: GenerationItem) -> bool:
        """Whether it was superseded, or somebody else noted it."""
        noted = item.applied >= self.fence.record.generation and not self.mends
        return noted or self.is_superseded(item)

    def is_superseded(self, item: GenerationItem) -> bool:
        """Whether its confirmation matters to nobody any more."""
        seen = self.fence.record
        stands = PlanId(item.label, seen.generation, seen.digest)
        return item.frozen is not None or stands != adoption.target_of(item)


@dataclass(frozen=True, slots=True)
class NotYet:
    """Ask again later."""


@dataclass(frozen=True, slots=True)
class Gone:
    """The change is unknown to Route 53 or took too long: read the fence and start over."""

    reason: str


@dataclass(frozen=True, slots=True)
class Confirmed:
    """In sync and read back; `drifted` stands otherwise than the plan states, and `returned` is
    what stands where the plan ended something."""

    fence: FenceRecord
    drifted: tuple[Drift, ...]
    returned: tuple[Drift, ...]

    def __str__(self) -> str:
        """What stands otherwise, with both values."""
        found = (*self.drifted, *self.returned)
        more = len(found) - DRIFT_SHOWN_MAX
        shown = "; ".join(map(str, found[:DRIFT_SHOWN_MAX])) + (f"; {more} more" * (more > 0))
        return f"plan {self.fence.generation} is in sync, yet {shown}"


Confirmation: TypeAlias = NotYet | Gone | Confirmed


class Confirmer:
    """Polls and reads back; remembers nothing but how long changes take."""

    def __init__(self, outside: Outside, *, pace: Pace) -> None:
        """Start without an idea of the propagation time."""
        self._records = outside.records
        self._clock = outside.clock
        self._pace = pace
        self._usual_s: float | None = None
        # Until one change was seen in sync, one of them is asked about for all: which, until when.
        self._scout: tuple[str, float] | None = None
        self._is_known = False

    def begin(
        self, progress: Progress, fence: SeenFence, change_id: str, *, mends: bool
    ) -> Awaited:
        """Start to wait for a change that was accepted just now."""
        now_s = self._clock.elapsed_s()
        wait_s = self._first_wait_s()
        return Awaited(
            task=progress.task,
            fence=fence,
            change_id=change_id,
            changed=tuple(sorted(set(progress.changed), key=listing_order)),
            held=frozenset(progress.held),
            desired=progress.desired,
            ended=frozenset(progress.ended),
            sent_s=now_s,
            next_poll_s=now_s + wait_s,
            wait_s=wait_s,
            mends=mends,
        )

    async def poll(self, awaited: Awaited) -> Confirmation:
        """Ask once if it is time, and read back when in sync; each is done once."""
        if awaited.found is not None:
            return awaited.found
        now_s = self._clock.elapsed_s()
        if now_s < awaited.next_poll_s:
            return NotYet()
        if (later_s := self._spared_until_s(awaited, now_s)) is not None:
            awaited.next_poll_s = later_s
            return NotYet()
        status = await self._records.change_status(awaited.task.zone, awaited.change_id)
        if status is ChangeStatus.IN_SYNC:
            self._learn(awaited, age_s=now_s - awaited.sent_s)
            awaited.found = await self._read_back(awaited)
            return awaited.found
        if status is ChangeStatus.LOST:
            return Gone(f"Route 53 knows no change {awaited.change_id}")
        if now_s - awaited.sent_s > self._pace.confirm_max_s:
            return Gone(f"change {awaited.change_id} is pending for {self._pace.confirm_max_s} s")
        awaited.missed_s = now_s - awaited.sent_s
        self._usual_s = min(_USUAL_S_MAX, max(self._usual_s or 0.0, awaited.missed_s))
        awaited.wait_s = min(POLL_MAX_S, max(POLL_FIRST_S, awaited.wait_s * 2))
        awaited.next_poll_s = self._clock.elapsed_s() + awaited.wait_s
        if not self._is_known:
            self._scout = awaited.change_id, awaited.next_poll_s + POLL_MAX_S
        return NotYet()

    def unanswered(self, awaited: Awaited, error: ReadFailed) -> Applied | Held:
        """How the zone stands when the question failed: its change is waited for, unless nobody may
        ask at all, or nobody was answered for so long; then it is said why nothing is confirmed."""
        waited_s = self._clock.elapsed_s() - awaited.sent_s
        if isinstance(error, AccessDenied) or waited_s > self._pace.confirm_max_s:
            return adoption.unreachable(awaited.task.zone.label, error)
        seen = awaited.fence.record
        return Applied(seen.generation, 0, len(awaited.held), confirmed=False)

    def _spared_until_s(self, awaited: Awaited, now_s: float) -> float | None:
        """When to ask, where another change's poll says that now would be too soon."""
        if not self._is_known and self._scout is not None:
            scout, until_s = self._scout
            if scout != awaited.change_id and now_s < until_s:
                return now_s + POLL_FIRST_S
        if now_s - awaited.sent_s < (self._usual_s or 0.0):
            return awaited.sent_s + self._first_wait_s()
        return None

    def _first_wait_s(self) -> float:
        return POLL_FIRST_S if self._usual_s is None else self._usual_s * _MARGIN

    def _learn(self, awaited: Awaited, *, age_s: float) -> None:
        """From the last poll that came too soon, or else that the first one did not."""
        self._is_known = True
        if not awaited.missed_s and age_s > awaited.wait_s * _LATE + self._pace.interval_s:
            return
        sooner_s = awaited.wait_s / _MARGIN * _SOONER
        took_s = awaited.missed_s * _MARGIN if awaited.missed_s else sooner_s
        old_s = self._usual_s
        learned_s = took_s if old_s is None else old_s + _LEARN * (took_s - old_s)
        self._usual_s = min(_USUAL_S_MAX, learned_s)

    async def _read_back(self, awaited: Awaited) -> Confirmed:
        zone, desired = awaited.task.zone, awaited.desired
        names = [name for name in awaited.changed if name not in awaited.held]
        drifted: list[Drift] = []
        there: list[Drift] = []
        async for read in read_names(self._records, zone, names):
            wanted = [one for name in read.names for one in desired.of(name)]
            drifted.extend(drifts(read.listed, wanted))
            there.extend(returned(read.listed, wanted, awaited.ended))
        return Confirmed(awaited.fence.record, tuple(drifted), tuple(there))
