"""Run a console command in this process, tied to the life of the sandbox that started it.

The daemons hold for ever when AWS is away, as they should; so a sandbox that is killed outright
would leave them behind. On Linux the kernel ends them instead (prctl PR_SET_PDEATHSIG, see
prctl(2)); elsewhere only an orderly end of the sandbox stops them.

    python -m sandbox.run.leash PARENT_PID MODULE:FUNCTION NAME [ARGUMENT ...]
"""

import ctypes
import importlib
import os
import signal
import sys
from collections.abc import Sequence

PR_SET_PDEATHSIG = 1
ORPHANED = 70


def leashed(parent: int, entry: str, arguments: Sequence[str]) -> tuple[str, ...]:
    """The arguments of a Python interpreter that runs `entry` on a leash."""
    return ("-m", "sandbox.run.leash", str(parent), entry, *arguments)


def tie_to(parent: int) -> bool:
    """Ask for SIGTERM when the parent dies; False when it is dead already."""
    if sys.platform == "linux":
        ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)
    # Asked after prctl: a parent that died before it would never be reported.
    return os.getppid() == parent


def main(arguments: Sequence[str]) -> int:
    """Tie, then become the command."""
    parent, entry, *command = arguments
    if not tie_to(int(parent)):
        return ORPHANED
    module, _, function = entry.partition(":")
    sys.argv[:] = command
    getattr(importlib.import_module(module), function)()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
