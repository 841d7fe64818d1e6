"""What the checks stand on: zones and pools that can be read, and the names of all others."""

from collections.abc import Mapping
from dataclasses import dataclass

from dnsplan.errors import InvalidName
from dnsplan.names import Name, parse_name
from dnsplan.runtime.config.guardrails_shape import Guardrails
from dnsplan.runtime.config.schema import Pool, ZoneEntry


@dataclass(frozen=True, slots=True)
class Ground:
    """Parts of a config. `azs` and `pool_names` are None when they could not be read whole.

    `pool_names` holds the names of unreadable pools too, so that a mistake inside a pool is not
    reported again as a pool that does not exist.
    """

    zones: Mapping[str, ZoneEntry]
    pools: Mapping[str, Pool]
    pool_names: frozenset[str] | None
    azs: frozenset[str] | None
    guardrails: Guardrails


def zone_name(zone: ZoneEntry) -> Name | None:
    """The zone's name, or None when it is none (which `zones` reports)."""
    try:
        return parse_name(zone.name)
    except InvalidName:
        return None
