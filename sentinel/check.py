"""`dns-sentinel check`: every watched name over every path and each zone as a whole, once, as a
table or as JSON.

A name that does not answer is asked a second time before it counts, as in the daemon: one lost
packet makes no verdict here either. Nothing is paged and nothing is stored.
"""

import asyncio
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass

from dnsplan import exits
from dnsplan.notices import Cause
from dnsplan.ports import Clock
from sentinel.looking import Looker, Round
from sentinel.ports import NameServer
from sentinel.resolver_checks import ResolverGlance
from sentinel.rules.judging import Ailments, Look, judge
from sentinel.rules.opinion import Opinion
from sentinel.rules.pace import Pace
from sentinel.rules.watched import NameKey, Scope, WatchedName
from sentinel.second_opinion import SecondOpinion
from sentinel.servers import ServerBook
from sentinel.zone_checks import ZoneGlance

# Names asked side by side; a round asks some ten questions.
AT_ONCE_MAX = 50


@dataclass(frozen=True, slots=True)
class Checked:
    """One name: what ails it, and what each path showed. `unseen`: nobody said anything, why."""

    watched: WatchedName
    ailments: Ailments
    looks: tuple[Look, ...] = ()
    opinions: Mapping[str, Opinion] | None = None
    unseen: str = ""

    @property
    def is_well(self) -> bool:
        """Whether every type is answered everywhere."""
        return not self.ailments and not self.unseen


@dataclass(frozen=True, slots=True)
class CheckReport:
    """All names of a scope."""

    checked: tuple[Checked, ...]
    scope: Scope
    # What is wrong with zones as a whole.
    faults: tuple[Cause, ...] = ()

    @property
    def exit_code(self) -> int:
        """0 when all is well and all was watched."""
        is_whole = not self.scope.beyond and not self.faults
        is_well = is_whole and all(one.is_well for one in self.checked)
        return exits.FINE if is_well else exits.FAILED


@dataclass(frozen=True, slots=True)
class Checker:
    """Checks names, a bounded number at a time."""

    looker: Looker
    book: ServerBook
    second: SecondOpinion
    clock: Clock
    pace: Pace
    # Without one zones are not looked at as a whole.
    glance: ZoneGlance | None = None
    by_resolvers: ResolverGlance | None = None

    async def run(self, scope: Scope) -> CheckReport:
        """Find the servers, then check every name."""
        await self.book.run_once()
        missing = self.book.missing()
        limit = asyncio.Semaphore(AT_ONCE_MAX)
        async with asyncio.TaskGroup() as group:
            tasks = [
                group.create_task(self._check(watched, limit))
                for watched in scope.names
                if watched.label not in missing
            ]
        unseen = [
            Checked(watched, (), unseen=missing[watched.label])
            for watched in scope.names
            if watched.label in missing
        ]
        checked = [*(task.result() for task in tasks), *unseen]
        faults = await self._faults({one.watched.key for one in checked if one.is_well})
        return CheckReport(tuple(sorted(checked, key=lambda one: one.watched.key)), scope, faults)

    async def _faults(self, well: Container[NameKey]) -> tuple[Cause, ...]:
        """What is wrong with zones as a whole, and what resolvers make of names that are well."""
        found = () if self.glance is None else await self.glance.run()
        if self.by_resolvers is None:
            return found
        return (*found, *await self.by_resolvers.run(well.__contains__))

    async def _check(self, watched: WatchedName, limit: asyncio.Semaphore) -> Checked:
        servers = self.book.servers(watched.label)
        async with limit:
            shown = await self.looker.round(watched, servers)
            if not judge(shown.looks):
                return Checked(watched, (), shown.looks)
            await self.clock.sleep(self.pace.pause_s)
            return await self._check_again(watched, servers)

    async def _check_again(self, watched: WatchedName, servers: Sequence[NameServer]) -> Checked:
        async with asyncio.TaskGroup() as group:
            looking = group.create_task(self.looker.round(watched, servers))
            asking = group.create_task(self.second.about(watched))
        shown: Round = looking.result()
        if not shown.heard:
            return Checked(watched, (), shown.looks, unseen="no name server replies")
        return Checked(watched, judge(shown.looks), shown.looks, asking.result())
