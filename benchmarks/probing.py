"""What it costs one planner to probe 2,000 targets, on real sockets of this machine.

    python benchmarks/probing.py --targets 2000 --seconds 120

A process of its own answers HTTP for every target; one target is sick each other second, and with
--silent-share so many of them say nothing at all in the second half, so that each of their probes
lasts its whole time-out. Planning goes on beside it as in the daemon, on a table in memory. It
prints connections a second as the servers counted them, the CPU share and memory of the planner's
process, how long ago targets that are well were last looked at, and how many plans there were in
any minute.
"""

import argparse
import asyncio
import contextlib
import multiprocessing
import resource
import statistics
import tempfile
import time
from collections import Counter
from multiprocessing.connection import Connection
from pathlib import Path

from dnsplan.runtime.clock import SystemClock, SystemJitter
from dnsplan.runtime.config import load
from planner.adapters.probes import SocketProber
from planner.cycle import PlanCycle
from planner.passes import PlanPass
from planner.settings import PlannerSettings, planner_settings
from planner.vantage import VantagePoint
from planner.watch import Watch
from tests.fakes.archive import FakeArchive
from tests.fakes.table import FakeTable
from tests.fakes.vantage import FakeVantageBoard

INTERVAL_S, TIMEOUT_S = 5.0, 2.0
POOL_SIZE = 50
ANSWERS = {
    True: b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
    False: b"HTTP/1.1 503 Sick\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
}
FLAPPING = "127.10.0.1"


def address(number: int) -> str:
    """A loopback address of its own for every target."""
    return f"127.10.{number // 250}.{number % 250 + 1}"


def serve(told: Connection, silent_after_s: float, silent: frozenset[str]) -> None:
    """Answer for every target until told to stop, then tell the connections of each second."""
    opened: Counter[int] = Counter()
    began_s = time.monotonic()

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        now_s = time.monotonic()
        opened[int(now_s - began_s)] += 1
        where = writer.get_extra_info("sockname")[0]
        with contextlib.suppress(OSError, asyncio.IncompleteReadError):
            await reader.readuntil(b"\r\n\r\n")
            if where in silent and now_s - began_s > silent_after_s:
                await reader.read()  # it never answers; whoever asked goes
            is_well = where != FLAPPING or int(now_s) % 2 == 0
            writer.write(ANSWERS[is_well])
            await writer.drain()
        writer.close()

    async def run() -> None:
        server = await asyncio.start_server(answer, "0.0.0.0", 0, backlog=4096)
        told.send(server.sockets[0].getsockname()[1])
        await asyncio.to_thread(told.recv)
        server.close()

    asyncio.run(run())
    told.send(dict(opened))


def config(targets: int, port: int, folder: Path) -> PlannerSettings:
    """As many pools as it takes; a name holds at most a hundred record sets."""
    names, pools = [], []
    for first in range(0, targets, POOL_SIZE):
        listed = ", ".join(
            f"{{id: t{one}, address: {address(one)}}}"
            for one in range(first, min(targets, first + POOL_SIZE))
        )
        names.append(f"      n{first}: {{pool: p{first}}}")
        health = f"{{http: {{port: {port}}}, interval_s: {INTERVAL_S}, timeout_s: {TIMEOUT_S}}}"
        pools.append(f"  p{first}: {{targets: [{listed}], health: {health}}}")
    text = "azs: [a]\nzones:\n  big:\n    name: big.example\n    names:\n" + "\n".join(names)
    path = folder / "dns.yaml"
    path.write_text(f"{text}\npools:\n" + "\n".join(pools) + "\n")
    return planner_settings(load(path, {}).settings)


async def plan(wanted: PlannerSettings, seconds: float) -> tuple[list[float], list[float]]:
    """Probe and plan for so long: when plans were published, and the ages of looks at the end."""
    clock, jitter, table, archive = SystemClock(), SystemJitter(), FakeTable(), FakeArchive()
    published: list[float] = []
    async with SocketProber(per_s_max=wanted.probes_per_s_max) as prober:
        watch = Watch(wanted.watched, prober, clock=clock, jitter=jitter)
        vantage = VantagePoint(FakeVantageBoard(), clock=clock, az="a")
        cycle = PlanCycle(
            table=table,
            archive=archive,
            clock=clock,
            jitter=jitter,
            author="benchmark",
            plans_per_min_max=wanted.plans_per_min_max,
        )
        planning = PlanPass(wanted.wishes, table=table, cycle=cycle)
        looking = asyncio.create_task(watch.run())
        head, ends_s = 0, clock.elapsed_s() + seconds
        while clock.elapsed_s() < ends_s:
            await clock.sleep(wanted.interval_s)
            await planning.run_once(await vantage.look(watch.sight()), may_write=True)
            newest = max((int(one.head) for one in table.items.values()), default=0)
            if newest != head:
                head = newest
                published.append(clock.elapsed_s())
                (*_, row) = await archive.rows("big")
                print(f"{published[-1] - ends_s + seconds:6.1f} s: plan {newest}: {row.reason}")
        sight = watch.sight()
        looking.cancel()
        await asyncio.gather(looking, return_exceptions=True)
    seen = [one for one in sight.states.values() if one.last is not None and one.last.healthy]
    return published, [sight.now_s - one.last.at_s for one in seen if one.last is not None]


def main() -> None:
    """Measure, and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--targets", type=int, default=2_000)
    parser.add_argument("--seconds", type=float, default=120.0)
    parser.add_argument("--silent-share", type=float, default=0.0)
    asked = parser.parse_args()
    count = int(asked.targets * asked.silent_share)
    silent = frozenset(address(one) for one in range(asked.targets) if one % 4 == 1)
    silent = frozenset(sorted(silent)[:count])
    here, there = multiprocessing.Pipe()
    server = multiprocessing.get_context("spawn").Process(
        target=serve, args=(there, asked.seconds / 2, silent)
    )
    server.start()
    with tempfile.TemporaryDirectory() as folder:
        wanted = config(asked.targets, here.recv(), Path(folder))
        cpu_s, began_s = time.process_time(), time.monotonic()
        published, ages_s = asyncio.run(plan(wanted, asked.seconds))
        cpu = (time.process_time() - cpu_s) / (time.monotonic() - began_s)
    here.send("stop")
    opened: dict[int, int] = here.recv()
    server.join()
    report(asked.targets, opened, published, ages_s, cpu=cpu)


def report(
    targets: int,
    opened: dict[int, int],
    published: list[float],
    ages_s: list[float],
    *,
    cpu: float,
) -> None:
    """The figures, a line each."""
    steady = [opened[second] for second in sorted(opened)][:-1]
    memory_mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    minutes = [sum(at <= one < at + 60 for one in published) for at in published]
    print(
        f"{targets} targets each {INTERVAL_S:g} s: {targets / INTERVAL_S:g} probes a second wanted"
    )
    print(
        f"connections a second: median {statistics.median(steady):g}, most {max(steady)}"
        f" (bound 500, and 50 kept); first five seconds {steady[:5]}"
    )
    each_ms = 1_000 * cpu / statistics.mean(steady)
    print(f"CPU {100 * cpu:.0f} % of one core, {each_ms:.2f} ms a probe with all that it leads to")
    print(f"memory at most {memory_mb:.0f} MB")
    middle_s = statistics.median(ages_s)
    print(f"newest good look: median {middle_s:.1f} s ago, oldest {max(ages_s):.1f} s")
    print(f"{len(published)} plans, at most {max(minutes, default=0)} in a minute")


if __name__ == "__main__":
    main()
