"""What waits for one sink, on disk: a file a notice, so that a crash or a restart loses none.

A file stands whole or not at all. One that cannot be read is set aside under another name, never
deleted: it may hold the only word of what happened. A sink gets its own back however the config is
ordered, since the folder's name comes from what the sink is; what becomes of a folder whose sink is
no longer stated is `strays`'.
"""

import re
from collections.abc import Callable, Mapping
from hashlib import blake2b
from pathlib import Path
from typing import TypeVar

import msgspec

from dnsplan.notices import Change, Notice
from dnsplan.runtime.own_thread import begun
from dnsplan.runtime.paging.ports import Loaded, SpoolFailed
from dnsplan.runtime.whole_file import NotWritten, write_whole

FORMAT = 1
# A page about a thousand names with all their last good answers stays far below this.
FILE_BYTES_MAX = 4 * 1024 * 1024
_NUMBERED = re.compile(r"^[0-9]{10}\.json$")

Result = TypeVar("Result")


class _File(msgspec.Struct, frozen=True):
    format: int
    page_id: str
    change: Change
    title: str
    text: str
    at_s: float
    facts: Mapping[str, object]


class DiskSpool:
    """`ports.Spool` in a folder of its own."""

    def __init__(self, folder: Path) -> None:
        """The folder is made when the first notice is kept."""
        self._folder = folder

    async def load(self) -> Loaded:
        """What was kept and never let go, oldest first."""
        return await in_thread(self.read)

    async def keep(self, number: int, notice: Notice) -> None:
        """Keep one, whole or not at all."""
        await in_thread(lambda: self.write(number, notice))

    async def let_go(self, number: int) -> None:
        """It was delivered, or is given up."""
        await in_thread(lambda: self.path(number).unlink(missing_ok=True))

    def read(self) -> Loaded:
        """What `load` gives, for whoever is in a thread already."""
        notices: list[tuple[int, Notice]] = []
        problems: list[str] = []
        after = 0
        if not self._folder.is_dir():
            return Loaded()
        for path in sorted(self._folder.iterdir()):
            if not _NUMBERED.match(path.name):
                continue
            after = int(path.stem) + 1
            try:
                notices.append((int(path.stem), _read(path)))
            except msgspec.DecodeError as error:
                aside = path.with_suffix(".unreadable")
                path.replace(aside)
                problems.append(f"{path}: {error}; set aside as {aside.name}")
            except OSError as error:
                problems.append(f"{path}: {error.strerror}; left where it is")
        return Loaded(tuple(notices), tuple(problems), after)

    def write(self, number: int, notice: Notice) -> None:
        """What `keep` does, for whoever is in a thread already. What stands there is never written
        over: it may wait for somebody who could not read it."""
        self._folder.mkdir(parents=True, exist_ok=True)
        if self.path(number).exists():
            raise NotWritten(f"{self.path(number)}: stands there already")
        file = _File(
            FORMAT,
            notice.page_id,
            notice.change,
            notice.title,
            notice.text,
            notice.at_s,
            notice.facts,
        )
        write_whole(self.path(number), msgspec.json.encode(file).decode())

    def path(self, number: int) -> Path:
        """The file of one."""
        return self._folder / f"{number:010}.json"


def folder_name(kind: str, identity: str) -> str:
    """One sink's folder: the same for the same receiver, and no way back to a secret address."""
    return f"{kind}-{blake2b(identity.encode(), digest_size=6).hexdigest()}"


def _read(path: Path) -> Notice:
    if path.stat().st_size > FILE_BYTES_MAX:
        raise msgspec.ValidationError(f"more than {FILE_BYTES_MAX} bytes")
    stored = msgspec.json.decode(path.read_bytes(), type=_File)
    if stored.format != FORMAT:
        raise msgspec.ValidationError(f"format {stored.format}, this release has {FORMAT}")
    return Notice(
        stored.page_id, stored.change, stored.title, stored.text, stored.at_s, stored.facts
    )


async def in_thread(work: Callable[[], Result]) -> Result:
    """Work on the disk, beside everything else; its trouble is SpoolFailed."""
    try:
        return await begun(work)
    except NotWritten as error:
        raise SpoolFailed(str(error)) from error
    except OSError as error:
        raise SpoolFailed(f"{error.filename}: {error.strerror}") from error
