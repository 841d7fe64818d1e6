"""Sends a plan's batches one after another and settles each before the next.

Every batch is submitted once. A refusal or a lost answer is settled by reading the fence: nothing
is sent again on a guess. A name that Route 53 refuses is set aside with its present records and the
rest goes on, but for what those records lead to; who it is, is told by reading the names that the
refusal mentions, or by halving.
"""

from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TypeAlias, assert_never

from dnsplan.diff import NameChange
from dnsplan.fence import FenceRecord, SeenFence, renewed
from dnsplan.names import Name
from dnsplan.outcomes import Accepted, Refused, Unknown
from dnsplan.plan import may_end
from enactor.freeing import free
from enactor.ports import ZoneReach
from enactor.progress import Progress
from enactor.rules import outcomes
from enactor.rules.order import in_order
from enactor.rules.packing import Packed, build, pack
from enactor.rules.refusal import Believed, Isolated, Mended, examine, halves, in_words, suspects
from enactor.rules.settle import Settled, position, settle
from enactor.settings import Pace

NONCE_BITS = 64

# After so many refusals in a row the fence is sent alone: whether it is refused as well tells bad
# names from a Route 53 that takes nothing. If it lands, the names held so far are noted with it.
REFUSED_IN_A_ROW_MAX = 8

Group: TypeAlias = tuple[NameChange, ...]


@dataclass(frozen=True, slots=True)
class AllSent:
    """Every change of this view was accepted or its name is held."""


@dataclass(frozen=True, slots=True)
class _GoOn:
    """The batch is dealt with; `again` is what must be sent in its place."""

    again: tuple[Group, ...]


SendOutcome: TypeAlias = AllSent | outcomes.Fenced | outcomes.Unknown | outcomes.Held
Stopped: TypeAlias = outcomes.Unknown | outcomes.Held


