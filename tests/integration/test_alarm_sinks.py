"""Every way to reach people against real receivers: those that take it, fail, hang and refuse."""

import asyncio
import json
import os
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import boto3
import pytest
from aiohttp import web
from moto.sns.models import sns_backends
from structlog.testing import capture_logs

from dnsplan.notices import Change, Notice
from dnsplan.runtime.aws import AwsClients, CallBounds
from dnsplan.runtime.clock import SystemClock
from dnsplan.runtime.config.secret import SecretText
from dnsplan.runtime.paging.command import CommandSink
from dnsplan.runtime.paging.delivery import Delivery
from dnsplan.runtime.paging.log import LogSink
from dnsplan.runtime.paging.ports import Delivered, Undelivered
from dnsplan.runtime.paging.sns import SnsSink
from dnsplan.runtime.paging.webhook import WebhookSink
from sandbox.aws.server import serve
from tests.integration.dns_clients import HOST, soon

TOKEN = "hook-token-0123456789"
QUICK_S = 0.3
AMPLE_S = 20.0


def notice(change: Change = Change.PAGE) -> Notice:
    """A notice about a name; the title has a letter outside ASCII."""
    facts = {"id": "empty-name/shop/www.example.com.", "change": str(change), "title": "wéb"}
    return Notice(
        "empty-name/shop/www.example.com.", change, "wéb", "PAGE: wéb\nid: x\n", 1.0, facts
    )


def command(script: str, timeout_s: float = AMPLE_S, **environ: str) -> CommandSink:
    """A program in Python, given as it would stand in a config."""
    return CommandSink([sys.executable, "-c", script], environ, timeout_s=timeout_s)


async def test_a_command_gets_the_text_and_the_facts(tmp_path: Path) -> None:
    """Text on standard input, facts in the environment, and what the daemon's own had."""
    script = (
        "import os, sys; open(os.environ['OUT'], 'w').write("
        "sys.stdin.read() + os.environ['DNSPLAN_PAGE_ID'] + os.environ['DNSPLAN_PAGE_CHANGE']"
        " + os.environ['DNSPLAN_PAGE_JSON'])"
    )
    out = tmp_path / "out"
    assert await soon(command(script, OUT=str(out)).send(notice())) == Delivered()
    facts = json.dumps(dict(notice().facts), separators=(",", ":"), ensure_ascii=False)
    assert out.read_text() == (f"PAGE: wéb\nid: x\nempty-name/shop/www.example.com.page{facts}")


async def test_a_command_that_fails_is_no_delivery() -> None:
    """Its exit code and its last words are the reason."""
    sink = command("import sys; sys.stderr.write('no such receiver'); sys.exit(3)")
    assert await soon(sink.send(notice())) == Undelivered("exit code 3: no such receiver")


async def test_a_command_that_does_not_exist_is_no_delivery() -> None:
    """The reason names no argument, which might be a secret."""
    sink = CommandSink(["/nonexistent/pager", TOKEN], {}, timeout_s=AMPLE_S)
    assert await soon(sink.send(notice())) == Undelivered(
        "cannot be started: No such file or directory"
    )
    assert TOKEN not in sink.name


async def test_a_command_that_hangs_is_killed_with_what_it_started(tmp_path: Path) -> None:
    """Nothing of it is left."""
    pids = tmp_path / "pids"
    script = (
        "import os, subprocess, sys, time\n"
        "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'])\n"
        "open(os.environ['OUT'], 'w').write(f'{os.getpid()} {child.pid}')\n"
        "time.sleep(600)"
    )
    sink = command(script, timeout_s=3.0, OUT=str(pids))
    assert await soon(sink.send(notice())) == Undelivered("not done in 3 s, killed")
    await soon(_all_gone([int(one) for one in pids.read_text().split()]))


async def _all_gone(pids: list[int]) -> None:
    while any(_is_alive(pid) for pid in pids):  # noqa: ASYNC110 - the system tells nobody
        await asyncio.sleep(0.02)


def _is_alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


async def test_a_command_that_leaves_something_running_does_not_keep_a_notice_waiting() -> None:
    """What it started may hold its standard error open; its own end counts."""
    script = (
        "import subprocess, sys\n"
        "subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(2)'])"
    )
    assert await soon(command(script).send(notice())) == Delivered()


async def test_a_command_need_not_read_its_page() -> None:
    """However long the text is."""
    long = Notice("x", Change.PAGE, "x", "y" * 1_000_000, 1.0, {})
    assert await soon(command("pass").send(long)) == Delivered()


