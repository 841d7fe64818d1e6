"""Looks at the zone from outside while a play runs: over DNS, in the zone itself, at the plans.

Its questions are real packets to the DNS server. It looks all the time, beside the play, and keeps
what is new; a look that the play asks for is always kept.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass

import dns.asyncquery
import dns.message
import dns.rcode
import dns.rdatatype

from sandbox.dns.server import DnsServer
from sandbox.incident.checkers import Look, Position
from sandbox.incident.story import NAME, StoryClock

ANSWER_WITHIN_S = 5.0

# Real seconds between looks: states last far longer, and the play needs the loop too.
PAUSE_S = 0.005


@dataclass(frozen=True, slots=True)
class DnsAnswer:
    """What one question was answered."""

    rcode: str
    addresses: tuple[str, ...]

    def __str__(self) -> str:
        """As a person would say it."""
        what = ", ".join(self.addresses) or "no records"
        return f"{self.rcode}: {what}"


class Watcher:
    """Keeps what it saw, in order."""

    def __init__(
        self,
        dns_server: DnsServer,
        clock: StoryClock,
        *,
        position: Callable[[], Position | None],
        is_kept: Callable[[int], Awaitable[bool]],
    ) -> None:
        """`position` reads the zone, `is_kept` asks for one stored plan."""
        self.looks: list[Look] = []
        self.questions = 0
        self._server = dns_server
        self._clock = clock
        self._position = position
        self._is_kept = is_kept
        self._alone = asyncio.Lock()  # two looks at once would be kept out of order

    async def ask(self) -> DnsAnswer:
        """Ask the name's addresses over UDP."""
        query = dns.message.make_query(NAME, "A")
        self.questions += 1
        reply = await dns.asyncquery.udp(
            query, self._server.host, timeout=ANSWER_WITHIN_S, port=self._server.port
        )
        found = [
            rdata.to_text()
            for rrset in reply.answer
            if rrset.rdtype == dns.rdatatype.A
            for rdata in rrset
        ]
        return DnsAnswer(dns.rcode.to_text(reply.rcode()), tuple(sorted(found)))

    async def look(self, *, only_news: bool = False) -> DnsAnswer:
        """Look once; what DNS answered. `only_news`: keep it only if it shows something new."""
        async with self._alone:
            before = self._position()
            kept = None if before is None else await self._is_kept(before[0])
            if self._position() != before:
                kept = None  # another plan is live by now
            answer = await self.ask()
            look = Look(
                at=self._clock.shown(),
                position=self._position(),
                rcode=answer.rcode,
                answers=answer.addresses,
                kept=kept if self._position() == before else None,
            )
            if not (only_news and self.looks and _seen(look) == _seen(self.looks[-1])):
                self.looks.append(look)
            return answer

    @asynccontextmanager
    async def watching(self) -> AsyncIterator[None]:
        """Look all the time while the block lasts; trouble in a look ends the block with it."""

        over = asyncio.Event()

        async def watch() -> None:
            while not over.is_set():
                await self.look(only_news=True)
                await asyncio.sleep(PAUSE_S)

        async with asyncio.TaskGroup() as group:
            group.create_task(watch())
            try:
                yield
            finally:
                # Not cancelled: asyncio.wait_for of Python 3.11, which a question over DNS ends in,
                # swallows a cancellation that comes together with the packet.
                over.set()


def _seen(look: Look) -> tuple[object, ...]:
    return (look.position, look.rcode, look.answers, look.kept)
