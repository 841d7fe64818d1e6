"""Reads fences with the client of each zone's own account, found by the zone's label.

Cleanup learns a zone's id from its generation item, so that it needs no permission to look for
zones: reading one record set is all that it asks of Route 53.
"""

from collections.abc import Mapping

from dnsplan.fence import NoFence, SeenFence
from dnsplan.ports import Zone
from dnsplan.runtime.retry import Retrying
from dnsplan.runtime.route53_fence import RecordLister, Route53FenceReader


class FencesByLabel:
    """ports.FenceReader over one client a label."""

    def __init__(self, clients: Mapping[str, RecordLister], retrying: Retrying) -> None:
        """Keep clients whose own retries are off."""
        self._clients = clients
        self._retrying = retrying

    async def read_fence(self, zone: Zone) -> SeenFence | NoFence:
        """The fence as it is now, or FenceDamaged."""
        client = self._clients[zone.label]
        reader = Route53FenceReader({zone.label: client, zone.zone_id: client}, self._retrying)
        return await reader.read_fence(zone)
