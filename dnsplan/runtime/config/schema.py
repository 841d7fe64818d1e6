"""The shape of `dns.yaml`, with units in the key names and the reason beside each bound.

Only types, bounds and defaults stand here; what one part says about another (a pool that does not
exist, a name outside its zone) is `crosscheck`'s. Unknown keys are errors everywhere.
"""

from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

from dnsplan.runtime.config.alarms import HeartbeatSection, PagingSection, SentinelSection
from dnsplan.runtime.config.guardrails_shape import (
    Guardrails,
    GuardrailsOverride,
    Share,
    ZoneGuardrails,
)
from dnsplan.runtime.config.health_shape import Health
from dnsplan.runtime.config.record_shape import Record, TtlSeconds, ZoneId
from dnsplan.runtime.config.section import Section
from dnsplan.runtime.config.signing_shape import SigningSection
from dnsplan.runtime.config.source_shape import (
    Answer,
    BalancerArn,
    BalancerName,
    BalancerRegion,
    Source,
)
from dnsplan.runtime.config.waves_shape import WavesSection

Seconds = Annotated[float, Field(gt=0, le=86_400 * 30)]
Label = Annotated[
    str,
    Field(
        pattern=r"^[a-z0-9][a-z0-9_-]{0,62}$",
        description="1 to 63 of a-z, 0-9, - and _, beginning with a letter or digit",
    ),
]
Az = Annotated[
    str,
    Field(
        pattern=r"^[a-z0-9][a-z0-9-]{0,30}$",
        description="1 to 31 of a-z, 0-9 and -, beginning with a letter or digit",
    ),
]
AddressType = Literal["A", "AAAA"]


def _address_types() -> list[AddressType]:
    return ["A"]


class LoadBalancer(Section):
    """An ELBv2 load balancer, by name and Region or by ARN.

    It answers by an alias, or by the fixed addresses that a network load balancer has in its AZs.
    """

    name: BalancerName | None = None
    region: BalancerRegion | None = None
    arn: BalancerArn | None = None
    answer: Answer = "alias"
    evaluate_target_health: bool = True


class Alias(Section):
    """An alias target; `zone_id` is the hosted zone of the name it points to."""

    name: str
    zone_id: ZoneId
    evaluate_target_health: bool = False


class Target(Section):
    """An address, a load balancer or an alias that can be an answer. Capacity 0 is drained.

    An address says its type itself; `types` says it for the other two kinds. The capacity of a load
    balancer is the number of its healthy targets, unless it is stated.
    """

    id: Annotated[
        str,
        Field(
            pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$",
            description="1 to 64 letters, digits and . _ -, beginning with a letter or digit",
        ),
    ]
    address: str | None = None
    load_balancer: LoadBalancer | None = None
    alias: Alias | None = None
    types: Annotated[list[AddressType], Field(min_length=1, max_length=2)] = Field(
        default_factory=_address_types
    )
    az: str | None = None
    capacity: Annotated[int, Field(ge=0, le=1_000_000)] = 100


class Pool(Section):
    """Targets behind a name, how they are probed, and when health is no longer believed.

    `sources` are read for more targets while the planner runs; `types` are what those can answer.
    `balance` is what weights go by where a name states `routing: weighted`: the capacity of each
    target, or the same for each AZ and by capacity inside it.
    """

    targets: list[Target] = Field(default_factory=list)
    sources: Annotated[list[Source], Field(max_length=16)] = Field(default_factory=list)
    types: Annotated[list[AddressType], Field(min_length=1, max_length=2)] = Field(
        default_factory=_address_types
    )
    health: Health | None = None
    balance: Literal["capacity", "az"] = "capacity"
    panic_threshold: Share = 0.5
    guardrails: GuardrailsOverride | None = None


class NameEntry(Section):
    """What a name answers: targets of a pool, stated record sets, or both."""

    pool: str | None = None
    ttl_s: TtlSeconds | None = None
    routing: Literal["weighted", "multivalue", "simple"] = "multivalue"
    records: list[Record] = Field(default_factory=list)


