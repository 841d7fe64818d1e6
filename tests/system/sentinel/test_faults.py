"""What the sentinel pages, made for real and timed: few answers, a long negative TTL, receivers
that are down while it dies, and its own death."""

import asyncio
import signal
from collections.abc import Callable
from pathlib import Path

import pytest
from aiohttp import web

from tests.integration.sentinel_process import Stage, record, sentinel_stage
from tests.integration.test_alarm_sinks import receiver

pytestmark = pytest.mark.system

PAGE_WITHIN_S = 30.0
WAIT_S = 90.0
SHOP = """
  shop:
    name: example.com
    names:
      www: {pool: web, routing: simple}
      api: {records: [{type: A, ttl_s: 30, values: [192.0.2.20]}]}
pools:
  web:
    targets:
      - {id: a, address: 192.0.2.1}
      - {id: b, address: 192.0.2.2}
      - {id: c, address: 192.0.2.3}
guardrails: {min_targets: 2}
"""
WWW = record("www.example.com", "192.0.2.1", "192.0.2.2", "192.0.2.3")
API = record("api.example.com", "192.0.2.20")
SOA = "ns-1.awsdns-01.org. awsdns-hostmaster.amazon.com. 1 7200 900 1209600 86400"


async def made(stage: Stage) -> None:
    """Records as a plan would have made them."""
    await asyncio.to_thread(stage.change, "shop", ("CREATE", WWW), ("CREATE", API))


async def until(holds: Callable[[], bool], what: str) -> None:
    """Wait for something that nobody tells."""
    try:
        async with asyncio.timeout(WAIT_S):
            while not holds():  # noqa: ASYNC110 - another process tells nobody
                await asyncio.sleep(0.05)
    except TimeoutError:
        raise AssertionError(f"after {WAIT_S:g} s: {what}") from None


@pytest.mark.parametrize(
    ("page_id", "broken", "mended"),
    [
        (
            "empty-name/shop/www.example.com.",
            record("www.example.com", "192.0.2.1"),
            WWW,
        ),
        (
            "long-negative-ttl/shop",
            record("example.com", SOA, kind="SOA", ttl_s=86_400),
            record("example.com", SOA, kind="SOA", ttl_s=900),
        ),
    ],
    ids=["few", "negative_ttl"],
)
async def test_a_fault_is_paged_within_half_a_minute_and_its_end_is_told(
    tmp_path: Path, page_id: str, broken: dict[str, object], mended: dict[str, object]
) -> None:
    """From the change that makes it to the receiver, while nothing else of the system runs."""
    async with sentinel_stage(tmp_path, SHOP, page_within_s=PAGE_WITHIN_S) as stage:
        await made(stage)
        async with stage.sentinel(AWS_ENDPOINT_URL="http://127.0.0.1:1"):
            await asyncio.sleep(8.0)
            assert stage.heard.told() == []
            await asyncio.to_thread(stage.change, "shop", ("UPSERT", broken))
            broken_s = asyncio.get_running_loop().time()
            paged_s, page = await stage.heard.until_told("page", page_id, WAIT_S)
            assert paged_s - broken_s < PAGE_WITHIN_S
            assert f"runbooks/{page['runbook']}.md" in page["text"]
            await asyncio.to_thread(stage.change, "shop", ("UPSERT", mended))
            await stage.heard.until_told("recovery", page_id, WAIT_S)


async def test_a_page_that_nobody_took_outlives_the_sentinel(tmp_path: Path) -> None:
    """The receiver is down, the sentinel is killed: the next process delivers what waited, and
    tells its end, though it never saw the name ill."""
    page_id = "empty-name/shop/api.example.com."
    async with sentinel_stage(tmp_path, SHOP, page_within_s=6.0) as stage:
        await made(stage)
        stage.heard.down = True
        async with stage.killed_sentinel() as process:
            await asyncio.sleep(3.0)
            await asyncio.to_thread(stage.change, "shop", ("DELETE", API))
            await until(lambda: stage.heard.refused > 0, "no try to page")
            waiting = tmp_path / "paging" / "sentinel"
            await until(lambda: bool(list(waiting.rglob("0*.json"))), "nothing is kept")
            memory = tmp_path / "sentinel" / "shop.json"
            await until(lambda: '"empty-name"' in memory.read_text(), "the page is not remembered")
            process.kill()
        assert stage.heard.told() == []
        stage.heard.down = False
        async with stage.sentinel():
            _, page = await stage.heard.until_told("page", page_id, WAIT_S)
            assert page["last_good"]["A"]["values"] == ["192.0.2.20"]
            await asyncio.to_thread(stage.change, "shop", ("CREATE", API))
            await stage.heard.until_told("recovery", page_id, WAIT_S)
        assert stage.heard.told() == [("page", page_id), ("recovery", page_id)]


async def test_a_stopped_sentinel_misses_its_heartbeat(tmp_path: Path) -> None:
    """It comes while looks are made, and stays away when the process stands still or is gone."""
    beats: list[float] = []

    async def take(_: web.BaseRequest) -> web.Response:
        beats.append(asyncio.get_running_loop().time())
        return web.Response()

    async with receiver(take) as url, sentinel_stage(tmp_path, SHOP, page_within_s=6.0) as stage:
        await made(stage)
        text = stage.config.read_text()
        stage.config.write_text(
            text.replace("  alarms:", "  heartbeat: {url: {env: BEAT}, every_s: 1}\n  alarms:")
        )
        async with stage.sentinel(BEAT=url) as process:
            await until(lambda: len(beats) >= 3, "no heartbeat")
            process.send_signal(signal.SIGSTOP)
            await asyncio.sleep(0.5)
            count = len(beats)
            await asyncio.sleep(4.0)
            assert len(beats) == count
            process.send_signal(signal.SIGCONT)
            await until(lambda: len(beats) > count, "no heartbeat after it went on")
        count = len(beats)
        await asyncio.sleep(2.5)
        assert len(beats) == count