class Sender:
    """One enactor's hand on Route 53."""

    def __init__(self, outside: ZoneReach, *, writer: str, pace: Pace) -> None:
        """`writer` is the AZ, as the fence will say."""
        self._records = outside.records
        self._exceptions = outside.exceptions
        self._clock = outside.clock
        self._jitter = outside.jitter
        self._heard = outside.heard
        self._writer = writer
        self._pace = pace

    async def send(
        self,
        progress: Progress,
        changes: tuple[NameChange, ...],
        *,
        more_follow: bool,
        expires_s: float | None,
        admitted: Callable[[], Awaitable[Stopped | None]] | None = None,
    ) -> SendOutcome:
        """Send the changes of one view; the last view's last batch completes the plan.

        `expires_s` is the instant (elapsed clock) after which the view may not be used any more.
        `admitted` is asked after a refusal that leaves the zone without a fence: somebody may have
        deleted the one that says it is frozen, so the table has to admit the plan once more.
        """
        packed = pack(changes, progress.task.zone.name, progress.desired.of)
        _hold_oversized(progress, packed)
        queue = deque(packed.groups)
        closing = not more_follow
        while queue or closing:
            group = await free(self._records, progress, queue.popleft()) if queue else ()
            if not group and (queue or more_follow):
                continue
            progress.rounds += 1
            if progress.rounds > self._pace.rounds_max + len(packed.groups):
                return outcomes.Unknown(_too_many(progress))
            if (stopped := await self._stopped(progress, expires_s, admitted)) is not None:
                return stopped
            left = len(queue) + (1 if more_follow else 0)
            if group and progress.refused_in_a_row >= REFUSED_IN_A_ROW_MAX:
                queue.appendleft(group)
                group, left = (), left + 1
            after = self._next_fence(progress, batches_left=left)
            result = await self._send_one(progress, group, after)
            if not isinstance(result, _GoOn):
                return result
            queue.extendleft(reversed(result.again))
            closing = not more_follow and not _is_complete(progress)
        return AllSent()

    async def _stopped(
        self,
        progress: Progress,
        expires_s: float | None,
        admitted: Callable[[], Awaitable[Stopped | None]] | None,
    ) -> Stopped | None:
        """Why the next batch may not go."""
        if admitted is not None and progress.refused and progress.fence is None:
            stopped = await admitted()
            if stopped is not None:
                return stopped
        if expires_s is not None and self._clock.elapsed_s() > expires_s:
            return outcomes.Unknown("the listing is too old to act on")
        return None

    async def renew(self, progress: Progress, standing: SeenFence) -> SendOutcome:
        """Move the fence alone, at the same position: a change of one's own to wait for."""
        nonce = self._jitter.token(NONCE_BITS)
        after = renewed(standing.record, writer=self._writer, nonce=nonce)
        result = await self._send_one(progress, (), after)
        return AllSent() if isinstance(result, _GoOn) else result

    def _next_fence(self, progress: Progress, *, batches_left: int) -> FenceRecord:
        nonce = self._jitter.token(NONCE_BITS)
        return progress.next_fence(nonce=nonce, writer=self._writer, batches_left=batches_left)

    async def _send_one(
        self, progress: Progress, group: Group, after: FenceRecord
    ) -> _GoOn | outcomes.Fenced | outcomes.Unknown | outcomes.Held:
        task, before, nonce = progress.task, progress.fence, after.nonce
        if progress.held:
            await self._exceptions.note(progress.exceptions(nonce))
        batch = build(
            before,
            after,
            group,
            zone=task.zone.name,
            may_end=lambda key: may_end(progress.plan, key),
        )
        outcome = await self._records.submit(task.zone, batch)
        self._heard(task.zone, batch, outcome)
        if isinstance(outcome, Accepted):
            progress.landed(after, outcome.change_id, group)
            return _GoOn(())
        now = await self._records.read_fence(task.zone)
        settled = settle(before, now, sent=nonce)
        match settled:
            case Settled.LANDED:
                progress.landed(after, None, group)
                return _GoOn(())
            case Settled.OVERTAKEN:
                return outcomes.Fenced(position(before), position(now))
            case Settled.UNMOVED:
                return await self._unmoved(progress, group, outcome)
            case _:
                assert_never(settled)

    async def _unmoved(
        self, progress: Progress, group: Group, outcome: Refused | Unknown
    ) -> _GoOn | outcomes.Unknown | outcomes.Held:
        if isinstance(outcome, Unknown):
            return outcomes.Unknown(outcome.reason)
        progress.note_refusal(outcome.messages)
        if not group:
            command = f"dns-runbook explain {progress.task.zone.label}"
            return outcomes.Held(outcomes.HoldRule.REFUSED, _takes_nothing(progress), command)
        parts = in_order(group, progress.task.zone.name, progress.desired.of)
        suspected = suspects(outcome.messages, group) or (group if len(parts) == 1 else ())
        if not suspected:
            return _GoOn(halves(parts))
        is_apart = len(parts) == 1
        return await self._read_again(
            progress, group, suspected, messages=outcome.messages, is_apart=is_apart
        )

    async def _read_again(
        self,
        progress: Progress,
        group: Group,
        suspected: Group,
        *,
        messages: tuple[str, ...],
        is_apart: bool,
    ) -> _GoOn:
        kept = [change for change in group if change not in suspected]
        apart: set[Name] = set()
        for change in suspected:
            listed = await self._records.list_name(progress.task.zone, change.name)
            verdict = examine(
                change,
                listed=listed,
                desired=progress.desired.of(change.name),
                known=progress.stated_before(change.name),
                possible=progress.left_at(change.name),
                repair_drift=progress.task.repair_drift,
            )
            match verdict:
                case Believed() if is_apart:
                    why = in_words(messages)
                    progress.hold_ours(change, why)
                case Believed():
                    kept.append(change)
                    apart.add(change.name)
                case Isolated(reason):
                    progress.hold(change.name, reason, listed)
                case Mended(mended):
                    kept.extend([mended] if mended is not None else [])
                    progress.note_drift(change.name)
                case _:
                    assert_never(verdict)
        again = pack(kept, progress.task.zone.name, progress.desired.of, apart=apart)
        _hold_oversized(progress, again)
        return _GoOn(again.groups)


def _takes_nothing(progress: Progress) -> str:
    """That Route 53 refuses even the fence alone, so that no name is to blame."""
    label, generation = progress.task.zone.label, progress.plan.generation
    return (
        f"Route 53 refuses the fence alone as well, after {progress.batches} accepted and"
        f" {progress.refused} refused batches of {label}'s generation {generation}:"
        f" {in_words(progress.last_refusal)}"
    )


def _too_many(progress: Progress) -> str:
    """That a cycle ended with changes left to send, since too many of its batches were refused."""
    label = progress.task.zone.label
    return (
        f"{progress.refused} batches of generation {progress.plan.generation} were refused in one"
        f" cycle, {progress.batches} accepted, {len(progress.held)} names held; the rest is tried"
        f" in the next; Route 53 said last: {in_words(progress.last_refusal)};"
        f" next: dns-runbook explain {label}"
    )


def _hold_oversized(progress: Progress, packed: Packed) -> None:
    for change in packed.oversized:
        progress.hold_ours(change, "more than a change batch can carry")


def _is_complete(progress: Progress) -> bool:
    fence = progress.fence
    return (
        fence is not None
        and fence.record.generation == progress.plan.generation
        and fence.record.is_complete
        and progress.batches > 0
        and fence.record.held == len(progress.held)
    )