@asynccontextmanager
async def receiver(
    answer: Callable[[web.BaseRequest], Awaitable[web.StreamResponse]],
) -> AsyncIterator[str]:
    """A local HTTP server; its address."""
    runner = web.ServerRunner(web.Server(answer, access_log=None), shutdown_timeout=0.1)
    await runner.setup()
    try:
        await web.TCPSite(runner, HOST, 0).start()
        host, port = runner.addresses[0][:2]
        yield f"http://{host}:{port}/{TOKEN}"
    finally:
        await runner.cleanup()


def hook(url: str, timeout_s: float = AMPLE_S) -> WebhookSink:
    """A webhook."""
    return WebhookSink(SecretText(url, "the config"), position=2, timeout_s=timeout_s)


async def test_a_webhook_posts_facts_and_text_as_json() -> None:
    """A status of the two hundreds is a delivery."""
    got: list[object] = []

    async def take(request: web.BaseRequest) -> web.Response:
        got.append((request.method, request.path, await request.json()))
        return web.Response(status=204)

    async with receiver(take) as url:
        assert await soon(hook(url).send(notice())) == Delivered()
    assert got == [("POST", f"/{TOKEN}", {**notice().facts, "text": "PAGE: wéb\nid: x\n"})]


@pytest.mark.parametrize(
    ("status", "for_good"),
    [
        (500, False),
        (503, False),
        (429, False),
        (302, False),
        (401, False),
        (403, False),
        (404, False),
        (405, False),
        (400, True),
        (413, True),
        (422, True),
    ],
)
async def test_a_webhook_that_refuses_is_tried_again_only_where_it_may_pass(
    status: int, for_good: bool
) -> None:
    """A token that is rotated and a gateway that is deployed pass like trouble of the server; what
    is wrong with the notice does not. Redirects are not followed."""

    async def refuse(_: web.BaseRequest) -> web.Response:
        return web.Response(status=status, headers={"Location": "http://192.0.2.1/"})

    async with receiver(refuse) as url:
        said = await soon(hook(url).send(notice()))
    assert said == Undelivered(f"status {status}", for_good=for_good)


async def test_a_webhook_that_hangs_costs_its_time_and_no_more() -> None:
    """No answer in time is no delivery, so it is tried again."""

    async def hang(_: web.BaseRequest) -> web.Response:
        await asyncio.sleep(3_600)
        return web.Response()

    async with receiver(hang) as url:
        said = await soon(hook(url, QUICK_S).send(notice()))
    assert said == Undelivered("no answer in 0.3 s")


@pytest.mark.parametrize("url", ["http://127.0.0.1:1/", "http://[::1", "http://127.0.0.1:99999/"])
async def test_no_error_of_a_webhook_holds_its_address(url: str) -> None:
    """Whatever goes wrong, only its kind is told."""
    said = await soon(hook(url + TOKEN).send(notice()))
    assert isinstance(said, Undelivered)
    assert "127.0.0.1" not in said.reason
    assert TOKEN not in said.reason + hook(url + TOKEN).name + repr(hook(url + TOKEN))


async def test_the_log_takes_every_notice() -> None:
    """A page is an error, a recovery is information, both with all facts."""
    with capture_logs() as events:
        assert await LogSink().send(notice()) == Delivered()
        assert await LogSink().send(notice(Change.RECOVERY)) == Delivered()
    assert [(one["event"], one["log_level"], one["id"]) for one in events] == [
        ("page", "error", "empty-name/shop/www.example.com."),
        ("page", "info", "empty-name/shop/www.example.com."),
    ]


def published(arn: str) -> list[tuple[str, str, dict[str, str]]]:
    """What a topic of the stand-in, which is in this process, was sent."""
    region, account = arn.split(":")[3:5]
    sent = sns_backends[account][region].topics[arn].sent_notifications
    return [
        (subject or "", text, {key: one["Value"] for key, one in (attributes or {}).items()})
        for _, text, subject, attributes, _ in sent
    ]


async def test_sns_publishes_to_the_topic(monkeypatch: pytest.MonkeyPatch) -> None:
    """Subject in ASCII, the text whole, id and change as attributes; no such topic is told."""
    async with serve() as stand_in:
        monkeypatch.setenv("AWS_ENDPOINT_URL", stand_in.endpoint_url)

        def subscribe() -> tuple[str, str]:
            topic = boto3.client("sns", region_name="eu-west-1").create_topic(Name="pages")
            return topic["TopicArn"], topic["TopicArn"].replace("pages", "nowhere")

        arn, nowhere = await asyncio.to_thread(subscribe)
        sink = SnsSink(AwsClients(), arn, timeout_s=AMPLE_S)
        assert await soon(sink.send(notice())) == Delivered()
        assert published(arn) == [
            (
                "w?b",
                notice().text,
                {
                    "id": "empty-name/shop/www.example.com.",
                    "change": "page",
                    "notice_id": notice().notice_id,
                },
            )
        ]
        missing = await soon(SnsSink(AwsClients(), nowhere, timeout_s=AMPLE_S).send(notice()))
        assert isinstance(missing, Undelivered)
        assert missing.reason.startswith("NotFound")


