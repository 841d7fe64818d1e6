"""A source whose last whole list is kept on disk, for a planner that starts while it is away.

What was kept is never the whole truth: it names targets, so that they are probed and weighed as
before, and takes none away. It is used until the first complete read of this process, and said with
its time. A file that is damaged, another source's or out of reach is told and left alone; no read
fails or waits for it.
"""

import asyncio
from collections.abc import Callable
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path

import msgspec
import structlog

from dnsplan.ports import Clock
from dnsplan.runtime.own_thread import OwnThread
from dnsplan.runtime.whole_file import NotWritten, write_whole
from planner.membership import Feed
from planner.ports import Source
from planner.rules.roll import Found, Listing

FOLDER = "sources"

# A list that does not change is written anew so often, so that its age is known.
KEPT_EVERY_S = 300.0

# A disk that hangs must not hold up the first read for longer.
DISK_WITHIN_S = 5.0


class Kept(msgspec.Struct, frozen=True, kw_only=True):
    """What stands in the file; `of` are the pool and the words for its source."""

    of: tuple[str, str]
    read_s: float
    targets: tuple[Found, ...]


class RememberedSource:
    """ports.Source around another."""

    def __init__(
        self, inner: Source, feed: Feed, state_dir: Path, *, clock: Clock, keeps: bool
    ) -> None:
        """Nothing is touched yet; with `keeps` off it only remembers."""
        self._inner = inner
        self._key = feed.key
        name = sha256("\n".join(feed.key).encode()).hexdigest()[:16]
        self._path = state_dir / FOLDER / f"{name}.json"
        self._clock = clock
        self._keeps = keeps
        self._was_complete = False
        self._written: tuple[float, tuple[Found, ...]] | None = None
        self._writing: asyncio.Task[None] | None = None
        self._reader: OwnThread[bytes] = OwnThread(within_s=DISK_WITHIN_S)
        self._writer: OwnThread[None] = OwnThread(within_s=DISK_WITHIN_S)
        self._log = structlog.get_logger("sources").bind(path=str(self._path))

    async def read(self) -> Listing:
        """The source's own word; until it was whole once, with what was kept beside it."""
        listing = await self._inner.read()
        if listing.is_complete:
            self._was_complete = True
            self._keep(listing.targets)
            return listing
        kept = None if self._was_complete else await self._load()
        if kept is None:
            return listing
        named = {one.id for one in listing.targets}
        answers = {one.answer for one in listing.targets}
        beside = [one for one in kept.targets if one.id not in named and one.answer not in answers]
        # When and not how long ago: trouble that stays the same is told once a minute.
        at = datetime.fromtimestamp(kept.read_s, UTC).strftime("%Y-%m-%d %H:%M:%SZ")
        problem = listing.problem or "it named no target"
        told = f"{problem}; known from the read of {at}: {len(beside)} targets"
        return Listing((*listing.targets, *beside), told)

    def _keep(self, targets: tuple[Found, ...]) -> None:
        now_s = self._clock.now_s()
        if not self._keeps or (self._writing is not None and not self._writing.done()):
            return
        if self._written is not None:
            at_s, what = self._written
            if what == targets and now_s - at_s < KEPT_EVERY_S:
                return
        self._written = (now_s, targets)
        text = msgspec.json.encode(Kept(of=self._key, read_s=now_s, targets=targets)).decode()
        self._writing = asyncio.create_task(self._write(text))

    async def _write(self, text: str) -> None:
        try:
            await self._writer.run(lambda: self._put(text))
        except TimeoutError:
            self._log.warning("source_not_kept", reason=f"not written within {DISK_WITHIN_S:.0f} s")
        except (NotWritten, OSError) as error:
            self._log.warning("source_not_kept", reason=str(error))

    def _put(self, text: str) -> None:
        self._path.parent.mkdir(exist_ok=True)  # whoever installs the daemon makes the folder above
        write_whole(self._path, text)

    async def _load(self) -> Kept | None:
        try:
            text = await self._reader.run(self._path.read_bytes)
            kept = msgspec.json.decode(text, type=Kept)
        except FileNotFoundError:
            return None
        except TimeoutError:
            reason = f"not read within {DISK_WITHIN_S:.0f} s"
        except (OSError, UnicodeDecodeError, msgspec.MsgspecError) as error:
            reason = str(error)
        else:
            if kept.of == self._key:
                return kept
            reason = f"it is kept of {' '.join(kept.of)}"
        self._log.warning("source_memory_ignored", reason=reason)
        return None


def remembering(
    state_dir: Path, *, clock: Clock, keeps: bool
) -> Callable[[Source, Feed], RememberedSource]:
    """Puts a memory around each source; with `keeps` off it only remembers."""
    return lambda inner, feed: RememberedSource(inner, feed, state_dir, clock=clock, keeps=keeps)
