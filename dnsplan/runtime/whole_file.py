"""A file written whole or not at all: beside its place first, synced, then moved there."""

import os
from pathlib import Path

from dnsplan.errors import DnsplanError


class NotWritten(DnsplanError):
    """The file could not be written; what stood there before still stands."""


def write_whole(path: Path, text: str) -> None:
    """Put a text in a file's place, or raise NotWritten."""
    beside = path.with_name(f".{path.name}.new-{os.getpid()}")
    try:
        try:
            with beside.open("w", encoding="utf-8") as file:
                file.write(text)
                file.flush()
                os.fsync(file.fileno())
            beside.replace(path)
        finally:
            beside.unlink(missing_ok=True)
    except OSError as error:
        raise NotWritten(f"{path}: {(error.strerror or str(error)).lower()}") from error
