"""What a sentinel's page says is read as it is served; all else is no word that all is well."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from aiohttp import web
from msgspec import structs

from dnsplan.errors import ReadFailed
from dnsplan.runtime.page.model import About, Hold, PageState, Source, ZoneView, to_json
from planner.adapters import sentinel_page
from planner.adapters.sentinel_page import HttpSentinelPage
from planner.rules.waves import OpenPage

PAGED = Hold("paged", "empty-name", "x.example.com. nodata", "dns-sentinel check", 7.0)
STATE = PageState(
    about=About("sentinel", None, "1", 0.0),
    source=Source("name servers", 1.0, None, None),
    not_ready=(),
    zones=(
        ZoneView(
            label="shop",
            zone="example.com.",
            mode="enforce",
            standing="no answers",
            reasons=(),
            holds=(PAGED,),
        ),
    ),
    more_zones=0,
    events=(),
)


@asynccontextmanager
async def served(body: bytes, *, status: int = 200) -> AsyncIterator[str]:
    """A page on loopback that answers this at `/state`."""

    async def answer(_request: web.Request) -> web.Response:
        return web.Response(body=body, status=status)

    application = web.Application()
    application.router.add_get("/state", answer)
    runner = web.AppRunner(application)
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        yield f"http://127.0.0.1:{runner.addresses[0][1]}/"
    finally:
        await runner.cleanup()


async def test_open_pages_are_read_with_zone_text_and_since_when() -> None:
    """As the page's own model writes them."""
    async with served(to_json(STATE)) as url:
        assert await HttpSentinelPage().pages(url) == [
            OpenPage("shop", "x.example.com. nodata", 7.0)
        ]


@pytest.mark.parametrize(
    ("body", "status", "why"),
    [
        (to_json(STATE), 503, "status 503"),
        (b"<html>", 200, "malformed"),
        (b"{}", 200, "about"),
        (
            to_json(structs.replace(STATE, about=About("planner", None, "1", 0.0))),
            200,
            "it is the page of a planner",
        ),
        (
            to_json(structs.replace(STATE, not_ready=("look: no pass yet",))),
            200,
            "it is not ready: look: no pass yet",
        ),
    ],
    ids=["status", "no json", "another json", "another daemon", "not ready"],
)
async def test_what_is_no_sentinel_that_looks_is_silence(
    body: bytes, status: int, why: str
) -> None:
    """Each says why."""
    async with served(body, status=status) as url:
        with pytest.raises(ReadFailed, match=why):
            await HttpSentinelPage().pages(url)


async def test_a_page_that_is_gone_or_too_long_is_silence(monkeypatch: pytest.MonkeyPatch) -> None:
    """Bounded, whatever stands there."""
    async with served(to_json(STATE)) as url:
        pass
    with pytest.raises(ReadFailed):
        await HttpSentinelPage().pages(url)
    monkeypatch.setattr(sentinel_page, "BYTES_MAX", 10)
    async with served(to_json(STATE)) as url:
        with pytest.raises(ReadFailed, match="more than 10 bytes"):
            await HttpSentinelPage().pages(url)
