"""What the config states, in the contract's words: record sets, pool-driven names, and limits.

Pure functions of settings that passed every check. Stated record sets come in normal form; a name
that a pool drives comes as the units (name and type) that its targets can answer.
"""

import ipaddress
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import msgspec

from dnsplan.bounds import Bounds
from dnsplan.guardrails import Limits
from dnsplan.names import Name, join, parse_name
from dnsplan.normal import normal_form
from dnsplan.plan import sorted_content
from dnsplan.records import (
    AliasTarget,
    Failover,
    Geolocation,
    Latency,
    Multivalue,
    OtherPolicy,
    RecordSet,
    Routing,
    Unit,
    Weighted,
)
from dnsplan.runtime.config.guardrails_shape import Guardrails, GuardrailsOverride
from dnsplan.runtime.config.record_shape import GeoProximity, Record, RecordAlias
from dnsplan.runtime.config.schema import (
    NameEntry,
    Pool,
    Settings,
    Target,
    ZoneEntry,
)
from dnsplan.runtime.config.written import as_route53
from dnsplan.velocity import VelocityLimit

POLICY_KEYS = ("weight", "region", "failover", "geo", "geoproximity", "cidr")


@dataclass(frozen=True, slots=True)
class PoolUnit:
    """One name and type that a pool drives, with the pool's targets of that type."""

    name: Name
    type: str
    pool: str
    routing: str
    ttl_s: int
    targets: tuple[Target, ...]

    @property
    def unit(self) -> Unit:
        """Name and type."""
        return (self.name, self.type)


def desired_static(zone: ZoneEntry) -> tuple[RecordSet, ...]:
    """The record sets stated by `records:`, in normal form, sorted by key."""
    apex = parse_name(zone.name)
    stated = (
        normal_form(record_set(record, join(key, apex), zone, default_ttl_s(entry, zone)))
        for key, entry in zone.names.items()
        for record in entry.records
    )
    return sorted_content(tuple(stated))


def pool_units(settings: Settings, label: str) -> tuple[PoolUnit, ...]:
    """What the pools drive in a zone, sorted by name and type."""
    zone = settings.zones[label]
    return tuple(sorted(_pool_units(settings, zone), key=lambda one: one.unit))


def limits_for(settings: Settings, label: str) -> Limits:
    """Floor and velocity of a zone: a pool's word before the zone's, the zone's before all."""
    zone = settings.zones[label]
    everywhere = settings.guardrails
    default = _narrowed(
        VelocityLimit(
            min_targets=everywhere.min_targets,
            max_removed_share=everywhere.max_removed_share,
            window_s=everywhere.window_s,
        ),
        zone.guardrails,
    )
    special = {
        one.unit: _narrowed(default, settings.pools[one.pool].guardrails)
        for one in pool_units(settings, label)
        if settings.pools[one.pool].guardrails is not None
    }
    return Limits(default, special, bounds_of(everywhere, zone))


def bounds_of(everywhere: Guardrails, zone: ZoneEntry) -> Bounds:
    """What a change of the config may do in a zone: its own word before that of all."""
    stated = everywhere.model_dump()
    if zone.guardrails is not None:
        stated.update(zone.guardrails.model_dump(exclude_none=True))
    return Bounds(stated["max_names_changed"], stated["ttl_min_s"], stated["ttl_max_s"])


def default_ttl_s(entry: NameEntry, zone: ZoneEntry) -> int:
    """The TTL of what states none itself."""
    return zone.ttl_s if entry.ttl_s is None else entry.ttl_s


def target_types(target: Target) -> tuple[str, ...]:
    """The record types that a target can answer: its address's, else those it states."""
    if target.address is None:
        return tuple(dict.fromkeys(target.types))
    try:
        version = ipaddress.ip_address(target.address).version
    except ValueError:
        return ()
    return ("A",) if version == 4 else ("AAAA",)


def is_alias(target: Target) -> bool:
    """Whether it answers by an alias."""
    balancer = target.load_balancer
    return target.alias is not None or (balancer is not None and balancer.answer == "alias")


