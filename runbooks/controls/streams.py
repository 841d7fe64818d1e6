"""Standard streams that are closed, full, read by nobody any more, or of an encoding that lacks a
letter: they stop no work half-way.

Whoever started a command may have gone; what it does to zones is not theirs to lose.
"""

import os
import sys
from contextlib import suppress
from io import TextIOWrapper
from pathlib import Path
from typing import TextIO


def open_missing() -> None:
    """Give the process the streams that it was started without, leading nowhere: Python has None in
    their place, and the next connection would take their numbers."""
    # In the order of their numbers, since each opened file gets the lowest that is free.
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, Path(os.devnull).open(mode, encoding="utf-8"))  # noqa: SIM115 - for good


def let_through(stream: TextIO) -> None:
    """Have a stream show what its encoding lacks written out, as Python has it for standard error:
    a letter in somebody's reason must not end a command that is half done."""
    if isinstance(stream, TextIOWrapper):
        stream.reconfigure(errors="backslashreplace")


def let_go(stream: TextIO) -> None:
    """Have what is still written to a stream go nowhere, since it cannot go where it should."""
    with suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)
