"""The name servers of each zone: found slowly, kept when they cannot be found, and rotated over.

What was found once is used until something else is found: a sentinel that has started goes on
seeing when registry, resolvers and control API are gone.
"""

import asyncio
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import structlog

from dnsplan.errors import ReadFailed
from dnsplan.ports import Clock
from sentinel.ports import NameServer, ServerFinder
from sentinel.rules.judging import Look, Transport, blamed, have_given_up
from sentinel.rules.rotation import TRUSTED, Trust, after_round, after_trial, choose_path

# Delegations change by hand, and rarely.
FOUND_AGAIN_S = 3_600.0
TRIED_AGAIN_S = 15.0
# Servers that all know nothing of the zone may have given it up to others, as where it was made
# again; each look for them costs a request to the control API.
GIVEN_UP_AGAIN_S = 60.0
# Every path is asked in a round, and a zone has four servers; fewer than TCP_LOOK_EACH, so that
# looks over TCP come round to each of them.
SERVERS_MAX = 12


# Finding is waiting; so many zones are found side by side at a start.
FINDING_MAX = 16


@dataclass(slots=True)
class _Zone:
    due_s: float
    sought_s: float = -math.inf
    servers: dict[str, NameServer] = field(default_factory=dict)
    trusts: dict[str, Trust] = field(default_factory=dict)
    missing: str = ""


class ServerBook:
    """Who is asked for each zone. `interval_s`: how often a doubted server gets a trial."""

    def __init__(
        self, labels: Iterable[str], finder: ServerFinder, clock: Clock, *, interval_s: float
    ) -> None:
        """Begin without any."""
        self._finder = finder
        self._clock = clock
        self._interval_s = interval_s
        self._zones = {label: _Zone(clock.elapsed_s()) for label in labels}
        self._log = structlog.get_logger("sentinel")

    @property
    def labels(self) -> tuple[str, ...]:
        """Every zone's."""
        return tuple(self._zones)

    def servers(self, label: str) -> tuple[NameServer, ...]:
        """All of a zone's; none when they are not known yet."""
        return tuple(self._zones[label].servers.values())

    def missing(self) -> Mapping[str, str]:
        """Why zones have no known server."""
        return {
            label: zone.missing or "its name servers are still being looked for"
            for label, zone in self._zones.items()
            if not zone.servers
        }

    def recall(self, label: str, servers: Sequence[NameServer]) -> None:
        """Begin with what a former process knew."""
        self._zones[label].servers = {one.shown: one for one in servers}

    def path(self, label: str, turn: int) -> tuple[NameServer, Transport]:
        """Server and transport of a look."""
        zone = self._zones[label]
        now_s = self._clock.elapsed_s()
        chosen, transport = choose_path(tuple(zone.servers), zone.trusts, turn=turn, now_s=now_s)
        trust = zone.trusts.get(chosen)
        if trust is not None and trust.is_doubted:
            zone.trusts[chosen] = after_trial(trust, trial_s=now_s + self._interval_s)
        return zone.servers[chosen], transport

    def blame(self, label: str, looks: Sequence[Look]) -> None:
        """Learn from a round which servers left out what others answered, and whether they are
        still the zone's."""
        zone = self._zones[label]
        if have_given_up(looks):
            zone.due_s = min(zone.due_s, zone.sought_s + GIVEN_UP_AGAIN_S)
        trusts = zone.trusts
        trial_s = self._clock.elapsed_s() + self._interval_s
        for server, failed in blamed(looks).items():
            before = trusts.get(server, TRUSTED)
            after = trusts[server] = after_round(before, failed=failed, trial_s=trial_s)
            if after.is_doubted and not before.is_doubted:
                self._log.warning("name_server_doubted", zone=label, server=server)
            if before.is_doubted and not after.is_doubted:
                self._log.info("name_server_trusted", zone=label, server=server)

    async def run_once(self) -> None:
        """Find what is due."""
        now_s = self._clock.elapsed_s()
        limit = asyncio.Semaphore(FINDING_MAX)
        async with asyncio.TaskGroup() as group:
            for label, zone in self._zones.items():
                if zone.due_s <= now_s:
                    group.create_task(self._find(label, zone, limit))

    async def _find(self, label: str, zone: _Zone, limit: asyncio.Semaphore) -> None:
        zone.sought_s = self._clock.elapsed_s()
        try:
            async with limit:
                found = await self._finder.find(label)
        except ReadFailed as error:
            zone.due_s = self._clock.elapsed_s() + TRIED_AGAIN_S
            if zone.missing != str(error):
                zone.missing = str(error)
                kept = list(zone.servers)
                self._log.warning(
                    "name_servers_not_found", zone=label, reason=str(error), kept=kept
                )
            return
        zone.due_s = self._clock.elapsed_s() + FOUND_AGAIN_S
        zone.missing = ""
        by_text = {one.shown: one for one in found}
        taken = {text: by_text[text] for text in sorted(by_text)[:SERVERS_MAX]}
        if taken != zone.servers:
            zone.servers, zone.trusts = taken, {}
            left_out = len(by_text) - len(taken)
            say = self._log.warning if left_out else self._log.info
            say("name_servers_found", zone=label, servers=list(taken), left_out=left_out)
