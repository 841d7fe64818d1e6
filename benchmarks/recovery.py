"""`python -m benchmarks.recovery`: hundreds of zones after a long outage, in virtual time.

The enactors are the product's, on its Route 53 adapter, token bucket and retry layer; Route 53 and
the table are pretended, and so is time. `--off` takes a protection out of the product's source
while it is imported, to show what it is there for.
"""

import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from tests.simulation.sabotage.rewriting import install
from tests.simulation.sabotage.sabotage import Edit

EXIT_FAILED = 1


class Off(StrEnum):
    """What may be switched off."""

    BUDGET = "budget"
    PACING = "pacing"
    COALESCING = "coalescing"


EDITS = {
    Off.BUDGET: (
        Edit("dnsplan.runtime.retry", "        if self._left < 1.0:\n", "        if False:\n"),
    ),
    Off.PACING: (
        Edit("dnsplan.runtime.bucket", "        if wait_s > 0.0:\n", "        if False:\n"),
        Edit("enactor.admission", "self._under_way < self._at_once", "True"),
        Edit("enactor.admission", "self._patient >= max(1, self._at_once // 2)", "False"),
    ),
    # Who waits keeps its place, and with it the plan that was the newest when it got in line.
    Off.COALESCING: (
        Edit(
            "enactor.admission",
            "self._waiting = deque(applicants)",
            "self._waiting.extend("
            "[w for w in applicants if w.label not in {o.label for o in self._waiting}])",
        ),
    ),
}


def main(  # noqa: PLR0913 - each is an option of the command
    *,
    zones: Annotated[int, typer.Option(min=1)] = 500,
    records: Annotated[int, typer.Option(min=1, help="In each zone.")] = 600,
    outage_min: Annotated[float, typer.Option(min=0.0, help="Minutes.")] = 120.0,
    restarted: Annotated[
        bool, typer.Option("--restarted", help="All three enactors start anew as it ends.")
    ] = False,
    flood_min: Annotated[
        float, typer.Option(min=0.0, help="Plans go on changing for so many minutes.")
    ] = 0.0,
    load: Annotated[
        float, typer.Option(min=0.1, help="In a flood: how many times what requests can carry.")
    ] = 10.0,
    off: Annotated[
        list[Off] | None, typer.Option(help="Without this protection. May be repeated.")
    ] = None,
    give_up_min: Annotated[float, typer.Option(min=1.0, help="Minutes after the outage.")] = 180.0,
    insync_s: Annotated[float, typer.Option(min=0.0, help="What a change takes.")] = 60.0,
    seed: Annotated[int, typer.Option()] = 1,
    plot: Annotated[Path | None, typer.Option(help="Draw it there, as SVG.")] = None,
    beside: Annotated[
        Path | None, typer.Option(help="What an earlier run printed, to be drawn beside this one.")
    ] = None,
    show: Annotated[Path | None, typer.Option(help="Play nothing: show what was printed.")] = None,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Play a recovery and print its figures; exit code 1 when it did not end."""
    install(edit for one in off or () for edit in EDITS[one])
    # What is rewritten must not be imported before.
    import msgspec

    from benchmarks.drawing import drawn
    from benchmarks.recovering import flood_each_s, lines
    from tests.simulation.fleet.recovery import Recovery, Trouble, recover
    from tests.simulation.fleet.world import Size

    size = Size(zones, records, insync_after_s=insync_s)
    trouble = Trouble(
        outage_s=outage_min * 60.0,
        restarted=restarted,
        flood_s=flood_min * 60.0,
        again_s=flood_each_s(size, load=load),
        given_up_after_s=give_up_min * 60.0,
    )
    if show is not None:
        recovery = msgspec.json.decode(show.read_bytes(), type=Recovery)
    else:
        recovery = recover(size, trouble, seed=seed)
    if plot is not None:
        other = None if beside is None else msgspec.json.decode(beside.read_bytes(), type=Recovery)
        plot.write_text(drawn(recovery, other))
    if json:
        typer.echo(msgspec.json.format(msgspec.json.encode(recovery)).decode())
    else:
        sys.stdout.writelines(f"{line}\n" for line in lines(recovery))
    raise typer.Exit(0 if recovery.is_over else EXIT_FAILED)


if __name__ == "__main__":
    typer.run(main)
