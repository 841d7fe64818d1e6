"""How much room a hosted zone has, behind the enactor's port: one request, mapped."""

from collections.abc import Mapping
from typing import Any

from dnsplan.ports import Zone
from dnsplan.runtime.aws_errors import AWS_TROUBLE, failed_read
from dnsplan.runtime.retry import Retrying
from enactor.rules.quota import ZoneQuota


class Route53Quotas:
    """`enactor.ports.ZoneQuotas` on aiobotocore. `clients` are by label: a role for each."""

    def __init__(self, clients: Mapping[str, Any], *, retrying: Retrying) -> None:
        """`retrying` paces its tries by the account's bucket."""
        self._clients = clients
        self._retrying = retrying

    async def quota(self, zone: Zone) -> ZoneQuota:
        """Count and limit of record sets."""
        client = self._clients[zone.label]
        try:
            answer = await self._retrying.call(
                lambda: client.get_hosted_zone_limit(
                    Type="MAX_RRSETS_BY_ZONE", HostedZoneId=zone.zone_id
                )
            )
        except AWS_TROUBLE as error:
            raise failed_read(error, f"read the limit of {zone.label}") from error
        return ZoneQuota(count=int(answer["Count"]), limit=int(answer["Limit"]["Value"]))
