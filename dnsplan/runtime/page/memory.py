"""What a page last showed of the table, on disk, for a daemon that starts while the table is gone.

One file a daemon under `state_dir/page`, whole or not at all. One that is damaged, too large or of
another table is passed over and named in the log. It is for people: nothing decides by it, and a
disk that is full or hangs delays neither the page nor the daemon.
"""

import asyncio
from pathlib import Path

import msgspec
import structlog
from msgspec import Struct

from dnsplan.ports import Clock, Presence
from dnsplan.runtime.own_thread import begun
from dnsplan.runtime.page.known import Known, ZoneKnown
from dnsplan.runtime.whole_file import NotWritten, write_whole

FOLDER = "page"
FORMAT = 1
# Some thousand zones with a few names each. Zones that have no room are left out and counted.
FILE_BYTES_MAX = 16 * 1024 * 1024
# What a crash may lose of the last known state, and a stop does not; a disk has other things to do.
KEEP_EVERY_S = 10.0
LOAD_WITHIN_S = 5.0
FINISH_WITHIN_S = 1.0


class _File(Struct, frozen=True):
    format: int
    table: str
    read_s: float
    presences: tuple[Presence, ...]
    zones: dict[str, msgspec.Raw]


class PageMemory:
    """One daemon's file."""

    def __init__(self, state_dir: Path, who: str, *, table: str, clock: Clock) -> None:
        """Nothing is touched yet; whoever installs the daemon makes the state folder."""
        self._state_dir = state_dir
        self._path = state_dir / FOLDER / f"{who}.json"
        self._table = table
        self._clock = clock
        self._log = structlog.get_logger("page")
        self._newest: Known | None = None
        self._writing: asyncio.Task[None] | None = None
        self._begun_s: float | None = None
        self._told = ""

    async def load(self) -> Known | None:
        """What a former process kept, or None."""
        try:
            return await asyncio.wait_for(begun(self._load), LOAD_WITHIN_S)
        except TimeoutError:
            reason = f"not read within {LOAD_WITHIN_S:.0f} s"
        except OSError as error:
            reason = (error.strerror or str(error)).lower()
        except msgspec.MsgspecError as error:
            reason = str(error)
        self._log.warning("page_memory_ignored", reason=f"{self._path}: {reason}")
        return None

    def keep(self, known: Known) -> None:
        """Begin to write it, unless that was done a moment ago or is still under way."""
        self._newest = known
        now_s = self._clock.elapsed_s()
        if self._begun_s is None or now_s - self._begun_s >= KEEP_EVERY_S:
            self._begin(now_s)

    async def written(self) -> None:
        """Give a write that is under way a moment to end."""
        if self._writing is not None:
            await asyncio.wait((self._writing,), timeout=FINISH_WITHIN_S)

    async def finish(self) -> None:
        """The daemon stops: write what was shown last."""
        await self.written()
        self._begin(self._clock.elapsed_s())
        await self.written()

    def _begin(self, now_s: float) -> None:
        known, self._newest = self._newest, None
        if known is not None and (self._writing is None or self._writing.done()):
            self._begun_s = now_s
            self._writing = asyncio.create_task(self._keep(known), name="keep the page")

    async def _keep(self, known: Known) -> None:
        try:
            left_out = await begun(lambda: self._write(known))
            reason = f"{self._path}: no room for {left_out} zones" if left_out else ""
        except NotWritten as error:
            reason = str(error)
        except OSError as error:
            reason = f"{self._path}: {(error.strerror or str(error)).lower()}"
        if reason and reason != self._told:
            self._log.warning("page_memory_not_kept", reason=reason)
        self._told = reason

    def _load(self) -> Known | None:
        if not self._path.exists():
            return None
        if (size := self._path.stat().st_size) > FILE_BYTES_MAX:
            raise msgspec.ValidationError(f"{size} bytes, more than {FILE_BYTES_MAX}")
        file = msgspec.json.decode(self._path.read_bytes(), type=_File)
        if file.format != FORMAT:
            raise msgspec.ValidationError(f"format {file.format}, this release has {FORMAT}")
        if file.table != self._table:
            raise msgspec.ValidationError(f"of the table {file.table}, this is {self._table}")
        zones = {
            label: msgspec.json.decode(zone, type=ZoneKnown) for label, zone in file.zones.items()
        }
        return Known(file.read_s, zones, file.presences)

    def _write(self, known: Known) -> int:
        """Write as many zones as have room; how many have none."""
        if not self._state_dir.is_dir():
            raise NotWritten(f"state_dir {self._state_dir}: no such folder")
        self._path.parent.mkdir(exist_ok=True)
        head = _File(FORMAT, self._table, known.read_s, known.presences, {})
        room = FILE_BYTES_MAX - len(msgspec.json.encode(head))
        zones: dict[str, msgspec.Raw] = {}
        for label, zone in known.zones.items():
            text = msgspec.json.encode(zone)
            room -= len(text) + len(msgspec.json.encode(label)) + 2
            if room < 0:
                break
            zones[label] = msgspec.Raw(text)
        write_whole(
            self._path, msgspec.json.encode(msgspec.structs.replace(head, zones=zones)).decode()
        )
        return len(known.zones) - len(zones)
