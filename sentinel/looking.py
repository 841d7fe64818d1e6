"""Asks about one name: a look over one path, or a round over every path at once.

It only asks and translates; what a round means is `judging`'s. A round also asks each server for
the zone's SOA, which tells a server that is silent about a name from one that is out of reach.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from dnsplan.ports import Clock
from sentinel.ports import Asker, NameServer, Question
from sentinel.rules.findings import Finding, Heard, NoReply, Seen, see
from sentinel.rules.judging import Look, Transport
from sentinel.rules.watched import Expected, WatchedName

TRANSPORTS: tuple[Transport, ...] = ("udp", "tcp")


@dataclass(frozen=True, slots=True)
class Round:
    """What every path showed. `heard`: some server said something, if only its SOA."""

    looks: tuple[Look, ...]
    heard: bool


class Looker:
    """Looks at names. One question, with all that it leads to, takes at most `ask_s`."""

    def __init__(self, asker: Asker, clock: Clock, *, ask_s: float) -> None:
        """Keep what asks."""
        self._asker = asker
        self._clock = clock
        self._ask_s = ask_s

    async def look(
        self, watched: WatchedName, server: NameServer, transport: Transport
    ) -> tuple[Look, ...]:
        """Every type of a name over one path."""
        if len(watched.expected) == 1:  # nearly all names; spares a task each
            return (await self._see(watched, watched.expected[0], server, transport),)
        async with asyncio.TaskGroup() as group:
            tasks = [
                group.create_task(self._see(watched, one, server, transport))
                for one in watched.expected
            ]
        return tuple(task.result() for task in tasks)

    async def round(self, watched: WatchedName, servers: Sequence[NameServer]) -> Round:
        """Every type of a name over every path."""
        soa = Question(watched.zone, "SOA", watched.recursive)
        async with asyncio.TaskGroup() as group:
            looking = [
                group.create_task(self.look(watched, server, transport))
                for server in servers
                for transport in TRANSPORTS
            ]
            probing = [
                group.create_task(self._asker.ask(one, soa, "udp", timeout_s=self._ask_s))
                for one in servers
            ]
        looks = tuple(look for task in looking for look in task.result())
        replied = any(not isinstance(task.result(), NoReply) for task in probing)
        return Round(looks, replied or was_heard(looks))

    async def _see(
        self, watched: WatchedName, expected: Expected, server: NameServer, transport: Transport
    ) -> Look:
        until_s = self._clock.elapsed_s() + self._ask_s
        seen = Seen(Finding.TIMEOUT)
        for kind in expected.asks:
            heard = await self._ask(watched, kind, server, transport, until_s)
            seen = see(watched, expected, kind, heard)
            if seen.finding is not Finding.DANGLING:
                break
        return Look(expected.type, server.shown, transport, seen)

    async def _ask(
        self,
        watched: WatchedName,
        kind: str,
        server: NameServer,
        transport: Transport,
        until_s: float,
    ) -> Heard:
        left_s = until_s - self._clock.elapsed_s()
        if left_s <= 0:
            return NoReply("no time left")
        question = Question(watched.name, kind, watched.recursive)
        return await self._asker.ask(server, question, transport, timeout_s=left_s)


def was_heard(looks: Sequence[Look]) -> bool:
    """Whether any of these is a server's word."""
    return any(look.seen.finding is not Finding.TIMEOUT for look in looks)
