"""Standard output, which whoever reads it may close at any time, as `head` does.

Nothing is an error then: what is written later goes nowhere, the command is told once so that it
can stop in order, and its exit code is the one that a shell shows for a program that wrote to a
closed pipe.
"""

import os
import signal
import sys
from collections.abc import Callable
from dataclasses import dataclass

CLOSED_PIPE = 128 + signal.SIGPIPE


def _nobody() -> None:
    """Nobody needs to be told."""


@dataclass(slots=True)
class Output:
    """Lines to standard output, each at once."""

    on_closed: Callable[[], None] = _nobody
    is_closed: bool = False

    def write(self, text: str) -> None:
        """One line, while somebody reads."""
        if self.is_closed:
            return
        try:
            sys.stdout.write(text + "\n")
            sys.stdout.flush()
        except BrokenPipeError:
            self.is_closed = True
            # What is left in the buffer is written at the very end, where nobody can catch it.
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, sys.stdout.fileno())
            os.close(nowhere)
            self.on_closed()

    def exit_code(self, code: int) -> int:
        """The command's exit code, unless nobody read to its end."""
        return CLOSED_PIPE if self.is_closed else code
