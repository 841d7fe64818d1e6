"""Brings a plan file into a zone through Route 53 alone, batch by batch under the fence.

Each attempt reads the fence first and lists the zone after it, window by window, as an enactor
does; so whatever stops it at any point, the same file again goes on where the fence stands. An
enactor that moved the zone meanwhile is waited for no longer than a read takes; another restore
that did wins.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum, auto

from msgspec import structs

from dnsplan.diff import diff
from dnsplan.errors import DnsplanError
from dnsplan.fence import FenceRecord, SeenFence
from dnsplan.formats.planfile import PlanFile
from dnsplan.names import Name
from dnsplan.plan import PlanId
from dnsplan.ports import Clock, Jitter, Zone
from enactor.ports import ZoneReach, ZoneRecords
from enactor.progress import Desired, Progress
from enactor.reading import read_names
from enactor.rules.drift import Drift, drifts
from enactor.rules.outcomes import Fenced, Held, Unknown
from enactor.sending import NONCE_BITS, AllSent, Sender
from enactor.settings import Pace, ZoneTask
from enactor.viewing import Moved, Viewer
from runbooks.adopting.first_fence import first_fence, replacement
from runbooks.controls.fence_mover import FenceMover, MovedFence, Tell
from runbooks.controls.standing import Standing, read_standing
from runbooks.restoring import rules
from runbooks.restoring.hand import PassingNotes, ToldRecords
from runbooks.restoring.preparing import Prepared, refuse
from runbooks.restoring.rules import Target, Word

# Attempts in a row that land nothing; each costs a look at the fence and most of them a listing.
ATTEMPTS_MAX = 12

# Between two attempts: what is in the way is an enactor's last batch, or Route 53 being busy.
PAUSE_S = (0.5, 2.0)


class RestoreLost(DnsplanError):
    """Somebody else's restore stands, or nothing more lands; the text says which."""


@dataclass(frozen=True, slots=True)
class Restored:
    """The file stands, in sync, but for `held`, which Route 53 refuses; `drifted` was read back."""

    fence: FenceRecord
    batches: int
    held: Mapping[Name, str]
    drifted: tuple[Drift, ...]


class _Again(Enum):
    """Why an attempt ended before all was sent."""

    LANDED = auto()
    STUCK = auto()


