"""The works of a running sentinel, on adapters that are open already, and how it goes on from one
process to the next."""

from dnsplan.runtime.paging.heartbeat import Heartbeat
from dnsplan.runtime.periodic import Periodic
from sentinel.counting import Counting
from sentinel.cycle import SentinelCycle
from sentinel.recall import Recall
from sentinel.rules.pace import Pace
from sentinel.second_opinion import SlowRound
from sentinel.servers import ServerBook
from sentinel.zone_checks import ZoneChecks

FIND_EVERY_S = 1.0
STORE_EVERY_S = 0.2
CHECK_EVERY_S = 1.0
# The period of the alarm that listens; three counts that are missing are silence to it.
COUNT_EVERY_S = 10.0
# One name at a time: a fifth of a request a second, which leaves the rest of the share for names
# in doubt.
SLOW_ROUND_S = 5.0


class SentinelDaemon:
    """Finds servers, looks, remembers and delivers, each at its own pace."""

    def __init__(
        self, cycle: SentinelCycle, book: ServerBook, recall: Recall, slow: SlowRound, pace: Pace
    ) -> None:
        """Nothing runs yet."""
        self._cycle = cycle
        self._book = book
        self._recall = recall
        self._slow = slow
        self._pace = pace

    async def resume(self) -> None:
        """Go on from what the former process stored."""
        loaded = await self._recall.load()
        ill = {
            (label, name): found
            for label, kept in loaded.items()
            for name, found in kept.ill.items()
        }
        pages = {page.subject: page for kept in loaded.values() for page in kept.pages}
        self._cycle.resume(ill, tuple(pages.values()))
        for label, kept in loaded.items():
            self._book.recall(label, kept.servers)

    def works(
        self,
        counting: Counting | None = None,
        beat: Heartbeat | None = None,
        checks: ZoneChecks | None = None,
    ) -> list[Periodic]:
        """What `lifecycle` keeps doing; `beat` counts the passes that looked."""
        look = self._cycle.run_once
        counts = (
            []
            if counting is None
            # Without spread, so that each period of the alarm gets a count.
            else [Periodic("count", COUNT_EVERY_S, counting.run_once, spread=0.0)]
        )
        return [
            Periodic("find_name_servers", FIND_EVERY_S, self._find),
            Periodic("look", self._pace.tick_s, look if beat is None else beat.beside(look)),
            Periodic("second_opinion", SLOW_ROUND_S, self._slow.run_once),
            Periodic("remember", STORE_EVERY_S, self._recall.run_once),
            *counts,
            *([] if checks is None else [Periodic("check_zones", CHECK_EVERY_S, checks.run_once)]),
        ]

    async def _find(self) -> None:
        await self._book.run_once()
        for label in self._book.labels:
            self._recall.keep_servers(label, self._book.servers(label))
