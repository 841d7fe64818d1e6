"""Moves a zone's fence alone, by the same swap as every batch, and waits until that is in sync.

Whoever prepared a batch against the old fence is refused from then on. Each attempt reads the fence
first and swaps from exactly what it read; a late attempt of its own can therefore do no harm.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from dnsplan.errors import AccessDenied, DnsplanError, ReadFailed
from dnsplan.fence import FenceRecord, NoFence, SeenFence
from dnsplan.outcomes import Accepted, Unknown
from dnsplan.ports import Clock, Jitter, Zone
from enactor.ports import ChangeStatus, ZoneRecords
from enactor.rules.packing import build
from enactor.rules.settle import Settled, settle

NONCE_BITS = 64

# Each lost race means that an enactor made progress; more than this in a row is no race any more.
ATTEMPTS_MAX = 12

# Route 53 is usually in sync within 60 s; an operator is told every few seconds that it is not yet.
IN_SYNC_WITHIN_S = 300.0
POLL_S = 2.0

Tell: TypeAlias = Callable[[str], None]
NextFence: TypeAlias = Callable[[FenceRecord | None, str], FenceRecord | None]


class NotMoved(DnsplanError):
    """The fence could not be moved, or is not known to be in sync; the text says which."""


class ForeignFence(NotMoved):
    """The fence is another owner's, so no enactor of ours sends anything over it."""


@dataclass(frozen=True, slots=True)
class MovedFence:
    """The fence stands as wanted; `change_id` is None when it already did."""

    fence: FenceRecord | None
    change_id: str | None


class FenceMover:
    """Swaps fences for operators."""

    def __init__(self, records: ZoneRecords, *, clock: Clock, jitter: Jitter) -> None:
        """Reads and submits through the enactor's own port."""
        self._records = records
        self._clock = clock
        self._jitter = jitter

    async def move(
        self,
        zone: Zone,
        owner: str,
        next_fence: NextFence,
        tell: Tell,
        *,
        taken_from: str | None = None,
    ) -> MovedFence:
        """Swap until the fence is what `next_fence(standing, nonce)` says; None: leave it.

        `taken_from` is another owner whose zone the operator said to take.
        """
        ended: Accepted | str = ""
        for _ in range(ATTEMPTS_MAX):
            now = await self._records.read_fence(zone)
            standing = None if isinstance(now, NoFence) else now
            if standing is not None and standing.record.owner not in (owner, taken_from):
                raise ForeignFence(
                    f"{zone.label}'s fence belongs to owner {standing.record.owner}, not to"
                    f" {owner}: nothing was changed in the zone"
                )
            wanted = next_fence(
                standing.record if standing is not None else None, self._jitter.token(NONCE_BITS)
            )
            if wanted is None:
                return MovedFence(standing.record if standing is not None else None, None)
            ended = await self._attempt(zone, standing, wanted)
            if isinstance(ended, Accepted):
                return MovedFence(wanted, ended.change_id)
            tell(f"{zone.label}: {ended}; reading the fence again")
        raise NotMoved(
            f"{zone.label}'s fence could not be swapped in {ATTEMPTS_MAX} attempts; at the last"
            f" one {ended}"
        )

    async def in_sync(self, zone: Zone, moved: MovedFence, tell: Tell) -> None:
        """Wait until the move is on all name servers, or raise NotMoved.

        A poll that fails says nothing about the change, so the next one asks again; a permission
        that is gone does not come back by itself.
        """
        if moved.change_id is None:
            return
        began_s = self._clock.elapsed_s()
        while True:
            status = await self._status(zone, moved.change_id)
            waited_s = self._clock.elapsed_s() - began_s
            if status is ChangeStatus.IN_SYNC:
                return
            if status is ChangeStatus.LOST or waited_s > IN_SYNC_WITHIN_S:
                raise NotMoved(
                    f"{zone.label}: change {moved.change_id} is {_in_words(status)}"
                    f" after {waited_s:.0f} s; run the same command again"
                )
            why = (
                "" if isinstance(status, ChangeStatus) else f"; it could not be asked for: {status}"
            )
            tell(f"{zone.label}: accepted, not yet on all name servers ({waited_s:.0f} s){why}")
            await self._clock.sleep(POLL_S)

    async def _status(self, zone: Zone, change_id: str) -> ChangeStatus | ReadFailed:
        try:
            return await self._records.change_status(zone, change_id)
        except AccessDenied:
            raise
        except ReadFailed as error:
            return error

    async def _attempt(
        self, zone: Zone, standing: SeenFence | None, wanted: FenceRecord
    ) -> Accepted | str:
        """Accepted, or why the fence must be read again.

        A batch whose answer was lost but which landed is not counted as accepted: the next attempt
        finds the wanted fence and swaps it for itself, to have a change to wait for.
        """
        batch = build(standing, wanted, (), zone=zone.name, may_end=lambda _key: False)
        outcome = await self._records.submit(zone, batch)
        if isinstance(outcome, Accepted):
            return outcome
        now = await self._records.read_fence(zone)
        settled = settle(standing, now, sent=wanted.nonce)
        if settled is Settled.UNMOVED and not isinstance(outcome, Unknown):
            raise NotMoved(f"Route 53 refuses the fence: {'; '.join(outcome.messages)}")
        if isinstance(outcome, Unknown):
            return f"Route 53 gave no clear answer ({outcome.reason})"
        return "the fence moved meanwhile"


def _in_words(status: ChangeStatus | ReadFailed) -> str:
    return (
        status.value if isinstance(status, ChangeStatus) else f"not known to be in sync ({status})"
    )
