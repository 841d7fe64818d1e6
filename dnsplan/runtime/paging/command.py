"""A page as a command: the text on standard input, the facts as JSON in the environment.

No shell reads any of it. A command that does not end in time is killed with all that it started.
Text and complaints pass through files in memory rather than pipes: a program that reads nothing, or
leaves something running that holds its standard error, cannot keep a notice waiting.
"""

import asyncio
import os
import signal
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress

import msgspec

from dnsplan.notices import Notice
from dnsplan.runtime.paging.ports import Delivered, Undelivered
from dnsplan.runtime.paging.shortened import shortened

SHOWN_BYTES_MAX = 200
# Linux starts no program with a variable of 128 KB or more. Source: execve(2), MAX_ARG_STRLEN.
VARIABLE_BYTES_MAX = 100_000


class CommandSink:
    """Runs one program a notice, with arguments as the config states them."""

    def __init__(
        self, argv: Sequence[str], environ: Mapping[str, str], *, timeout_s: float
    ) -> None:
        """`environ` is what the program finds besides the page."""
        self._argv = tuple(argv)
        self._environ = dict(environ)
        self._timeout_s = timeout_s

    @property
    def name(self) -> str:
        """The program; its arguments may hold what no log should."""
        return f"command {self._argv[0]}"

    async def send(self, notice: Notice) -> Delivered | Undelivered:
        """Run it; exit code 0 is a delivery."""
        try:
            with _memory("page") as told, _memory("said") as said:
                os.write(told, notice.text.encode())
                os.lseek(told, 0, os.SEEK_SET)
                return await self._run(notice, told, said)
        except OSError as error:
            return Undelivered(f"cannot be started: {error.strerror}")

    async def _run(self, notice: Notice, told: int, said: int) -> Delivered | Undelivered:
        process = await asyncio.create_subprocess_exec(
            *self._argv,
            env={**self._environ, **_variables(notice)},
            stdin=told,
            stdout=asyncio.subprocess.DEVNULL,
            stderr=said,
            start_new_session=True,
        )
        try:
            code = await asyncio.wait_for(process.wait(), self._timeout_s)
        except TimeoutError:
            return Undelivered(f"not done in {self._timeout_s:g} s, killed")
        finally:
            if process.returncode is None:
                with suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
                await process.wait()
        if code == 0:
            return Delivered()
        return Undelivered(f"exit code {code}: {_last_words(said)}")


@contextmanager
def _memory(name: str) -> Iterator[int]:
    """A file in memory; OSError when no more files may be open."""
    opened = os.memfd_create(name)
    try:
        yield opened
    finally:
        os.close(opened)


def _variables(notice: Notice) -> dict[str, str]:
    """The page's facts, fewer of them where a variable could not hold all."""
    facts = msgspec.json.encode(notice.facts)
    if max(len(facts), len(notice.title.encode())) > VARIABLE_BYTES_MAX:
        notice = shortened(notice)
        facts = msgspec.json.encode(notice.facts)
    texts = {
        "DNSPLAN_PAGE_ID": notice.page_id,
        "DNSPLAN_PAGE_CHANGE": str(notice.change),
        "DNSPLAN_PAGE_TITLE": notice.title,
        "DNSPLAN_PAGE_JSON": facts.decode(),
    }
    return {name: text.replace("\0", "\ufffd") for name, text in texts.items()}


def _last_words(said: int) -> str:
    size = os.lseek(said, 0, os.SEEK_END)
    start = max(0, size - SHOWN_BYTES_MAX)
    return os.pread(said, SHOWN_BYTES_MAX, start).decode(errors="replace").strip()
