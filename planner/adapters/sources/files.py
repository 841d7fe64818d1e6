"""Targets in a JSON file that somebody else replaces whole.

It is read each time anew, so that a file put in its place is seen whatever its dates say. A file
that is half written is no JSON, and leaves what was known. A disk that hangs is said, and holds up
nobody else.
"""

import os
import stat
from pathlib import Path

from dnsplan.runtime.own_thread import OwnThread
from planner.rules.document import DOCUMENT_BYTES_MAX, listing_of
from planner.rules.roll import Listing

READ_WITHIN_S = 5.0


class FileSource:
    """ports.Source over one file."""

    def __init__(self, path: Path, *, within_s: float = READ_WITHIN_S) -> None:
        """Nothing is opened yet."""
        self._path = path
        self._within_s = within_s
        self._thread: OwnThread[Listing] = OwnThread(within_s=within_s)

    async def read(self) -> Listing:
        """Read it in a thread of its own."""
        try:
            return await self._thread.run(self._read)
        except TimeoutError:
            return Listing((), f"not read in {self._within_s:g} s")
        except OSError as error:
            return Listing((), _words(error))

    def _read(self) -> Listing:
        try:
            # Without O_NONBLOCK opening a pipe waits for whoever writes into it.
            opened = os.open(self._path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        except OSError as error:
            return Listing((), _words(error))
        try:
            if not stat.S_ISREG(os.fstat(opened).st_mode):
                return Listing((), "not a regular file")
            with os.fdopen(opened, "rb", closefd=False) as file:
                text = file.read(DOCUMENT_BYTES_MAX + 1)
        except OSError as error:
            return Listing((), _words(error))
        finally:
            os.close(opened)
        return listing_of(text)


def _words(error: OSError) -> str:
    return (error.strerror or type(error).__name__).lower()
