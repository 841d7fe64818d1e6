"""Explores a bound and says what was found: exit code 0 when all promises hold, 1 when not.

The last line names the promise that is broken, the lines before it how to get there.

python -m tests.simulation.explorer                      the bound that every change must pass
python -m tests.simulation.explorer --bound freeze       a small one
python -m tests.simulation.explorer --enactors 3 --rollback --late 1 --unread 1
"""

import argparse
import sys
from dataclasses import replace

from sandbox.route53.switches import Switches
from tests.simulation.explorer import cast
from tests.simulation.explorer.bounds import STATES_MAX, Bound, explored, later, named, two_names
from tests.simulation.explorer.cast import enactor
from tests.simulation.explorer.promises import Broken
from tests.simulation.explorer.search import Report
from tests.simulation.explorer.trace import told
from tests.simulation.explorer.worlds import Faults

HOLDS, BROKEN, CUT_SHORT = 0, 1, 3


def main(arguments: list[str] | None = None) -> int:
    """Explore what the command line asks for."""
    asked = _parser().parse_args(arguments)
    bound = _by_hand(asked) if asked.enactors else named()[asked.bound]
    for switch in asked.switch:
        flipped = not getattr(bound.switches, switch)
        bound = replace(bound, switches=replace(bound.switches, **{switch: flipped}))
    _say(f"bound {bound.name}: {bound.about}")
    _say(
        f"  actors: {', '.join(one.name for one in bound.actors)}; faults: {_faults(bound)}",
        f"  plans of two batches: {bound.standing} applied,"
        f" {len(bound.plans) - bound.standing} published since",
    )
    try:
        exploration = explored(bound, states_max=asked.states)
    except Broken as broken:
        _say("     before anything is interleaved:", *broken.after, f"     {broken}")
        return BROKEN
    report = exploration.report
    _say(f"  {_figures(report)}; {exploration.converged} worlds converge")
    if report.found is not None:
        _say(*told(report.found, exploration.moves))
        return BROKEN
    if report.cut_short:
        _say(f"  cut short: nothing is broken up to depth {report.depth}, deeper nothing is known")
        return CUT_SHORT
    _say("  every promise holds in every state")
    return HOLDS


def _say(*lines: str) -> None:
    sys.stdout.write("".join(f"{line}\n" for line in lines))


def _figures(report: Report) -> str:
    per_s = report.transitions / max(report.seconds, 1e-9)
    return (
        f"{report.states:,} states, {report.transitions:,} transitions, {report.ended:,} ends,"
        f" depth {report.depth}; {report.worlds:,} worlds, {report.histories:,} histories;"
        f" {report.seconds:.1f} s of CPU, {per_s:,.0f} transitions/s, {report.peak_mb} MB"
    )


def _faults(bound: Bound) -> str:
    found = [f"{count} {name}" for name, count in bound.faults._asdict().items() if count]
    return ", ".join(found) or "none"


def _by_hand(asked: argparse.Namespace) -> Bound:
    head = asked.standing + asked.waiting
    actors = [
        enactor(f"az{n}", passes=asked.passes, audits=asked.audits)
        for n in range(1, asked.enactors + 1)
    ]
    if asked.cleanup:
        actors.append(cast.cleanup(passes=asked.cleanup))
    if asked.freeze:
        actors.append(cast.freezer())
    if asked.rollback:
        actors.append(cast.rollback(asked.standing, pinned=True))
    if asked.pin:
        actors.append(cast.pinner(asked.standing))
    if asked.publish:
        actors.append(later(head))
    return Bound(
        name="by hand",
        about=f"{asked.enactors} enactors of {asked.passes} passes",
        actors=tuple(actors),
        faults=Faults(
            asked.crashes, asked.late, asked.unread, asked.failovers, asked.rewinds, asked.slow
        ),
        standing=asked.standing,
        plans=two_names(1, head + 1),
        restarts=asked.restarts,
    )


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m tests.simulation.explorer",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("--bound", choices=sorted(named()), default="ci", help="a named bound")
    add("--states", type=int, default=STATES_MAX, help="stop after so many states")
    add("--enactors", type=int, choices=(1, 2, 3), help="make a bound by hand instead")
    add("--passes", type=int, default=1, help="passes of each enactor")
    add("--standing", type=int, choices=(1, 2, 3), default=2, help="plans applied before")
    add("--waiting", type=int, choices=(0, 1, 2), default=1, help="plans published since")
    add("--cleanup", type=int, default=0, metavar="PASSES", help="passes of cleanup")
    add("--freeze", action="store_true", help="an operator freezes")
    add("--rollback", action="store_true", help="an operator rolls back and pins")
    add("--pin", action="store_true", help="an operator pins the plan that stands")
    add("--audits", action="store_true", help="enactors look at the records of a zone in order")
    add("--publish", action="store_true", help="a planner publishes once more")
    for name in Faults._fields:
        add(f"--{name}", type=int, default=0, help=f"how many {name}")
    add("--restarts", action="store_true", help="crashed actors start anew")
    switches = sorted(Switches.__dataclass_fields__)
    add("--switch", action="append", default=[], choices=switches, help="the other answer")
    return parser


if __name__ == "__main__":
    sys.exit(main())
