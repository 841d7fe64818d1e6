"""One contract for whoever asks name servers: the sockets on a real server, and the tests' fake."""

import asyncio
import socket
import struct
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from typing import cast

import pytest

from dnsplan.names import Name, parse_name
from dnsplan.runtime.clock import SystemClock, SystemJitter
from sandbox.dns.server import DnsServer
from sandbox.route53.model import StoredRecordSet
from sentinel.adapters.resolver import SocketAsker
from sentinel.ports import Asker, NameServer, Question
from sentinel.rules.findings import Finding, NoReply, Reply, Row
from sentinel.rules.judging import Transport
from tests.fakes.clock import SeededJitter
from tests.integration.dns_clients import HOST, WAIT_S, WWW, address, serving, soon, zone
from tests.unit.sentinel.world import TTL_S, FakeServers

NAME = parse_name(WWW)
API = parse_name("api.example.com")
SHORT_S = 0.15
BOTH: tuple[Transport, ...] = ("udp", "tcp")
RECORDS = (
    address("192.0.2.1"),
    address("192.0.2.2", API),
    StoredRecordSet("to.example.com.", "CNAME", TTL_S, (API,)),
    StoredRecordSet("lost.example.com.", "CNAME", TTL_S, ("nowhere.example.com.",)),
)


@dataclass
class Stage:
    """An asker, the server that it asks, and a way to break names."""

    asker: Asker
    server: NameServer
    faults: dict[Name, Finding] = field(default_factory=dict)
    dns: DnsServer | None = None

    def break_name(self, name: Name, finding: Finding) -> None:
        """Let the server answer wrongly for a name."""
        self.faults[name] = finding
        if self.dns is not None:
            setters = {
                Finding.TIMEOUT: self.dns.faults.silence,
                Finding.SERVFAIL: self.dns.faults.servfail,
                Finding.LAME: self.dns.faults.refuse,
                Finding.NODATA: self.dns.faults.empty,
            }
            setters[finding](name)

    async def ask(self, name: Name, kind: str, transport: Transport) -> Reply | NoReply:
        """Ask with time enough."""
        question = Question(name, kind)
        return await soon(self.asker.ask(self.server, question, transport, timeout_s=WAIT_S))


@asynccontextmanager
async def sockets() -> AsyncIterator[SocketAsker]:
    """An asker that leaves no socket open."""
    asker = SocketAsker(SystemClock(), SystemJitter())
    try:
        yield asker
    finally:
        await asker.close()


@pytest.fixture(params=["sockets", "fake"])
async def stage(request: pytest.FixtureRequest) -> AsyncIterator[Stage]:
    """Both, with the same records."""
    if request.param == "fake":
        records = {(Name(one.name), one.type): one.values for one in RECORDS}
        fake = FakeServers(records)
        yield Stage(fake, NameServer(HOST, 53), fake.broken)
        return
    async with serving(zone(*RECORDS)) as dns_server, sockets() as asker:
        yield Stage(asker, NameServer(HOST, dns_server.port), dns=dns_server)


@pytest.mark.parametrize("transport", BOTH)
async def test_an_answer_comes_with_its_rows(stage: Stage, transport: Transport) -> None:
    """Owner, type, TTL and value of each record, in our words."""
    heard = await stage.ask(NAME, "A", transport)
    assert heard == Reply("NOERROR", authoritative=True, rows=(Row(NAME, "A", 60, "192.0.2.1"),))


@pytest.mark.parametrize("transport", BOTH)
async def test_nothing_there_and_no_such_name_are_told_apart(
    stage: Stage, transport: Transport
) -> None:
    """NOERROR without rows, and NXDOMAIN."""
    nothing = await stage.ask(NAME, "AAAA", transport)
    nowhere = await stage.ask(parse_name("nowhere.example.com"), "A", transport)
    assert (nothing, nowhere) == (
        Reply("NOERROR", authoritative=True),
        Reply("NXDOMAIN", authoritative=True),
    )


async def test_a_cname_is_followed_inside_the_zone(stage: Stage) -> None:
    """The chain and what is at its end stand in one reply, or the end's absence in its code."""
    there = await stage.ask(Name("to.example.com."), "A", "udp")
    lost = await stage.ask(Name("lost.example.com."), "A", "udp")
    assert isinstance(there, Reply)
    assert [(row.owner, row.type, row.value) for row in there.rows] == [
        ("to.example.com.", "CNAME", API),
        (API, "A", "192.0.2.2"),
    ]
    assert isinstance(lost, Reply)
    assert (lost.rcode, [row.type for row in lost.rows]) == ("NXDOMAIN", ["CNAME"])


