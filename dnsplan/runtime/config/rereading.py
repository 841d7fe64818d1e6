"""Notices that the config's files changed, and reads them anew once they have settled.

A file that somebody is still writing can be sound and short, and what it lacks is no instruction:
so a change counts only when two looks in a row found the same. What has mistakes changes nothing.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from dnsplan.errors import ConfigError
from dnsplan.runtime.config import files
from dnsplan.runtime.config.loading import LoadedConfig, load
from dnsplan.runtime.config.schema import Settings

Stamp: TypeAlias = tuple[tuple[str, int, int, int], ...]


@dataclass(frozen=True, slots=True)
class Reread:
    """Another config, checked whole."""

    loaded: LoadedConfig


@dataclass(frozen=True, slots=True)
class Broken:
    """What stands there now has mistakes; the config before holds on."""

    error: ConfigError


class ConfigFiles:
    """The files of one config. Invariant: `_taken` is what the last reading was made from."""

    def __init__(self, loaded: LoadedConfig, environ: Mapping[str, str]) -> None:
        """They were just read."""
        self._loaded = loaded
        self._environ = environ
        self._taken = self._seen = self._stamp()

    @property
    def settings(self) -> Settings:
        """As they were read last without a mistake."""
        return self._loaded.settings

    def look(self, *, anew: bool = False) -> Reread | Broken | None:
        """What came of a change; None while nothing has changed, or not settled yet. `anew`: read
        in any case, since what is broken may be mended by a file that nobody knows yet."""
        stamp, before = self._stamp(), self._seen
        self._seen = stamp
        if stamp != before or (stamp == self._taken and not anew):
            return None
        self._taken = stamp
        try:
            last = self._loaded
            self._loaded = load(last.path, self._environ, records=last.has_records)
        except ConfigError as error:
            return Broken(error)
        self._taken = self._seen = self._stamp()
        return Reread(self._loaded)

    def _stamp(self) -> Stamp:
        """Every file that was read and every file that an include names now."""
        loaded = self._loaded
        paths = set(loaded.files)
        for pattern in loaded.settings.include:
            paths.update(files.matches(pattern, loaded.path.parent))
        return tuple(_stamp_of(path) for path in sorted(paths))


def _stamp_of(path: Path) -> tuple[str, int, int, int]:
    try:
        found = path.stat()
    except OSError:
        return (str(path), 0, 0, 0)
    return (str(path), found.st_ino, found.st_size, found.st_mtime_ns)
