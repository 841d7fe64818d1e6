"""Signs of life between enactors, so that they need not all ask Route 53. Advice, nothing more.

A peer counts as living while its sign keeps changing, measured on one's own clock: two machines'
clocks are never compared. Its silence is counted only as far as somebody listened: after an outage
of the table nobody takes all the others for dead.
"""

from collections.abc import Iterable, Mapping

from dnsplan.errors import DnsplanError, ReadFailed
from dnsplan.ports import Clock, Presence, PresenceBoard, ZoneSighting
from enactor.rules.stagger import Peer


class PeerWatch:
    """One enactor's view of the board, and its own sign on it."""

    def __init__(self, board: PresenceBoard, *, clock: Clock, az: str, announce_s: float) -> None:
        """`announce_s` is how long a sign may stay without news."""
        self._board = board
        self._clock = clock
        self._az = az
        self._announce_s = announce_s
        self._seen: dict[str, Peer] = {}
        self._looked_s = clock.elapsed_s()
        self._announced_s: float | None = None

    async def look(self) -> Mapping[str, Peer]:
        """The other AZs' newest signs; an unreadable board shows the ones known before, aging."""
        now_s = self._clock.elapsed_s()
        listened_s = min(now_s - self._looked_s, self._announce_s)
        self._looked_s = now_s
        try:
            signs = {sign.az: sign for sign in await self._board.everyone()}
        except ReadFailed:
            signs = {}
        for az in self._seen.keys() | signs.keys() - {self._az}:
            known, sign = self._seen.get(az), signs.get(az)
            if sign is not None and (known is None or known.presence != sign):
                self._seen[az] = Peer(sign, 0.0)
            elif known is not None:
                self._seen[az] = Peer(known.presence, known.unchanged_s + listened_s)
        return dict(sorted(self._seen.items()))

    async def announce(self, sightings: Iterable[ZoneSighting], *, news: bool) -> str | None:
        """Show a sign when there is news or the last one grows old; why not, if it failed."""
        now_s = self._clock.elapsed_s()
        age_s = None if self._announced_s is None else now_s - self._announced_s
        if not news and age_s is not None and age_s < self._announce_s:
            return None
        self._announced_s = now_s
        sign = Presence(self._az, int(self._clock.now_s()), tuple(sightings))
        try:
            await self._board.announce(sign)
        except DnsplanError as error:
            return str(error)
        return None
