"""The shape of `sources:` of a pool in `dns.yaml`: where targets are read from, and how patiently.

Only types, bounds and defaults stand here. What a file, a command or an address must answer is the
schema of `docs/targets.schema.json`, and checked when it is read.
"""

from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, PlainValidator, ValidationInfo

from dnsplan.runtime.config.secret import Secret
from dnsplan.runtime.config.section import Section

Answer = Literal["alias", "addresses"]
# A read that takes longer would say what was true a minute ago.
ReadSeconds = Annotated[float, Field(gt=0, le=60)]
# The system takes no byte 0 in what a program is given.
Word = Annotated[
    str, Field(pattern=r"^[^\x00]+$", description="text of at least 1, without the byte 0")
]
BalancerName = Annotated[
    str,
    Field(pattern=r"^[A-Za-z0-9-]{1,32}$", description="1 to 32 letters, digits and -"),
]
BalancerRegion = Annotated[str, Field(pattern=r"^[a-z]{2}[a-z0-9-]{3,30}$", description="a Region")]
# A Region is read from it before AWS is asked. Classic load balancers are none of ELBv2.
BalancerArn = Annotated[
    str,
    Field(
        pattern=r"^arn:aws[a-z-]*:elasticloadbalancing:[a-z][a-z0-9-]*:[0-9]*"
        r":loadbalancer/(?:app|net)/[^/\s]+/[^/\s]+$",
        description="the ARN of an application or network load balancer",
    ),
]


def beside_config(stated: object, info: ValidationInfo) -> Path:
    """A path as the config states it: relative to the config's folder."""
    if not isinstance(stated, str) or not stated or "\0" in stated:
        raise ValueError("no path")
    folder = (info.context or {}).get("folder")
    return (folder if isinstance(folder, Path) else Path()) / stated


FilePath = Annotated[
    Path, PlainValidator(beside_config), Field(description="the path of a file, as text")
]


class FileSource(Section):
    """A JSON file that somebody else replaces whole; looked at each `interval_s`."""

    path: FilePath


class CommandSource(Section):
    """A program, run without a shell, whose standard output is the JSON."""

    run: Annotated[list[Word], Field(min_length=1, max_length=64)]
    timeout_s: ReadSeconds = 10.0


class HttpSource(Section):
    """A web address that answers with the JSON. Address and `authorization` may be secrets."""

    url: Secret
    authorization: Secret | None = None
    timeout_s: ReadSeconds = 5.0


class LoadBalancersSource(Section):
    """All ELBv2 load balancers of a Region with these tags; each is one target, by its ARN."""

    region: BalancerRegion
    tags: Annotated[dict[str, str], Field(min_length=1, max_length=50)]
    answer: Answer = "alias"
    evaluate_target_health: bool = True


class Source(Section):
    """One place where targets are read from; exactly one of the four forms is stated.

    A target that a complete read lacks stays for `hold_s` at least, and until another complete
    read lacks it too.
    """

    file: FileSource | None = None
    command: CommandSource | None = None
    http: HttpSource | None = None
    load_balancers: LoadBalancersSource | None = None
    interval_s: Annotated[float, Field(ge=0.1, le=3_600)] = 10.0
    hold_s: Annotated[float, Field(ge=0, le=86_400)] = 60.0


SOURCE_FORMS = ("file", "command", "http", "load_balancers")
