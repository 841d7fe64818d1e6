"""Looks at what stands at a path, and opens a file to read without waiting: a pipe in its place
would hold a command up for ever."""

import errno
import os
import stat
from io import BufferedReader
from pathlib import Path


def is_folder(path: Path) -> bool:
    """Whether a folder stands there that we may look at. `Path.is_dir` raises where we may not."""
    try:
        return path.is_dir()
    except OSError:
        return False


def open_regular(path: Path) -> BufferedReader:
    """The opened file, or OSError, also where something stands there that is no regular file."""
    file = open(path, "rb", opener=_at_once)  # noqa: SIM115 - Path.open takes no opener
    if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        file.close()
        raise OSError(errno.EINVAL, "Not a regular file")
    return file


def _at_once(path: str, flags: int) -> int:
    """Without O_NONBLOCK opening a pipe waits for whoever writes into it."""
    return os.open(path, flags | os.O_NONBLOCK)
