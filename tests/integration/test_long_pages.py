"""The longest page, which names everything that is down, reaches who takes only so much."""

import json
import sys
from pathlib import Path

from aiohttp import web

from dnsplan.notices import Change, Notice
from dnsplan.runtime.paging.command import CommandSink
from dnsplan.runtime.paging.ports import Delivered
from dnsplan.runtime.paging.shortened import ITEMS_MAX, TEXT_CHARS_MAX
from tests.integration.dns_clients import soon
from tests.integration.test_alarm_sinks import AMPLE_S, hook, receiver

NAMES = [{"label": "shop", "name": f"host-{number}.example.com."} for number in range(5_000)]
TEXT = "PAGE: many names\n" + "".join(f"{one['name']}\n" for one in NAMES)
PAGE = Notice("empty-zone/shop", Change.PAGE, "many", TEXT, 1.0, {"id": "x", "names": NAMES})


def first_names(facts: dict[str, object]) -> object:
    """What a shortened page says of the names, if it says that it is short."""
    assert facts["shortened"] is True
    return facts["names"]


async def test_a_command_is_started_whatever_the_page_names(tmp_path: Path) -> None:
    """A variable holds 128 KB: the first names stand in it, and the whole text on the input."""
    out = tmp_path / "out"
    script = (
        "import os, sys; open(os.environ['OUT'], 'w').write("
        "os.environ['DNSPLAN_PAGE_JSON'] + '\\n' + sys.stdin.read())"
    )
    sink = CommandSink([sys.executable, "-c", script], {"OUT": str(out)}, timeout_s=AMPLE_S)
    assert await soon(sink.send(PAGE)) == Delivered()
    facts, _, text = out.read_text().partition("\n")
    assert (first_names(json.loads(facts)), text) == (NAMES[:ITEMS_MAX], TEXT)


async def test_a_command_is_started_whatever_stands_in_the_title(tmp_path: Path) -> None:
    """No variable can hold a NUL, and none is a reason to tell nobody."""
    out = tmp_path / "out"
    script = "import os; open(os.environ['OUT'], 'w').write(os.environ['DNSPLAN_PAGE_TITLE'])"
    sink = CommandSink([sys.executable, "-c", script], {"OUT": str(out)}, timeout_s=AMPLE_S)
    page = Notice("x", Change.PAGE, "a\0b", "text", 1.0, {"id": "x"})
    assert await soon(sink.send(page)) == Delivered()
    assert out.read_text() == "a\ufffdb"


async def test_a_webhook_that_takes_no_long_page_gets_a_short_one() -> None:
    """Its 413 is answered with the first names and the beginning of the text."""
    got: list[dict[str, object]] = []

    async def take_short(request: web.BaseRequest) -> web.Response:
        body = await request.read()
        if len(body) > 28_000:
            return web.Response(status=413)
        got.append(json.loads(body))
        return web.Response(status=202)

    async with receiver(take_short) as url:
        assert await soon(hook(url).send(PAGE)) == Delivered()
    (facts,) = got
    assert first_names(facts) == NAMES[:ITEMS_MAX]
    assert len(str(facts["text"])) == TEXT_CHARS_MAX
