"""Which names the zones of a config are written at, as `roles.yaml` takes them, and how many fit.

Pure. A name that is missing here is denied to enactors, so every name that a plan of this config
can hold is in it: the fence's, those that are stated, and the shards that a pool may need or leave.
"""

import json
from collections.abc import Iterable

from dnsplan.fence import fence_name
from dnsplan.names import Name, join, parse_name
from dnsplan.runtime.config.schema import ZoneEntry
from dnsplan.shards import SHARD_LABEL, shard_name

# A parameter of CloudFormation, and a managed policy without its white space; both are AWS's:
# https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/cloudformation-limits.html
# https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_iam-quotas.html
PARAMETER_BYTES_MAX = 4_096
POLICY_CHARACTERS_MAX = 6_144

# What the larger policy of roles.yaml holds beside names and zones, every record type included; and
# a zone's ARN at its longest. tests/deploy deploys a full one.
POLICY_CHARACTERS = 900
ZONE_CHARACTERS = len('"arn:aws-us-gov:route53:::hostedzone/",') + 32


def written_names(zone: ZoneEntry) -> tuple[Name, ...]:
    """The fence's name, those that are stated, and one shard where there may be any.

    Shards are led to by aliases into the own zone, which name its id. They outlive the last pool
    of a config until a plan without them is applied, so no pool has to be stated for them.
    """
    apex = parse_name(zone.name)
    shards = () if zone.id is None else (shard_name(apex, 0),)
    return (fence_name(apex), *sorted(join(key, apex) for key in zone.names), *shards)


def written_types(zone: ZoneEntry) -> dict[str, str]:
    """The types that a plan of this config writes beside texts, each with a value of its form."""
    records = [record for name in zone.names.values() for record in name.records]
    stated = {one.type: one.values[0] for one in records if one.values}
    pools = {"A": "192.0.2.1"} if any(name.pool for name in zone.names.values()) else {}
    return {kind: value for kind, value in {**pools, **stated}.items() if kind != "TXT"}


def parameter_names(zones: Iterable[ZoneEntry]) -> tuple[str, ...]:
    """The same as the parameter lists them: without the last dot, and each once.

    How many shards there are goes by the pool, so a star counts them. It reaches every name below
    the zone whose first label begins so, and those are ours alone: no config may state one.
    """
    return tuple(
        dict.fromkeys(
            f"{SHARD_LABEL}*.{parse_name(zone.name)}".removesuffix(".")
            if name.startswith(SHARD_LABEL)
            else name.removesuffix(".")
            for zone in zones
            for name in written_names(zone)
        )
    )


def fitting(names: Iterable[str], *, zones: int) -> int:
    """How many of these names fit, in their order, beside so many zones."""
    parameter, policy, count = -1, POLICY_CHARACTERS + zones * ZONE_CHARACTERS, 0
    for name in names:
        parameter += len(name) + len(",")
        policy += len(json.dumps(name)) + len(",")
        if parameter > PARAMETER_BYTES_MAX or policy > POLICY_CHARACTERS_MAX:
            break
        count += 1
    return count
