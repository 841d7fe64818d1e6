"""How long from a fault to its page at a receiver, for each fault that the sentinel knows.

    python -m benchmarks.paging --times 20

Runs in a network of its own (`unshare`), where it serves DNS at port 53: some zones on the AWS
stand-in, their parent, three resolvers, a receiver, and a real `dns-sentinel run` that has to find
all of it. In each turn every fault is made at a moment of its own in every zone, and mended when
all of them are paged. It prints one line a fault: how often, median and worst seconds.
"""

import argparse
import asyncio
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from benchmarks.paging_stage import (
    ADDRESSES,
    LABELS,
    PARENT_HOST,
    Receiver,
    Stage,
    put,
    record,
    soa,
    stage,
)
from sandbox.route53.account import NAME_SERVERS
from tests.system.sentinel.delegation_play import APART

# Within these seconds of a turn's beginning each fault is made.
SPREAD_S = 10.0
# The least for which caches are waited out, and some looks.
STEADY_S = 330.0
Act = Callable[[], Awaitable[None]]


@dataclass(frozen=True)
class Fault:
    """Something to break and to mend, and the page that it makes."""

    what: str
    page_id: str
    make: Act
    mend: Act


def of_names(stage: Stage, label: str, _: int) -> Iterator[Fault]:
    """What makes a name answer with too little, or nothing."""
    zone = f"{label}.com"
    change = partial(stage.change, label)
    for what, name in (("nodata", "nodata"), ("nxdomain", "nxdomain"), ("dangling", "end")):
        held = record(f"{name}.{zone}", "192.0.2.1")
        shown = "alias" if name == "end" else name
        yield Fault(
            what,
            f"empty-name/{label}/{shown}.{zone}.",
            partial(change, "DELETE", held),
            partial(change, "CREATE", held),
        )
    for what, kind in (("servfail", "servfail"), ("lame", "refuse"), ("timeout", "silence")):
        name = f"{what}.{zone}."
        page_id = f"empty-name/{label}/{name}"
        yield Fault(what, page_id, partial(stage.disturb, name, kind), partial(stage.calm, name))
    yield Fault(
        "few",
        f"empty-name/{label}/few.{zone}.",
        partial(change, "UPSERT", record(f"few.{zone}", ADDRESSES[0])),
        partial(change, "UPSERT", record(f"few.{zone}", *ADDRESSES)),
    )


def of_zones(stage: Stage, label: str, turn: int) -> Iterator[Fault]:
    """What is wrong with a zone as a whole; the delegation in one of three ways a turn."""
    change, zone = partial(stage.change, label), f"{label}.com"
    yield Fault(
        "negative TTL",
        f"long-negative-ttl/{label}",
        partial(change, "UPSERT", soa(zone, 86_400)),
        partial(change, "UPSERT", soa(zone, 60)),
    )
    others = (NAME_SERVERS[0], "ns9.example.net.")
    whole = partial(stage.delegate, label, *NAME_SERVERS)
    own = record(zone, *NAME_SERVERS, kind="NS", ttl_s=900)
    ways: tuple[tuple[str, Act, Act], ...] = (
        ("delegation: others at the parent", partial(stage.delegate, label, *others), whole),
        ("delegation: nobody at the parent", partial(undelegate, stage, label), whole),
        (
            "delegation: others in the zone",
            partial(change, "UPSERT", record(zone, *others, kind="NS", ttl_s=900)),
            partial(change, "UPSERT", own),
        ),
    )
    what, make, mend = ways[turn % len(ways)]
    yield Fault(what, f"delegation-mismatch/{label}", make, mend)


def of_resolvers(stage: Stage, label: str) -> Fault:
    """Two of three find nothing where the zone's own servers answer."""
    page_id = f"unresolved-zone/{label}"
    hide, find = partial(stage.hide, label, 2), partial(stage.find, label)
    return Fault("most resolvers find nothing", page_id, hide, find)


async def undelegate(stage: Stage, label: str) -> None:
    """The domain has expired."""
    put(stage.parent, label)


async def play(receiver: Receiver, faults: Sequence[Fault]) -> list[tuple[str, float]]:
    """Make them, wait for their pages, mend them, wait for the end; seconds by fault."""
    made_s: dict[str, float] = {}

    async def make(one: Fault) -> None:
        await asyncio.sleep(random.uniform(0.0, SPREAD_S))
        await one.make()
        made_s[one.page_id] = time.monotonic()

    await asyncio.gather(*map(make, faults))
    ids = {one.page_id for one in faults}
    await receiver.until(lambda: ids <= receiver.open.keys(), f"{len(ids)} pages")
    took = [(one.what, receiver.open[one.page_id] - made_s[one.page_id]) for one in faults]
    for one in faults:
        await one.mend()
    await receiver.until(lambda: not receiver.open, "end of all pages")
    return took


async def measure(folder: Path, times: int, only: str) -> list[tuple[str, float]]:
    """Every fault so many times; `only`: of names, of zones or of resolvers, or all."""
    turns = max(1, -(-times // len(LABELS)))
    async with stage(folder) as made:
        began_s = time.monotonic()
        took: list[tuple[str, float]] = []
        # Each turn of zones has one of three ways to break a delegation.
        parts = (("names", turns, of_names), ("zones", 3 * turns, of_zones))
        for part, count, faults_of in parts:
            for turn in range(count if only in (part, "") else 0):
                faults = [one for label in LABELS for one in faults_of(made, label, turn)]
                took += await play(made.receiver, faults)
                sys.stderr.write(f"{part}: turn {turn + 1} of {count}\n")
        if only in ("resolvers", ""):
            await asyncio.sleep(max(0.0, began_s + STEADY_S - time.monotonic()))
            for turn in range(turns):
                took += await play(made.receiver, [of_resolvers(made, one) for one in LABELS])
                sys.stderr.write(f"resolvers: turn {turn + 1} of {turns}\n")
    return took


def apart(times: int, only: str) -> int:
    """The same command again, in a network of its own."""
    unshare, ip = (
        shutil.which(one, path=f"{os.environ['PATH']}:/usr/sbin:/sbin") or one
        for one in ("unshare", "ip")
    )
    with tempfile.TemporaryDirectory() as folder:
        resolvers = Path(folder) / "resolv.conf"
        resolvers.write_text(f"nameserver {PARENT_HOST}\n")
        again = [
            sys.executable,
            "-m",
            "benchmarks.paging",
            "--apart",
            "--times",
            str(times),
            "--only",
            only,
        ]
        command = [unshare, "--map-root-user", "--mount", "--net", "sh", "-c", APART, "sh", ip]
        return subprocess.run([*command, str(resolvers), *again], check=False).returncode


def run(times: int, only: str) -> None:
    """Measure, and print a line a fault."""
    with tempfile.TemporaryDirectory() as folder:
        took = asyncio.run(measure(Path(folder), times, only))
    by_fault: dict[str, list[float]] = {}
    for what, seconds in took:
        by_fault.setdefault(what, []).append(seconds)
    for what, all_s in by_fault.items():
        median_s, worst_s = statistics.median(all_s), max(all_s)
        print(f"{what}: {len(all_s)} times, median {median_s:.1f} s, worst {worst_s:.1f} s")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=int, default=20)
    parser.add_argument("--only", choices=("names", "zones", "resolvers", ""), default="")
    parser.add_argument("--apart", action="store_true", help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if not chosen.apart:
        sys.exit(apart(chosen.times, chosen.only))
    run(chosen.times, chosen.only)
