"""Looks at each zone as a whole, beside its names: its SOA, its own NS records, and its parent's.

Each zone has its turn in a third of the promise; what is found is looked at a second time before it
is told, so that the moment of a change tells nobody. What cannot be seen leaves things as they are:
that nobody answers is paged by others.
"""

import contextlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from dnsplan.errors import ReadFailed
from dnsplan.names import Name
from dnsplan.notices import Cause
from dnsplan.ports import Clock
from dnsplan.runtime.paging.pager import Pager
from sentinel.ports import Asker, NameServer, Parents, Question
from sentinel.resolver_checks import ResolverChecks
from sentinel.rules.findings import NS
from sentinel.rules.pace import Pace
from sentinel.rules.resolving import root_causes
from sentinel.rules.zone_faults import (
    DELEGATION,
    SOA,
    UNRESOLVED,
    ZoneSeen,
    faults,
    negative_ttl_s,
    own_servers,
)
from sentinel.servers import ServerBook

# A registry's servers are not ours: one question a second for all zones together, so that each of
# a few zones is asked for with each look and each of many at least this often; at once when the
# zone's own name servers are others than before.
PARENT_QUESTION_S = 1.0
PARENT_EVERY_MAX_S = 300.0
# Zones looked at in one pass; each costs two questions.
AT_ONCE_MAX = 20
# A zone's servers that are asked in one look until one speaks of it: a few silent ones must not
# make the other zones wait.
SERVERS_MAX = 4


@dataclass(frozen=True, slots=True)
class CheckedZone:
    """A zone to look at. `is_delegated`: its servers are found from its delegation, so that there
    is a parent to compare with."""

    label: str
    name: Name
    is_delegated: bool


@dataclass(slots=True)
class _State:
    due_s: float
    found: Mapping[str, Cause] = field(default_factory=dict)
    told: Mapping[str, Cause] = field(default_factory=dict)
    is_known: bool = False
    own: frozenset[Name] | None = None
    delegated: frozenset[Name] | None = None
    parent_due_s: float = 0.0
    spoke: NameServer | None = None
    negative_ttl_s: int | None = None


@dataclass(frozen=True, slots=True)
class ZoneMeans:
    """What zones are looked at with, and who is told."""

    asker: Asker
    book: ServerBook
    clock: Clock
    pager: Pager
    parents: Parents


