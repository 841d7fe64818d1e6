"""Record sets as a script states them: `api -> 192.0.2.1 192.0.2.2, www -> CNAME api`."""

from dnsplan.names import parse_name
from dnsplan.normal import normal_form
from dnsplan.ports import Zone
from dnsplan.records import AliasTarget, RecordSet, Unit, unit_of
from tests.simulation.scenario.stage import Mistaken

TTL_S = 60


def record_sets(text: str, zone: Zone) -> tuple[RecordSet, ...]:
    """The record sets of a list of statements."""
    return tuple(_one(part, zone) for part in text.split(", "))


def units(text: str, zone: Zone) -> dict[Unit, tuple[RecordSet, ...]]:
    """The same as a config states them."""
    return {unit_of(one): (one,) for one in record_sets(text, zone)}


def _one(text: str, zone: Zone) -> RecordSet:
    label, arrow, rest = text.partition(" -> ")
    words = rest.split()
    if not arrow or not words:
        raise Mistaken(f"{text!r} states no record set; write `api -> 192.0.2.1`")
    name = parse_name(f"{label}.{zone.name}")
    match words[0]:
        case "CNAME":
            there = RecordSet(name, "CNAME", TTL_S, (f"{words[1]}.{zone.name}",))
        case "ALIAS":
            target = AliasTarget(zone.zone_id, parse_name(f"{words[1]}.{zone.name}"), False)
            there = RecordSet(name, "A", None, (), alias=target)
        case "TXT":
            there = RecordSet(name, "TXT", TTL_S, tuple(f'"{word}"' for word in words[1:]))
        case _:
            there = RecordSet(name, "A", TTL_S, tuple(words))
    return normal_form(there)
