"""What the planner and cleanup need to know, taken out of the checked config once at start.

Pure. Which targets a pool has beside those that the config states is told by reading its sources;
until then `absence` keeps what the newest plan holds.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from dnsplan.errors import BrokenInvariant
from dnsplan.names import Name, parse_name
from dnsplan.records import RecordSet, Unit, unit_of
from dnsplan.runtime.config import Settings, desired_static, limits_for, pool_units
from dnsplan.runtime.config.health_shape import Health
from dnsplan.runtime.config.schema import Pool, ZoneEntry
from planner.membership import Feed, FeedKey, Seats, feeds_of, seats
from planner.rules.candidate import ZoneWish
from planner.rules.health import Hysteresis
from planner.rules.pools import Balance, Policy, PoolUnit
from planner.rules.probing import Check, DnsCheck, HttpCheck, Probe, TcpCheck, Watched
from planner.rules.retention import Retention
from planner.rules.roll import Roll
from planner.rules.waves import Waves
from planner.wording import wording_of

# Two observations with more than this many intervals between them are no row: the prober was
# stopped or starved meanwhile, and what it saw before says little about what it sees now.
GAP_INTERVALS = 5

# One round is an interval; the second time-out and the second are for a busy prober.
FIRST_LOOK_SPARE_S = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannerSettings:
    """Zones to plan, targets to watch, sources to read, and pace.

    `seated` is who sits in each pool, `left_out` which targets of the sources do not, and why.
    """

    table: str
    azs: tuple[str, ...]
    wishes: tuple[ZoneWish, ...]
    watched: tuple[Watched, ...]
    pools: Mapping[str, Pool]
    seated: Mapping[str, Seats]
    feeds: tuple[Feed, ...]
    interval_s: float
    plans_per_min_max: int
    probes_per_s_max: float
    left_out: tuple[str, ...] = ()
    waves: Waves | None = None

    @property
    def rounds_to_know(self) -> int:
        """Probe rounds after which every phase is decided, if targets answer the same each time."""
        counts = [max(one.hysteresis.rise, one.hysteresis.fall) for one in self.watched]
        return max(counts, default=0)


@dataclass(frozen=True, slots=True, kw_only=True)
class CleanupSettings:
    """Zones to clean, how much history stays, and pace."""

    table: str
    zones: tuple[tuple[str, Name], ...]
    retention: Retention
    interval_s: float


def planner_settings(settings: Settings) -> PlannerSettings:
    """What `dns-planner run` and `plan` work with, before any source was read."""
    used = {one.pool for label in settings.zones for one in pool_units(settings, label)}
    pools = {name: settings.pools[name] for name in sorted(used)}
    seated = {name: seats(name, pool, {}) for name, pool in pools.items()}
    return PlannerSettings(
        table=settings.table,
        azs=tuple(settings.azs),
        wishes=tuple(_wish(settings, label, seated) for label in settings.zones),
        watched=tuple(_watched(pools, seated)),
        pools=pools,
        seated=seated,
        feeds=tuple(feed for name, pool in pools.items() for feed in feeds_of(name, pool)),
        interval_s=settings.planner.interval_s,
        plans_per_min_max=settings.planner.max_plans_per_min,
        probes_per_s_max=settings.planner.max_probes_per_s,
        waves=_waves(settings),
    )


def cleanup_settings(settings: Settings) -> CleanupSettings:
    """What `dns-planner cleanup` works with."""
    return CleanupSettings(
        table=settings.table,
        zones=tuple((label, parse_name(zone.name)) for label, zone in settings.zones.items()),
        retention=Retention(
            keep=settings.cleanup.keep,
            min_age_s=settings.cleanup.min_age_s,
            history=settings.cleanup.history,
        ),
        interval_s=settings.cleanup.interval_s,
    )


def _wish(settings: Settings, label: str, seated: Mapping[str, Seats]) -> ZoneWish:
    zone = settings.zones[label]
    limits = limits_for(settings, label)
    driven: list[PoolUnit] = []
    for one in pool_units(settings, label):
        pool = settings.pools[one.pool]
        driven.append(
            PoolUnit(
                name=one.name,
                type=one.type,
                ttl_s=one.ttl_s,
                policy=Policy(one.routing),
                members=seated[one.pool].members[one.type],
                capacity_max=seated[one.pool].capacity_max,
                panic_threshold=pool.panic_threshold,
                limit=limits.of(one.unit),
                first_look_s=_first_look_s(pool.health),
                probation_s=pool.health.probation_s if pool.health else 0.0,
                slow_start_s=pool.health.slow_start_s if pool.health else 0.0,
                balance=Balance(pool.balance),
                attendance=seated[one.pool].attendance,
                pool=one.pool,
            )
        )
    stated = _by_unit(zone)
    return ZoneWish(
        label=label,
        zone=parse_name(zone.name),
        zone_id=zone.id,
        stated=stated,
        driven=tuple(driven),
        limits=limits,
        wording=wording_of(stated, pool_units(settings, label), settings.pools),
        observe=zone.mode == "observe",
    )


def wording_in_waves(settings: Settings, label: str) -> str:
    """The digest of what the config makes of a zone, where it goes out in waves; else empty."""
    waves = _waves(settings)
    if waves is None or label in waves.observed:
        return ""
    stated = _by_unit(settings.zones[label])
    return wording_of(stated, pool_units(settings, label), settings.pools).config


def _waves(settings: Settings) -> Waves | None:
    stated = settings.waves
    if stated is None:
        return None
    return Waves(
        canaries=tuple(stated.canaries),
        bake_s=stated.bake_s,
        zones_per_window=stated.zones_per_window,
        window_s=stated.window_s,
        sentinel=stated.sentinel,
        observed=frozenset(
            label for label, zone in settings.zones.items() if zone.mode == "observe"
        ),
    )


def _by_unit(zone: ZoneEntry) -> dict[Unit, tuple[RecordSet, ...]]:
    return {unit: tuple(sets) for unit, sets in groupby(desired_static(zone), key=unit_of)}


def _first_look_s(health: Health | None) -> float:
    if health is None:
        return 0.0
    return health.interval_s + 2 * health.timeout_s + FIRST_LOOK_SPARE_S


def narrowed(wanted: PlannerSettings, labels: Sequence[str]) -> PlannerSettings:
    """Only the targets and sources that these zones use."""
    chosen = (wish for wish in wanted.wishes if wish.label in labels)
    used = {unit.pool for wish in chosen for unit in wish.driven}
    return replace(
        wanted,
        watched=tuple(one for one in wanted.watched if one.key[0] in used),
        feeds=tuple(one for one in wanted.feeds if one.pool in used),
    )


def reseated(wanted: PlannerSettings, rolls: Mapping[FeedKey, Roll]) -> PlannerSettings:
    """The same with the members that the sources have named up to now."""
    # Rolls are new in each pass; who sits in a pool without sources is not.
    fed = sorted({feed.pool for feed in wanted.feeds})
    seated = {**wanted.seated, **{name: seats(name, wanted.pools[name], rolls) for name in fed}}
    wishes = tuple(
        replace(wish, driven=tuple(_reseated(one, seated[one.pool]) for one in wish.driven))
        for wish in wanted.wishes
    )
    left_out = tuple(f"pool {name}: {text}" for name in seated for text in seated[name].left_out)
    watched = tuple(_watched(wanted.pools, seated))
    return replace(wanted, wishes=wishes, watched=watched, seated=seated, left_out=left_out)


def _reseated(unit: PoolUnit, seated: Seats) -> PoolUnit:
    if seated.attendance is None:
        return unit
    return replace(
        unit,
        members=seated.members[unit.type],
        capacity_max=seated.capacity_max,
        attendance=seated.attendance,
    )


def _watched(pools: Mapping[str, Pool], seated: Mapping[str, Seats]) -> Iterator[Watched]:
    """Every addressed target of the pools that some name uses, each once."""
    for name, pool in pools.items():
        health = pool.health
        if health is None:
            continue
        check, rule = _check(health), hysteresis_of(health)
        for target in seated[name].targets:
            if target.address is not None and target.healthy is None:
                probe = Probe(target.address, check, health.timeout_s)
                key, threshold = (name, target.id), pool.panic_threshold
                yield Watched(key, probe, health.interval_s, rule, threshold)


def hysteresis_of(health: Health) -> Hysteresis:
    """How a pool's observations count."""
    gap_s = GAP_INTERVALS * health.interval_s + health.timeout_s
    return Hysteresis(health.rise, health.fall, gap_s)


def _check(health: Health) -> Check:
    """The probe that a health section states; the config admits exactly one."""
    if health.tcp is not None:
        return TcpCheck(health.tcp.port)
    if (dns := health.dns) is not None:
        return DnsCheck(dns.port, parse_name(dns.name), dns.type, dns.tcp)
    http = health.http
    if http is None:
        raise BrokenInvariant("a health section without a probe passed the config's checks")
    return HttpCheck(
        port=http.port,
        path=http.path,
        host=http.host,
        tls=http.tls,
        verify=http.verify,
        body_contains=http.body_contains,
        sni=http.sni,
        statuses=frozenset(http.statuses or ()),
    )
