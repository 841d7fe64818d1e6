"""The shape of `sentinel:` in `dns.yaml`: how soon an empty name pages, whom it asks, where to.

Only types, bounds and defaults stand here. What an address of a name server or a webhook must look
like beyond its form is `crosscheck`'s.
"""

from typing import Annotated

from pydantic import Field

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
AlarmSeconds = Annotated[float, Field(gt=0, le=60)]


class LogAlarm(Section):
    """The page is a log event."""


class SnsAlarm(Section):
    """The page is published to an SNS topic."""

    arn: Annotated[str, Field(pattern=r"^arn:", description="the ARN of an SNS topic")]


class WebhookAlarm(Section):
    """The page is posted as JSON; the address is a secret since it often holds a token."""

    url: Secret
    timeout_s: AlarmSeconds = 5.0


class Alarm(Section):
    """One way to reach people; exactly one of the four is stated."""

    log: LogAlarm | None = None
    sns: SnsAlarm | None = None
    webhook: WebhookAlarm | None = None
    command: Annotated[list[str], Field(min_length=1)] | None = None


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
    """

    page_within_s: Annotated[float, Field(ge=1, le=3_600)] = 30.0
    names_max: Annotated[int, Field(ge=1, le=1_000_000)] = 5_000
    name_servers: ServerAddresses = Field(default_factory=list)
    zone_name_servers: dict[str, Annotated[ServerAddresses, Field(min_length=1)]] = Field(
        default_factory=dict
    )
    control_api: bool = True
    metric: MetricSection | None = None
    alarms: list[Alarm] = Field(default_factory=list)
