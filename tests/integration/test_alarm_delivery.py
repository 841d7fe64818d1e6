"""Receivers that fail, hang and refuse, over restarts of the sender: nothing is lost; and a dead
man's switch that only real work keeps quiet."""

import asyncio
from pathlib import Path

import boto3
import pytest
from aiohttp import ClientSession, web

from dnsplan.errors import ReadFailed
from dnsplan.notices import Change, Notice
from dnsplan.runtime.aws import AwsClients
from dnsplan.runtime.clock import SystemClock
from dnsplan.runtime.config.secret import SecretText
from dnsplan.runtime.paging.delivery import Delivery
from dnsplan.runtime.paging.heartbeat import Heartbeat
from dnsplan.runtime.paging.sns import SnsSink
from dnsplan.runtime.paging.spool import DiskSpool
from dnsplan.runtime.paging.webhook import ID_HEADER, Shape, WebhookSink
from sandbox.aws.server import serve
from tests.integration.dns_clients import soon
from tests.integration.test_alarm_sinks import TOKEN, published, receiver

QUICK_S = 0.2


def news(page_id: str, change: Change = Change.PAGE) -> Notice:
    """A notice of now."""
    at_s = SystemClock().now_s()
    facts = {"id": page_id, "change": str(change), "title": "wéb", "at_s": at_s}
    return Notice(page_id, change, "wéb", "PAGE: wéb\n", at_s, facts)


class Moody:
    """A receiver with a mood for each POST: it hangs, fails, drops the connection, or takes it."""

    def __init__(self, *moods: str) -> None:
        """After these moods it takes everything."""
        self._moods = list(moods)
        self.taken: list[tuple[str, str, str]] = []

    async def answer(self, request: web.BaseRequest) -> web.StreamResponse:
        """One POST. What `late` answers was taken, though the sender will not know."""
        mood = self._moods.pop(0) if self._moods else "take"
        body = await request.json()
        if mood in ("take", "late"):
            self.taken.append((body["id"], body["change"], request.headers[ID_HEADER]))
        if mood in ("hang", "late"):
            await asyncio.sleep(3_600)
        if mood == "drop" and request.transport is not None:
            request.transport.close()
        return web.Response(status=500 if mood == "fail" else 204)


async def test_nothing_is_lost_by_receivers_in_trouble_and_restarts(tmp_path: Path) -> None:
    """Each notice arrives at least once, news of a page in order, repeats with the same id."""
    moods = ["hang", "fail", "drop", "late", "fail", "hang", "drop", "fail", "late", "hang"]
    moody = Moody(*moods * 2)
    told = [news("a"), news("b"), news("a", Change.CHANGE), news("c"), news("a", Change.RECOVERY)]
    async with receiver(moody.answer) as url:
        secret = SecretText(url, "the config")
        sink = WebhookSink(secret, position=0, timeout_s=QUICK_S)
        for life in range(60):
            line = Delivery(sink, SystemClock(), DiskSpool(tmp_path))
            await line.resume()
            for one in told if life == 0 else ():
                line.put(one)
            await soon(line.drain(within_s=0.4, poll_s=0.02))
            if line.is_idle:
                break
    assert line.is_idle
    assert {one for _, _, one in moody.taken} == {_ascii(one.notice_id) for one in told}
    of_a = [change for page, change, _ in moody.taken if page == "a"]
    assert list(dict.fromkeys(of_a)) == ["page", "change", "recovery"]
    assert of_a == sorted(of_a, key=["page", "change", "recovery"].index)


class MoodyTopic:
    """A way to SNS with a mood for each request, before the stand-in that keeps what it took."""

    def __init__(self, endpoint_url: str, *moods: str) -> None:
        """After these moods everything passes."""
        self._endpoint_url = endpoint_url
        self._moods = list(moods)

    async def answer(self, request: web.BaseRequest) -> web.StreamResponse:
        """One request. What `late` passes on was taken, though the sender will not know."""
        mood = self._moods.pop(0) if self._moods else "take"
        taken = await self._pass_on(request) if mood in ("take", "late") else None
        if mood in ("hang", "late"):
            await asyncio.sleep(3_600)
        if mood == "drop" and request.transport is not None:
            request.transport.close()
        return taken or web.Response(status=500)

    async def _pass_on(self, request: web.BaseRequest) -> web.Response:
        kept = {
            key: request.headers[key] for key in ("Authorization", "Content-Type", "X-Amz-Date")
        }
        async with (
            ClientSession() as session,
            session.post(self._endpoint_url, data=await request.read(), headers=kept) as answer,
        ):
            return web.Response(
                status=answer.status, body=await answer.read(), content_type=answer.content_type
            )


