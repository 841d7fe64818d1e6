"""The shape of one stated record set in `dns.yaml`: its answers, and at most one routing policy.

Only types, bounds and defaults stand here; what Route 53 would not take is `validation`'s, and what
cannot stand together is `crosscheck`'s.
"""

from typing import Annotated, Literal

from pydantic import Field

from dnsplan.runtime.config.section import Section

TtlSeconds = Annotated[int, Field(ge=0, le=2_147_483_647)]
ZoneId = Annotated[
    str,
    Field(pattern=r"^[A-Z0-9]{1,32}$", description="a hosted zone id without /hostedzone/"),
]
AwsRegion = Annotated[
    str,
    Field(pattern=r"^[a-z]{2,8}(?:-[a-z]+)+-[0-9]{1,2}$", description="a Region, as eu-central-1"),
]

SetId = Annotated[
    str,
    Field(
        pattern=r"^[^\x00-\x1f\x7f]{1,128}$",
        description="1 to 128 characters, none of them a control character",
    ),
]
HealthCheckId = Annotated[
    str,
    Field(pattern=r"^[0-9A-Za-z-]{1,64}$", description="1 to 64 letters, digits and -"),
]


class RecordAlias(Section):
    """An alias of a stated record set; without `zone_id` it points into its own zone."""

    name: str
    zone_id: ZoneId | None = None
    evaluate_target_health: bool = False


class Geo(Section):
    """Where a resolver is: a continent, or a country (`*` is the default) with a subdivision."""

    continent: Literal["AF", "AN", "AS", "EU", "NA", "OC", "SA"] | None = None
    country: (
        Annotated[
            str, Field(pattern=r"^(?:[A-Z]{2}|\*)$", description='two capitals, as CH, or "*"')
        ]
        | None
    ) = None
    subdivision: (
        Annotated[
            str, Field(pattern=r"^[A-Z0-9]{1,3}$", description="1 to 3 capitals, as CA in the US")
        ]
        | None
    ) = None


class Coordinates(Section):
    """A point on the map, as texts with at most two decimals, which is how Route 53 keeps it."""

    latitude: Annotated[
        str, Field(pattern=r"^-?[0-9]{1,2}(?:\.[0-9]{1,2})?$", description='text, as "49.22"')
    ]
    longitude: Annotated[
        str, Field(pattern=r"^-?[0-9]{1,3}(?:\.[0-9]{1,2})?$", description='text, as "-74.01"')
    ]


class GeoProximity(Section):
    """Answered by distance from a Region, a local zone group or a point; `bias` widens the area."""

    region: AwsRegion | None = None
    local_zone_group: Annotated[str, Field(min_length=1, max_length=64)] | None = None
    coordinates: Coordinates | None = None
    bias: Annotated[int, Field(ge=-99, le=99)] | None = None


class Cidr(Section):
    """Answered by the resolver's network: a location of a CIDR collection; `*` is the default."""

    collection_id: Annotated[
        str, Field(pattern=r"^[0-9a-f-]{36}$", description="the id of a CIDR collection")
    ]
    location: Annotated[
        str,
        Field(
            pattern=r"^(?:[0-9A-Za-z_-]{1,16}|\*)$",
            description='1 to 16 letters, digits, _ and -, or "*"',
        ),
    ]


class Record(Section):
    """One stated record set of a name. At most one routing policy, and then a `set_id`."""

    type: Annotated[
        str,
        Field(pattern=r"^[A-Z][A-Z0-9]{0,15}$", description="a record type in capitals, as MX"),
    ]
    ttl_s: TtlSeconds | None = None
    values: list[str] | None = None
    alias: RecordAlias | None = None
    set_id: SetId | None = None
    weight: Annotated[int, Field(ge=0, le=255)] | None = None
    region: AwsRegion | None = None
    failover: Literal["PRIMARY", "SECONDARY"] | None = None
    geo: Geo | None = None
    geoproximity: GeoProximity | None = None
    cidr: Cidr | None = None
    multivalue: bool = False
    health_check_id: HealthCheckId | None = None
