"""Where a daemon's page listens: an address of this machine's loopback, and a port.

The page needs no password, so it is nobody's who does not stand on the machine; an address that
others can reach is refused. One line of the config serves all daemons of a machine, since each has
a port of its own, counted from the one that is stated.
"""

import ipaddress
from enum import IntEnum
from typing import NamedTuple

from dnsplan.errors import ConfigError, Problem
from dnsplan.runtime.config.server_address import PORT_MAX

ALLOWED = "a loopback address and a port, as 127.0.0.1:8053 or [::1]:8053; port 0: any free one"
LOCALHOST = "localhost"
OPTION = "--http"
SETTING = "status.listen"


class PageOf(IntEnum):
    """Whose page it is, by its distance from the stated port."""

    ENACTOR = 0
    PLANNER = 1
    SENTINEL = 2
    CLEANUP = 3


class Listen(NamedTuple):
    """A loopback address and a port; 0 is any free one. `setting` is what an operator changes."""

    host: str
    port: int
    setting: str

    @property
    def text(self) -> str:
        """As people write it."""
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


def parse_listen(text: str, setting: str, *, last: int = 0) -> Listen:
    """Host and port; ValueError when it is no loopback address or leaves no room for `last` more
    ports."""
    host, colon, port_text = text.rpartition(":")
    if not colon or not (port_text.isascii() and port_text.isdigit()) or len(port_text) > 5:
        raise ValueError(f'the text "{text}"')
    bare = host[1:-1] if host.startswith("[") and host.endswith("]") else host
    if bare == LOCALHOST:
        bare = "127.0.0.1"
    if not _is_loopback(bare):
        raise ValueError(f'"{text}", which is no loopback address')
    if int(port_text) > PORT_MAX - last:
        raise ValueError(f"the port {port_text}")
    return Listen(bare, int(port_text), setting)


def listen_for(whose: PageOf, *, stated: str | None, option: str | None) -> Listen | None:
    """Where this daemon's page listens; None where neither config nor option wants one."""
    if option is not None:
        return parse_listen(option, OPTION)
    if stated is None:
        return None
    first = parse_listen(stated, SETTING, last=max(PageOf))
    return first if first.port == 0 else first._replace(port=first.port + whose)


def page_address(whose: PageOf, *, stated: str | None, option: str | None) -> Listen | None:
    """The same for a command: ConfigError names what is wrong with the option."""
    try:
        return listen_for(whose, stated=stated, option=option)
    except ValueError as error:
        setting = SETTING if option is None else OPTION
        raise ConfigError((Problem(setting, None, "", str(error), ALLOWED),)) from error


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
