"""The shape of `health:` of a pool in `dns.yaml`: how its targets are looked at, and how patiently.

Only types, bounds and defaults stand here; that one probe is stated, and that it can end in time,
is `crosscheck`'s.
"""

from typing import Annotated, Literal

from pydantic import Field

from dnsplan.runtime.config.section import Section

Port = Annotated[int, Field(ge=1, le=65_535)]


class TcpProbe(Section):
    """Healthy when a connection opens."""

    port: Port


class HttpProbe(Section):
    """Healthy when the path answers with a status from 200 to 399, or one of those stated.

    `host` is the Host header, and the name asked for and verified in TLS unless `sni` is another.
    """

    port: Port
    path: Annotated[
        str, Field(pattern=r"^/[!-~]*$", description="a path that begins with /, blanks as %20")
    ] = "/"
    host: (
        Annotated[str, Field(pattern=r"^[!-~]{1,255}$", description="a host, as api.example.com")]
        | None
    ) = None
    tls: bool = False
    verify: bool = True
    sni: str | None = None
    statuses: Annotated[
        list[Annotated[int, Field(ge=100, le=599)]] | None, Field(min_length=1, max_length=50)
    ] = None
    body_contains: str | None = None


class DnsProbe(Section):
    """Healthy when the name is answered with at least one record of the type."""

    name: str
    type: Literal["A", "AAAA", "CNAME", "MX", "NS", "SOA", "TXT"] = "A"
    port: Port = 53
    tcp: bool = False


class Health(Section):
    """One probe and its hysteresis: `rise` good ones bring a target in, `fall` bad ones out.

    A target that fell stays out for `probation_s` from its fall at least, twice as long each time
    that it falls again soon. One that comes into a weighted name gets a quarter and then half of
    its weight within `slow_start_s`. 0 is none of it.
    """

    tcp: TcpProbe | None = None
    http: HttpProbe | None = None
    dns: DnsProbe | None = None
    interval_s: Annotated[float, Field(ge=0.1, le=3_600)] = 5.0
    timeout_s: Annotated[float, Field(gt=0, le=60)] = 2.0
    rise: Annotated[int, Field(ge=1, le=100)] = 2
    fall: Annotated[int, Field(ge=1, le=100)] = 3
    # A minute, so that what comes and goes each second makes two plans a minute at most.
    probation_s: Annotated[float, Field(ge=0, le=900)] = 60.0
    slow_start_s: Annotated[float, Field(ge=0, le=3_600)] = 30.0