async def test_a_fifo_topic_takes_pages_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """It refuses whatever has no group, and folds what comes twice by its id."""
    async with serve() as stand_in:
        monkeypatch.setenv("AWS_ENDPOINT_URL", stand_in.endpoint_url)

        def made() -> str:
            client = boto3.client("sns", region_name="eu-west-1")
            topic = client.create_topic(Name="pages.fifo", Attributes={"FifoTopic": "true"})
            return str(topic["TopicArn"])

        arn = await asyncio.to_thread(made)
        assert await soon(SnsSink(AwsClients(), arn, timeout_s=AMPLE_S).send(notice())) == (
            Delivered()
        )
        assert [text for _, text, _ in published(arn)] == [notice().text]


async def test_sns_without_a_client_is_no_delivery(monkeypatch: pytest.MonkeyPatch) -> None:
    """As any other trouble of it, so that it is counted and tried again at a pace."""
    monkeypatch.setenv("AWS_PROFILE", "none-such")
    arn = "arn:aws:sns:eu-west-1:123456789012:pages"
    said = await soon(SnsSink(AwsClients(), arn, timeout_s=AMPLE_S).send(notice()))
    assert isinstance(said, Undelivered)
    assert "none-such" in said.reason


async def test_sns_reads_credentials_again_that_were_refused(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Whoever keeps them fresh writes files; the SDK reads these once a session."""
    keys = tmp_path / "credentials"
    text = "[default]\naws_access_key_id = {}\naws_secret_access_key = x\n"
    keys.write_text(text.format("OLD"))
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.delenv(name)
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(keys))

    async def know_new(request: web.BaseRequest) -> web.Response:
        if "OLD" in request.headers["Authorization"]:
            refused = "<Error><Code>ExpiredToken</Code><Message>x</Message></Error>"
            return web.Response(status=403, text=f"<ErrorResponse>{refused}</ErrorResponse>")
        took = "<PublishResult><MessageId>m</MessageId></PublishResult>"
        return web.Response(text=f"<PublishResponse>{took}</PublishResponse>")

    arn = "arn:aws:sns:eu-west-1:123456789012:pages"
    async with receiver(know_new) as url:
        monkeypatch.setenv("AWS_ENDPOINT_URL", url)
        sink = SnsSink(AwsClients(), arn, timeout_s=AMPLE_S)
        assert await soon(sink.send(notice())) == Undelivered("ExpiredToken: x")
        keys.write_text(text.format("NEW"))
        assert await soon(sink.send(notice())) == Delivered()


async def test_sns_that_is_gone_is_no_delivery(monkeypatch: pytest.MonkeyPatch) -> None:
    """And may pass."""
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:1")
    clients = AwsClients(bounds=CallBounds(connect_timeout_s=1.0))
    arn = "arn:aws:sns:eu-west-1:123456789012:pages"
    said = await soon(SnsSink(clients, arn, timeout_s=AMPLE_S).send(notice()))
    assert isinstance(said, Undelivered)
    assert not said.for_good


async def test_a_sink_that_hangs_stops_no_other(tmp_path: Path) -> None:
    """Each has its own line: the log and a command deliver while a webhook waits."""
    reached = asyncio.Event()

    async def hang(_: web.BaseRequest) -> web.Response:
        reached.set()
        await asyncio.sleep(3_600)
        return web.Response()

    out = tmp_path / "out"
    clock = SystemClock()
    async with receiver(hang) as url:
        stuck = Delivery(hook(url), clock)
        script = "import os, sys; open(os.environ['OUT'], 'a').write(sys.stdin.read())"
        others = [Delivery(LogSink(), clock), Delivery(command(script, OUT=str(out)), clock)]
        with capture_logs() as events:
            for line in (stuck, *others):
                line.put(notice())
            await stuck.run_once()
            await soon(reached.wait())
            for line in others:
                await soon(line.drain(within_s=AMPLE_S))
            assert [line.is_idle for line in (stuck, *others)] == [False, True, True]
            await soon(stuck.drain(within_s=0.0))
    assert out.read_text() == notice().text
    assert "page" in [one["event"] for one in events]
    assert os.environ.get("DNSPLAN_PAGE_ID") is None
