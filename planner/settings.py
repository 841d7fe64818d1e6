"""What the planner and cleanup need to know, taken out of the checked config once at start.

Pure. A pool with a target that this release cannot look up is blocked as a whole: half a pool would
be half an answer.
"""

import ipaddress
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby

from dnsplan.errors import BrokenInvariant
from dnsplan.names import Name, parse_name
from dnsplan.records import AliasTarget, unit_of
from dnsplan.runtime.config import PoolUnit as StatedUnit
from dnsplan.runtime.config import Settings, desired_static, limits_for, pool_units
from dnsplan.runtime.config.schema import Health, Pool, Target
from planner.rules.candidate import ZoneWish
from planner.rules.health import Hysteresis
from planner.rules.pools import BlockedUnit, Member, Policy, PoolUnit
from planner.rules.probing import Check, DnsCheck, HttpCheck, Probe, TcpCheck, Watched
from planner.rules.retention import Retention

# Two observations with more than this many intervals between them are no row: the prober was
# stopped or starved meanwhile, and what it saw before says little about what it sees now.
GAP_INTERVALS = 5

# One round is an interval; the second time-out and the second are for a busy prober.
FIRST_LOOK_SPARE_S = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannerSettings:
    """Zones to plan, targets to watch, and pace."""

    table: str
    azs: tuple[str, ...]
    wishes: tuple[ZoneWish, ...]
    watched: tuple[Watched, ...]
    interval_s: float
    plans_per_min_max: int
    probes_per_s_max: float

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
    """What `dns-planner run` and `plan` work with."""
    return PlannerSettings(
        table=settings.table,
        azs=tuple(settings.azs),
        wishes=tuple(_wish(settings, label) for label in settings.zones),
        watched=tuple(_watched(settings)),
        interval_s=settings.planner.interval_s,
        plans_per_min_max=settings.planner.max_plans_per_min,
        probes_per_s_max=settings.planner.max_probes_per_s,
    )


def cleanup_settings(settings: Settings) -> CleanupSettings:
    """What `dns-planner cleanup` works with."""
    return CleanupSettings(
        table=settings.table,
        zones=tuple((label, parse_name(zone.name)) for label, zone in settings.zones.items()),
        retention=Retention(keep=settings.cleanup.keep, min_age_s=settings.cleanup.min_age_s),
        interval_s=settings.cleanup.interval_s,
    )


def _wish(settings: Settings, label: str) -> ZoneWish:
    zone = settings.zones[label]
    limits = limits_for(settings, label)
    driven: list[PoolUnit] = []
    blocked: list[BlockedUnit] = []
    for one in pool_units(settings, label):
        pool = settings.pools[one.pool]
        if (reason := _unreadable(one.pool, pool)) is not None:
            blocked.append(BlockedUnit(one.name, one.type, reason))
            continue
        driven.append(
            PoolUnit(
                name=one.name,
                type=one.type,
                ttl_s=one.ttl_s,
                policy=Policy(one.routing),
                members=_members(one, pool),
                capacity_max=max(target.capacity for target in pool.targets),
                panic_threshold=pool.panic_threshold,
                limit=limits.of(one.unit),
                first_look_s=_first_look_s(pool.health),
                probation_s=pool.health.probation_s if pool.health else 0.0,
                slow_start_s=pool.health.slow_start_s if pool.health else 0.0,
            )
        )
    stated = groupby(desired_static(zone), key=unit_of)
    return ZoneWish(
        label=label,
        zone=parse_name(zone.name),
        stated={unit: tuple(group) for unit, group in stated},
        driven=tuple(driven),
        blocked=tuple(blocked),
        limits=limits,
    )


def _unreadable(name: str, pool: Pool) -> str | None:
    """Why a pool's members cannot be known, or None."""
    balancers = [target.id for target in pool.targets if target.load_balancer is not None]
    if not balancers:
        return None
    return (
        f"pool {name}: source not available in this release: load_balancer"
        f" (target {', '.join(balancers)})"
    )


def _members(one: StatedUnit, pool: Pool) -> tuple[Member, ...]:
    members = (_member(one.pool, target, pool.health) for target in one.targets)
    return tuple(sorted(members, key=lambda member: member.target_id))


def _member(pool: str, target: Target, health: Health | None) -> Member:
    alias: AliasTarget | None = None
    if (stated := target.alias) is not None:
        name = parse_name(stated.name)
        alias = AliasTarget(stated.zone_id, name, stated.evaluate_target_health)
    return Member(
        key=(pool, target.id),
        answer=alias.name if alias else _canonical(target),
        alias=alias,
        capacity=target.capacity,
        is_probed=health is not None and alias is None,
    )


def _canonical(target: Target) -> str:
    return str(ipaddress.ip_address(target.address or ""))


def _first_look_s(health: Health | None) -> float:
    if health is None:
        return 0.0
    return health.interval_s + 2 * health.timeout_s + FIRST_LOOK_SPARE_S


def _watched(settings: Settings) -> Iterator[Watched]:
    """Every addressed target of the pools that some name uses, each once."""
    used = {one.pool for label in settings.zones for one in pool_units(settings, label)}
    for name in sorted(used):
        pool = settings.pools[name]
        health = pool.health
        if health is None or _unreadable(name, pool) is not None:
            continue
        gap_s = GAP_INTERVALS * health.interval_s + health.timeout_s
        for target in pool.targets:
            if target.address is not None:
                yield Watched(
                    key=(name, target.id),
                    probe=Probe(_canonical(target), _check(health), health.timeout_s),
                    interval_s=health.interval_s,
                    hysteresis=Hysteresis(health.rise, health.fall, gap_s),
                )


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
