"""A world as looking commands see it, with signs of life that a test writes."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from dnsplan.errors import ReadFailed
from dnsplan.names import parse_name
from dnsplan.ports import Presence, Zone
from runbooks.looking.asking import Asking
from runbooks.looking.eyes import Eyes
from sentinel.ports import NameServer, Question
from sentinel.rules.findings import Heard, NoReply, Reply, Row
from sentinel.rules.judging import Transport
from tests.fakes.clock import SeededJitter
from tests.fakes.world import World

APEX = "example.com"


@dataclass
class FakeBoard:
    """Signs of life in memory."""

    signs: list[Presence] = field(default_factory=list)
    reachable: bool = True

    async def announce(self, presence: Presence) -> None:
        """Keep a sign."""
        self.signs.append(presence)

    async def everyone(self) -> Sequence[Presence]:
        """All of them."""
        if not self.reachable:
            raise ReadFailed("the board cannot be reached")
        return self.signs


def eyes_on(world: World, board: FakeBoard | None = None) -> Eyes:
    """Eyes on the world's ports."""

    async def find(label: str) -> Zone:
        assert label == world.label
        return world.zone

    return Eyes(
        table=world.table,
        archive=world.archive,
        exceptions=world.exceptions,
        presence=board or FakeBoard(),
        records=world.records,
        find_zone=find,
        clock=world.clock,
        jitter=SeededJitter(7),
    )


async def applied(world: World) -> None:
    """An enactor applies head, and notes it."""
    cycle = world.az()
    await world.enact(cycle)
    await world.settle(cycle)


class FakeAsker:
    """Name servers that answer what a test says, by server, name and type; else nothing comes."""

    def __init__(self) -> None:
        """Silent."""
        self.replies: dict[tuple[str, str, str], Heard] = {}
        self.asked: list[tuple[str, str, str]] = []
        self.lost: set[tuple[str, str, str]] = set()

    def answers(self, server: str, name: str, kind: str, *values: str) -> None:
        """A server answers these values from now on; none means NOERROR with nothing in it."""
        full = parse_name(name)
        rows = tuple(Row(full, kind, 60, value) for value in values)
        self.replies[server, full, kind] = Reply("NOERROR", authoritative=True, rows=rows)

    async def ask(
        self, server: NameServer, question: Question, transport: Transport, *, timeout_s: float
    ) -> Heard:
        """What was said; a reply that is to be lost is lost once."""
        assert (transport, timeout_s > 0) == ("udp", True)
        key = (server.host, question.name, question.type)
        self.asked.append(key)
        if key in self.lost:
            self.lost.remove(key)
            return NoReply("no reply in 2.0 s")
        return self.replies.get(key, NoReply("no reply in 2.0 s"))


def asking(asker: FakeAsker, *hosts: str) -> Asking:
    """A zone's servers at these hosts."""
    servers = tuple(NameServer(host, 53) for host in hosts)
    return Asking("shop", parse_name(APEX), False, servers, asker)
