"""Work that hangs takes no thread that others need, and no second one of its own."""

import asyncio
import threading

import pytest

from dnsplan.runtime.own_thread import OwnThread

WITHIN_S = 0.02
# More than the loop has threads on any machine.
MANY = 64


async def test_however_much_hangs_the_loop_has_its_threads() -> None:
    """Else nobody could look up the address of AWS any more."""
    wakes = threading.Event()
    threads = [OwnThread[bool](within_s=WITHIN_S) for _ in range(MANY)]
    ended = await asyncio.gather(*(one.run(wakes.wait) for one in threads), return_exceptions=True)
    assert {type(one) for one in ended} == {TimeoutError}
    async with asyncio.timeout(10.0):
        assert await asyncio.to_thread(lambda: "free") == "free"
    wakes.set()


async def test_while_it_hangs_nothing_is_begun_and_then_it_is_begun_anew() -> None:
    """What ends late is old, and nobody's result."""
    wakes, begun = threading.Event(), []
    thread = OwnThread[str](within_s=WITHIN_S)

    def hang() -> str:
        begun.append("old")
        wakes.wait()
        return "old"

    for _ in range(3):
        with pytest.raises(TimeoutError):
            await thread.run(hang)
    wakes.set()
    async with asyncio.timeout(10.0):
        while (found := await _found(thread)) is None:
            pass
    assert (found, begun) == ("new", ["old"])


async def _found(thread: OwnThread[str]) -> str | None:
    try:
        return await thread.run(lambda: "new")
    except TimeoutError:
        return None


async def test_what_it_raises_is_raised() -> None:
    """In the task that waits for it."""

    def fail() -> None:
        raise KeyError("x")

    with pytest.raises(KeyError, match="x"):
        await OwnThread[None](within_s=10.0).run(fail)
