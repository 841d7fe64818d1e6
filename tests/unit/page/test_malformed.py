"""Noise at the page's port costs a line a minute; a fault of ours is logged whole."""

import asyncio
import logging
from urllib.parse import urlsplit

import pytest
from aiohttp.http_exceptions import BadHttpMessage
from structlog.testing import capture_logs

from dnsplan.runtime.page.malformed import SAID_AGAIN_S, MalformedRequests
from tests.fakes.clock import FakeClock
from tests.unit.page.test_server import WITHIN_S, Stand

NOISE = (b"GET / HTTP/1.1\r\nHost\x00: x\r\n\r\n", b"GET / HTTP/9\r\n\r\n", b"\x16\x03\x01\r\n\r\n")


async def test_noise_is_one_line_and_no_traceback(caplog: pytest.LogCaptureFixture) -> None:
    """Each is answered as a mistake of who asks."""
    with capture_logs() as events:
        async with Stand().served() as client:
            await (await client.get("/healthz")).read()
            url = urlsplit(events[0]["url"])
            for noise in NOISE * 5:
                reader, writer = await asyncio.open_connection(url.hostname, url.port)
                writer.write(noise)
                answer = await asyncio.wait_for(reader.read(), WITHIN_S)
                assert answer.split()[1] == b"400"
                writer.close()
                await writer.wait_closed()
    assert caplog.records == []
    assert [one["event"] for one in events] == ["page_served", "malformed_request"]


async def test_it_is_said_again_after_a_minute_with_how_many_came() -> None:
    """What is ours passes at once."""
    clock = FakeClock()
    noise = MalformedRequests(clock)
    with capture_logs() as events:
        for _ in range(3):
            assert not noise.filter(record(BadHttpMessage("noise")))
        await clock.sleep(SAID_AGAIN_S)
        assert not noise.filter(record(BadHttpMessage("noise")))
        assert noise.filter(record(RuntimeError("ours")))
    assert [one["count"] for one in events] == [1, 3]


def record(error: Exception) -> logging.LogRecord:
    """As the server logs an error."""
    trouble = (type(error), error, None)
    return logging.LogRecord("server", logging.ERROR, "", 0, "Error", None, trouble)
