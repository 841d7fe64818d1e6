"""The live picture of a sandbox on a terminal. Pure: from a stage to something rich can draw.

Every table is bounded, the zones that need an eye come first, and what is left out is counted.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from dnsplan.runtime.status.model import NameStatus, ZoneStatus
from dnsplan.runtime.status.verdict import Standing, Verdict
from sandbox.run.answers import names_worth_asking
from sandbox.run.child import Child
from sandbox.run.events import Event
from sandbox.run.lookout import Lookout
from sandbox.run.stage import Stage
from sandbox.run.words import fence_text, first_lines, more_to_try, shown, summary

ZONES_MIN, ZONES_MAX = 2, 8
NAMES_MIN, NAMES_MAX = 3, 12
EVENTS_MIN, EVENTS_MAX = 2, 20
PROCESSES_IN_A_ROW = 3
# Summary, the sentinel's verdict, two table heads, two lines that count what is left out, a blank
# line, the last line.
OTHER_ROWS = 8

_STYLES = {
    Standing.IN_SYNC: "green",
    Standing.BEHIND: "cyan",
    Standing.HELD: "yellow",
    Standing.UNHEALTHY: "red",
}


@dataclass(frozen=True, slots=True)
class Room:
    """How many rows of each part fit on the screen."""

    zones: int
    names: int
    events: int


def room_on(height: int, *, zones: int, names: int, others: int) -> Room:
    """Share a screen's rows: zones first, then names, then events; each has at least a few."""
    spare = max(0, height - others)
    for_zones = min(zones, max(ZONES_MIN, spare // 4), ZONES_MAX)
    for_names = min(names, max(NAMES_MIN, (spare - for_zones) // 2), NAMES_MAX)
    for_events = min(EVENTS_MAX, max(EVENTS_MIN, spare - for_zones - for_names))
    return Room(for_zones, for_names, for_events)


def picture(stage: Stage, *, height: int) -> RenderableType:
    """The whole screen."""
    zones = stage.report.status.zones if stage.report is not None else ()
    names = names_worth_asking(zones)
    tips = (*first_lines(stage), *more_to_try(stage))
    processes = -(-len(stage.children) // PROCESSES_IN_A_ROW)
    others = len(tips) + processes + OTHER_ROWS
    room = room_on(height, zones=len(zones), names=len(names), others=others)
    return Group(
        tips_grid(tips),
        Text(),
        Text(summary(stage) if stage.verdicts else "starting", style="bold"),
        Text(stage.lookout.verdict(), style=_lookout_style(stage.lookout)),
        zones_table(zones, stage.verdicts, most=room.zones),
        names_table(names, stage.answers, most=room.names),
        processes_grid(stage.children),
        events_list(stage.events, most=room.events),
        Text("Ctrl-C stops everything.", style="dim"),
    )


def tips_grid(tips: Iterable[tuple[str, str]]) -> RenderableType:
    """Where everything is and what to try."""
    grid = Table.grid(padding=(0, 2))
    for what, how in tips:
        grid.add_row(Text(what, style="bold"), Text(how, overflow="fold"))
    return grid


def zones_table(
    zones: Sequence[ZoneStatus], verdicts: Sequence[Verdict], *, most: int
) -> RenderableType:
    """Zones with generation, fence and standing."""
    table = _table("zone", "name", "head", "applied", "fence", "writer", "enactors", "standing")
    pairs = zip(zones, verdicts, strict=False)
    ranked = sorted(pairs, key=lambda pair: list(Standing).index(pair[1].standing))
    for zone, verdict in ranked[:most]:
        table.add_row(
            zone.label,
            zone.zone,
            shown(zone.head),
            shown(zone.applied),
            fence_text(zone),
            zone.fence.writer if zone.fence else "-",
            " ".join(shown(one.generation) for one in zone.enactors or ()) or "-",
            _standing(verdict),
        )
    _count_rest(table, len(ranked) - most, "zones")
    return table


def names_table(
    names: Sequence[tuple[str, NameStatus]],
    answers: Mapping[tuple[str, str, str], Sequence[str]],
    *,
    most: int,
) -> RenderableType:
    """Names with what they answer over DNS."""
    table = _table("record", "type", "targets", "healthy", "answers over DNS")
    for label, name in names[:most]:
        heard = ", ".join(answers.get((label, name.name, name.type), ())) or "-"
        table.add_row(name.name, name.type, shown(name.targets), _healthy(name), heard)
    _count_rest(table, len(names) - most, "names")
    return table


def processes_grid(children: Sequence[Child]) -> RenderableType:
    """Daemons with their process ids, and how often each was started again."""
    grid = Table.grid(padding=(0, 3, 0, 0))
    for start in range(0, len(children), PROCESSES_IN_A_ROW):
        grid.add_row(*map(_process, children[start : start + PROCESSES_IN_A_ROW]))
    return grid


def events_list(events: Iterable[Event], *, most: int) -> RenderableType:
    """The last events, the newest at the bottom; each on one line."""
    lines = []
    for event in list(events)[-most:]:
        style = "yellow" if event.is_loud else "dim"
        lines.append(Text(str(event), style=style, no_wrap=True, overflow="ellipsis"))
    return Group(*lines)


def _lookout_style(lookout: Lookout) -> str:
    if lookout.pages:
        return "bold red"
    return "green" if lookout.is_well else "dim"


def _table(*columns: str) -> Table:
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    for column in columns:
        table.add_column(column, overflow="fold")
    return table


def _count_rest(table: Table, rest: int, noun: str) -> None:
    if rest > 0:
        table.add_row(Text(f"and {rest} more {noun}", style="dim"))


def _standing(verdict: Verdict) -> Text:
    why = f": {verdict.reasons[0]}" if verdict.reasons else ""
    return Text(f"{verdict.standing.value}{why}", style=_STYLES[verdict.standing])


def _healthy(name: NameStatus) -> Text:
    if name.healthy is None or name.targets is None:
        return Text("-")
    return Text(str(name.healthy), style="green" if name.healthy == name.targets else "red")


def _process(child: Child) -> Text:
    pid = ("down", "red") if child.pid is None else (str(child.pid), "green")
    again = f" started {child.restarts + 1} times" if child.restarts else ""
    return Text.assemble((f"{child.command.name} ", "dim"), pid, (again, "yellow"))
