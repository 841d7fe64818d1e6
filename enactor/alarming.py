"""Pages what only enactors know: holds, strangers at the fence, plans that wait, drift, no table.

Each pass looks at what the daemon knows by then and asks nobody, but for the peers' signs of life
when there is something new to tell. Where the table cannot be read nothing is known of its zones:
their pages stay as they are, and the table's is the only new one.
"""

import math
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass

from dnsplan.errors import DnsplanError
from dnsplan.notices import Cause
from dnsplan.ports import Clock
from dnsplan.runtime.paging.pager import Pager
from enactor.daemon import EnactorDaemon
from enactor.rules import causes
from enactor.rules.causes import Patience, Teller, ZoneFacts
from enactor.rules.stagger import Peer

PAGE_EVERY_S = 5.0
# What the zone's first AZ does not see may be over: a held zone is looked at each minute by all.
DOUBT_S = 120.0


@dataclass(frozen=True, slots=True)
class Post:
    """Where this enactor stands: its AZ, all AZs, and when a peer counts as silent."""

    az: str
    azs: Sequence[str]
    peer_silent_s: float


@dataclass(frozen=True, slots=True)
class Unread:
    """The table cannot be read: why, and since when."""

    reason: str
    since_s: float


class Alarming:
    """One enactor's pages."""

    def __init__(
        self,
        daemon: EnactorDaemon,
        pager: Pager,
        clock: Clock,
        *,
        post: Post,
        patience: Patience,
        unfound: Callable[[], Mapping[str, str]] = dict,
    ) -> None:
        """`unfound`: zones of the config that were not found, and why."""
        self._post = post
        self._daemon = daemon
        self._pager = pager
        self._clock = clock
        self._patience = patience
        self._unfound = unfound
        self._unfound_since_s: dict[str, float] = {}
        self._unread: Unread | None = None
        self._seen_alone_s: dict[str, float] = {}
        # A heartbeat counts passes that ended well.
        self.on_pass: Callable[[], None] = lambda: None

    def watched(self, work: Callable[[], Awaitable[None]]) -> Callable[[], Awaitable[None]]:
        """The same work; that it cannot read the table is noted on the way."""

        async def noted() -> None:
            try:
                await work()
            except (DnsplanError, ExceptionGroup) as error:
                now_s = self._clock.elapsed_s()
                since_s = now_s if self._unread is None else self._unread.since_s
                self._unread = Unread(str(error), since_s)
                raise
            self._unread = None
            self.on_pass()

        return noted

    async def run_once(self) -> None:
        """Tell what is new and what is over."""
        now_s = self._clock.elapsed_s()
        if self._unread is not None:
            waited_s = now_s - self._unread.since_s
            found = [causes.unread(self._post.az, self._unread.reason, waited_s=waited_s)]
            ripe = found if waited_s >= self._patience.held_s else []
            await self._pager.tell(ripe, is_unsure=lambda one: one.kind != causes.UNREAD)
            return
        standing = [*self._of_zones(now_s), *self._of_unfound(now_s)]
        mine = await self._told_here(standing)
        await self._pager.tell(mine, is_unsure=lambda _: False)

    def _of_zones(self, now_s: float) -> list[Cause]:
        return [
            one
            for label, task in self._daemon.tasks.items()
            for one in causes.causes_of(
                ZoneFacts(label, task.observe, self._daemon.pacing[label].trouble),
                self._patience,
                now_s=now_s,
            )
        ]

    def _of_unfound(self, now_s: float) -> list[Cause]:
        missing = self._unfound()
        since_s = {label: self._unfound_since_s.get(label, now_s) for label in missing}
        self._unfound_since_s = since_s
        return [
            causes.unfound(label, reason)
            for label, reason in sorted(missing.items())
            if now_s - since_s[label] >= self._patience.held_s
        ]

    async def _told_here(self, standing: list[Cause]) -> list[Cause]:
        """What is told already, and what nobody else tells."""
        new = [one for one in standing if not self._pager.is_open(one)]
        peers: Mapping[str, Peer] = await self._daemon.watch.look() if new else {}
        now_s = self._clock.elapsed_s()
        alone = {one.page_id for one in new if self._teller(one, peers) is Teller.DOUBTFUL}
        alone_s = {page_id: self._seen_alone_s.get(page_id, now_s) for page_id in alone}
        self._seen_alone_s = alone_s
        elsewhere = {
            one.page_id
            for one in new
            if self._teller(one, peers) is Teller.FIRST
            or now_s - alone_s.get(one.page_id, -math.inf) < DOUBT_S
        }
        return [one for one in standing if one.page_id not in elsewhere]

    def _teller(self, cause: Cause, peers: Mapping[str, Peer]) -> Teller:
        return causes.teller(
            cause, self._post.az, self._post.azs, peers, silent_s=self._post.peer_silent_s
        )
