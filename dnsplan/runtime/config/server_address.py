"""The address of a name server as people write it: an IP address, with a port when it is not 53.

A host name is refused: whoever asks name servers must not need DNS to find them.
"""

import ipaddress
import re
from collections.abc import Iterable

# What names servers where no option does, several with spaces between them.
SERVERS_VARIABLE = "DNSPLAN_NAME_SERVERS"
ALL_ZONES = ""
DNS_PORT = 53
PORT_MAX = 65_535

_BRACKETED = re.compile(r"\[([^\]]*)\](?::([0-9]{1,5}))?")
_PLAIN = re.compile(r"([^:]*)(?::([0-9]{1,5}))?")


def parse_server(text: str) -> tuple[str, int]:
    """Host and port; ValueError when the text is no address."""
    match = _BRACKETED.fullmatch(text) or _PLAIN.fullmatch(text)
    host, port_text = match.groups() if match else (text, None)
    host = str(ipaddress.ip_address(host))
    port = int(port_text) if port_text else DNS_PORT
    if not 1 <= port <= PORT_MAX:
        raise ValueError(f"{port} is no port")
    return host, port


def servers_by_label(texts: Iterable[str]) -> dict[str, list[str]]:
    """The addresses of `[LABEL=]ADDRESS[:PORT]`, under ALL_ZONES where no label stands before it.

    ValueError, with all of its text, when one is none.
    """
    found: dict[str, list[str]] = {}
    for text in texts:
        label, _, address = text.rpartition("=")
        try:
            parse_server(address)
        except ValueError as error:
            raise ValueError(
                f"--name-server {text}: no IP address, as 127.0.0.1:5353 or [2001:db8::53]:53"
            ) from error
        found.setdefault(label, []).append(address)
    return found


def server_text(host: str, port: int) -> str:
    """The address as people write it; the port only where it is not 53."""
    if port == DNS_PORT:
        return host
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
