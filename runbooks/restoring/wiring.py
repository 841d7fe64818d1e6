"""Opens Route 53 and nothing else, and finds the zone that a plan file is for."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from dnsplan.names import Name
from dnsplan.ports import Clock, Jitter, Zone
from dnsplan.runtime.aws import AwsClients
from dnsplan.runtime.bucket import TokenBucket, share_of_account
from dnsplan.runtime.clock import SystemClock, SystemJitter
from dnsplan.runtime.config.schema import ZoneEntry
from dnsplan.runtime.retry import RetryBudget, Retrying
from dnsplan.runtime.zones import ZoneFinder, ZoneProblem
from enactor.adapters.route53 import Route53Records
from enactor.ports import ZoneRecords
from enactor.settings import Pace
from runbooks.controls.outside import Mistaken


@dataclass(frozen=True, slots=True, kw_only=True)
class GlassDesk:
    """What is left when all else is gone."""

    records: ZoneRecords
    finder: ZoneFinder
    clock: Clock
    jitter: Jitter
    pace: Pace


@asynccontextmanager
async def open_glass_desk(label: str, *, requests_per_s: float) -> AsyncIterator[GlassDesk]:
    """Route 53 under the credentials of the environment."""
    clock, jitter = SystemClock(), SystemJitter()
    bucket = TokenBucket(clock, share_of_account(requests_per_s, 1))
    retrying = Retrying(clock, jitter, budget=RetryBudget(), bucket=bucket)
    async with AwsClients().open("route53") as client:
        clients = {label: client}
        yield GlassDesk(
            records=Route53Records(clients, retrying=retrying, bucket=bucket),
            finder=ZoneFinder(clients, retrying),
            clock=clock,
            jitter=jitter,
            pace=pace_of(requests_per_s),
        )


def pace_of(requests_per_s: float) -> Pace:
    """Only its bounds on views and refusals matter to a restore; it runs once."""
    return Pace(interval_s=2.0, fence_check_s=60.0, stagger_s=0.0, requests_per_s=requests_per_s)


async def zone_of(finder: ZoneFinder, label: str, name: Name, zone_id: str | None) -> Zone:
    """The one hosted zone of that name, or of that id if its name fits; else Mistaken."""
    zones: list[Zone] = []
    problems: list[ZoneProblem] = []
    for private in (False, True):
        found = await finder.find(label, ZoneEntry(name=name, id=zone_id, private=private))
        if isinstance(found, Zone):
            zones.append(found)
        else:
            problems.append(found)
    several = [one for one in problems if one.allowed == "an id: beside the name"]
    if len(zones) == 1 and not several:
        return zones[0]
    if zones or several:
        shown = [one.found for one in several] + [one.zone_id for one in zones]
        raise Mistaken(f"more than one hosted zone {name}: {', '.join(shown)}; choose by --zone-id")
    raise Mistaken("; ".join(dict.fromkeys(f"{one.found}" for one in problems)))
