"""Where a demo server listens, and how that is written on a command line. Pure."""

from dataclasses import dataclass

HOST = "127.0.0.1"


@dataclass(frozen=True, slots=True)
class BackendAddress:
    """Where one backend listens, under the id of its target."""

    id: str
    address: str
    port: int

    def __str__(self) -> str:
        """As an argument of this module."""
        return f"{self.id}={self.address}@{self.port}"


def parse_address(text: str) -> BackendAddress:
    """Read what `BackendAddress` writes."""
    name, _, rest = text.partition("=")
    address, _, port = rest.rpartition("@")
    return BackendAddress(name, address, int(port))
