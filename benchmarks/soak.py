"""`python -m benchmarks.soak`: the whole sandbox runs for an hour, and nothing of it may grow.

All daemons run as `dns-sandbox run` starts them, on the stand-in; hosts fall and come back all the
time, so that plans are made, applied and cleaned up. Each daemon's memory, open files and threads
are read from /proc, and the items of the table counted by kind. It judges the last third of the run
against the third before it: what is still warming up is neither.
"""

import signal
import statistics
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import msgspec
import typer
from botocore.session import get_session
from msgspec import Struct

from benchmarks.whole import Event, Whole, whole

EXIT_FAILED = 1
# The bundled example, in which a host that falls often would be left out ever longer.
NO_PROBATION = ("probation_s: 5", "probation_s: 0")
# So short that it is full within ten minutes: before the second third of an hour begins.
SHORT_HISTORY = ("cleanup: {keep: 5,", "cleanup: {keep: 5, history: 5,")
# One falls and comes back, then the next: two plans in each of these spells.
HOSTS = ("web-a", "api-b", "web-b", "api-a", "web-c")
DOWN_S, UP_S = 10.0, 15.0

# Growth between the two last thirds that is no growth: a page of the allocator, a log's buffer.
MEMORY_GROWTH_MAX = 0.02
FILES_GROWTH_MAX = 0.0
# What an operator may want to read in years stays.
KEPT_FOR_EVER = frozenset({"audit"})
KIB_A_MB = 1_024


class Sample(Struct, frozen=True):
    """One look at everybody. `daemons`: resident MB, open files and threads by name."""

    at_s: float
    daemons: dict[str, tuple[float, int, int]]
    items: dict[str, int]


class Growth(Struct, frozen=True):
    """A median of the middle third and of the last one."""

    what: str
    before: float
    after: float
    flat: bool


class Soaked(Struct, frozen=True):
    """A run: what was seen, and how it is judged."""

    minutes: float
    plans: int
    restarts: int
    growth: tuple[Growth, ...]
    samples: tuple[Sample, ...]


def main(
    *,
    minutes: Annotated[float, typer.Option(min=1.0, help="How long it runs.")] = 60.0,
    every_s: Annotated[float, typer.Option(min=1.0, help="Between two looks.")] = 30.0,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Run everything for a while under change, and say what grew. Exit code 1: something did."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(EXIT_FAILED))
    plans = Plans()
    with whole(NO_PROBATION, SHORT_HISTORY, access_key="soak", heard=plans.hear) as sandbox:
        until_s = time.monotonic() + minutes * 60.0
        samples = _watched(sandbox, plans, until_s=until_s, every_s=every_s)
        soaked = Soaked(
            minutes, plans.in_sync, sandbox.restarts, tuple(judged(samples)), tuple(samples)
        )
    if as_json:
        typer.echo(msgspec.json.format(msgspec.json.encode(soaked)).decode())
    else:
        for line in lines(soaked):
            typer.echo(line)
    raise typer.Exit(0 if all(one.flat for one in soaked.growth) else EXIT_FAILED)


def lines(soaked: Soaked) -> Iterator[str]:
    """The run for people."""
    yield f"{soaked.minutes:g} minutes, {soaked.plans} plans in sync, {soaked.restarts} restarts"
    for one in soaked.growth:
        verdict = "flat" if one.flat else "GROWS"
        yield f"{one.what:<40} {one.before:>9.1f} {one.after:>9.1f}  {verdict}"


def judged(samples: Sequence[Sample]) -> Iterator[Growth]:
    """The last third against the one before it."""
    third = len(samples) // 3
    middle, last = samples[third : 2 * third], samples[2 * third :]
    for name in sorted(last[-1].daemons):
        for at, (what, most) in enumerate(
            (("MB", MEMORY_GROWTH_MAX), ("files", FILES_GROWTH_MAX), ("threads", FILES_GROWTH_MAX))
        ):
            before = _median(one.daemons[name][at] for one in middle if name in one.daemons)
            after = _median(one.daemons[name][at] for one in last if name in one.daemons)
            yield Growth(f"{name} {what}", before, after, after <= before * (1.0 + most))
    for kind in sorted(last[-1].items):
        before = _median(one.items.get(kind, 0) for one in middle)
        after = _median(one.items.get(kind, 0) for one in last)
        # Cleanup comes in passes, so what it leaves swings by what is published between two.
        flat = kind in KEPT_FOR_EVER or after <= before * 1.25 + 2
        yield Growth(f"table: {kind}", before, after, flat)


def _median(values: Iterator[float] | Any) -> float:
    found = list(values)
    return statistics.median(found) if found else 0.0


class Plans:
    """How many plans were seen in sync, each by every enactor."""

    def __init__(self) -> None:
        """None so far."""
        self.in_sync = 0

    def hear(self, event: Event) -> None:
        """Count it if it is one."""
        self.in_sync += event["event"] == "zone_in_sync"


def _watched(sandbox: Whole, plans: Plans, *, until_s: float, every_s: float) -> list[Sample]:
    samples: list[Sample] = []
    began_s = time.monotonic()
    threading.Thread(target=_trouble, args=(sandbox, until_s), daemon=True).start()
    dynamodb = _client(sandbox.endpoint_url)
    while (now_s := time.monotonic()) < until_s:
        daemons = {
            who: found
            for who, pid in sorted(sandbox.pids.items())
            if (found := _of_process(pid)) is not None
        }
        samples.append(Sample(round(now_s - began_s, 1), daemons, _items(dynamodb)))
        sys.stderr.write(f"{now_s - began_s:6.0f} s {plans.in_sync} plans {samples[-1].items}\n")
        time.sleep(max(0.0, every_s - (time.monotonic() - now_s)))
    return samples


def _trouble(sandbox: Whole, until_s: float) -> None:
    """One host after another, for as long as the run lasts."""
    at = 0
    while time.monotonic() < until_s:
        sandbox.host("stop", HOSTS[at % len(HOSTS)])
        time.sleep(DOWN_S)
        sandbox.host("start", HOSTS[at % len(HOSTS)])
        time.sleep(UP_S)
        at += 1


def _of_process(pid: int) -> tuple[float, int, int] | None:
    """Resident MB, open files, threads; None when it is gone."""
    try:
        status = Path(f"/proc/{pid}/status").read_text()
        files = sum(1 for _ in Path(f"/proc/{pid}/fd").iterdir())
    except OSError:
        return None
    facts = dict(line.split(":", 1) for line in status.splitlines() if ":" in line)
    if "VmRSS" not in facts:
        return None
    return int(facts["VmRSS"].split()[0]) / KIB_A_MB, files, int(facts["Threads"])


def _client(endpoint_url: str) -> Any:
    return get_session().create_client(
        "dynamodb",
        region_name="us-east-1",
        endpoint_url=endpoint_url,
        aws_access_key_id="soak",
        aws_secret_access_key="soak",
    )


def _items(dynamodb: Any) -> dict[str, int]:
    """Items of the table by the kind that their key begins with."""
    counted: Counter[str] = Counter()
    where: Mapping[str, Any] = {}
    while True:
        page = dynamodb.scan(TableName="dnsplan", ProjectionExpression="pk", **where)
        counted.update(one["pk"]["S"].partition("#")[0] for one in page["Items"])
        if "LastEvaluatedKey" not in page:
            return dict(sorted(counted.items()))
        where = {"ExclusiveStartKey": page["LastEvaluatedKey"]}


if __name__ == "__main__":
    typer.run(main)
