"""Ports that are free, and ports that one run keeps for itself.

A run's servers are processes of their own, which open their ports some seconds after they were
chosen; another run that starts meanwhile must not choose the same.
"""

import socket
from contextlib import ExitStack
from typing import Self

from sandbox.run.hosts import HOST

# A port the kernel has just given is nearly always free on the other addresses too.
TRIES_MAX = 100


def free_port(wanted: int, hosts: tuple[str, ...] = (HOST,)) -> int:
    """The wanted port if it is free on all these addresses, else (and for 0) one that is."""
    with Claims() as claims:
        return claims.port(wanted, hosts)


class Claims:
    """The ports of one run, its own until the block ends.

    The claim is a UDP socket of the same number, which the kernel gives to one process alone; the
    servers listen by TCP.
    """

    def __init__(self) -> None:
        """Nothing is claimed yet."""
        self._held = ExitStack()

    def __enter__(self) -> Self:
        """Claims end with the block."""
        return self

    def __exit__(self, *_error: object) -> None:
        """Give all of them up."""
        self._held.close()

    def port(self, wanted: int, hosts: tuple[str, ...] = (HOST,)) -> int:
        """The wanted port if it is free on all these addresses and nobody has claimed it, else (and
        for 0) another one. It is claimed."""
        for _ in range(TRIES_MAX):
            if wanted and self._is_claimed(wanted, hosts):
                return wanted
            with socket.socket() as probe:
                probe.bind((HOST, 0))
                wanted = int(probe.getsockname()[1])
        raise OSError(f"no port is free on {', '.join(hosts)}")

    def _is_claimed(self, port: int, hosts: tuple[str, ...]) -> bool:
        with ExitStack() as trial:
            claim = trial.enter_context(socket.socket(type=socket.SOCK_DGRAM))
            try:
                claim.bind((HOST, port))
            except OSError:
                return False
            if not _is_free(port, hosts):
                return False
            self._held.enter_context(trial.pop_all())
            return True


def _is_free(port: int, hosts: tuple[str, ...]) -> bool:
    with ExitStack() as stack:
        for host in hosts:
            family = socket.AF_INET6 if ":" in host else socket.AF_INET
            probe = stack.enter_context(socket.socket(family))
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind((host, port))
            except OSError:
                return False
    return True
