"""Asks a zone's name servers, over UDP, what they answer: bounded in time, and each twice at most.

A lost packet is no verdict, so silence is asked once more; a server that stays silent is not asked
for every name in turn. Finding the servers may fail: that is said and ends nothing.
"""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field

from dnsplan.errors import ReadFailed
from dnsplan.names import Name, parse_name
from dnsplan.records import Unit
from dnsplan.runtime.aws import AwsClients
from dnsplan.runtime.bucket import TokenBucket, share_of_account
from dnsplan.runtime.clock import SystemClock, SystemJitter
from dnsplan.runtime.config.schema import Settings
from dnsplan.runtime.config.server_address import ALL_ZONES, servers_by_label
from dnsplan.runtime.retry import RetryBudget, Retrying
from dnsplan.runtime.status.model import Unread
from runbooks.controls.outside import Mistaken
from sentinel.adapters.finding import ZoneServers, host_resolver
from sentinel.adapters.resolver import SocketAsker
from sentinel.adapters.route53 import Route53View
from sentinel.ports import Asker, NameServer, Question
from sentinel.rules.findings import Heard, NoReply, Seen, see
from sentinel.rules.watched import Expected, WatchedName
from sentinel.settings import watching

ASK_S = 2.0
# Of the account's rate: one or two requests find the servers, and daemons need the rest.
SHARES = 10
TRIES_MAX = 2
# Route 53 gives a zone four servers; a config may state some more.
SERVERS_MAX = 12
QUESTIONS_AT_ONCE_MAX = 50
# After so many names without a word a server is taken to be out of reach.
SILENT_NAMES_MAX = 3


@dataclass(frozen=True, slots=True)
class Answer:
    """What one server answered for one name and type."""

    server: str
    seen: Seen


@dataclass(slots=True)
class Asking:
    """A zone's servers, and a way to ask all of them."""

    label: str
    apex: Name
    recursive: bool
    servers: tuple[NameServer, ...]
    asker: Asker
    _gate: asyncio.Semaphore = field(
        default_factory=lambda: asyncio.Semaphore(QUESTIONS_AT_ONCE_MAX)
    )
    _silent: Counter[str] = field(default_factory=Counter)

    async def ask(self, unit: Unit) -> tuple[Answer, ...]:
        """What each server answers now."""
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(self._ask_one(unit, one)) for one in self.servers]
        return tuple(task.result() for task in tasks)

    async def _ask_one(self, unit: Unit, server: NameServer) -> Answer:
        name, kind = unit
        expected = Expected(kind, (kind,))
        watched = WatchedName(self.label, self.apex, name, (expected,), self.recursive)
        question = Question(name, kind, self.recursive)
        heard: Heard = NoReply("not asked: it was silent before")
        async with self._gate:
            for _ in range(TRIES_MAX):
                if self._silent[server.shown] >= SILENT_NAMES_MAX:
                    break
                heard = await self.asker.ask(server, question, "udp", timeout_s=ASK_S)
                if not isinstance(heard, NoReply):
                    self._silent[server.shown] = 0
                    break
            else:
                self._silent[server.shown] += 1
        return Answer(server.shown, see(watched, expected, kind, heard))


@asynccontextmanager
async def open_asking(
    settings: Settings, label: str, name_servers: Sequence[str] = ()
) -> AsyncIterator[Asking | Unread]:
    """A way to ask a zone's servers, or why there is none. `name_servers` overrule the config's."""
    entry = settings.zones[label]
    async with AsyncExitStack() as stack:
        try:
            servers = await _servers(stack, settings, label, name_servers)
        except ReadFailed as error:
            yield Unread(label, "its name servers", str(error))
            return
        asker = SocketAsker(SystemClock(), SystemJitter())
        stack.push_async_callback(asker.close)
        yield Asking(label, parse_name(entry.name), entry.private, _first(servers), asker)


async def _servers(
    stack: AsyncExitStack, settings: Settings, label: str, name_servers: Sequence[str]
) -> Sequence[NameServer]:
    """Stated ones, else Route 53's own word for the zone, else what DNS says."""
    zones = {label: settings.zones[label]}
    stated = watching(settings, (label,), _by_label(settings, name_servers)).stated
    view = None
    if not stated[label]:
        roles = {label: zones[label].role_arn}
        clients = await stack.enter_async_context(AwsClients().open_by_label("route53", roles))
        clock = SystemClock()
        bucket = TokenBucket(clock, share_of_account(settings.account_requests_per_s, SHARES))
        retrying = Retrying(clock, SystemJitter(), budget=RetryBudget(), bucket=bucket)
        view = Route53View(clients, zones, retrying=retrying, bucket=bucket, is_patient=True)
    finder = ZoneServers(zones, stated, delegations=view, resolver=host_resolver())
    return await finder.find(label)


def _by_label(settings: Settings, name_servers: Sequence[str]) -> dict[str, list[str]]:
    try:
        found = servers_by_label(name_servers)
    except ValueError as error:
        raise Mistaken(str(error)) from error
    strange = sorted(found.keys() - {ALL_ZONES, *settings.zones})
    if strange:
        known = ", ".join(settings.zones)
        raise Mistaken(f"--name-server for {', '.join(strange)}; zones: {known}")
    return found


def _first(servers: Sequence[NameServer]) -> tuple[NameServer, ...]:
    return tuple(sorted(servers, key=lambda one: one.shown)[:SERVERS_MAX])
