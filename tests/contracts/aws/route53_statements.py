"""How the Route 53 rows state record sets of a case's zone."""

from typing import Any

from tests.contracts.aws.places import Zone, record
from tests.contracts.aws.talk import Json


def fence(zone: Zone, text: str) -> Json:
    """State a fence record."""
    return record(zone.at("_fence"), "TXT", f'"{text}"')


def weighted(zone: Zone, label: str, set_id: str, weight: int = 1, **fields: Any) -> Json:
    """State one set of a weighted group."""
    return record(zone.at(label), SetIdentifier=set_id, Weight=weight, **fields)


def alias(zone: Zone, label: str, to: str) -> Json:
    """State an alias to a name of the same zone."""
    target = {"HostedZoneId": zone.id, "DNSName": zone.at(to), "EvaluateTargetHealth": False}
    return record(zone.at(label), AliasTarget=target)