@pytest.mark.parametrize("transport", BOTH)
@pytest.mark.parametrize(
    ("finding", "reply"),
    [
        (Finding.SERVFAIL, Reply("SERVFAIL", authoritative=False)),
        (Finding.LAME, Reply("REFUSED", authoritative=False)),
        (Finding.NODATA, Reply("NOERROR", authoritative=True)),
    ],
)
async def test_faults_of_a_server_are_its_own_words(
    stage: Stage, transport: Transport, finding: Finding, reply: Reply
) -> None:
    """Each is a reply."""
    stage.break_name(NAME, finding)
    assert await stage.ask(NAME, "A", transport) == reply


@pytest.mark.parametrize("transport", BOTH)
async def test_silence_ends_in_the_time_that_is_given(stage: Stage, transport: Transport) -> None:
    """It is no reply, and never an error."""
    stage.break_name(NAME, Finding.TIMEOUT)
    question = Question(NAME, "A")
    heard = await soon(stage.asker.ask(stage.server, question, transport, timeout_s=SHORT_S))
    assert heard == NoReply("no reply in 0.1 s")


async def test_many_questions_at_once_each_get_their_own_answer(stage: Stage) -> None:
    """Replies find their question whatever the order."""
    kinds = [(NAME, "192.0.2.1"), (API, "192.0.2.2")] * 100
    heard = await asyncio.gather(*(stage.ask(name, "A", "udp") for name, _ in kinds))
    values = [one.rows[0].value for one in heard if isinstance(one, Reply)]
    assert values == [value for _, value in kinds]


# What follows is about sockets alone.


async def test_what_is_cut_off_over_udp_is_fetched_over_tcp() -> None:
    """An answer of four hundred addresses is heard whole."""
    values = tuple(f"10.0.{n // 200}.{n % 200}" for n in range(400))
    many = StoredRecordSet(WWW, "A", 60, values)
    async with serving(zone(many)) as server, sockets() as asker:
        where = NameServer(HOST, server.port)
        heard = await soon(asker.ask(where, Question(NAME, "A"), "udp", timeout_s=WAIT_S))
        assert isinstance(heard, Reply)
        assert len(heard.rows) == 400


async def test_a_delegation_is_heard_as_a_referral() -> None:
    """The NS records of a child zone stand in the authority section."""
    child = StoredRecordSet("child.example.com.", "NS", 60, ("ns1.example.net.",))
    async with serving(zone(child)) as server, sockets() as asker:
        where, question = NameServer(HOST, server.port), Question(Name("child.example.com."), "NS")
        heard = await soon(asker.ask(where, question, "udp", timeout_s=WAIT_S))
        row = Row(Name("child.example.com."), "NS", 60, "ns1.example.net.")
        assert heard == Reply("NOERROR", authoritative=False, referred=(row,))


@contextmanager
def held_port() -> Iterator[NameServer]:
    """A port that stays ours over UDP and TCP, so that no other program can listen there."""
    with (
        socket.socket(socket.AF_INET, socket.SOCK_STREAM) as stream,
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as datagrams,
    ):
        stream.bind((HOST, 0))
        where = NameServer(HOST, int(stream.getsockname()[1]))
        datagrams.bind((where.host, where.port))
        yield where


async def test_a_port_where_nobody_listens_is_no_reply() -> None:
    """Over TCP it is known at once; over UDP silence is all that can be heard."""
    async with sockets() as asker:
        with held_port() as where:
            refused = await soon(asker.ask(where, Question(NAME, "A"), "tcp", timeout_s=WAIT_S))
            silent = await soon(asker.ask(where, Question(NAME, "A"), "udp", timeout_s=SHORT_S))
    assert silent == NoReply("no reply in 0.1 s")
    assert isinstance(refused, NoReply)
    assert "Connect call failed" in refused.reason


