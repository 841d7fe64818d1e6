"""One `asyncio.gather` for all versions of Python, so that a seed's run is the same on each.

From 3.12 on the library's own takes note of what is done already at once, and before by a callback
of the loop; that callback is one more choice, and all that follows is another run.
"""

import asyncio
from collections.abc import Awaitable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch


@contextmanager
def one_gather() -> Iterator[None]:
    """Within, `asyncio.gather` is the one below."""
    with patch.object(asyncio, "gather", gather):
        yield


async def gather(*awaited: Awaitable[Any], return_exceptions: bool = False) -> list[Any]:
    """The results in order; the first failure is raised at once, unless failures are results."""
    tasks = [asyncio.ensure_future(one) for one in awaited]
    if not tasks:
        return []
    finished = _all_of(tasks, patient=return_exceptions)
    try:
        await finished
    except asyncio.CancelledError:
        for task in tasks:
            task.cancel()
        raise
    return [one.result() if (failure := _failure(one)) is None else failure for one in tasks]


def _all_of(tasks: Sequence["asyncio.Future[Any]"], *, patient: bool) -> "asyncio.Future[None]":
    """A future that ends when all have ended, or with the first failure; `patient`: never so."""
    finished: asyncio.Future[None] = asyncio.get_running_loop().create_future()
    left = set(tasks)

    def note(task: "asyncio.Future[Any]") -> None:
        left.discard(task)
        failure = None if patient else _failure(task)
        if finished.done():
            return
        if failure is not None:
            finished.set_exception(failure)
        elif not left:
            finished.set_result(None)

    for task in dict.fromkeys(tasks):
        task.add_done_callback(note)
    return finished


def _failure(task: "asyncio.Future[Any]") -> BaseException | None:
    return asyncio.CancelledError() if task.cancelled() else task.exception()
