"""What `dns-sandbox run` does: read the config, run the supervisor, say how it ended.

Mistakes in the config are told before anything starts. With `--json` nothing but JSON reaches
standard output.
"""

import asyncio
import signal
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import assert_never

from dnsplan.errors import ConfigError
from dnsplan.runtime.clock import SystemClock
from dnsplan.runtime.config import load
from dnsplan.runtime.status.model import to_json
from sandbox.run.child import USAGE_EXIT_CODE
from sandbox.run.demo import CONTROL_PORT, EXAMPLE_PORT, backends_of, free_port, write_example
from sandbox.run.screens import JsonScreen, LiveScreen, PlainScreen, complain, write_line
from sandbox.run.sources import open_sources
from sandbox.run.stage import Stage
from sandbox.run.supervisor import Ending, Screen, Script, Supervisor


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOptions:
    """The command line."""

    config: Path | None
    backends: bool
    until_converged: bool
    json: bool
    timeout_s: float


def run_sandbox(options: RunOptions, environ: Mapping[str, str]) -> int:
    """Run, and give the exit code."""
    with tempfile.TemporaryDirectory(prefix="dns-sandbox-") as folder:
        try:
            script = read_script(options, Path(folder), environ)
        except ConfigError as error:
            complain(str(error))
            return USAGE_EXIT_CODE
        try:
            ending, stage = asyncio.run(perform(script, options))
        except OSError as error:
            complain(f"the sandbox cannot listen: {error}")
            return 1
        return conclude(ending, stage, options)


def read_script(options: RunOptions, folder: Path, environ: Mapping[str, str]) -> Script:
    """Everything that is decided before the first socket opens; ConfigError for mistakes."""
    config = options.config
    if config is None:
        config = folder / "demo.yaml"
        write_example(config, port=EXAMPLE_PORT)
        # The example's servers need one port on several addresses; another sandbox may hold it.
        servers = backends_of(load(config, environ).settings)
        write_example(config, port=free_port(EXAMPLE_PORT, tuple(one.address for one in servers)))
    config = config.absolute()
    settings = load(config, environ).settings
    wanted = options.backends or options.config is None
    return Script(
        config=config,
        settings=settings,
        backends=backends_of(settings) if wanted else (),
        control_port=free_port(CONTROL_PORT),
        until_converged=options.until_converged,
        timeout_s=options.timeout_s,
        outer=environ,
    )


async def perform(script: Script, options: RunOptions) -> tuple[Ending, Stage]:
    """Run the supervisor until it ends or somebody asks it to; asked twice, it kills."""
    clock = SystemClock()
    stop = asyncio.Event()
    screen = screen_for(options, clock)
    supervisor = Supervisor(script, screen, clock, stop, open_sources)
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, supervisor.asked_to_stop)
    try:
        return await supervisor.run()
    finally:
        screen.closed()


def screen_for(options: RunOptions, clock: SystemClock) -> Screen:
    """Who shows the run: standard output belongs to the status object when that is asked for."""
    if options.until_converged and options.json:
        return PlainScreen(complain, clock)
    if options.json:
        return JsonScreen(write_line)
    if sys.stdout.isatty():
        return LiveScreen()
    return PlainScreen(write_line, clock)


def conclude(ending: Ending, stage: Stage, options: RunOptions) -> int:
    """Say how it ended; the exit code."""
    match ending:
        case Ending.CONVERGED:
            if options.json and stage.report is not None:
                write_line(to_json(stage.report.status))
            return 0
        case Ending.STOPPED:
            return 0
        case Ending.OUT_OF_TIME:
            complain(f"not converged after {options.timeout_s:g} s:")
            for line in stage.missing():
                complain(f"  {line}")
            return 1
        case Ending.CANNOT_START:
            complain(stage.failure)
            return 1
        case _:
            assert_never(ending)
