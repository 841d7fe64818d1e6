"""Tells people of causes: keeps which pages are open, over restarts too, and hands out the news.

That nothing can be stored is said and ends nothing: pages go out all the same, and a process that
starts without them only tells once more, under the same ids.
"""

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path

import msgspec
import structlog

from dnsplan.notices import Cause
from dnsplan.ports import Clock
from dnsplan.runtime.own_thread import OwnThread, begun
from dnsplan.runtime.paging.book import Manners, OpenPage, OpenPages, revise
from dnsplan.runtime.paging.delivery import Delivery
from dnsplan.runtime.whole_file import NotWritten, write_whole

FILE = "pages.json"
FILE_BYTES_MAX = 16 * 1024 * 1024
# The next news must not wait for a disk that hangs.
STORED_WITHIN_S = 5.0


class Pager:
    """The open pages of one daemon."""

    def __init__(
        self, deliveries: Sequence[Delivery], clock: Clock, manners: Manners, folder: Path | None
    ) -> None:
        """`folder`: where pages are kept; None keeps none."""
        self._deliveries = tuple(deliveries)
        self._clock = clock
        self._manners = manners
        self._path = None if folder is None else folder / FILE
        self._pages: OpenPages = {}
        self._reason = ""
        self._writer: OwnThread[None] = OwnThread(within_s=STORED_WITHIN_S)
        self._log = structlog.get_logger("paging")

    @property
    def pages(self) -> tuple[OpenPage, ...]:
        """What people were told of and not yet of its end."""
        return tuple(self._pages.values())

    def is_open(self, cause: Cause) -> bool:
        """Whether people were told of it."""
        return cause.page_id in self._pages

    async def resume(self) -> None:
        """Go on from what a former process told."""
        if self._path is None:
            return
        try:
            pages = await begun(partial(_read, self._path))
        except (OSError, msgspec.DecodeError) as error:
            self._log.warning("pages_unreadable", reason=f"{self._path}: {error}")
            return
        self._pages = {one.cause.page_id: one for one in pages}

    async def tell(self, causes: Iterable[Cause], *, is_unsure: Callable[[Cause], bool]) -> None:
        """Bring the open pages in line with what is known, and tell the difference."""
        before = self._pages
        self._pages, notices = revise(
            before,
            causes,
            is_unsure=is_unsure,
            manners=self._manners,
            now_s=self._clock.now_s(),
        )
        for one in notices:
            for line in self._deliveries:
                line.put(one)
        if self._pages != before:
            await self._store()

    async def _store(self) -> None:
        if self._path is None:
            return
        text = msgspec.json.encode([*self._pages.values()]).decode()
        try:
            await self._writer.run(partial(_write, self._path, text))
            reason = ""
        except TimeoutError:
            reason = f"{self._path}: not written within {STORED_WITHIN_S:g} s"
        except (NotWritten, OSError) as error:
            reason = str(error)
        if reason and reason != self._reason:
            self._log.error("pages_not_stored", reason=reason)
        self._reason = reason


def _read(path: Path) -> list[OpenPage]:
    if not path.exists():
        return []
    if path.stat().st_size > FILE_BYTES_MAX:
        raise msgspec.ValidationError(f"more than {FILE_BYTES_MAX} bytes")
    return msgspec.json.decode(path.read_bytes(), type=list[OpenPage])


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, text)