class Restoring:
    """One operator's restore of one zone."""

    def __init__(
        self, records: ZoneRecords, clock: Clock, jitter: Jitter, *, pace: Pace, tell: Tell
    ) -> None:
        """`tell` hears of each batch."""
        told = ToldRecords(records, tell)
        self._reach = ZoneReach(records=told, exceptions=PassingNotes(), clock=clock, jitter=jitter)
        self._viewer = Viewer(self._reach, pace=pace)
        self._mover = FenceMover(told, clock=clock, jitter=jitter)
        self._pace, self._tell = pace, tell
        self._batches = 0
        self._changed: set[Name] = set()

    async def restore(self, prepared: Prepared, word: Word, *, operator: str) -> Restored:
        """Do what was prepared, or RestoreLost, or Refused where the zone was frozen meanwhile."""
        sender = Sender(self._reach, writer=prepared.target.writer, pace=self._pace)
        stuck = 0
        while stuck < ATTEMPTS_MAX:
            standing = await read_standing(self._reach.records, prepared.zone)
            target = self._target(prepared, standing, word, operator)
            if standing.fence is None:
                await self._first(prepared.zone, standing, target)
                stuck += 1
                continue
            progress = _progress(prepared.zone, target, standing.fence)
            ended = await self._attempt(sender, prepared.stated, progress, target)
            self._batches += progress.batches
            self._changed.update(progress.changed)
            if ended is None:
                return await self._finished(sender, progress)
            stuck = 0 if ended is _Again.LANDED else stuck + 1
            await self._reach.clock.sleep(self._reach.jitter.uniform(*PAUSE_S))
        raise RestoreLost(
            f"{prepared.zone.label}: nothing landed in {ATTEMPTS_MAX} attempts; run the same"
            " command again"
        )

    def _target(self, prepared: Prepared, standing: Standing, word: Word, operator: str) -> Target:
        """What was shown, or the half of it that stands by now; never a number above that."""
        began_s = prepared.target.plan.created_s
        stated, shown = prepared.stated, prepared.target.plan.generation
        if standing.fence is None and standing.generation <= shown and self._batches:
            return prepared.target  # its fence was taken away meanwhile: the same plan goes on
        if standing.fence is None and prepared.standing.fence is not None and not self._batches:
            raise RestoreLost(
                f"{prepared.zone.label}'s fence could be read when this was shown, and cannot be"
                " now, so nobody can tell what was done meanwhile; look at it, and run it again"
                " (--above N, if another restore has told its number)"
            )
        target = rules.target_of(stated, standing, word, now_s=began_s, operator=operator)
        if target.plan.generation != shown:
            raise RestoreLost(
                f"{prepared.zone.label}'s fence is at generation {standing.generation} by somebody"
                f" else's move, and {shown} was to be restored; look at it, and run it again"
            )
        rules.check_standing(
            stated, standing, target, Word(thaw=word.thaw, take_over=word.take_over)
        )
        return target

    async def _attempt(
        self, sender: Sender, stated: PlanFile, progress: Progress, target: Target
    ) -> _Again | None:
        """List and send, window by window; None when the whole file stands."""
        zone, start = progress.task.zone, None
        stands = progress.fence is not None and rules.is_whole(progress.fence.record, target)
        while (fence := progress.fence) is not None:
            window = await self._viewer.window(zone, start, fence)
            if isinstance(window, Moved):
                return self._again(progress, "the fence moved while the zone was listed")
            live = rules.ours(window.listed, stated.content)
            changes = diff(live, progress.desired.between(start, window.following))
            found = rules.violations(window.listed, changes, progress.plan)
            refuse(found, "the zone changed, and nothing more is written:")
            last = window.following is None
            if changes or (last and not (stands and progress.batches == 0)):
                sent = await sender.send(
                    progress, changes, more_follow=not last, expires_s=window.expires_s
                )
                if not isinstance(sent, AllSent):
                    return self._again(progress, _why(sent))
            if last:
                return None
            start = window.following
        return self._again(progress, "the fence is gone")

    def _again(self, progress: Progress, why: str) -> _Again:
        self._tell(f"{progress.task.zone.label}: {why}; looking again")
        return _Again.LANDED if progress.batches else _Again.STUCK

    async def _first(self, zone: Zone, standing: Standing, target: Target) -> None:
        """Begin with a fence alone where none can be read: what it says is half done."""
        plan = target.plan
        plan_id = PlanId(zone.label, plan.generation, target.digest)
        nonce = self._reach.jitter.token(NONCE_BITS)
        fence = first_fence(
            plan_id, owner=plan.owner, writer=target.writer, nonce=nonce, stands=False
        )
        fence = structs.replace(fence, base=plan.base)
        if standing.damaged:
            batch = replacement(standing.damaged, fence, zone=zone.name)
            await self._reach.records.submit(zone, batch)  # the next look settles it
            return

        def created(there: FenceRecord | None, nonce: str) -> FenceRecord | None:
            return None if there is not None else structs.replace(fence, nonce=nonce)

        await self._mover.move(zone, plan.owner, created, self._tell)

    async def _finished(self, sender: Sender, progress: Progress) -> Restored:
        """Wait for the last change, and read back what was changed, once."""
        zone, fence = progress.task.zone, progress.fence
        if fence is not None and progress.batches and progress.change_id is None:
            await sender.renew(progress, fence)  # its answer was lost: a change to wait for
            fence = progress.fence
        if fence is None:
            raise RestoreLost(f"{zone.label}'s fence is gone; run the same command again")
        moved = MovedFence(fence.record, progress.change_id)
        await self._mover.in_sync(zone, moved, self._tell)
        drifted: list[Drift] = []
        names = self._changed - progress.held.keys()
        async for read in read_names(self._reach.records, zone, names):
            wanted = [one for name in read.names for one in progress.desired.of(name)]
            drifted.extend(drifts(read.listed, wanted))
        await self._check_still_there(zone, fence.record)
        held = {name: one.reason for name, one in progress.held.items()}
        return Restored(fence.record, self._batches, held, tuple(drifted))

    async def _check_still_there(self, zone: Zone, ended: FenceRecord) -> None:
        """Somebody else's restore may have come over it while it was waited for."""
        standing = await read_standing(self._reach.records, zone)
        seen = None if standing.fence is None else standing.fence.record
        if seen is None:
            raise RestoreLost(f"{zone.label}'s fence is gone; run the same command again")
        if (seen.generation, seen.digest) != (ended.generation, ended.digest):
            raise RestoreLost(
                f"{zone.label}'s fence is at generation {seen.generation} by {seen.writer} now, no"
                f" longer at {ended.generation}; look at it, and run it again if it is to win"
            )


def _progress(zone: Zone, target: Target, fence: SeenFence) -> Progress:
    """What the file states counts as known: over it, the file wins against anybody's edit."""
    desired = Desired(target.plan)
    limits = rules.NO_LIMITS
    return Progress(
        task=ZoneTask(zone, observe=False, repair_drift=True, limits=limits),
        plan=target.plan,
        digest=target.digest,
        desired=desired,
        base=None,
        known=(desired,),
        fence=fence,
    )


def _why(sent: Fenced | Unknown | Held) -> str:
    match sent:
        case Fenced(expected, found):
            return f"another writer moved the fence from {expected} to {found}"
        case Unknown(reason):
            return reason
        case Held(_, text, _):
            return text
