"""Where a play takes place: a stand-in served on loopback, DNS on its zones, and clients for both.

Nothing is taken from this machine's AWS settings, files or proxies: a play must never reach a real
account. Each client has an access key id of its own, so that a fault strikes one player alone.
"""

from collections.abc import AsyncIterator, MutableMapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from sandbox.aws.faults import Armed, HoldRequest, Where
from sandbox.aws.server import StandIn, serve
from sandbox.dns.server import DnsServer, serve_dns
from sandbox.incident.story import ZONE
from sandbox.route53.model import StoredRecordSet
from sandbox.run.environment import REGION, child_environment

OWN_KEY = "story"
CONNECT_WITHIN_S, ANSWER_WITHIN_S = 5.0, 30.0


@dataclass(frozen=True, slots=True)
class House:
    """A running stand-in with one zone, and the SDK's session, whose data takes long to load."""

    session: Any
    stand_in: StandIn
    dns: DnsServer
    zone_id: str

    @asynccontextmanager
    async def client(self, service: str, who: str) -> AsyncIterator[Any]:
        """The SDK's client for one player; it has no types of its own."""
        async with open_client(self.session, self.stand_in, service, who) as client:
            yield client

    def hold_batches(self, who: str) -> Armed:
        """Let this player's next change batch wait at the door of Route 53."""
        where = Where(operation="ChangeResourceRecordSets", access_key=key_of(who))
        return self.stand_in.faults.arm(HoldRequest(), where)

    def at(self, name: str, kind: str) -> StoredRecordSet | None:
        """A simple record set as the zone holds it now."""
        return self.stand_in.route53.zone(self.zone_id).sets_at(name).get((kind, ""))


def close_off(environ: MutableMapping[str, str]) -> None:
    """Leave nothing of real AWS in this process, which is stand-in and players in one."""
    kept = child_environment(environ, endpoint_url="", access_key=OWN_KEY)
    del kept["AWS_ENDPOINT_URL"]  # each client is given the stand-in's
    environ.clear()
    environ.update(kept)


def key_of(who: str) -> str:
    """A player's access key id."""
    return who.replace(" ", "-")


@asynccontextmanager
async def open_house() -> AsyncIterator[House]:
    """Serve for as long as the block lasts."""
    from aiobotocore.session import get_session

    session = get_session()
    async with serve() as stand_in:
        async with open_client(session, stand_in, "route53", OWN_KEY) as route53:
            made = await route53.create_hosted_zone(Name=ZONE, CallerReference=OWN_KEY)
        zone_id = made["HostedZone"]["Id"].rpartition("/")[2]
        async with serve_dns(lambda: stand_in.route53.zones.values()) as dns:
            yield House(session, stand_in, dns, zone_id)


@asynccontextmanager
async def open_client(
    session: Any, stand_in: StandIn, service: str, who: str
) -> AsyncIterator[Any]:
    """One request is sent once, to this stand-in and nowhere else."""
    from aiobotocore.config import AioConfig

    async with session.create_client(
        service,
        region_name=REGION,
        endpoint_url=stand_in.endpoint_url,
        aws_access_key_id=key_of(who),
        aws_secret_access_key=OWN_KEY,
        config=AioConfig(
            connect_timeout=CONNECT_WITHIN_S,
            read_timeout=ANSWER_WITHIN_S,
            retries={"total_max_attempts": 1},
        ),
    ) as client:
        yield client