@contextmanager
def impostor() -> Iterator[socket.socket]:
    """A UDP socket that answers as a test wants."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as server:
        server.bind((HOST, 0))
        server.setblocking(False)
        yield server


def good_reply(query: bytes) -> bytes:
    """A reply of one address to a query of ours."""
    asked = query[12 : query.index(b"\0", 12) + 5]
    header = query[:2] + struct.pack("!HHHHH", 0x8400, 1, 1, 0, 0)
    return header + asked + struct.pack("!HHHIH4s", 0xC00C, 1, 1, 60, 4, b"\xc0\0\2\1")


def other_id(reply: bytes) -> bytes:
    """The same for another query."""
    return bytes([reply[0] ^ 1]) + reply[1:]


def other_name(reply: bytes) -> bytes:
    """The same for another name."""
    return reply.replace(b"\x03www", b"\x03wwx")


def query_again(reply: bytes) -> bytes:
    """Not a reply at all."""
    return reply[:2] + b"\x04\x00" + reply[4:]


def cut_short(reply: bytes) -> bytes:
    """Less than a header."""
    return reply[:7]


FORGERIES = [other_id, other_name, query_again, cut_short]


@pytest.mark.parametrize("forge", FORGERIES)
async def test_only_a_reply_to_our_question_counts(forge: Callable[[bytes], bytes]) -> None:
    """A forged datagram is nobody's; the true one that follows is heard."""
    loop = asyncio.get_running_loop()
    with impostor() as server:
        async with sockets() as asker:
            where = NameServer(HOST, server.getsockname()[1])
            asking = asyncio.create_task(
                asker.ask(where, Question(NAME, "A"), "udp", timeout_s=WAIT_S)
            )
            query, client = await soon(loop.sock_recvfrom(server, 4_096))
            true = good_reply(query)
            false = true[:-1] + b"\x66"  # another address than the true one
            await loop.sock_sendto(server, forge(false), client)
            await loop.sock_sendto(server, true, client)
            heard = await soon(asking)
        assert heard == Reply(
            "NOERROR", authoritative=True, rows=(Row(NAME, "A", 60, "192.0.2.1"),)
        )


async def test_a_reply_from_another_address_is_nobodys() -> None:
    """Whoever guesses port, id and question still is not the server that was asked."""
    loop = asyncio.get_running_loop()
    with impostor() as server, impostor() as stranger:
        async with sockets() as asker:
            where = NameServer(HOST, server.getsockname()[1])
            asking = asyncio.create_task(
                asker.ask(where, Question(NAME, "A"), "udp", timeout_s=SHORT_S)
            )
            query, client = await soon(loop.sock_recvfrom(server, 4_096))
            await loop.sock_sendto(stranger, good_reply(query), client)
            assert await soon(asking) == NoReply("no reply in 0.1 s")


@pytest.mark.parametrize("cut", [13, 30, -3])
async def test_a_damaged_reply_is_no_reply(cut: int) -> None:
    """Bytes that cannot be read tell nothing, and end nothing."""
    loop = asyncio.get_running_loop()
    with impostor() as server:
        async with sockets() as asker:
            where = NameServer(HOST, server.getsockname()[1])
            asking = asyncio.create_task(
                asker.ask(where, Question(NAME, "A"), "udp", timeout_s=0.5)
            )
            query, client = await soon(loop.sock_recvfrom(server, 4_096))
            await loop.sock_sendto(server, good_reply(query)[:cut], client)
            assert isinstance(await soon(asking), NoReply)


async def test_a_connection_that_is_closed_early_is_no_reply() -> None:
    """A server that hangs up has said nothing."""

    async def hang_up(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(4_096)
        writer.write(b"\x00\x40ab")
        writer.close()

    server = await asyncio.start_server(hang_up, HOST, 0)
    async with server, sockets() as asker:
        where = NameServer(HOST, server.sockets[0].getsockname()[1])
        heard = await soon(asker.ask(where, Question(NAME, "A"), "tcp", timeout_s=WAIT_S))
        assert heard == NoReply("the connection ended before a whole reply")


class Hastened(SystemClock):
    """A clock that can be put forward."""

    ahead_s = 0.0

    def elapsed_s(self) -> float:
        """Real time and what was added."""
        return super().elapsed_s() + self.ahead_s


async def test_sockets_are_renewed_and_an_old_one_still_gives_its_replies() -> None:
    """A question under way over an old socket is answered; later ones come from another port."""
    loop = asyncio.get_running_loop()
    clock = Hastened()
    with impostor() as server:
        asker = SocketAsker(clock, SeededJitter())
        where = NameServer(HOST, server.getsockname()[1])
        try:
            tasks, queries = [], []
            for _ in range(12):
                tasks.append(
                    asyncio.create_task(
                        asker.ask(where, Question(NAME, "A"), "udp", timeout_s=WAIT_S)
                    )
                )
                queries.append(await soon(loop.sock_recvfrom(server, 4_096)))
                clock.ahead_s += 16.0  # four sockets in turn: each comes round after a minute
            for query, client in queries:
                await loop.sock_sendto(server, good_reply(query), client)
            heard = [await soon(task) for task in tasks]
        finally:
            await soon(asker.close())
    assert all(isinstance(one, Reply) for one in heard)
    assert len({cast("tuple[str, int]", client)[1] for _, client in queries}) == 12
