"""What the sentinel would need after a restart: last good answers, illnesses, pages, name servers.

Kept in memory and stored now and then, a file a zone. That nothing can be stored is said and ends
nothing: pages go out all the same.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import structlog

from dnsplan.names import Name
from dnsplan.ports import Clock
from dnsplan.records import Unit
from sentinel.ports import Memory, MemoryFailed, NameServer, ZoneMemory
from sentinel.rules.findings import Finding, Seen
from sentinel.rules.judging import Ailments, Look
from sentinel.rules.paging import Kind, Page
from sentinel.rules.remembering import LastGood, remembered, says_other
from sentinel.rules.watched import NameKey, WatchedName

# Answers of a weighted name change with each look; a page that was told is kept at once, since who
# starts next must tell its end.
STORED_EACH_S = 2.0
# Times move with each look; a stored one that is a minute old is as good to a person.
STORED_AGAIN_S = 60.0
# A name that is watched no longer is forgotten after this time, should it have gone by mistake.
KEPT_S = 86_400.0 * 90


@dataclass(slots=True)
class _Zone:
    last_good: dict[Unit, LastGood] = field(default_factory=dict)
    ill: dict[Name, Ailments] = field(default_factory=dict)
    pages: tuple[Page, ...] = ()
    servers: tuple[NameServer, ...] = ()
    changed: bool = False
    urgent: bool = False
    stored_s: float = 0.0


class Recall:
    """The memory of every watched zone."""

    def __init__(self, labels: Iterable[str], memory: Memory, clock: Clock) -> None:
        """Begin with nothing; `load` brings what a former process stored."""
        self._memory = memory
        self._clock = clock
        self._zones = {label: _Zone() for label in labels}
        self._failing: set[str] = set()
        self._log = structlog.get_logger("sentinel")

    async def load(self) -> Mapping[str, ZoneMemory]:
        """Everything that was stored, by label; an unreadable memory is said and left behind."""
        loaded: dict[str, ZoneMemory] = {}
        for label, zone in self._zones.items():
            try:
                kept = await self._memory.load(label)
            except MemoryFailed as error:
                self._log.warning("memory_unreadable", zone=label, reason=str(error))
                kept = ZoneMemory()
            since_s = self._clock.now_s() - KEPT_S
            zone.last_good = {
                unit: good for unit, good in kept.last_good.items() if good.seen_s >= since_s
            }
            zone.ill, zone.pages, zone.servers = dict(kept.ill), kept.pages, kept.servers
            zone.stored_s = self._clock.elapsed_s() - STORED_EACH_S
            loaded[label] = kept
        return loaded

    def answered(self, watched: WatchedName, looks: Iterable[Look]) -> None:
        """Take good answers in; what several paths answered at one time is one answer."""
        by_type: dict[str, Seen] = {}
        for look in looks:
            if look.seen.finding is Finding.ANSWERED:
                by_type[look.type] = _together(by_type.get(look.type), look.seen)
        zone, name = self._zones[watched.label], watched.name
        for kind, seen in by_type.items():
            before = zone.last_good.get((name, kind))
            now_s = self._clock.now_s()
            after = remembered(before, seen, now_s=now_s, from_cache=watched.recursive)
            zone.last_good[name, kind] = after
            zone.changed = zone.changed or says_other(before, after)

    def last_good(self, key: NameKey) -> dict[str, LastGood]:
        """What a name last answered, by type."""
        label, name = key
        held = self._zones[label].last_good
        return {kind: good for (one, kind), good in held.items() if one == name}

    def keep(self, ill: Mapping[NameKey, Ailments], pages: Iterable[Page]) -> None:
        """What is ill and paged now, as far as it is about names."""
        paged = [page for page in pages if page.subject.kind in (Kind.NAME, Kind.ZONE, Kind.MANY)]
        ill_in: dict[str, dict[Name, Ailments]] = {}
        for (label, name), ailments in ill.items():
            ill_in.setdefault(label, {})[name] = ailments
        for label, zone in self._zones.items():
            about = tuple(page for page in paged if _is_about(page, label))
            now_ill = ill_in.get(label, {})
            if (about, now_ill) != (zone.pages, zone.ill):
                zone.pages, zone.ill, zone.urgent = about, now_ill, True

    def keep_servers(self, label: str, servers: tuple[NameServer, ...]) -> None:
        """Whom to ask when nobody can be asked who is to be asked."""
        zone = self._zones[label]
        if servers and servers != zone.servers:
            zone.servers, zone.changed = servers, True

    async def run_once(self) -> None:
        """Store what has changed, and what has grown old."""
        now_s = self._clock.elapsed_s()
        for label, zone in self._zones.items():
            age_s = now_s - zone.stored_s
            is_due = age_s >= (STORED_EACH_S if zone.changed else STORED_AGAIN_S)
            if zone.urgent or is_due:
                await self._store(label, zone)

    async def _store(self, label: str, zone: _Zone) -> None:
        memory = ZoneMemory(dict(zone.last_good), dict(zone.ill), zone.pages, zone.servers)
        zone.changed = zone.urgent = False
        zone.stored_s = self._clock.elapsed_s()
        try:
            await self._memory.store(label, memory)
        except MemoryFailed as error:
            if label not in self._failing:
                self._failing.add(label)
                self._log.error("memory_not_stored", zone=label, reason=str(error))
        else:
            self._failing.discard(label)


def _together(before: Seen | None, seen: Seen) -> Seen:
    if before is None:
        return seen
    values = tuple(sorted({*before.values, *seen.values}))
    return Seen(Finding.ANSWERED, values, min(before.ttl_s, seen.ttl_s))


def _is_about(page: Page, label: str) -> bool:
    return page.subject.label == label or any(one == label for one, _ in page.covered)
