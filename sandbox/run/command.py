"""What `dns-sandbox run` does once its config is read: run the supervisor, say how it ended.

With `--json` nothing but JSON reaches standard output.
"""

import asyncio
import signal
import sys
from typing import assert_never

from dnsplan.runtime.clock import SystemClock
from dnsplan.runtime.status.model import to_json
from sandbox.run.output import Output
from sandbox.run.screens import JsonScreen, LiveScreen, PlainScreen, complain
from sandbox.run.script import RunOptions, Script
from sandbox.run.sources import open_sources
from sandbox.run.stage import Stage
from sandbox.run.supervisor import Ending, Screen, Supervisor


def play(script: Script, options: RunOptions) -> int:
    """Run a script, and give the exit code."""
    output = Output()
    try:
        ending, stage = asyncio.run(perform(script, options, output))
    except OSError as error:
        complain(f"the sandbox cannot listen: {error}")
        return 1
    return output.exit_code(conclude(ending, stage, options, output))


async def perform(script: Script, options: RunOptions, output: Output) -> tuple[Ending, Stage]:
    """Run the supervisor until it ends or somebody asks it to; asked twice, it kills."""
    clock = SystemClock()
    stop = asyncio.Event()
    screen = screen_for(options, clock, output)
    supervisor = Supervisor(script, screen, clock, stop, open_sources)
    output.on_closed = supervisor.asked_to_stop
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        loop.add_signal_handler(number, supervisor.asked_to_stop)
    try:
        return await supervisor.run()
    finally:
        screen.closed()


def screen_for(options: RunOptions, clock: SystemClock, output: Output) -> Screen:
    """Who shows the run: standard output belongs to the status object when that is asked for."""
    if options.until_converged and options.json:
        return PlainScreen(complain, clock)
    if options.json:
        return JsonScreen(output.write)
    if sys.stdout.isatty():
        return LiveScreen()
    return PlainScreen(output.write, clock)


def conclude(ending: Ending, stage: Stage, options: RunOptions, output: Output) -> int:
    """Say how it ended; the exit code."""
    match ending:
        case Ending.CONVERGED:
            if options.json and stage.report is not None:
                output.write(to_json(stage.report.status))
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
