"""Where a person reads on when a command refuses or fails: the page of the error, else its own."""

from collections.abc import Mapping
from contextvars import ContextVar
from typing import Final

from dnsplan.errors import DnsplanError
from dnsplan.pages import INDEX, path_of, reason_of

# The page in which each command is the thing to do; what only looks is in the index.
COMMANDS: Final[Mapping[str, str]] = {
    "adopt": "adopt",
    "audit": "audit",
    "diff": INDEX,
    "drain": "drain",
    "drill": INDEX,
    "explain": INDEX,
    "export": "break-glass",
    "freeze": "freeze-the-world",
    "history": INDEX,
    "keys": "unsigned-plan",
    "names": INDEX,
    "pin": "bad-plan",
    "preflight": INDEX,
    "reconcile": "table-restored",
    "restore": "break-glass",
    "retire": "retire",
    "rollback": "bad-plan",
    "status": INDEX,
    "thaw": "freeze-the-world",
    "undrain": "drain",
    "unpin": "bad-plan",
    "verify": INDEX,
    "waive": "velocity-hold",
}


# The command of this call; the app notes it before any of its code runs.
RUNNING: Final[ContextVar[str]] = ContextVar("RUNNING", default="")


def read_on(error: DnsplanError) -> str:
    """The page, as a path in the repository and in the package."""
    if reason := reason_of(error):
        return path_of(reason)
    return f"runbooks/{COMMANDS.get(RUNNING.get(), INDEX)}.md"