class ZoneChecks:
    """Zones as a whole, and the pages about them."""

    def __init__(
        self,
        zones: Sequence[CheckedZone],
        means: ZoneMeans,
        pace: Pace,
        *,
        negative_ttl_max_s: int,
    ) -> None:
        """Nothing was looked at yet; the first looks fill one turn."""
        self._zones = tuple(zones)
        self._asker, self._book, self._clock = means.asker, means.book, means.clock
        self._every_s = pace.page_within_s / 3
        self._again_s = pace.interval_s
        parents_s = max(self._every_s, PARENT_QUESTION_S * len(zones))
        self._parent_every_s = min(parents_s, PARENT_EVERY_MAX_S)
        self._ask_s = pace.ask_s
        self._negative_ttl_max_s = negative_ttl_max_s
        self._pager, self._parents = means.pager, means.parents
        self._resolving: ResolverChecks | None = None
        self._doubted = frozenset[str]()
        step_s = self._every_s / max(1, len(zones))
        now_s = means.clock.elapsed_s()
        self._states = {one.label: _State(now_s + at * step_s) for at, one in enumerate(zones)}

    async def run_once(self) -> None:
        """Look at the zones whose turn it is, and tell the difference."""
        now_s = self._clock.elapsed_s()
        self._hurry(now_s)
        due = [one for one in self._zones if self._states[one.label].due_s <= now_s]
        for zone in due[:AT_ONCE_MAX]:
            await self._look(zone, self._states[zone.label])
        standing = [cause for state in self._states.values() for cause in state.told.values()]
        if self._resolving is not None:
            standing.extend(self._resolving.standing())
        await self._pager.tell(root_causes(standing), is_unsure=self._is_unsure)

    def _hurry(self, now_s: float) -> None:
        """What resolvers begin to doubt is looked at now: a parent may explain it before."""
        doubted = frozenset[str]() if self._resolving is None else self._resolving.in_doubt()
        for label in doubted - self._doubted:
            if (state := self._states.get(label)) is not None:
                state.due_s = state.parent_due_s = min(state.due_s, now_s)
        self._doubted = doubted

    def beside(self, resolving: ResolverChecks) -> None:
        """Tell what resolvers make of zones as well, but for what follows from a delegation."""
        self._resolving = resolving

    def negative_ttl_s(self, label: str) -> int | None:
        """For how long an absence of this zone's is remembered, where it was said."""
        state = self._states.get(label)
        return None if state is None else state.negative_ttl_s

    def _is_unsure(self, cause: Cause) -> bool:
        state = self._states.get(cause.label)
        if cause.kind != UNRESOLVED:
            return state is not None and not state.is_known
        # What follows from a delegation is over when that is.
        follows = state is not None and DELEGATION in state.told
        return follows or (self._resolving is not None and self._resolving.is_unsure(cause))

    async def _look(self, zone: CheckedZone, state: _State) -> None:
        seen = await self._seen(zone, state)
        now_s = self._clock.elapsed_s()
        state.due_s = now_s + self._every_s
        if seen.negative_ttl_s is not None:
            state.negative_ttl_s = seen.negative_ttl_s
        if seen.negative_ttl_s is None and seen.own is None:
            return
        now = {
            one.kind: one
            for one in faults(
                zone.label, zone.name, seen, negative_ttl_max_s=self._negative_ttl_max_s
            )
        }
        verdicts = _verdicts(now)
        is_doubtful = verdicts not in (_verdicts(state.told), _verdicts(state.found))
        if is_doubtful:
            state.due_s = now_s + self._again_s
        else:
            state.told, state.is_known = now, True
        state.found = now

    async def _seen(self, zone: CheckedZone, state: _State) -> ZoneSeen:
        # Who spoke the last time goes first, so that a silent one costs its time once.
        servers = sorted(self._book.servers(zone.label), key=lambda one: one != state.spoke)
        state.spoke, seen = await own_word(self._asker, servers, zone.name, timeout_s=self._ask_s)
        if zone.is_delegated and seen.own is not None:
            await self._ask_parent(zone, state, seen.own)
        return replace(seen, delegated=state.delegated)

    async def _ask_parent(self, zone: CheckedZone, state: _State, own: frozenset[Name]) -> None:
        """Keeps the parent's former word where it cannot be asked."""
        now_s = self._clock.elapsed_s()
        is_news = own != state.own
        in_doubt = state.delegated is not None and own != state.delegated
        if now_s < state.parent_due_s and not is_news and not in_doubt:
            return
        state.own, state.parent_due_s = own, now_s + self._parent_every_s
        try:
            state.delegated = await self._parents.delegated(zone.name, timeout_s=self._ask_s)
        except ReadFailed:
            return


def _verdicts(causes: Mapping[str, Cause]) -> Mapping[str, str]:
    """What was found, without the numbers and names that change by themselves."""
    return {kind: one.verdict for kind, one in causes.items()}


async def own_word(
    asker: Asker, servers: Sequence[NameServer], zone: Name, *, timeout_s: float
) -> tuple[NameServer | None, ZoneSeen]:
    """What the first server that speaks of a zone says of it, and which one that is."""
    for server in servers[:SERVERS_MAX]:
        soa = await asker.ask(server, Question(zone, SOA), "udp", timeout_s=timeout_s)
        named = await asker.ask(server, Question(zone, NS), "udp", timeout_s=timeout_s)
        seen = ZoneSeen(negative_ttl_s(zone, soa), own_servers(zone, named))
        if seen != ZoneSeen():
            return server, seen
    return None, ZoneSeen()


@dataclass(frozen=True, slots=True)
class ZoneGlance:
    """One look at zones as a whole, for somebody who asks what a page is about."""

    zones: Sequence[CheckedZone]
    asker: Asker
    book: ServerBook
    parents: Parents
    ask_s: float
    negative_ttl_max_s: int

    async def run(self) -> tuple[Cause, ...]:
        """What is wrong, in the zones' order."""
        return tuple([fault for zone in self.zones for fault in await self._look(zone)])

    async def _look(self, zone: CheckedZone) -> Sequence[Cause]:
        servers = self.book.servers(zone.label)
        _, seen = await own_word(self.asker, servers, zone.name, timeout_s=self.ask_s)
        if zone.is_delegated and seen.own is not None:
            with contextlib.suppress(ReadFailed):
                parents = await self.parents.delegated(zone.name, timeout_s=self.ask_s)
                seen = replace(seen, delegated=parents)
        limit_s = self.negative_ttl_max_s
        return [*faults(zone.label, zone.name, seen, negative_ttl_max_s=limit_s)]
