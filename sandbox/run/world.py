"""What the daemons meet outside themselves: the AWS stand-in and a DNS server on the same zones.

Everything listens on loopback. Zones are made through the stand-in's own API, as a team's zones
would be there before this system; the id that a config states is the id that its zone gets.
"""

import uuid
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from dnsplan.errors import FenceDamaged
from dnsplan.fence import FENCE_TYPE, NoFence, SeenFence, fence_name, read_fence
from dnsplan.names import parse_name
from dnsplan.ports import Zone
from dnsplan.records import RecordSet
from dnsplan.runtime.aws import AwsClients
from dnsplan.runtime.config.schema import ZoneEntry
from sandbox.aws.server import StandIn, serve
from sandbox.aws.settings import Chance, StandInSettings
from sandbox.dns.server import DnsServer, serve_dns
from sandbox.run.environment import REGION, apart_from_real_aws, lead_this_process_to

OWN_KEY = "sandbox"
VPC_ID = "vpc-00000000000000000"


@dataclass(slots=True)
class StatedIds(Chance):
    """Chance that gives the next zone the id that a config states for it."""

    stated: str | None = None

    def zone_id(self, _name: str) -> str:
        """The stated id once, then fresh ones."""
        stated, self.stated = self.stated, None
        return stated or Chance.zone_id(self, _name)


@dataclass(slots=True)
class World:
    """A running stand-in and its two DNS views."""

    stand_in: StandIn
    public: DnsServer
    private: DnsServer
    ids: StatedIds
    zone_ids: dict[str, str] = field(default_factory=dict)

    async def make_zones(self, zones: Sequence[tuple[str, ZoneEntry]]) -> None:
        """Create each zone under its label's id; private ones with a VPC."""
        async with AwsClients().open("route53") as client:
            for label, zone in zones:
                self.ids.stated = zone.id
                options: dict[str, Any] = {}  # keyword arguments of the SDK's call
                if zone.private:
                    options["VPC"] = {"VPCRegion": REGION, "VPCId": VPC_ID}
                    options["HostedZoneConfig"] = {"PrivateZone": True}
                made = await client.create_hosted_zone(
                    Name=parse_name(zone.name),
                    CallerReference=f"{label}-{uuid.uuid4()}",
                    **options,
                )
                self.zone_ids[label] = made["HostedZone"]["Id"].rpartition("/")[2]

    async def read_fence(self, zone: Zone) -> SeenFence | NoFence:
        """The fence as the zone holds it, without a request that would be counted or limited."""
        held = self.stand_in.route53.zone(zone.zone_id).sets_at(fence_name(zone.name))
        stored = held.get((FENCE_TYPE, ""))
        if stored is None:
            return NoFence.MISSING
        if stored.ttl is None:
            raise FenceDamaged(f"{stored.name} has no TTL")
        return read_fence(RecordSet(parse_name(stored.name), FENCE_TYPE, stored.ttl, stored.values))


@asynccontextmanager
async def open_world(*, port: int = 0, dns_port: int = 0) -> AsyncIterator[World]:
    """Run stand-in and DNS server for as long as the block lasts; port 0 takes a free one."""
    ids = StatedIds()

    def zones() -> Any:  # narrowed by serve_dns
        return stand_in.route53.zones.values()

    with apart_from_real_aws(OWN_KEY):
        async with (
            serve(port=port, settings=StandInSettings(), chance=ids) as stand_in,
            serve_dns(zones, view="public", port=dns_port) as public,
            serve_dns(zones, view="private") as private,
        ):
            lead_this_process_to(stand_in.endpoint_url)
            yield World(stand_in, public, private, ids)
