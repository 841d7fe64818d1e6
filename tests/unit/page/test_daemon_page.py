"""A daemon's page from end to end: what it adds is shown, and its troubles are not the daemon's."""

import asyncio

import aiohttp
import msgspec

from dnsplan.runtime.clock import SystemClock
from dnsplan.runtime.config.listen_address import Listen
from dnsplan.runtime.page.daemon_page import DaemonPage
from dnsplan.runtime.page.model import PageState, Source, ZoneView

ANYWHERE = Listen("127.0.0.1", 0, "status.listen")
WITHIN_S = 10.0


class Faulty:
    """A reading with a fault of the program in it."""

    interval_s = 0.01

    def __init__(self) -> None:
        """Not read yet."""
        self.tries = 0
        self.tried = asyncio.Event()

    async def run_once(self) -> None:
        """Break, again and again."""
        self.tries += 1
        if self.tries >= 3:
            self.tried.set()
        raise RuntimeError("a fault in the reading")


def zones() -> tuple[tuple[ZoneView, ...], int]:
    """One zone."""
    shop = ZoneView(label="shop", zone="example.com.", mode="enforce", standing="held", reasons=())
    return (shop,), 3


def source() -> Source:
    """A table."""
    return Source("table dnsplan", None, None, None)


async def test_a_fault_in_the_reading_ends_nothing() -> None:
    """It is logged once however often it comes, the page is served, and it goes on being tried."""
    page, faulty = DaemonPage("enactor", SystemClock(), az="az1"), Faulty()
    timeout = aiohttp.ClientTimeout(total=WITHIN_S)
    async with page.open(ANYWHERE, zones=zones, source=source, reading=faulty) as url:
        await asyncio.wait_for(faulty.tried.wait(), WITHIN_S)
        assert url is not None
        async with (
            aiohttp.ClientSession(timeout=timeout) as client,
            client.get(f"{url}state") as answer,
        ):
            state = msgspec.json.decode(await answer.read(), type=PageState)
    assert [one.what for one in state.events] == ["page_not_read", "page_served"]
    assert (state.about.component, state.about.az, state.more_zones) == ("enactor", "az1", 3)
    assert [one.label for one in state.zones] == ["shop"]
    assert state.not_ready == ("nothing runs yet",)


async def test_without_an_address_nothing_is_read_or_served() -> None:
    """A daemon that nobody wants to see costs nothing."""
    page, faulty = DaemonPage("planner", SystemClock()), Faulty()
    async with page.open(None, zones=zones, source=source, reading=faulty) as url:
        await asyncio.sleep(0)
        assert (url, faulty.tries) == (None, 0)
