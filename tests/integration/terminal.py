"""A console command on a pseudo-terminal: what a person sees, and Ctrl-C as a person presses it."""

import fcntl
import os
import pty
import select
import subprocess
import termios
import time
from collections.abc import Mapping
from contextlib import suppress

from tests.integration.sandbox_process import BIN

ENDS_WITHIN_S = 60.0
CTRL_C = b"\x03"


def on_a_terminal(
    command: str,
    *arguments: str,
    interrupt_at: str | None = None,
    types: str = "",
    ends_within_s: float = ENDS_WITHIN_S,
    columns: int = 140,
    environment: Mapping[str, str] | None = None,
) -> tuple[str, int]:
    """Run it, press Ctrl-C once a text is there; all that was shown, and the exit code.

    `types` is what the person types before it asks.
    """
    leader, follower = pty.openpty()
    shape = {"TERM": "xterm-256color", "COLUMNS": str(columns), "LINES": "60"}
    process = subprocess.Popen(
        [str(BIN / command), *arguments],
        stdin=follower,
        stdout=follower,
        stderr=follower,
        env={**(environment or os.environ), **shape},
        start_new_session=True,
        preexec_fn=_take_terminal,
    )
    os.close(follower)
    os.write(leader, types.encode())
    text, pressed, deadline_s = "", False, time.monotonic() + ends_within_s
    try:
        with suppress(OSError):  # the terminal is gone once the process has ended
            while chunk := _read(leader, deadline_s, text):
                text += chunk.decode(errors="replace")
                if interrupt_at is not None and interrupt_at in text and not pressed:
                    pressed = True
                    os.write(leader, CTRL_C)
        return text, process.wait(timeout=30)
    finally:
        process.kill()
        process.wait()
        os.close(leader)


def _read(leader: int, deadline_s: float, text: str) -> bytes:
    """What is shown next; a process that shows nothing more and does not end is a failure."""
    ready, _, _ = select.select([leader], [], [], max(0.0, deadline_s - time.monotonic()))
    assert ready, f"not ended in time; it showed: {text[-3000:]}"
    return os.read(leader, 65_536)


def _take_terminal() -> None:
    """Make the pseudo-terminal the process's own, so that Ctrl-C reaches it as a signal."""
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)
