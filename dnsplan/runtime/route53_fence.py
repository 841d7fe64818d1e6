"""The fence as the Route 53 control API shows it: one request, one record set.

A listing starts at the name and type it is given or at the next one after; so the answer is
compared, and anything else than the fence means that there is none.
"""

from collections.abc import Mapping
from typing import Any, Protocol

from dnsplan.errors import FenceDamaged, InvalidName, InvalidRecord
from dnsplan.fence import FENCE_TYPE, NoFence, SeenFence, fence_name, is_fence, read_fence
from dnsplan.ports import Zone
from dnsplan.runtime.aws_errors import AWS_TROUBLE, failed_read
from dnsplan.runtime.dynamodb import Answer
from dnsplan.runtime.retry import Retrying
from dnsplan.runtime.route53_forms import record_set_from_aws


class RecordLister(Protocol):
    """The one call of an aiobotocore client that reading a fence makes."""

    async def list_resource_record_sets(self, **request: Any) -> Answer:
        """ListResourceRecordSets."""
        ...


class Route53FenceReader:
    """ports.FenceReader. A zone is asked with the client of its own account."""

    def __init__(self, clients: Mapping[str, RecordLister], retrying: Retrying) -> None:
        """Keep clients by label, each with its own retries off."""
        self._clients = clients
        self._retrying = retrying

    async def read_fence(self, zone: Zone) -> SeenFence | NoFence:
        """The fence as it is now, or FenceDamaged."""
        client = self._clients[zone.label]
        try:
            answer = await self._retrying.call(
                lambda: client.list_resource_record_sets(
                    HostedZoneId=zone.zone_id,
                    StartRecordName=fence_name(zone.name),
                    StartRecordType=FENCE_TYPE,
                    MaxItems="1",
                )
            )
        except AWS_TROUBLE as error:
            raise failed_read(error, f"read the fence of {zone.label}") from error
        for listed in answer["ResourceRecordSets"][:1]:
            try:
                record_set = record_set_from_aws(listed)
                if is_fence(record_set, zone.name):
                    return read_fence(record_set)
            except (InvalidName, InvalidRecord) as error:
                raise FenceDamaged(f"the fence of {zone.label}: {error}") from error
        return NoFence.MISSING