async def test_nothing_is_lost_on_the_way_to_a_topic(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Requests that hang, fail and are taken without an answer, over restarts of the sender: each
    notice is published at least once, in its order, and a repeat is known by its id."""
    told = [news("a"), news("b"), news("a", Change.CHANGE), news("a", Change.RECOVERY)]
    moods = ["hang", "fail", "late", "drop", "fail", "late", "hang"]
    async with serve() as stand_in:
        monkeypatch.setenv("AWS_ENDPOINT_URL", stand_in.endpoint_url)
        arn = await asyncio.to_thread(_new_topic)
        async with receiver(MoodyTopic(stand_in.endpoint_url, *moods).answer) as url:
            monkeypatch.setenv("AWS_ENDPOINT_URL", url)
            for life in range(60):
                sink = SnsSink(AwsClients(), arn, timeout_s=1.0)
                line = Delivery(sink, SystemClock(), DiskSpool(tmp_path))
                await line.resume()
                for one in told if life == 0 else ():
                    line.put(one)
                await soon(line.drain(within_s=1.5, poll_s=0.02))
                if line.is_idle:
                    break
        assert line.is_idle
        sent = [facts for _, _, facts in published(arn)]
    assert {one["notice_id"] for one in sent} == {one.notice_id for one in told}
    assert len(sent) > len(told)
    of_a = [one["change"] for one in sent if one["id"] == "a"]
    assert of_a == sorted(of_a, key=["page", "change", "recovery"].index)


def _new_topic() -> str:
    made = boto3.client("sns", region_name="eu-west-1").create_topic(Name="moody")
    return str(made["TopicArn"])


def _ascii(text: str) -> str:
    return "".join(one if one.isascii() else "?" for one in text)


async def test_a_webhook_speaks_the_receivers_shape() -> None:
    """Body and headers as the config states them, with its key, which no log shows."""
    got: list[tuple[str, object]] = []

    async def take(request: web.BaseRequest) -> web.Response:
        got.append((request.headers["Authorization"], await request.json()))
        return web.Response(status=202)

    shape = Shape(
        {"routing_key": "{secret}", "payload": {"summary": "{title}"}, "dedup_key": "{id}"},
        {"Authorization": "Bearer {secret}"},
        SecretText(TOKEN, "the config"),
    )
    async with receiver(take) as url:
        sink = WebhookSink(SecretText(url, "x"), position=0, timeout_s=20.0, shape=shape)
        await soon(sink.send(news("empty-name/shop/www.example.com.")))
    body = {
        "routing_key": TOKEN,
        "payload": {"summary": "wéb"},
        "dedup_key": "empty-name/shop/www.example.com.",
    }
    assert got == [(f"Bearer {TOKEN}", body)]
    assert TOKEN not in repr(shape)


async def test_only_work_that_was_done_is_a_sign_of_life() -> None:
    """A pass that failed, and no pass at all, leave the switch alone; so it goes off."""
    pings: list[str] = []

    async def take(request: web.BaseRequest) -> web.Response:
        pings.append(request.path)
        return web.Response()

    async def fails() -> None:
        raise ReadFailed("no answer")

    async with receiver(take) as url:
        heart = Heartbeat(SecretText(url, "the config"), timeout_s=20.0)
        await soon(heart.run_once())
        with pytest.raises(ReadFailed):
            await heart.beside(fails)()
        await soon(heart.run_once())
        assert pings == []
        await heart.beside(_nothing)()
        await soon(heart.run_once())
        await soon(heart.run_once())
        assert len(pings) == 1


async def _nothing() -> None:
    return None


async def test_a_heartbeat_that_hangs_costs_its_time_and_no_more() -> None:
    """It is no reason for anything else to wait, and ends in time."""

    async def hang(_: web.BaseRequest) -> web.Response:
        await asyncio.sleep(3_600)
        return web.Response()

    async with receiver(hang) as url:
        heart = Heartbeat(SecretText(url, "the config"), timeout_s=QUICK_S)
        heart.done()
        await soon(heart.run_once())
