"""Whom a zone's names are asked from: found, kept when nobody can find them, doubted and tried."""

import pytest
from structlog.testing import capture_logs

from sentinel.ports import NameServer
from sentinel.rules.findings import Finding
from sentinel.rules.rotation import FAILURES_TO_DOUBT
from sentinel.servers import FOUND_AGAIN_S, GIVEN_UP_AGAIN_S, SERVERS_MAX, TRIED_AGAIN_S, ServerBook
from tests.fakes.clock import FakeClock
from tests.unit.sentinel.cases import look
from tests.unit.sentinel.world import SERVERS, FakeFinder

INTERVAL_S = 5.0


def book(finder: FakeFinder, clock: FakeClock) -> ServerBook:
    """A book of one zone."""
    return ServerBook(["shop"], finder, clock, interval_s=INTERVAL_S)


async def test_servers_are_found_once_and_again_after_an_hour() -> None:
    """A change of the delegation is taken over; between, nobody is asked."""
    clock, finder = FakeClock(), FakeFinder(SERVERS[:2])
    made = book(finder, clock)
    assert made.missing() == {"shop": "its name servers are still being looked for"}
    await made.run_once()
    finder.servers = SERVERS[2:]
    clock.advance(FOUND_AGAIN_S - 1.0)
    await made.run_once()
    assert made.servers("shop") == SERVERS[:2]
    clock.advance(1.0)
    await made.run_once()
    assert made.servers("shop") == SERVERS[2:]
    assert made.missing() == {}


async def test_servers_that_gave_the_zone_up_are_looked_for_at_once() -> None:
    """A zone that was made again has others; an hour of pages about the old ones helps nobody. One
    look for them a minute is enough, and one server's refusal is no reason."""
    clock, finder = FakeClock(), FakeFinder(SERVERS[:2])
    made = book(finder, clock)
    await made.run_once()
    finder.servers = SERVERS[2:]
    clock.advance(GIVEN_UP_AGAIN_S)
    gone, still = (one.shown for one in SERVERS[:2])
    made.blame("shop", [look(Finding.LAME, gone), look(Finding.NODATA, still)])
    await made.run_once()
    assert made.servers("shop") == SERVERS[:2]
    made.blame("shop", [look(Finding.LAME, gone), look(Finding.TIMEOUT, still)])
    await made.run_once()
    assert made.servers("shop") == SERVERS[2:]
    finder.servers = SERVERS[:2]
    made.blame("shop", [look(Finding.LAME, one.shown) for one in SERVERS[2:]])
    await made.run_once()
    assert made.servers("shop") == SERVERS[2:]
    clock.advance(GIVEN_UP_AGAIN_S)
    await made.run_once()
    assert made.servers("shop") == SERVERS[:2]


async def test_servers_that_cannot_be_found_again_are_kept() -> None:
    """And the reason is said once, however often it is tried."""
    clock, finder = FakeClock(), FakeFinder(SERVERS[:2])
    made = book(finder, clock)
    await made.run_once()
    finder.failure = "no resolver"
    clock.advance(FOUND_AGAIN_S)
    with capture_logs() as events:
        for _ in range(4):
            await made.run_once()
            clock.advance(TRIED_AGAIN_S)
    assert made.servers("shop") == SERVERS[:2]
    failed = [one for one in events if one["event"] == "name_servers_not_found"]
    assert [one["kept"] for one in failed] == [[one.shown for one in SERVERS[:2]]]


async def test_more_servers_than_a_round_can_ask_are_counted() -> None:
    """The first by their texts are taken, and how many are left out is said."""
    many = [NameServer(f"192.0.2.{at + 10}", 53) for at in range(SERVERS_MAX + 3)]
    made = book(FakeFinder(many), FakeClock())
    with capture_logs() as events:
        await made.run_once()
    assert len(made.servers("shop")) == SERVERS_MAX
    assert [one["left_out"] for one in events] == [3]


async def test_a_doubted_server_gets_one_look_an_interval() -> None:
    """However many names are looked at in between."""
    clock = FakeClock()
    made = book(FakeFinder(SERVERS[:2]), clock)
    await made.run_once()
    bad, good = (one.shown for one in SERVERS[:2])
    shown = [look(Finding.SERVFAIL, bad), look(Finding.ANSWERED, good)]
    with capture_logs() as events:
        for _ in range(FAILURES_TO_DOUBT + 1):
            made.blame("shop", shown)
    assert [one["server"] for one in events] == [bad]
    early = {made.path("shop", turn)[0] for turn in range(10)}
    clock.advance(INTERVAL_S)
    later = [made.path("shop", turn)[0] for turn in range(10)]
    assert early == {SERVERS[1]}
    assert later.count(SERVERS[0]) == 1
    made.blame("shop", [look(Finding.ANSWERED, bad), look(Finding.ANSWERED, good)])
    assert {made.path("shop", turn)[0] for turn in range(10)} == set(SERVERS[:2])


@pytest.mark.parametrize(
    ("server", "shown"),
    [
        (NameServer("192.0.2.1", 53), "192.0.2.1"),
        (NameServer("192.0.2.1", 53, "ns1.example.net."), "ns1.example.net. (192.0.2.1)"),
        (NameServer("::1", 5353), "[::1]:5353"),
    ],
)
def test_servers_are_shown_as_people_write_them(server: NameServer, shown: str) -> None:
    """With their names, and with a port where it is not 53."""
    assert server.shown == shown
