"""One daemon of the sandbox as a process: started, read line by line, restarted, stopped.

A child that dies unasked comes back after a delay that doubles with each death. One that ends with
the exit code for a mistake in the config would only make it again, so it ends the run instead.
"""

import asyncio
import os
import signal
import sys
from collections import deque
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field

from dnsplan.ports import Clock
from sandbox.run.events import Event, read_line
from sandbox.run.leash import leashed

USAGE_EXIT_CODE = 2
FIRST_DELAY_S = 0.5
DELAY_MAX_S = 15.0
# A child that lived this long has got over what killed it, and starts from the first delay again.
STEADY_AFTER_S = 30.0
LAST_LINES_MAX = 12
LINE_BYTES_MAX = 1024 * 1024


class CannotStart(Exception):
    """A child refuses its config: starting it again cannot help. Its text is the child's own."""


@dataclass(frozen=True, slots=True)
class Command:
    """A console command: how it is called here, its entry point, arguments and environment."""

    name: str
    entry: str
    arguments: tuple[str, ...]
    environment: Mapping[str, str]


def restart_delay_s(deaths: int) -> float:
    """How long to wait before a start after so many deaths in a row."""
    return float(min(DELAY_MAX_S, FIRST_DELAY_S * 2 ** max(0, min(deaths, 16) - 1)))


@dataclass(slots=True, eq=False)
class Child:
    """One process at a time, and how often it died."""

    command: Command
    clock: Clock
    report: Callable[[Event], None]
    pid: int | None = None
    deaths: int = 0
    restarts: int = 0
    _stop: asyncio.Event = field(default_factory=asyncio.Event)
    _last: deque[str] = field(default_factory=lambda: deque(maxlen=LAST_LINES_MAX))

    async def keep_running(self) -> None:
        """Start it again whenever it dies, until `stop`; CannotStart when its config is refused."""
        while not self._stop.is_set():
            started_s = self.clock.elapsed_s()
            code = await self.run_once()
            if self._stop.is_set():
                return
            if code == USAGE_EXIT_CODE:
                raise CannotStart("\n".join(self._last))
            lived_s = self.clock.elapsed_s() - started_s
            self.deaths = 1 if lived_s >= STEADY_AFTER_S else self.deaths + 1
            delay_s = restart_delay_s(self.deaths)
            self._say("warning", "died", how=describe_exit(code), restart_in_s=f"{delay_s:g}")
            with suppress(TimeoutError):
                await asyncio.wait_for(self._stop.wait(), delay_s)
            self.restarts += 1

    async def run_once(self) -> int:
        """Start it, read it to its end, and give its exit code (minus the signal that ended it)."""
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            *leashed(os.getpid(), self.command.entry, self.command.arguments),
            env=dict(self.command.environment),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
            # A Ctrl-C at the terminal reaches the sandbox alone, which then stops its children.
            start_new_session=True,
            limit=LINE_BYTES_MAX,
        )
        self.pid = process.pid
        self._say("info", "started", pid=str(process.pid))
        try:
            if self._stop.is_set():
                process.terminate()
            await self._read(process)
            return await process.wait()
        except BaseException:
            # Cancelled: nothing may outlive the sandbox.
            with suppress(ProcessLookupError):
                process.kill()
            await process.wait()
            raise
        finally:
            self.pid = None

    def stop(self) -> None:
        """Ask it to end and not to come back; asked twice, a daemon drops its present pass."""
        self._stop.set()
        self._signal(signal.SIGTERM)

    def kill(self) -> None:
        """End it now."""
        self._stop.set()
        self._signal(signal.SIGKILL)

    @property
    def last_lines(self) -> tuple[str, ...]:
        """What it said last, as it said it."""
        return tuple(self._last)

    def _signal(self, number: signal.Signals) -> None:
        if self.pid is not None:
            with suppress(ProcessLookupError):
                os.kill(self.pid, number)

    async def _read(self, process: asyncio.subprocess.Process) -> None:
        if process.stdout is None:
            return
        while True:
            try:
                line = await process.stdout.readline()
            except ValueError:
                self._say("warning", "line_too_long", bytes_max=str(LINE_BYTES_MAX))
                continue
            if not line:
                return
            text = line.decode(errors="replace").rstrip()
            event = read_line(self.command.name, text, now_s=self.clock.now_s())
            if event is not None:
                self._last.append(text)
                self.report(event)

    def _say(self, level: str, what: str, **facts: str) -> None:
        now_s = self.clock.now_s()
        self.report(Event(now_s, self.command.name, level, what, tuple(facts.items())))


def describe_exit(code: int) -> str:
    """An exit code as words: a negative one is the signal that ended the process."""
    if code >= 0:
        return f"exit code {code}"
    try:
        return signal.Signals(-code).name
    except ValueError:
        return f"signal {-code}"
