"""Writes what waits for a sink to its spool, beside the sending.

A disk that hangs or is full delays no page, and loses none that can be delivered; that something
cannot be kept is said, once.
"""

import asyncio

import structlog

from dnsplan.notices import Notice
from dnsplan.runtime.paging.ports import Loaded, Spool, SpoolFailed


class Keeping:
    """The way to one spool; writes are made one after the other.

    `todo`: what is to be kept, or (None) let go, by number. What is delivered before it was written
    is never written, so no more is to be let go than stands on disk. `unkept`: what the disk would
    not take, and waits in this process alone.
    """

    def __init__(self, spool: Spool, *, sink: str) -> None:
        """Nothing is written yet."""
        self._spool = spool
        self._todo: dict[int, Notice | None] = {}
        self._task: asyncio.Task[None] | None = None
        self._unkept: set[int] = set()
        self._reason = ""
        self._log = structlog.get_logger("paging").bind(sink=sink)

    @property
    def is_safe(self) -> bool:
        """Whether all that waits stands on disk."""
        return not (self._todo or self._unkept) and (self._task is None or self._task.done())

    async def load(self) -> Loaded:
        """What a former process left; nothing, and a word about it, where that cannot be read."""
        try:
            loaded = await self._spool.load()
        except SpoolFailed as error:
            self._log.error("spool_unreadable", reason=str(error))
            return Loaded()
        for problem in loaded.problems:
            self._log.error("spooled_notice_unreadable", reason=problem)
        return loaded

    def keep(self, number: int, notice: Notice) -> None:
        """Write it soon."""
        self._todo[number] = notice

    def let_go(self, number: int) -> None:
        """It is over."""
        self._unkept.discard(number)
        if self._todo.get(number) is not None:
            del self._todo[number]
        else:
            self._todo[number] = None

    def start(self) -> None:
        """Go on writing; what broke the former write is raised here."""
        if self._task is not None and self._task.done():
            self._task.result()
            self._task = None
        if self._task is None and self._todo:
            self._task = asyncio.create_task(self._write())

    async def finish(self, *, within_s: float) -> bool:
        """Write what is left; whether all of it stands on disk."""
        self.start()
        if self._task is not None:
            await asyncio.wait([self._task], timeout=within_s)
            if not self._task.done():
                self._task.cancel()
                await asyncio.gather(self._task, return_exceptions=True)
                return False
        return self.is_safe

    async def _write(self) -> None:
        while self._todo:
            number, notice = next(iter(self._todo.items()))
            del self._todo[number]
            try:
                if notice is None:
                    await self._spool.let_go(number)
                else:
                    await self._spool.keep(number, notice)
            except SpoolFailed as error:
                if str(error) != self._reason:
                    self._log.error("notice_not_kept", reason=str(error))
                self._reason = str(error)
                if notice is not None:
                    self._unkept.add(number)
            else:
                self._reason = ""
