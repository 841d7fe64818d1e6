"""`python -m benchmarks.lag`: how long from what a planner saw until the zone holds it.

In virtual time with the account's limit of five requests a second for three AZs, at several loads;
and with `--deaths` on `dns-sandbox run`, whose hosts die and come back while the daemons log what
they do. Route 53's propagation is left out of both.
"""

import random
import time
import urllib.request
from collections.abc import Iterator
from typing import Annotated

import msgspec
import typer
from msgspec import Struct

from benchmarks.whole import Event, Whole, whole
from tests.simulation.fleet.lag import Lags, measure, percentile
from tests.simulation.fleet.world import Size

# Planner and enactor as they are by default, and a pace that lets each death be planned at once.
EDITS = (
    ("enactor: {interval_s: 1, fence_check_s: 10, stagger_s: 2}", "enactor: {interval_s: 2}"),
    (
        "planner: {interval_s: 1}",
        (
            "guardrails: {max_removed_share: 0.5, window_s: 1}\n"
            "planner: {interval_s: 1, max_plans_per_min: 600}"
        ),
    ),
    ("probation_s: 5", "probation_s: 0"),
    # Another sandbox may have the example's own.
    ("port: 18080", "port: 28418"),
)
HOSTS = ("web-a", "api-b", "web-b", "api-a", "web-c")
BETWEEN_S = (8.0, 10.0)
SETTLES_S = 20.0
REQUESTS = "dnsplan_route53_requests_total"
# Two AZs of three lose each plan.
AZS = ("use1-az1", "use1-az2", "use1-az3")


class Real(Struct, frozen=True):
    """Seconds from `plan_published` in a planner's log to `plan_accepted` in an enactor's. `asked`:
    requests to Route 53 while it ran, by AZ."""

    landed: tuple[float, ...]
    asked: dict[str, int]

    @property
    def lost_share(self) -> float:
        """What the AZs asked that did not act. With one zone the same one always does."""
        return 1.0 - max(self.asked.values()) / max(1, sum(self.asked.values()))


class Measured(Struct, frozen=True):
    """All of it."""

    virtual: tuple[Lags, ...]
    real: Real | None


def main(
    *,
    zones: Annotated[int, typer.Option(min=10)] = 60,
    changes: Annotated[int, typer.Option(min=10, help="At each load.")] = 1_000,
    load: Annotated[
        list[float] | None, typer.Option(help="What plans ask of the limit. May be repeated.")
    ] = None,
    deaths: Annotated[int, typer.Option(min=0, help="On real processes; 0: none.")] = 0,
    seed: Annotated[int, typer.Option()] = 1,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Measure it, and print median, p99, the bound and what the losing AZs asked."""
    size, loads = Size(zones, 1), load or [0.02, 0.1, 0.3, 0.5, 0.8]
    virtual = tuple(measure(size, load=one, changes=changes, seed=seed) for one in loads)
    measured = Measured(virtual, _real(deaths) if deaths else None)
    if as_json:
        typer.echo(msgspec.json.format(msgspec.json.encode(measured)).decode())
        return
    for line in lines(measured):
        typer.echo(line)


def lines(measured: Measured) -> Iterator[str]:
    """The figures for people."""
    yield "load   changes  accepted: median, p99, worst   bound  known: median, p99  losers asked"
    for one in measured.virtual:
        yield (
            f"{one.load:<6.0%} {len(one.landed):>7} {_shown(one.landed):>29} {one.bound_s:>7.2f} "
            f"{percentile(one.known, 0.5):>12.1f} {percentile(one.known, 0.99):>6.1f} "
            f"{one.lost_share:>12.1%}"
        )
    if (real := measured.real) is not None:
        figures = f"{len(real.landed):>8} {_shown(real.landed):>29}"
        yield f"real  {figures}{real.lost_share:>41.1%}"


def _shown(seconds: tuple[float, ...]) -> str:
    shares = (0.5, 0.99, 1.0)
    return " ".join(f"{percentile(seconds, share):9.2f}" for share in shares)


class _Log:
    """What the daemons say of each plan, by its trace."""

    def __init__(self) -> None:
        self.published: dict[str, float] = {}
        self.accepted: dict[str, float] = {}

    def hear(self, event: Event) -> None:
        into = {"plan_published": self.published, "plan_accepted": self.accepted}
        if event["event"] in into:
            into[event["event"]].setdefault(event["facts"]["trace"], event["at_s"])

    def lags(self) -> Iterator[float]:
        for trace, at_s in self.accepted.items():
            if trace in self.published:
                yield at_s - self.published[trace]


def _real(deaths: int) -> Real:
    log = _Log()
    with whole(*EDITS, access_key="lag", heard=log.hear) as sandbox:
        time.sleep(SETTLES_S)
        before = _asked(sandbox)
        log.published.clear()
        for at in range(deaths):
            for do in ("stop", "start"):
                sandbox.host(do, HOSTS[at % len(HOSTS)])
                time.sleep(random.uniform(*BETWEEN_S))
        time.sleep(SETTLES_S)
        asked = {az: count - before[az] for az, count in _asked(sandbox).items()}
    return Real(tuple(sorted(log.lags())), asked)


def _asked(sandbox: Whole) -> dict[str, int]:
    """Requests to Route 53 since each enactor's start, from its page."""
    found = {}
    for az in AZS:
        url = f"{sandbox.pages[f'enactor-{az}']}metrics"
        with urllib.request.urlopen(url, timeout=10.0) as answer:
            text = answer.read().decode()
        found[az] = sum(
            int(float(line.split()[-1])) for line in text.splitlines() if line.startswith(REQUESTS)
        )
    return found


if __name__ == "__main__":
    typer.run(main)
