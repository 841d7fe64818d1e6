"""The sentinel's memory on disk: a JSON file a zone under `state_dir`, readable by people.

A file is replaced whole (written beside it, synced, renamed), so that a crash leaves the former
one. A file that cannot be read is set aside under another name, never overwritten: it may hold the
only copy of what a name should answer.
"""

import os
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import msgspec

from dnsplan.names import Name
from dnsplan.runtime.own_thread import begun
from sentinel.ports import MemoryFailed, NameServer, ZoneMemory
from sentinel.rules.judging import Ailment
from sentinel.rules.paging import Page
from sentinel.rules.remembering import LastGood

FORMAT = 1
FILE_BYTES_MAX = 256 * 1024 * 1024

Result = TypeVar("Result")


class _Answer(msgspec.Struct, frozen=True):
    name: Name
    type: str
    good: LastGood


class _File(msgspec.Struct, frozen=True):
    format: int
    last_good: tuple[_Answer, ...]
    ill: dict[Name, tuple[Ailment, ...]]
    pages: tuple[Page, ...]
    servers: tuple[NameServer, ...]


class DiskMemory:
    """`ports.Memory` in a folder of its own."""

    def __init__(self, folder: Path) -> None:
        """The folder is made when something is stored."""
        self._folder = folder

    async def load(self, label: str) -> ZoneMemory:
        """What was stored last."""
        return await _in_thread(lambda: self._load(label))

    async def store(self, label: str, memory: ZoneMemory) -> None:
        """Replace it whole."""
        await _in_thread(lambda: self._store(label, memory))

    def _load(self, label: str) -> ZoneMemory:
        path = self._path(label)
        try:
            state = path.stat()
            if state.st_size > FILE_BYTES_MAX:
                raise msgspec.ValidationError(f"a file of {state.st_size} bytes")
            stored = msgspec.json.decode(path.read_bytes(), type=_File)
            if stored.format != FORMAT:
                raise msgspec.ValidationError(f"format {stored.format}, this release has {FORMAT}")
        except FileNotFoundError:
            return ZoneMemory()
        except msgspec.DecodeError as error:
            aside = path.with_suffix(f".unreadable-{int(state.st_mtime)}")
            path.replace(aside)
            raise MemoryFailed(f"{path}: {error}; set aside as {aside.name}") from error
        return _from_file(stored)

    def _store(self, label: str, memory: ZoneMemory) -> None:
        path = self._path(label)
        path.parent.mkdir(parents=True, exist_ok=True)
        beside = path.with_suffix(".new")
        text = msgspec.json.format(msgspec.json.encode(_to_file(memory)), indent=1)
        with beside.open("wb") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        beside.replace(path)

    def _path(self, label: str) -> Path:
        return self._folder / f"{label}.json"


async def _in_thread(work: Callable[[], Result]) -> Result:
    try:
        return await begun(work)
    except OSError as error:
        raise MemoryFailed(f"{error.filename}: {error.strerror}") from error


def _to_file(memory: ZoneMemory) -> _File:
    return _File(
        FORMAT,
        tuple(
            _Answer(*unit, good)
            for unit, good in sorted(memory.last_good.items(), key=lambda one: one[0])
        ),
        dict(sorted(memory.ill.items())),
        memory.pages,
        memory.servers,
    )


def _from_file(stored: _File) -> ZoneMemory:
    last_good = {(one.name, one.type): one.good for one in stored.last_good}
    return ZoneMemory(last_good, stored.ill, stored.pages, stored.servers)
