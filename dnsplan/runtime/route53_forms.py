"""Record sets in the SDK's form and in ours, both ways and without loss.

What this release has no words for (geoproximity, CIDR routing, traffic policies) passes through
as the SDK's own fields in canonical JSON, so that an exact DELETE can name every field that a
listing showed. Names go through the one codec; values are kept as they are listed.
"""

from collections.abc import Mapping
from typing import Any, TypeAlias

import msgspec

from dnsplan.names import parse_name
from dnsplan.policies import policy_fields
from dnsplan.records import (
    AliasTarget,
    Failover,
    Geolocation,
    Latency,
    Multivalue,
    OtherPolicy,
    RecordSet,
    Routing,
    Weighted,
)

AwsRecordSet: TypeAlias = Mapping[str, Any]

_HOSTED_ZONE = "/hostedzone/"
_ROUTING_FIELDS = ("Weight", "Region", "GeoLocation", "Failover", "MultiValueAnswer")
_OTHER_FIELDS = ("GeoProximityLocation", "CidrRoutingConfig", "TrafficPolicyInstanceId")


def record_set_from_aws(listed: AwsRecordSet) -> RecordSet:
    """A record set as ListResourceRecordSets gives it."""
    alias = listed.get("AliasTarget")
    return RecordSet(
        name=parse_name(listed["Name"]),
        type=listed["Type"],
        ttl_s=listed.get("TTL"),
        values=tuple(one["Value"] for one in listed.get("ResourceRecords", ())),
        set_id=listed.get("SetIdentifier"),
        routing=_routing_from(listed),
        alias=None if alias is None else _alias_from(alias),
        health_check_id=listed.get("HealthCheckId"),
    )


def record_set_to_aws(record_set: RecordSet) -> dict[str, Any]:
    """The same as ChangeResourceRecordSets wants it, or InvalidRecord for what it cannot hold."""
    out: dict[str, Any] = {"Name": record_set.name, "Type": record_set.type}
    if record_set.set_id is not None:
        out["SetIdentifier"] = record_set.set_id
    if record_set.routing is not None:
        out.update(_routing_to(record_set.routing))
    if record_set.ttl_s is not None:
        out["TTL"] = record_set.ttl_s
    if record_set.values:
        out["ResourceRecords"] = [{"Value": value} for value in record_set.values]
    if record_set.alias is not None:
        out["AliasTarget"] = {
            "HostedZoneId": record_set.alias.zone_id,
            "DNSName": record_set.alias.name,
            "EvaluateTargetHealth": record_set.alias.evaluate_target_health,
        }
    if record_set.health_check_id is not None:
        out["HealthCheckId"] = record_set.health_check_id
    return out


def zone_id_from_aws(zone_id: str) -> str:
    """A hosted zone id without the path that the SDK puts before it."""
    return zone_id.removeprefix(_HOSTED_ZONE)


def _alias_from(alias: Mapping[str, Any]) -> AliasTarget:
    return AliasTarget(
        zone_id=zone_id_from_aws(alias["HostedZoneId"]),
        name=parse_name(alias["DNSName"]),
        evaluate_target_health=alias["EvaluateTargetHealth"],
    )


def _routing_from(listed: AwsRecordSet) -> Routing | None:
    if any(field in listed for field in _OTHER_FIELDS):
        fields = {key: listed[key] for key in (*_ROUTING_FIELDS, *_OTHER_FIELDS) if key in listed}
        return OtherPolicy(msgspec.json.encode(fields, order="deterministic").decode())
    if "Weight" in listed:
        return Weighted(listed["Weight"])
    if "Region" in listed:
        return Latency(listed["Region"])
    if "Failover" in listed:
        return Failover(listed["Failover"])
    if "GeoLocation" in listed:
        return _geolocation_from(listed["GeoLocation"])
    return Multivalue() if listed.get("MultiValueAnswer") else None


def _geolocation_from(stated: Mapping[str, Any]) -> Geolocation:
    return Geolocation(
        continent=stated.get("ContinentCode"),
        country=stated.get("CountryCode"),
        subdivision=stated.get("SubdivisionCode"),
    )


def _routing_to(routing: Routing) -> dict[str, Any]:
    match routing:
        case Weighted(weight):
            return {"Weight": weight}
        case Latency(region):
            return {"Region": region}
        case Failover(role):
            return {"Failover": role}
        case Geolocation():
            codes = {
                "ContinentCode": routing.continent,
                "CountryCode": routing.country,
                "SubdivisionCode": routing.subdivision,
            }
            return {"GeoLocation": {key: code for key, code in codes.items() if code is not None}}
        case Multivalue():
            return {"MultiValueAnswer": True}
        case OtherPolicy(fields):
            return policy_fields(fields)
