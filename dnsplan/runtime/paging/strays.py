"""What waits on disk for receivers that the config no longer names: a new receiver begins with it.

A receiver is new while it has no folder of its own. Every page goes to each receiver, so that a
change of address, or of several at once, needs no guess about who follows whom: each new one takes
all that waits for those that are gone, every notice once and under its id. Where none is new, the
others have had these pages; what is left is said, hourly, until its day is over, and what goes then
is named. Nothing goes from a folder before it stands in the next one, whole.
"""

import re
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import structlog

from dnsplan.notices import Notice
from dnsplan.ports import Clock
from dnsplan.runtime.paging.ports import KEPT_S, SpoolFailed
from dnsplan.runtime.paging.spool import DiskSpool, in_thread

LOOK_EVERY_S = 60.0
SAID_AGAIN_S = 3_600.0
# Being filled: what stands in it stands elsewhere as well, until it has its name.
UNFINISHED = ".new"
_RECEIVER = re.compile(r"^(webhook|command|sns)-[0-9a-f]{12}$")


@dataclass(frozen=True, slots=True)
class _Stray:
    path: Path
    notice: Notice


class Strays:
    """The folders of one daemon's receivers that are gone."""

    name = "receivers that are gone"

    def __init__(self, folder: Path, present: Sequence[str], clock: Clock) -> None:
        """`present`: the folders' names of the receivers that the config states."""
        self._folder = folder
        self._present = tuple(dict.fromkeys(present))
        self._clock = clock
        self._left: tuple[_Stray, ...] = ()
        self._said_s: float | None = None
        self.undelivered = 0
        self._log = structlog.get_logger("paging").bind(sink=self.name)

    @property
    def waiting(self) -> int:
        """How many wait for nobody."""
        return len(self._left)

    async def settle(self) -> None:
        """Once, before the new receivers take up what waits for them."""
        try:
            self._left, problems = await in_thread(lambda: _strays(self._folder, self._present))
            for problem in problems:
                self._log.error("spooled_notice_unreadable", reason=problem)
            await self._hand_over()
        except SpoolFailed as error:
            self._log.error("notices_not_taken_over", reason=str(error))

    async def _hand_over(self) -> None:
        new = await in_thread(lambda: _new(self._folder, self._present))
        if not new:
            return
        now_s = self._clock.now_s()
        fresh = [one for one in self._left if now_s - one.notice.at_s <= KEPT_S]
        by_id = {one.notice.notice_id: one.notice for one in fresh}
        notices = sorted(by_id.values(), key=lambda one: one.at_s)
        await in_thread(lambda: _fill_all(self._folder, new, notices))
        self._left = await in_thread(lambda: _rid_of(self._left, fresh))
        if notices:
            self._log.warning("notices_taken_over", count=len(notices), by=new)

    async def run_once(self) -> None:
        """Say what waits for nobody, and end what is over. SpoolFailed."""
        now_s = self._clock.now_s()
        over = [one for one in self._left if now_s - one.notice.at_s > KEPT_S]
        self._left = await in_thread(lambda: _rid_of(self._left, over))
        for one in over:
            self.undelivered += 1
            page_id = one.notice.page_id
            self._log.error("notice_undelivered", page=page_id, reason="its receiver is gone")
        self._say()

    def _say(self) -> None:
        now_s = self._clock.elapsed_s()
        is_said = self._said_s is not None and now_s - self._said_s < SAID_AGAIN_S
        if self._left and not is_said:
            self._said_s = now_s
            folders = sorted({one.path.parent.name for one in self._left})
            pages = sorted({one.notice.page_id for one in self._left})
            self._log.warning("notices_stranded", count=self.waiting, folders=folders, pages=pages)


def _new(folder: Path, present: Sequence[str]) -> list[str]:
    return [name for name in present if not (folder / name).is_dir()]


def _strays(folder: Path, present: Sequence[str]) -> tuple[tuple[_Stray, ...], tuple[str, ...]]:
    found: list[_Stray] = []
    problems: list[str] = []
    for one in sorted(folder.iterdir()) if folder.is_dir() else ():
        if _RECEIVER.match(one.name) and one.name not in present:
            spool = DiskSpool(one)
            loaded = spool.read()
            found += [_Stray(spool.path(at), notice) for at, notice in loaded.notices]
            problems += loaded.problems
            _tidy(one)
        elif one.name.endswith(UNFINISHED):
            shutil.rmtree(one, ignore_errors=True)
    return tuple(found), tuple(problems)


def _fill_all(folder: Path, new: Sequence[str], notices: Sequence[Notice]) -> None:
    for name in new:
        _fill(folder, name, notices)


def _fill(folder: Path, name: str, notices: Sequence[Notice]) -> None:
    """A receiver's folder, with all of these in it or not there at all."""
    unfinished = folder / (name + UNFINISHED)
    unfinished.mkdir(parents=True)
    for at, notice in enumerate(notices):
        DiskSpool(unfinished).write(at, notice)
    unfinished.replace(folder / name)


def _rid_of(strays: Sequence[_Stray], gone: Sequence[_Stray]) -> tuple[_Stray, ...]:
    """Take those away, and their folders with the last of them; what is left on disk."""
    for one in gone:
        one.path.unlink(missing_ok=True)
    for folder in {one.path.parent for one in gone}:
        _tidy(folder)
    return tuple(one for one in strays if one.path.exists())


def _tidy(folder: Path) -> None:
    """An empty one goes, so that its receiver would be a new one."""
    if folder.is_dir() and not any(folder.iterdir()):
        folder.rmdir()
