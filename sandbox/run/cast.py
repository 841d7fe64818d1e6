"""Which processes a sandbox runs, and how each is called. Pure.

The same console commands that an operator runs, each with an access key id of its own.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from urllib.parse import urlsplit

from dnsplan.runtime.config.listen_address import parse_listen
from sandbox.run.child import Command
from sandbox.run.environment import child_environment
from sandbox.run.hosts import HOST, BackendAddress
from sandbox.run.stage import Addresses

PLANNER = "planner.main:run"
ENACTOR = "enactor.main:run"
SENTINEL = "sentinel.main:run"
BACKENDS = "sandbox.run.backends:run"

# A config of production may state real receivers, a real state folder and ports that are taken: a
# sandbox tells its log alone, keeps all in a folder of its own, and takes any free port.
PAGE = ("--http", f"{HOST}:0")


def init_command(config: Path, *, outer: Mapping[str, str], endpoint_url: str) -> Command:
    """Make the table; runs to its end before any daemon starts."""
    return _command(
        "init", PLANNER, ("dns-planner", "init"), config, outer=outer, endpoint_url=endpoint_url
    )


def daemon_commands(
    config: Path,
    azs: Sequence[str],
    *,
    outer: Mapping[str, str],
    endpoint_url: str,
    state_dir: Path,
) -> tuple[Command, ...]:
    """A planner in the first AZ, an enactor in each, and cleanup."""
    apart = ("--state-dir", str(state_dir), *PAGE)
    run = ("run", "--log-only", *apart)
    called = [
        (f"planner-{azs[0]}", PLANNER, ("dns-planner", *run, "--az", azs[0])),
        *((f"enactor-{az}", ENACTOR, ("dns-enactor", *run, "--az", az)) for az in azs),
        ("cleanup", PLANNER, ("dns-planner", "cleanup", "--daemon", *apart)),
    ]
    return tuple(
        _command(name, entry, words, config, outer=outer, endpoint_url=endpoint_url)
        for name, entry, words in called
    )


def sentinel_command(
    config: Path,
    addresses: Addresses,
    private: Sequence[str],
    *,
    page: str,
    outer: Mapping[str, str],
    state_dir: Path,
) -> Command:
    """The sentinel, which asks this sandbox's DNS server and pages nobody but the log.

    `private`: the labels of private zones, which are served on a port of their own. `page`: where
    it shows itself.
    """
    servers = name_servers(addresses.dns, addresses.dns_private, private)
    options = [word for one in servers for word in ("--name-server", one)]
    shown = ("--log-only", "--state-dir", str(state_dir), "--http", page)
    words = ("dns-sentinel", "run", *shown, *options)
    return _command(
        "sentinel", SENTINEL, words, config, outer=outer, endpoint_url=addresses.endpoint_url
    )


def sentinel_page(asked_at: str | None) -> str:
    """Where the sentinel shows itself: where waves ask for it, if that is this machine; else on any
    free port, which is another one after each change of the config."""
    try:
        return parse_listen(urlsplit(asked_at or "").netloc, "waves.sentinel").text
    except ValueError:
        return f"{HOST}:0"


def name_servers(dns: str, dns_private: str, private: Sequence[str]) -> tuple[str, ...]:
    """Who is to be asked, as commands take it; private zones are served on a port of their own."""
    return (dns, *(f"{label}={dns_private}" for label in private))


def backends_command(
    control_port: int, addresses: Sequence[BackendAddress], *, outer: Mapping[str, str]
) -> Command:
    """The demo servers; they know nothing of AWS."""
    words = ("demo-backends", str(control_port), *map(str, addresses))
    environment = child_environment(outer, endpoint_url="", access_key="")
    return Command("backends", BACKENDS, words, environment)


def _command(
    name: str,
    entry: str,
    words: tuple[str, ...],
    config: Path,
    *,
    outer: Mapping[str, str],
    endpoint_url: str,
) -> Command:
    environment = child_environment(outer, endpoint_url=endpoint_url, access_key=name)
    arguments = (*words, "--config", str(config))
    return Command(name, entry, arguments, {**environment, "PYTHONUNBUFFERED": "1"})
