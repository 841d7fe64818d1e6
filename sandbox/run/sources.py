"""What the sandbox's own status is read from: the table as the daemons see it, zones directly.

The fence is looked up in the stand-in itself, so that a screen that refreshes every second costs
none of the requests that the daemons are counted and limited by.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from dnsplan.runtime.config.schema import Settings
from dnsplan.runtime.status.collect import Sources, ZoneAsked
from dnsplan.runtime.status.sources import open_sources as open_aws_sources
from enactor.adapters.exceptions import open_held
from sandbox.run.world import World


@asynccontextmanager
async def open_sources(settings: Settings, world: World) -> AsyncIterator[Sources]:
    """Sources for as long as the block lasts."""

    async def find(zone: ZoneAsked) -> str:
        return world.zone_ids[zone.label]

    async with open_aws_sources(settings, open_held) as aws:
        yield Sources(
            table=aws.table,
            archive=aws.archive,
            fences=world,
            presence=aws.presence,
            find_zone_id=find,
            held_names=aws.held_names,
        )
