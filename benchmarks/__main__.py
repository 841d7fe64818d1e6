"""`python -m benchmarks`: plays the cases on both sides in turn, and prints tables or JSON.

Progress goes to stderr. It ends with 1 when a side failed; a target that is not met is a finding,
not a failure, since figures of a busy machine must never break a build.
"""

import os
import platform
import signal
import sys
import tempfile
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import msgspec
import typer

from benchmarks.figures import Run
from benchmarks.play import Scenario, Tell, play
from benchmarks.processes import OCTODNS_PYTHON, SideFailedError
from benchmarks.report import Report, lines, reported, together
from benchmarks.zones import Case

EXIT_FAILED, EXIT_USAGE = 1, 2
SIZES = (1_000, 10_000)
CPU_FACTS = Path("/proc/cpuinfo")


def main(
    *,
    sizes: Annotated[
        list[int] | None,
        typer.Option("--size", help="Records. May be repeated. Default: 1000 and 10000."),
    ] = None,
    repeats: Annotated[
        int,
        typer.Option(min=1, help="Whole runs of each size; medians are shown.", show_default=True),
    ] = 3,
    cases: Annotated[
        list[Case] | None,
        typer.Option("--case", help="May be repeated; the first must be there. Default: all."),
    ] = None,
    octodns_up_to: Annotated[
        int, typer.Option(help="Larger zones are played by this project alone; 0: all are.")
    ] = 100_000,
    show: Annotated[
        list[Path] | None,
        typer.Option(help="Play nothing: put together what earlier runs printed with --json."),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Play the same changes with this project and with octoDNS, and compare what they cost."""
    # Told to end, it unwinds, so that what it started ends as well.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(EXIT_FAILED))
    if show:
        report = together([msgspec.json.decode(one.read_bytes(), type=Report) for one in show])
    else:
        report = _measured(sizes or SIZES, cases or Case, repeats, octodns_up_to)
    if json:
        typer.echo(msgspec.json.format(msgspec.json.encode(report)).decode())
    else:
        for line in lines(report):
            typer.echo(line)


def _measured(
    sizes: Iterable[int], cases: Iterable[Case], repeats: int, octodns_up_to: int
) -> Report:
    if octodns_up_to and not OCTODNS_PYTHON.exists():
        typer.echo("octoDNS is not installed; tests/system/octodns/install brings it", err=True)
        raise typer.Exit(EXIT_USAGE)
    began = _load()
    scenarios = [Scenario(size, tuple(cases), with_octodns=size <= octodns_up_to) for size in sizes]
    try:
        runs = _runs(scenarios, repeats)
    except SideFailedError as failed:
        typer.echo(str(failed), err=True)
        raise typer.Exit(EXIT_FAILED) from failed
    machine = {**_machine(), "load": f"{began} at the beginning, {_load()} at the end"}
    return reported([machine], runs)


def _runs(scenarios: Sequence[Scenario], repeats: int) -> list[Run]:
    runs: list[Run] = []
    for scenario in scenarios:
        for number in range(1, repeats + 1):
            with tempfile.TemporaryDirectory(prefix="dnsplan-bench-") as folder:
                runs.extend(play(scenario, Path(folder), _tell(number, repeats)))
    return runs


def _tell(number: int, repeats: int) -> Tell:
    def tell(text: str) -> None:
        now = datetime.now(UTC).strftime("%H:%M:%S")
        sys.stderr.write(f"{now} {number}/{repeats} {text}\n")

    return tell


def _machine() -> dict[str, str]:
    facts = CPU_FACTS.read_text() if CPU_FACTS.exists() else ""
    models = [line.partition(":")[2].strip() for line in facts.splitlines() if "model name" in line]
    return {
        "processor": f"{os.cpu_count()} x {models[0] if models else platform.machine()}",
        "Python": platform.python_version(),
        "day": datetime.now(UTC).date().isoformat(),
    }


def _load() -> str:
    return f"{os.getloadavg()[0]:.1f}"


if __name__ == "__main__":
    typer.run(main)
