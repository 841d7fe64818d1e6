"""Run the whole system: world, table, daemons; watch until converged, stopped or out of time.

A daemon that dies is started again; one that refuses its config ends the run. Whatever happens,
no process outlives this.
"""

import asyncio
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager, aclosing
from dataclasses import dataclass
from enum import Enum
from typing import Protocol

from dnsplan.ports import Clock
from dnsplan.runtime.config.schema import Settings
from dnsplan.runtime.config.server_address import SERVERS_VARIABLE
from dnsplan.runtime.status.collect import Collector, Sources, asked_zones
from dnsplan.runtime.status.verdict import judge_report
from sandbox.run.answers import ask_all
from sandbox.run.cast import (
    backends_command,
    daemon_commands,
    init_command,
    name_servers,
    sentinel_command,
    sentinel_page,
)
from sandbox.run.child import CannotStart
from sandbox.run.crew import Crew
from sandbox.run.environment import aws_variables, write_exports
from sandbox.run.events import Event
from sandbox.run.hosts import HOST
from sandbox.run.script import Script
from sandbox.run.stage import Addresses, Stage
from sandbox.run.world import World, open_world

REFRESH_S = 1.0
# Looking at hundreds of zones costs the stand-in work that the daemons wait for.
LOOKING_SHARE_MAX = 0.25
REFRESH_S_MAX = 5.0
OWN = "sandbox"
OPERATOR = "operator"
ENVIRONMENT_FILE = "environment"

OpenSources = Callable[[Settings, World], AbstractAsyncContextManager[Sources]]


class Ending(Enum):
    """Why a run ended."""

    CONVERGED = "converged"
    STOPPED = "stopped"
    OUT_OF_TIME = "out of time"
    CANNOT_START = "cannot start"


class Screen(Protocol):
    """Who shows a run to a person or a script."""

    def opened(self, stage: Stage) -> None:
        """Everything listens; the daemons start now."""
        ...

    def happened(self, stage: Stage, event: Event) -> None:
        """One event, as it comes."""
        ...

    def refreshed(self, stage: Stage) -> None:
        """There is a new report."""
        ...

    def closed(self) -> None:
        """The run is over; give the terminal back."""
        ...


@dataclass(slots=True)
class Supervisor:
    """One run of a script."""

    script: Script
    screen: Screen
    clock: Clock
    stop: asyncio.Event
    open_sources: OpenSources
    _crew: Crew | None = None

    def asked_to_stop(self) -> None:
        """Stop in order; asked again, end every process at once."""
        if self.stop.is_set() and self._crew is not None:
            self._crew.kill()
        self.stop.set()

    async def run(self) -> tuple[Ending, Stage]:
        """Everything from the first socket to the last process; how it ended, and what stood."""
        async with open_world() as world:
            await world.make_zones(list(self.script.settings.zones.items()))
            stage = Stage(
                settings=self.script.settings,
                addresses=self._addresses(world),
                backends=self.script.backends,
                started_s=self.clock.elapsed_s(),
            )
            self.screen.opened(stage)
            crew = Crew(self.clock, lambda event: self._happened(stage, event), stage.children)
            self._crew = crew
            async with aclosing(crew):
                return await self._play(stage, world, crew), stage

    async def _play(self, stage: Stage, world: World, crew: Crew) -> Ending:
        """Wait for the first of: converged, asked to stop, a refused config, out of time."""
        loop = asyncio.get_running_loop()
        acts = loop.create_task(self._acts(stage, world, crew))
        stopped = loop.create_task(self._asked_to_stop())
        timeout_s = self.script.timeout_s if self.script.until_converged else None
        try:
            done, _ = await asyncio.wait(
                {acts, stopped, crew.refused},
                timeout=timeout_s,
                return_when=asyncio.FIRST_COMPLETED,
            )
            for ended in done - {stopped}:
                ended.result()
        except CannotStart as refused:
            stage.failure = str(refused)
            return Ending.CANNOT_START
        finally:
            acts.cancel()
            stopped.cancel()
            await asyncio.gather(acts, stopped, return_exceptions=True)
        if acts in done:
            return Ending.CONVERGED
        return Ending.STOPPED if stopped in done else Ending.OUT_OF_TIME

    async def _asked_to_stop(self) -> None:
        await self.stop.wait()

    async def _acts(self, stage: Stage, world: World, crew: Crew) -> None:
        """Table, daemons, then look until converged; for ever when nobody waits for that."""
        script = self.script
        settings, url = script.settings, world.stand_in.endpoint_url
        if script.backends:
            crew.start(backends_command(script.control_port, script.backends, outer=script.outer))
        await crew.run_once(init_command(script.config, outer=script.outer, endpoint_url=url))
        for command in daemon_commands(
            script.config,
            settings.azs,
            outer=script.outer,
            endpoint_url=url,
            state_dir=script.state_dir,
        ):
            crew.start(command)
        crew.start(
            sentinel_command(
                script.config,
                stage.addresses,
                self._private(),
                page=sentinel_page(None if settings.waves is None else settings.waves.sentinel),
                outer=script.outer,
                state_dir=script.state_dir,
            )
        )
        async with self.open_sources(settings, world) as sources:
            collector = Collector(
                asked_zones(settings, settings.zones), settings.azs, sources, self.clock
            )
            while True:
                began_s = self.clock.elapsed_s()
                if await self._look(stage, collector) and script.until_converged:
                    return
                took_s = self.clock.elapsed_s() - began_s
                rest_s = took_s * (1 / LOOKING_SHARE_MAX - 1)
                await self.clock.sleep(min(max(REFRESH_S, rest_s), REFRESH_S_MAX))

    async def _look(self, stage: Stage, collector: Collector) -> bool:
        stage.report = await collector.report()
        stage.verdicts = judge_report(stage.report, azs=stage.settings.azs)
        stage.answers = await ask_all(stage)
        stage.age_s = self.clock.elapsed_s() - stage.started_s
        if stage.is_converged and stage.converged_after_s is None:
            stage.converged_after_s = stage.age_s
            facts = (("zones", str(len(stage.verdicts))), ("after_s", f"{stage.age_s:.1f}"))
            self._happened(stage, Event(self.clock.now_s(), OWN, "info", "converged", facts))
        self.screen.refreshed(stage)
        return stage.is_converged

    def _happened(self, stage: Stage, event: Event) -> None:
        stage.hear(event)
        self.screen.happened(stage, event)

    def _private(self) -> list[str]:
        return [label for label, zone in self.script.settings.zones.items() if zone.private]

    def _addresses(self, world: World) -> Addresses:
        control = f"http://{HOST}:{self.script.control_port}" if self.script.backends else None
        environment = self.script.state_dir / ENVIRONMENT_FILE
        variables = aws_variables(endpoint_url=world.stand_in.endpoint_url, access_key=OPERATOR)
        servers = name_servers(world.public.address, world.private.address, self._private())
        write_exports(
            environment,
            {
                **variables,
                "DNSPLAN_CONFIG": str(self.script.config),
                SERVERS_VARIABLE: " ".join(servers),
            },
        )
        return Addresses(
            endpoint_url=world.stand_in.endpoint_url,
            dns=world.public.address,
            dns_private=world.private.address,
            backends=control,
            environment=str(environment),
        )
