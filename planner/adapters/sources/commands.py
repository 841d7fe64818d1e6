"""Targets from a program's standard output, run without a shell.

Output and complaints pass through files in memory, so that a program that leaves something running
cannot keep a read waiting. What it left running is killed when it ends, else every read would leave
some; one that does not end in time is killed with all that it started, and so is one whose reader
was stopped. What it printed counts only if its exit code is 0.
"""

import asyncio
import os
import signal
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, suppress

from planner.rules.document import DOCUMENT_BYTES_MAX, listing_of
from planner.rules.roll import Listing

SHOWN_BYTES_MAX = 200
# How often the size of the output is looked at while the program runs.
LOOK_S = 0.05


class CommandSource:
    """ports.Source over one program."""

    def __init__(
        self, argv: Sequence[str], environ: Mapping[str, str], *, timeout_s: float
    ) -> None:
        """`environ` is all that the program finds there."""
        self._argv = tuple(argv)
        self._environ = dict(environ)
        self._timeout_s = timeout_s

    async def read(self) -> Listing:
        """Run it once."""
        with ExitStack() as opened:
            try:
                printed, said = (_memory(name, opened) for name in ("targets", "said"))
                return await self._run(printed, said)
            except OSError as error:
                return Listing((), f"cannot be started: {(error.strerror or str(error)).lower()}")

    async def _run(self, printed: int, said: int) -> Listing:
        process = await asyncio.create_subprocess_exec(
            *self._argv,
            env=self._environ,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=printed,
            stderr=said,
            start_new_session=True,
        )
        try:
            async with asyncio.timeout(self._timeout_s):
                if not await _ended(process, printed):
                    return Listing((), f"more than {DOCUMENT_BYTES_MAX} bytes, killed")
        except TimeoutError:
            return Listing((), f"not done in {self._timeout_s:g} s, killed")
        finally:
            with suppress(ProcessLookupError):  # mostly nobody of its group is left
                os.killpg(process.pid, signal.SIGKILL)
            await process.wait()
        if process.returncode != 0:
            return Listing((), f"exit code {process.returncode}: {_last_words(said)}")
        return listing_of(os.pread(printed, DOCUMENT_BYTES_MAX + 1, 0))


def _memory(name: str, opened: ExitStack) -> int:
    """A file in memory; this process may have no place for one more."""
    made = os.memfd_create(name)
    opened.callback(os.close, made)
    return made


async def _ended(process: asyncio.subprocess.Process, printed: int) -> bool:
    """Whether it ended before it printed too much."""
    ending = asyncio.ensure_future(process.wait())
    try:
        while True:
            await asyncio.wait({ending}, timeout=LOOK_S)
            if os.fstat(printed).st_size > DOCUMENT_BYTES_MAX:
                return False
            if ending.done():
                return True
    finally:
        ending.cancel()
        await asyncio.gather(ending, return_exceptions=True)


def _last_words(said: int) -> str:
    size = os.fstat(said).st_size
    return (
        os.pread(said, SHOWN_BYTES_MAX, max(0, size - SHOWN_BYTES_MAX))
        .decode(errors="replace")
        .strip()
    )