class ZoneEntry(Section):
    """One hosted zone. `id` is needed where two zones share a name and visibility.

    `drift: hold` leaves what others change as it is, a name that they emptied too; it is paged.
    """

    name: str
    id: ZoneId | None = None
    private: bool = False
    role_arn: str | None = None
    mode: Literal["enforce", "observe"] = "enforce"
    drift: Literal["repair", "hold"] = "repair"
    ttl_s: TtlSeconds = 60
    guardrails: ZoneGuardrails | None = None
    names: dict[str, NameEntry] = Field(default_factory=dict)
    records_from: Annotated[
        list[Annotated[str, Field(pattern=r"^[^\x00]+$", description="the path of a file")]],
        Field(
            max_length=1_000,
            description="a path, or a list of paths: octoDNS by .yaml or .yml, else BIND",
        ),
    ] = Field(default_factory=list)


class ZoneDefaults(Section):
    """What the zones of a file are unless they say otherwise."""

    private: bool | None = None
    role_arn: str | None = None
    mode: Literal["enforce", "observe"] | None = None
    drift: Literal["repair", "hold"] | None = None
    ttl_s: TtlSeconds | None = None
    guardrails: ZoneGuardrails | None = None


class PlannerSection(Section):
    """Pace of planning, and of new connections that all its probes together may open."""

    interval_s: Seconds = 5.0
    max_probes_per_s: Annotated[float, Field(ge=1, le=10_000)] = 500.0
    max_plans_per_min: Annotated[int, Field(ge=1, le=600)] = 6
    heartbeat: HeartbeatSection | None = None


class EnactorSection(Section):
    """Pace of enacting; see docs/architecture.md for how these work together."""

    interval_s: Seconds = 2.0
    fence_check_s: Seconds = 60.0
    stagger_s: Seconds = 5.0
    audit_s: Seconds = 600.0
    heartbeat: HeartbeatSection | None = None


class CleanupSection(Section):
    """How much history stays: `keep` plans below head, none younger than `min_age_s`; and of plans
    that were deleted `history` rows, who made them and why, none deleted less than `min_age_s` ago.

    A pass reads every row of a zone, some 3,000 in a request.
    """

    keep: Annotated[int, Field(ge=1, le=10_000)] = 20
    min_age_s: Annotated[int, Field(ge=0, le=86_400 * 3_650)] = 86_400
    history: Annotated[int, Field(ge=0, le=1_000_000)] = 5_000
    interval_s: Seconds = 600.0


class StatusSection(Section):
    """Where status pages listen on each machine: the enactor's at this port; the planner's, the
    sentinel's and cleanup's at the three after it. None: nowhere."""

    listen: str | None = None


class Settings(Section):
    """The whole file. `include` and `defaults` are spent on `zones` before this is made."""

    include: list[str] = Field(default_factory=list)
    defaults: ZoneDefaults = ZoneDefaults()
    table: Annotated[
        str,
        Field(pattern=r"^[A-Za-z0-9_.-]{3,255}$", description="3 to 255 letters, digits and _ . -"),
    ] = "dnsplan"
    azs: Annotated[list[Az], Field(min_length=1, max_length=16)]
    state_dir: Annotated[Path, Field(strict=False)] = Path("/var/lib/dnsplan")
    account_requests_per_s: Annotated[float, Field(gt=0, le=1_000)] = 5.0
    zones: Annotated[dict[Label, ZoneEntry], Field(min_length=1)]
    pools: dict[str, Pool] = Field(default_factory=dict)
    guardrails: Guardrails = Guardrails()
    planner: PlannerSection = PlannerSection()
    waves: WavesSection | None = None
    enactor: EnactorSection = EnactorSection()
    cleanup: CleanupSection = CleanupSection()
    sentinel: SentinelSection = SentinelSection()
    paging: PagingSection = PagingSection()
    status: StatusSection = StatusSection()
    signing: SigningSection | None = None
