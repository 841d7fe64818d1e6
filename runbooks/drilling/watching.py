"""Looks at a drill's sandbox all the time, as its clients and an operator could. Decides nothing.

Names and fence are asked over DNS, several times a second. What `dns-runbook status` says is read
every other second, by its own code: a process each time would be half of what a drill costs.
"""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from dnsplan.errors import DnsplanError, FenceDamaged
from dnsplan.fence import parse_fence
from dnsplan.runtime.config import load
from dnsplan.runtime.config.schema import Settings
from dnsplan.runtime.status.verdict import judge_report, worst
from runbooks.drilling.judging import Look, Place
from runbooks.drilling.stand import LABEL, LOOK_EVERY_S, ZONE, Stand
from runbooks.status.command import exit_code, read_report
from runbooks.status.lines import plain_lines

MAIL, API, FENCE = f"mail.{ZONE}", f"api.{ZONE}", f"_dnsplan.{ZONE}"
MAIL_AT = frozenset({"192.0.2.25"})
STATUS_EVERY_S = 2.0
OVER_WITHIN_S = 10.0


@dataclass(slots=True)
class Watcher:
    """What was seen so far. `told` is what `dns-runbook status` said last, asked at `asked_s`."""

    stand: Stand
    looks: list[Look] = field(default_factory=list)
    in_sync: bool = True
    told: str = ""
    asked_s: float = 0.0
    over: asyncio.Event = field(default_factory=asyncio.Event)

    async def watch(self) -> None:
        """Look until it is over."""
        while not self.over.is_set():
            self.looks.append(await self._look())
            await self.stand.clock.sleep(LOOK_EVERY_S)

    async def ask_status(self, settings: Settings) -> None:
        """Ask the status until it is over."""
        while not self.over.is_set():
            now_s = self.stand.clock.elapsed_s()
            self.in_sync, self.told = await _status(settings)
            self.asked_s = now_s
            await self.stand.clock.sleep(STATUS_EVERY_S)

    async def _look(self) -> Look:
        web, api, mail, fence = await asyncio.gather(
            self.stand.ask(ZONE, "A"),
            self.stand.ask(API, "A"),
            self.stand.ask(MAIL, "A"),
            self.stand.ask(FENCE, "TXT"),
        )
        up = await self._up()
        heard = {ZONE: web, API: api, MAIL: mail}
        answers = {name: values for name, values in heard.items() if values is not None}
        is_good = (
            self.in_sync
            and web == up["web"]
            and mail == MAIL_AT
            and bool(api)
            and (api or frozenset()) <= up["api"]
        )
        return Look(self.stand.clock.elapsed_s(), place_of(fence), answers, is_good)

    async def _up(self) -> Mapping[str, frozenset[str]]:
        """The addresses that should answer: those of the servers that are up, pool by pool."""
        shown = await self.stand.backends()
        return {
            pool: frozenset(
                one["address"] for one in shown if one["up"] and one["id"].startswith(pool)
            )
            for pool in ("web", "api")
        }


async def _status(settings: Settings) -> tuple[bool, str]:
    """Whether the zone is in sync, and what a pipe would get."""
    try:
        report = await read_report(settings, (LABEL,))
    except DnsplanError as error:
        return False, str(error)
    verdicts = judge_report(report, azs=settings.azs)
    return exit_code(worst(verdicts)) == 0, "\n".join(plain_lines(report, verdicts))


def place_of(texts: frozenset[str] | None) -> Place | None:
    """Generation and step of the fence, where one can be read."""
    if not texts or len(texts) != 1:
        return None
    try:
        fence = parse_fence(next(iter(texts)))
    except FenceDamaged:
        return None
    return int(fence.generation), fence.step


@asynccontextmanager
async def watching(stand: Stand) -> AsyncIterator[Watcher]:
    """Watch for as long as the block lasts."""
    watcher = Watcher(stand)
    settings = load(Path(stand.environ["DNSPLAN_CONFIG"]), stand.environ).settings
    async with asyncio.TaskGroup() as group:
        group.create_task(watcher.watch())
        group.create_task(watcher.ask_status(settings))
        try:
            yield watcher
        finally:
            watcher.over.set()
