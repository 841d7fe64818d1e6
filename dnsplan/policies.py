"""The fields of a routing policy that passes through: only those that the SDK knows can be sent.

What is unknown to it, or of another kind, ends the SDK's own writing of the request.
Source: botocore service model of route53 2013-04-01, ResourceRecordSet.
"""

from typing import Any

import msgspec
from msgspec import Struct

from dnsplan.errors import InvalidRecord


class _Coordinates(Struct, rename="pascal", forbid_unknown_fields=True):
    latitude: str
    longitude: str


class _Proximity(Struct, rename="pascal", forbid_unknown_fields=True):
    aws_region: str | None = msgspec.field(default=None, name="AWSRegion")
    local_zone_group: str | None = None
    coordinates: _Coordinates | None = None
    bias: int | None = None


class _Cidr(Struct, rename="pascal", forbid_unknown_fields=True):
    collection_id: str
    location_name: str


class _Place(Struct, rename="pascal", forbid_unknown_fields=True):
    continent_code: str | None = None
    country_code: str | None = None
    subdivision_code: str | None = None


class _Fields(Struct, rename="pascal", forbid_unknown_fields=True):
    geo_proximity_location: _Proximity | None = None
    cidr_routing_config: _Cidr | None = None
    traffic_policy_instance_id: str | None = None
    weight: int | None = None
    region: str | None = None
    geo_location: _Place | None = None
    failover: str | None = None
    multi_value_answer: bool | None = None


def policy_fields(text: str) -> dict[str, Any]:  # JSON values of several kinds
    """The fields, or InvalidRecord for those that no request can carry."""
    try:
        msgspec.json.decode(text, type=_Fields)
    except msgspec.DecodeError as error:
        raise InvalidRecord(f"a policy that no request can carry: {error}") from error
    fields: dict[str, Any] = msgspec.json.decode(text)
    if not fields:
        raise InvalidRecord("a policy without fields")
    return fields
