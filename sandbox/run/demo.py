"""Which demo servers a config needs, and the bundled example itself.

Only loopback addresses are ever served: a config's real hosts are never imitated.
"""

import re
from importlib import resources
from ipaddress import ip_address
from pathlib import Path

from dnsplan.runtime.config.health_shape import Health
from dnsplan.runtime.config.schema import Settings
from dnsplan.runtime.keys import write_key_file
from dnsplan.vouch import PUBLIC, Role, key_text
from sandbox.run.hosts import BackendAddress

EXAMPLE = "example.yaml"
EXAMPLE_PORT = 18080
CONTROL_PORT = 18079

_PORT = re.compile(rf"\bport: {EXAMPLE_PORT}\b")


def example_text() -> str:
    """The bundled config."""
    return resources.files("sandbox.run").joinpath(EXAMPLE).read_text(encoding="utf-8")


def write_example(path: Path, *, port: int, signing: str = "") -> None:
    """Put the bundled config where daemons can read it, with the port its servers really have."""
    path.write_text(_PORT.sub(f"port: {port}", example_text()) + signing, encoding="utf-8")


def example_keys(folder: Path) -> str:
    """The config's lines with a planner's and an operator's key, made for this run alone."""
    lines = [
        "",
        "# Made for this run; docs/signing.md says how to make your own.",
        "signing:",
        "  keys:",
    ]
    for role in Role:
        file = folder / f"{role}-1.key"
        public = key_text(PUBLIC, write_key_file(file))
        lines.append(f'    {role}-1: {{of: {role}, public: "{public}", secret: {{file: {file}}}}}')
    return "\n".join([*lines, "  sign_with: {planner: planner-1, operator: operator-1}", ""])


def backends_of(settings: Settings) -> tuple[BackendAddress, ...]:
    """One server for every probed loopback address and port, under an id that is used once."""
    found: dict[tuple[str, int], BackendAddress] = {}
    taken: set[str] = set()
    for pool_name, pool in settings.pools.items():
        port = None if pool.health is None else probed_port(pool.health)
        for target in pool.targets:
            if port is None or target.address is None or not ip_address(target.address).is_loopback:
                continue
            name = f"{pool_name}-{target.id}" if target.id in taken else target.id
            taken.add(name)
            where = (target.address, port)
            found.setdefault(where, BackendAddress(name, target.address, port))
    return tuple(found.values())


def probed_port(health: Health) -> int | None:
    """The port that a demo server can answer; None for TLS, which it does not speak."""
    if health.tcp is not None:
        return health.tcp.port
    if health.http is not None and not health.http.tls:
        return health.http.port
    return None
