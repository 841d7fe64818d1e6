"""Words to systemd, when it listens: ready, stopping, still alive.

Best effort by nature: a service that cannot tell systemd goes on working. The watchdog says only
that the process's loop turns; it never depends on AWS.
"""

import socket
from collections.abc import Mapping

SOCKET_VARIABLE = "NOTIFY_SOCKET"
WATCHDOG_VARIABLE = "WATCHDOG_USEC"


class ServiceManager:
    """Where to say it. Without a socket every word is a no-op."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        """Read where systemd listens and how often it wants to hear."""
        address = environ.get(SOCKET_VARIABLE, "")
        self._address = "\0" + address[1:] if address.startswith("@") else address
        stated = environ.get(WATCHDOG_VARIABLE, "")
        # Half the time, as sd_watchdog_enabled(3) advises.
        self.watchdog_every_s = int(stated) / 2_000_000 if stated.isdecimal() else None

    def ready(self) -> bool:
        """Say that the daemon works; whether it was said."""
        return self._say("READY=1")

    def stopping(self) -> bool:
        """Say that the daemon ends."""
        return self._say("STOPPING=1")

    def alive(self) -> bool:
        """Say that the loop turns."""
        return self._say("WATCHDOG=1")

    def _say(self, words: str) -> bool:
        if not self._address:
            return False
        try:
            with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as channel:
                channel.settimeout(0)
                channel.sendto(words.encode(), self._address)
        except OSError:
            return False
        return True
