"""Asks resolvers about one name: each once, and what else is needed to understand its reply.

One that fails is asked once more to leave signatures unchecked; if that gives records, it is the
signatures. Else, and when it is silent, it is asked for the root's name servers, which each has at
hand: whoever cannot say those is ill itself, or out of reach.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace

from sentinel.ports import ROOT, Asker, NameServer, Question
from sentinel.rules.findings import NS, Finding, NoReply, Reply, Seen, see
from sentinel.rules.resolving import Made, Word, Words, word
from sentinel.rules.watched import Expected, WatchedName

# The codes of a resolver that works.
WORKS = frozenset({"NOERROR", "NXDOMAIN"})
# What may be the resolver's own trouble.
DOUBTFUL = frozenset({Made.SERVFAIL, Made.SILENT})
# Questions under way at resolvers, which belong to others: no bursts.
AT_ONCE_MAX = 16


@dataclass(frozen=True, slots=True)
class ResolverLooker:
    """Looks at names by way of resolvers. One question takes at most `ask_s`."""

    asker: Asker
    ask_s: float
    limit: asyncio.Semaphore

    async def words(
        self, watched: WatchedName, expected: Expected, resolvers: Sequence[NameServer]
    ) -> Words:
        """What each makes of one type of a name, in their order."""
        asked = replace(watched, recursive=True)
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(self._word(asked, expected, one)) for one in resolvers]
        return tuple(task.result() for task in tasks)

    async def _word(self, watched: WatchedName, expected: Expected, resolver: NameServer) -> Word:
        async with self.limit:
            said = word(resolver.shown, await self._see(watched, expected, resolver))
            if said.made is Made.SERVFAIL:
                unchecked = await self._see(watched, expected, resolver, unchecked=True)
                if unchecked.finding is Finding.ANSWERED:
                    return replace(said, made=Made.BOGUS)
            if said.made in DOUBTFUL and not await self._works(resolver):
                return replace(said, made=Made.UNHEARD)
            return said

    async def _see(
        self,
        watched: WatchedName,
        expected: Expected,
        resolver: NameServer,
        *,
        unchecked: bool = False,
    ) -> Seen:
        seen = Seen(Finding.TIMEOUT)
        for kind in expected.asks:
            question = Question(watched.name, kind, recursive=True, unchecked=unchecked)
            heard = await self.asker.ask(resolver, question, "udp", timeout_s=self.ask_s)
            seen = see(watched, replace(expected, least=1), kind, heard)
            if seen.finding is not Finding.DANGLING:
                break
        return seen

    async def _works(self, resolver: NameServer) -> bool:
        question = Question(ROOT, NS, recursive=True)
        heard = await self.asker.ask(resolver, question, "udp", timeout_s=self.ask_s)
        return not isinstance(heard, NoReply) and _is_working(heard)


def _is_working(reply: Reply) -> bool:
    return reply.rcode in WORKS and bool(reply.rows)
