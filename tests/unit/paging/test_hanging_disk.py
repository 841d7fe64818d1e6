"""A disk that hangs keeps no page from going out: whatever is written there has its own thread.

A receiver's address is looked up in one of the loop's threads, and these are few.
"""

import asyncio
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from dnsplan.notices import Change, Notice
from dnsplan.runtime.paging import spool
from sentinel.adapters import memory
from sentinel.ports import ZoneMemory

# More than the loop has threads on any machine.
MANY = 64


@pytest.fixture
def hanging(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder in which nothing can be made until the disk is back."""
    back, mkdir = threading.Event(), Path.mkdir

    def hang(path: Path, *_: object, **__: object) -> None:
        back.wait()
        mkdir(path, parents=True, exist_ok=True)

    monkeypatch.setattr(Path, "mkdir", hang)
    yield tmp_path
    back.set()


async def test_addresses_are_looked_up_while_the_disk_hangs(hanging: Path) -> None:
    """However many receivers and zones are kept there."""
    notice = Notice("p", Change.PAGE, "title", "text", 1.0, {})
    keeping = [
        asyncio.ensure_future(one)
        for at in range(MANY)
        for one in (
            spool.DiskSpool(hanging / f"s{at}").keep(at, notice),
            memory.DiskMemory(hanging / f"m{at}").store("shop", ZoneMemory()),
        )
    ]
    await asyncio.sleep(0)
    async with asyncio.timeout(10.0):
        assert await asyncio.get_running_loop().getaddrinfo("127.0.0.1", 443)
    assert not any(one.done() for one in keeping)
    for one in keeping:
        one.cancel()
    await asyncio.gather(*keeping, return_exceptions=True)
