"""A daemon from start to end: its works side by side, until a signal or a fault of the program.

The first SIGTERM or SIGINT lets the present passes end within `grace_s`; the second ends at once.
A fault of the program ends every work and gives exit code 1, with DNS left as it is: whoever
started the process starts it again. Cutting a pass off is safe, since every write is settled by
the next one.
"""

import asyncio
import signal
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import structlog

from dnsplan import exits
from dnsplan.ports import Clock, Jitter
from dnsplan.runtime.notify import ServiceManager
from dnsplan.runtime.periodic import Periodic, Stop, keep_doing

SIGNALS = (signal.SIGTERM, signal.SIGINT)
# A pass may wait for one change to get in sync; systemd's own limit is 90 s.
GRACE_S = 30.0


async def run_daemon(
    works: Sequence[Periodic],
    *,
    clock: Clock,
    jitter: Jitter,
    stop: Stop,
    manager: ServiceManager,
    grace_s: float = GRACE_S,
) -> int:
    """Run works until `stop` is requested or one breaks; the process's exit code."""
    log = structlog.get_logger("daemon")

    def begun(work: Periodic, stop: Stop) -> asyncio.Task[None]:
        doing = keep_doing(work, clock=clock, jitter=jitter, stop=stop)
        return asyncio.create_task(doing, name=work.name)

    with _signals_into(stop):
        tasks = [begun(work, stop) for work in works]
        # Until the last pass has ended: where the works begin anew, systemd still listens.
        beating = [begun(work, Stop()) for work in _watchdog(manager)]
        manager.ready()
        log.info("daemon_started", works=[work.name for work in works])
        try:
            await _until(stop.asked, tasks)
            if not stop.goes_on:
                await _cancel(beating)
                manager.stopping()
            if not any(_is_broken(task) for task in tasks):
                log.info("daemon_stopping", grace_s=grace_s)
                await _finish(tasks, stop, clock, grace_s)
            cut_off = [task.get_name() for task in tasks if not task.done()]
        finally:
            await _cancel([*tasks, *beating])
        return _exit_code(tasks, cut_off, log)


@contextmanager
def _signals_into(stop: Stop) -> Iterator[None]:
    loop = asyncio.get_running_loop()
    handlers = dict.fromkeys(SIGNALS, stop.request)
    if stop.hangup is not None:
        handlers[signal.SIGHUP] = stop.hangup
    for one, handler in handlers.items():
        loop.add_signal_handler(one, handler)
    try:
        yield
    finally:
        for one in handlers:
            loop.remove_signal_handler(one)
        if stop.goes_on and stop.hangup is not None:
            # Until the works have begun anew it asks for what happens anyway, and must end nothing.
            signal.signal(signal.SIGHUP, signal.SIG_IGN)


async def _until(event: asyncio.Event, tasks: Sequence[asyncio.Task[None]]) -> None:
    """Wait for the event, or for the first task that ends: a work ends by itself only broken."""
    waiting = asyncio.ensure_future(event.wait())
    try:
        await asyncio.wait({waiting, *tasks}, return_when=asyncio.FIRST_COMPLETED)
    finally:
        await _cancel([waiting])


async def _finish(
    tasks: Sequence[asyncio.Task[None]], stop: Stop, clock: Clock, grace_s: float
) -> None:
    """Wait until all passes have ended, the grace is over, or stopping at once is asked."""
    ended = asyncio.ensure_future(asyncio.wait(tasks))
    at_once = asyncio.ensure_future(stop.at_once.wait())
    grace = asyncio.ensure_future(clock.sleep(grace_s))
    try:
        await asyncio.wait({ended, at_once, grace}, return_when=asyncio.FIRST_COMPLETED)
    finally:
        await _cancel([ended, at_once, grace])


async def _cancel(tasks: Sequence[asyncio.Future[Any]]) -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


def _is_broken(task: asyncio.Task[None]) -> bool:
    return task.done() and not task.cancelled() and task.exception() is not None


def _exit_code(
    tasks: Sequence[asyncio.Task[None]],
    cut_off: Sequence[str],
    log: structlog.typing.FilteringBoundLogger,
) -> int:
    code = exits.FINE
    for task in tasks:
        if _is_broken(task):
            code = exits.FAILED
            log.critical("program_broken", work=task.get_name(), exc_info=task.exception())
    if cut_off and code == exits.FINE:
        log.warning("passes_cut_off", works=list(cut_off))
    log.info("daemon_stopped", exit_code=code)
    return code


def _watchdog(manager: ServiceManager) -> list[Periodic]:
    if manager.watchdog_every_s is None:
        return []

    async def say_alive() -> None:
        manager.alive()

    return [Periodic("watchdog", manager.watchdog_every_s, say_alive)]
