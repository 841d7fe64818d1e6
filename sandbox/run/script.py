"""What a run will be, decided before the first server opens: options, config, demo servers.

Mistakes in the config are found here, before anything that takes long to import is imported.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from dnsplan.runtime.config import load
from dnsplan.runtime.config.schema import Settings
from sandbox.run.demo import (
    CONTROL_PORT,
    EXAMPLE_PORT,
    backends_of,
    example_keys,
    write_example,
)
from sandbox.run.hosts import BackendAddress
from sandbox.run.ports import Claims


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOptions:
    """The command line."""

    config: Path | None
    backends: bool
    until_converged: bool
    json: bool
    timeout_s: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Script:
    """What to run, and for how long. `timeout_s` counts only for a run until converged.

    `state_dir` is where daemons keep what they know; it goes with the run.
    """

    config: Path
    settings: Settings
    backends: tuple[BackendAddress, ...]
    control_port: int
    until_converged: bool
    timeout_s: float
    outer: Mapping[str, str]
    state_dir: Path


def read_script(
    options: RunOptions, folder: Path, environ: Mapping[str, str], claims: Claims
) -> Script:
    """Everything that is decided before the first server opens; ConfigError for mistakes."""
    config = options.config
    if config is None:
        config = folder / "demo.yaml"
        write_example(config, port=EXAMPLE_PORT)
        # The example's servers need one port on several addresses; another sandbox may hold it.
        servers = backends_of(load(config, environ).settings)
        port = claims.port(EXAMPLE_PORT, tuple(one.address for one in servers))
        write_example(config, port=port, signing=example_keys(folder))
    config = config.absolute()
    settings = load(config, environ).settings
    wanted = options.backends or options.config is None
    return Script(
        config=config,
        settings=settings,
        backends=backends_of(settings) if wanted else (),
        control_port=claims.port(CONTROL_PORT),
        until_converged=options.until_converged,
        timeout_s=options.timeout_s,
        outer=dict(environ),
        state_dir=folder,
    )