def record_set(record: Record, name: Name, zone: ZoneEntry, ttl_s: int) -> RecordSet:
    """One stated record as a record set, values quoted and otherwise as written."""
    alias = record.alias
    return RecordSet(
        name=name,
        type=record.type,
        ttl_s=record.ttl_s if alias or record.ttl_s is not None else ttl_s,
        values=tuple(as_route53(record.type, value) for value in record.values or ()),
        set_id=record.set_id,
        routing=_routing(record),
        alias=_alias(alias, zone) if alias else None,
        health_check_id=record.health_check_id,
    )


def policies(record: Record) -> tuple[str, ...]:
    """The routing policies that a record states; more than one is a mistake."""
    stated = [key for key in POLICY_KEYS if getattr(record, key) is not None]
    return (*stated, *(("multivalue",) if record.multivalue else ()))


def _routing(record: Record) -> Routing | None:
    if record.weight is not None:
        return Weighted(record.weight)
    if record.region is not None:
        return Latency(record.region)
    if record.failover is not None:
        return Failover(record.failover)
    if record.geo is not None:
        return Geolocation(record.geo.continent, record.geo.country, record.geo.subdivision)
    if record.geoproximity is not None:
        return _other("GeoProximityLocation", _proximity(record.geoproximity))
    if record.cidr is not None:
        cidr = {"CollectionId": record.cidr.collection_id, "LocationName": record.cidr.location}
        return _other("CidrRoutingConfig", cidr)
    return Multivalue() if record.multivalue else None


def _alias(stated: RecordAlias, zone: ZoneEntry) -> AliasTarget:
    """The checks see to it that a zone whose aliases point into itself states its id."""
    zone_id = stated.zone_id or zone.id or ""
    return AliasTarget(zone_id, parse_name(stated.name), stated.evaluate_target_health)


def _other(field: str, stated: Mapping[str, object]) -> OtherPolicy:
    """A policy that the contract carries in Route 53's own words, as a listing gives them."""
    return OtherPolicy(msgspec.json.encode({field: stated}, order="deterministic").decode())


def _proximity(stated: GeoProximity) -> dict[str, object]:
    point = stated.coordinates
    fields = {
        "AWSRegion": stated.region,
        "LocalZoneGroup": stated.local_zone_group,
        "Coordinates": point and {"Latitude": point.latitude, "Longitude": point.longitude},
        "Bias": stated.bias,
    }
    return {key: value for key, value in fields.items() if value is not None}


def _pool_units(settings: Settings, zone: ZoneEntry) -> Iterator[PoolUnit]:
    apex = parse_name(zone.name)
    for key, entry in zone.names.items():
        if entry.pool is None:
            continue
        for record_type, targets in targets_by_type(settings.pools[entry.pool]).items():
            yield PoolUnit(
                name=join(key, apex),
                type=record_type,
                pool=entry.pool,
                routing=entry.routing,
                ttl_s=default_ttl_s(entry, zone),
                targets=targets,
            )


def targets_by_type(pool: Pool) -> dict[str, tuple[Target, ...]]:
    """A pool's stated targets of each type that it can answer, in the order of the file.

    A type without any is left out, unless the pool's sources may name some.
    """
    open_types = pool.types if pool.sources else ()
    found = {
        record_type: tuple(one for one in pool.targets if record_type in target_types(one))
        for record_type in ("A", "AAAA")
    }
    return {
        record_type: targets
        for record_type, targets in found.items()
        if targets or record_type in open_types
    }


def _narrowed(limit: VelocityLimit, override: GuardrailsOverride | None) -> VelocityLimit:
    if override is None:
        return limit
    share, least, window_s = override.max_removed_share, override.min_targets, override.window_s
    return VelocityLimit(
        min_targets=limit.min_targets if least is None else least,
        max_removed_share=limit.max_removed_share if share is None else share,
        window_s=limit.window_s if window_s is None else window_s,
    )


def kept_in(settings: Settings, state_dir: Path | None) -> Settings:
    """The same config for a daemon that keeps what it knows elsewhere, where that is said."""
    return settings if state_dir is None else settings.model_copy(update={"state_dir": state_dir})
