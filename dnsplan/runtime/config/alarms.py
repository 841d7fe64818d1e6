"""The shape of `sentinel:` and `paging:` in `dns.yaml`: how soon what pages, and where to.

Only types, bounds and defaults stand here. What an address of a name server or a webhook must look
like beyond its form is `crosscheck`'s.
"""

from typing import Annotated

from pydantic import Field, JsonValue

from dnsplan.runtime.config.secret import Secret
from dnsplan.runtime.config.section import Section

ServerAddress = Annotated[
    str,
    Field(
        min_length=1,
        description="an IP address, or one with a port, as 127.0.0.1:5353 or [2001:db8::53]:53",
    ),
]
# A zone has four name servers; more would only make each confirmation slower.
ServerAddresses = Annotated[list[ServerAddress], Field(max_length=12)]
# One resolver proves nothing by itself: each is somebody else's, and has caches.
Resolvers = Annotated[list[ServerAddress], Field(min_length=2, max_length=8)]
AlarmSeconds = Annotated[float, Field(gt=0, le=60)]


class LogAlarm(Section):
    """The page is a log event."""


class SnsAlarm(Section):
    """The page is published to an SNS topic."""

    arn: Annotated[str, Field(pattern=r"^arn:", description="the ARN of an SNS topic")]


class WebhookAlarm(Section):
    """The page is posted as JSON; the address is a secret since it often holds a token.

    `body` is the receiver's own shape, with places for facts, as `{title}`; `{secret}` is the text
    of `secret`. Without it the body is ours.
    """

    url: Secret
    timeout_s: AlarmSeconds = 5.0
    body: dict[str, JsonValue] | None = None
    headers: dict[str, str] = Field(default_factory=dict)
    secret: Secret | None = None


class Alarm(Section):
    """One way to reach people; exactly one of the four is stated."""

    log: LogAlarm | None = None
    sns: SnsAlarm | None = None
    webhook: WebhookAlarm | None = None
    command: Annotated[list[str], Field(min_length=1)] | None = None


class HeartbeatSection(Section):
    """An address that is asked each interval in which the work was really done.

    Who listens there pages when it stays away; an address that holds `{az}` is one for each AZ.
    """

    url: Secret
    every_s: Annotated[float, Field(ge=1, le=3_600)] = 60.0
    timeout_s: AlarmSeconds = 5.0


class PagingSection(Section):
    """What planner and enactors page, and where to.

    Without `alarms` it is where the sentinel's pages go. `held_s`: how long a zone may be held
    before somebody is told; a lost table or a second owner is told at once. `lag_s`: how long a
    plan may wait to be in the zone; Route 53 itself takes about a minute. `calm_s`: how long a
    cause must be gone before its page ends, so that one that comes and goes is one page.
    """

    alarms: list[Alarm] | None = None
    held_s: Annotated[float, Field(ge=1, le=86_400)] = 120.0
    lag_s: Annotated[float, Field(ge=1, le=86_400)] = 300.0
    repeat_s: Annotated[float, Field(ge=60, le=86_400 * 7)] = 14_400.0
    calm_s: Annotated[float, Field(ge=0, le=86_400)] = 60.0


class MetricSection(Section):
    """The count of names without answers goes to CloudWatch, for the alarm of `alarms.yaml`."""

    namespace: Annotated[
        str,
        Field(
            pattern=r"^[A-Za-z0-9._/#-]{1,255}$",
            description="1 to 255 of letters, digits, ., _, /, # and -",
        ),
    ] = "dnsplan"
    sentinel: Annotated[
        str,
        Field(
            pattern=r"^[a-z0-9][a-z0-9-]{0,30}$",
            description="1 to 31 of a-z, 0-9 and -, beginning with a letter or digit",
        ),
    ] = "main"


class SentinelSection(Section):
    """How soon an empty name pages, and where to.

    `name_servers` are asked for every zone, `zone_name_servers` (by label) for one; without them
    the zone's own name servers are found. Under a second there is no time to ask twice.
    `resolvers` are asked for public zones beside their own servers, `zone_resolvers` for one zone
    in their place; a page needs more than half of them.
    """

    page_within_s: Annotated[float, Field(ge=1, le=3_600)] = 30.0
    names_max: Annotated[int, Field(ge=1, le=1_000_000)] = 5_000
    name_servers: ServerAddresses = Field(default_factory=list)
    zone_name_servers: dict[str, Annotated[ServerAddresses, Field(min_length=1)]] = Field(
        default_factory=dict
    )
    resolvers: Resolvers | None = None
    zone_resolvers: dict[str, Resolvers] = Field(default_factory=dict)
    control_api: bool = True
    metric: MetricSection | None = None
    alarms: list[Alarm] = Field(default_factory=list)
    heartbeat: HeartbeatSection | None = None
    negative_ttl_max_s: Annotated[int, Field(ge=1, le=86_400 * 7)] = 900
