"""The live picture of a sandbox on a terminal. Pure: from a stage to something rich can draw.

Every table is bounded, the zones that need an eye come first, and what is left out is counted.
"""

from collections.abc import Iterable

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from dnsplan.runtime.status.model import NameStatus, ZoneStatus
from dnsplan.runtime.status.verdict import Standing, Verdict
from sandbox.run.answers import names_worth_asking
from sandbox.run.child import Child
from sandbox.run.events import Event
from sandbox.run.stage import Stage
from sandbox.run.words import fence_text, first_lines, more_to_try, shown, summary

ZONES_MAX = 8
NAMES_MAX = 10
EVENTS_MAX = 10

_STYLES = {Standing.IN_SYNC: "green", Standing.HELD: "yellow", Standing.UNHEALTHY: "red"}


def picture(stage: Stage) -> RenderableType:
    """The whole screen."""
    return Group(
        header(stage),
        Text(),
        Text(summary(stage) if stage.verdicts else "starting", style="bold"),
        zones_table(stage),
        names_table(stage),
        processes_table(stage.children),
        events_list(stage.events),
        Text("Ctrl-C stops everything.", style="dim"),
    )


def header(stage: Stage) -> RenderableType:
    """Where everything is and what to try."""
    grid = Table.grid(padding=(0, 2))
    for what, how in (*first_lines(stage), *more_to_try(stage)):
        grid.add_row(Text(what, style="bold"), Text(how, overflow="fold"))
    return grid


def zones_table(stage: Stage) -> RenderableType:
    """Zones with generation, fence and standing."""
    table = _table("zone", "name", "head", "applied", "fence", "writer", "enactors", "standing")
    zones = stage.report.status.zones if stage.report is not None else ()
    ranked = sorted(
        zip(zones, stage.verdicts, strict=False), key=lambda pair: _rank(pair[1].standing)
    )
    for zone, verdict in ranked[:ZONES_MAX]:
        table.add_row(
            zone.label,
            zone.zone,
            shown(zone.head),
            shown(zone.applied),
            fence_text(zone),
            zone.fence.writer if zone.fence else "-",
            _enactors(zone),
            _standing(verdict),
        )
    _count_rest(table, len(ranked) - ZONES_MAX, "zones")
    return table


def names_table(stage: Stage) -> RenderableType:
    """Names with what they answer over DNS."""
    table = _table("record", "type", "targets", "healthy", "answers over DNS")
    zones = stage.report.status.zones if stage.report is not None else ()
    names = names_worth_asking(zones)
    for label, name in names[:NAMES_MAX]:
        answers = stage.answers.get((label, name.name, name.type), ())
        table.add_row(
            name.name, name.type, shown(name.targets), _healthy(name), ", ".join(answers) or "-"
        )
    _count_rest(table, len(names) - NAMES_MAX, "names")
    return table


def processes_table(children: Iterable[Child]) -> RenderableType:
    """Daemons, their process ids and how often they were started again."""
    table = _table("process", "pid", "restarts")
    for child in children:
        pid = Text("down", style="red") if child.pid is None else Text(str(child.pid))
        table.add_row(child.command.name, pid, str(child.restarts))
    return table


def events_list(events: Iterable[Event]) -> RenderableType:
    """The last events, the newest at the bottom."""
    last = list(events)[-EVENTS_MAX:]
    lines = [
        Text(
            str(event),
            style="yellow" if event.is_loud else "dim",
            no_wrap=True,
            overflow="ellipsis",
        )
        for event in last
    ]
    return Group(*lines)


def _table(*columns: str) -> Table:
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    for column in columns:
        table.add_column(column, overflow="fold")
    return table


def _count_rest(table: Table, rest: int, noun: str) -> None:
    if rest > 0:
        table.add_row(Text(f"and {rest} more {noun}", style="dim"))


def _rank(standing: Standing) -> int:
    return list(Standing).index(standing)


def _standing(verdict: Verdict) -> Text:
    why = f": {verdict.reasons[0]}" if verdict.reasons else ""
    return Text(f"{verdict.standing.value}{why}", style=_STYLES[verdict.standing])


def _healthy(name: NameStatus) -> Text:
    if name.healthy is None or name.targets is None:
        return Text("-")
    return Text(str(name.healthy), style="green" if name.healthy == name.targets else "red")


def _enactors(zone: ZoneStatus) -> str:
    seen = [shown(one.generation) for one in zone.enactors or ()]
    return " ".join(seen) or "-"
