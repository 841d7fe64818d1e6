"""One process of a race: eight writers that swap one fence as enactors do, until it is at ROUNDS.

Prints the generations that its writers won. Arguments: zone id, and how many rounds.
"""

import asyncio
import json
import sys

from dnsplan.fence import FenceRecord, SeenFence
from dnsplan.names import parse_name
from dnsplan.outcomes import Accepted
from dnsplan.plan import Digest, Generation
from dnsplan.ports import Zone
from dnsplan.runtime.aws import AwsClients
from dnsplan.runtime.bucket import BucketRate, TokenBucket
from dnsplan.runtime.clock import SystemClock, SystemJitter
from dnsplan.runtime.retry import RetryBudget, Retrying
from enactor.adapters.route53 import Route53Records
from enactor.ports import ZoneRecords
from enactor.rules.packing import build

WRITERS = 8


async def race(records: ZoneRecords, zone: Zone, rounds: int, writer: str) -> list[int]:
    """Swap from whatever stands, again and again; the generations won."""
    won: list[int] = []
    jitter = SystemJitter()
    while True:
        seen = await records.read_fence(zone)
        assert isinstance(seen, SeenFence)
        standing = seen.record
        if standing.generation >= rounds:
            return won
        following = FenceRecord(
            generation=Generation(standing.generation + 1),
            step=1,
            steps=1,
            base=standing.generation,
            held=0,
            owner=standing.owner,
            writer=writer,
            nonce=jitter.token(64),
            digest=Digest("d" * 64),
        )
        batch = build(seen, following, (), zone=zone.name, may_end=lambda _key: False)
        if isinstance(await records.submit(zone, batch), Accepted):
            won.append(following.generation)


async def main(zone_id: str, rounds: int) -> list[int]:
    """Eight writers at once."""
    zone = Zone("shop", zone_id, parse_name("example.com"))
    clock = SystemClock()
    bucket = TokenBucket(clock, BucketRate(per_s=10_000.0, burst=10_000, least_per_s=100.0))
    retrying = Retrying(clock, SystemJitter(), budget=RetryBudget(), bucket=bucket)
    async with AwsClients().open("route53") as client:
        records = Route53Records({"shop": client}, retrying=retrying, bucket=bucket)
        races = [race(records, zone, rounds, f"writer{n}") for n in range(WRITERS)]
        return [won for each in await asyncio.gather(*races) for won in each]


if __name__ == "__main__":
    sys.stdout.write(json.dumps(asyncio.run(main(sys.argv[1], int(sys.argv[2])))))
