"""A pool that outgrows its name, on the whole way to a DNS client, in many small batches.

What a client may meet between any two batches is looked at, not only the end.
"""

import dns.asyncquery
import dns.message
import pytest

from dnsplan.names import parse_name
from dnsplan.records import RecordSet, Unit, by_unit
from dnsplan.shards import seen_through, shard_name, shards_at
from dnsplan.validation import SETS_MAX
from enactor.rules import packing
from planner.rules.outcomes import Unchanged
from sandbox.route53.zone import HostedZone, Work
from tests.cases.stages import House
from tests.fakes.zone_records import from_stored
from tests.integration.dns_clients import serving

API = parse_name("api.example.com.")
ASKED = 40
WAIT_S = 20.0

# A batch holds the fence pair and 150 elements: about two shards that are new.
ELEMENTS_MAX = 154


def config(house: House, count: int) -> str:
    """A pool of so many targets without probes; all of it may change at once."""
    targets = ", ".join(
        f"{{id: t{n:03}, address: 10.0.{n // 250}.{n % 250 + 1}}}" for n in range(count)
    )
    return (
        "azs: [az1, az2, az3]\nplanner: {max_plans_per_min: 600}\n"
        "guardrails: {min_targets: 50, max_removed_share: 1.0, window_s: 60}\n"
        f"zones: {{shop: {{name: example.com, id: {house.zone.zone_id}, ttl_s: 60,"
        f" names: {{api: {{pool: api, routing: multivalue}}}}}}}}\n"
        f"pools: {{api: {{targets: [{targets}]}}}}\n"
    )


class Moments:
    """The zone after each batch: how many targets are behind the name, and which shards it has."""

    def __init__(self, zone: HostedZone, patch: pytest.MonkeyPatch) -> None:
        """Look from now on."""
        self.heard: list[int] = []
        self.zone = zone
        real = zone.commit

        def commit(work: Work) -> None:
            real(work)
            self.look()

        patch.setattr(HostedZone, "commit", lambda _zone, work: commit(work))

    def units(self) -> dict[Unit, tuple[RecordSet, ...]]:
        """All of the zone."""
        return by_unit(map(from_stored, self.zone.records()))

    def look(self) -> None:
        """No alias leads to nothing, and no name is beyond Route 53's limit."""
        units = self.units()
        assert all(len(sets) <= SETS_MAX for sets in units.values())
        assert all(units[shard, "A"] for shard in shards_at(API, units.get((API, "A"), ())))
        self.heard.append(len({v for one in seen_through(units, (API, "A")) for v in one.values}))


async def grown_to(house: House, count: int) -> None:
    """The config has so many targets now, and nothing is left to plan in two windows."""
    house.configure(config(house, count))
    quiet = 0
    while quiet < 2:
        house.clock.advance(60.0)
        quiet = quiet + 1 if isinstance((await house.turn()).outcome, Unchanged) else 0


async def resolved(zone: HostedZone) -> set[str]:
    """What a client is answered when it asks again and again."""
    found: set[str] = set()
    async with serving(zone) as server:
        for _ in range(ASKED):
            query = dns.message.make_query(API, "A")
            reply = await dns.asyncquery.udp(query, server.host, WAIT_S, server.port)
            answers = {rdata.address for rrset in reply.answer for rdata in rrset}
            assert answers, "a client met an empty answer"
            found |= answers
    return found


async def test_a_pool_outgrows_its_name_and_comes_back(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At no moment is a name without an answer or the pool under its floor; clients meet targets of
    every shard; when the pool fits its name again the shards are gone from the zone."""
    zone = house.route53.zone(house.zone.zone_id)
    monkeypatch.setattr(packing, "ELEMENTS_MAX", ELEMENTS_MAX)
    await grown_to(house, 100)
    moments = Moments(zone, monkeypatch)
    await grown_to(house, 250)
    units = moments.units()
    shards = shards_at(API, units[API, "A"])
    assert tuple(shard_name(API, index) for index in range(4)) == shards
    met = await resolved(zone)
    behind = [{v for one in units[shard, "A"] for v in one.values} for shard in shards]
    assert all(met & values for values in behind)
    assert (len(set.union(*behind)), sum(map(len, behind))) == (250, 250)
    await grown_to(house, 80)
    ended = moments.units()
    assert len(await resolved(zone) | {v for one in ended[API, "A"] for v in one.values}) == 80
    assert {(shard, "A") for shard in shards}.isdisjoint(ended)
    assert (min(moments.heard) >= 50, moments.heard[-1]) == (True, 80)
    assert len(moments.heard) > 6
