"""The status as tables for a terminal. Pure: from a report to something rich can draw.

A narrow terminal gets fewer columns, the least needed left out first, and is told which: folded
cells cannot be read.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from dnsplan.runtime.status.model import NameStatus, Report, ZoneStatus
from dnsplan.runtime.status.verdict import Standing, Verdict

STYLES = {
    Standing.IN_SYNC: "green",
    Standing.BEHIND: "cyan",
    Standing.HELD: "yellow",
    Standing.UNHEALTHY: "red",
}


# What a narrow terminal does without, in this order.
SPARED_OF_ZONES = ("floor", "good", "writer", "name", "enactors", "applied", "fence")
SPARED_OF_NAMES = ("targets", "zone", "type", "healthy")
_GAP = 2


@dataclass(frozen=True, slots=True)
class Column:
    """A heading and its cells; a cell may have several lines."""

    heading: str
    cells: tuple[str | Text, ...]

    @property
    def width(self) -> int:
        """What it needs without folding."""
        lines = [line for cell in self.cells for line in str(cell).split("\n")]
        return max(map(len, [self.heading, *lines])) + _GAP


def status_tables(report: Report, verdicts: Sequence[Verdict], *, width: int) -> RenderableType:
    """Zones, names, the reasons for all that is not in sync, what enactors note, then what is
    unlisted."""
    zones = report.status.zones
    shown_zones, spared = fitting(zone_columns(zones, verdicts), SPARED_OF_ZONES, width=width)
    shown_names, spared_too = fitting(name_columns(zones), SPARED_OF_NAMES, width=width)
    parts: list[RenderableType] = [_table(shown_zones), Text(), _table(shown_names)]
    reasons = [
        Text(f"{verdict.label}: {reason}", style=STYLES[verdict.standing])
        for verdict in verdicts
        for reason in verdict.reasons
    ]
    reasons += [Text(f"{one.label}: {one.text}", style="yellow") for one in report.notes]
    reasons += [Text(f"{one.label}: {one}", style="dim") for one in report.unlisted]
    if spared or spared_too:
        left_out = ", ".join(dict.fromkeys((*spared, *spared_too)))
        reasons.append(Text(f"no room for {left_out}; --json has all", style="dim"))
    if reasons:
        parts += [Text(), *reasons]
    return Group(*parts)


def zone_columns(zones: Sequence[ZoneStatus], verdicts: Sequence[Verdict]) -> tuple[Column, ...]:
    """One row a zone."""
    standings = [Text(one.standing.value, style=STYLES[one.standing]) for one in verdicts]
    return (
        Column("zone", tuple(one.label for one in zones)),
        Column("name", tuple(one.zone for one in zones)),
        Column("standing", tuple(standings)),
        Column("head", tuple(_cell(one.head) for one in zones)),
        Column("applied", tuple(_cell(one.applied) for one in zones)),
        Column("good", tuple(_cell(one.last_known_good) for one in zones)),
        Column("floor", tuple(_cell(one.floor) for one in zones)),
        Column("fence", tuple(map(_fence, zones))),
        Column("writer", tuple(one.fence.writer if one.fence else "-" for one in zones)),
        Column("enactors", tuple(map(_enactors, zones))),
    )


def name_columns(zones: Sequence[ZoneStatus]) -> tuple[Column, ...]:
    """One row a name and type."""
    rows = [(zone, name) for zone in zones for name in zone.names or ()]
    return (
        Column("zone", tuple(zone.label for zone, _ in rows)),
        Column("record", tuple(name.name for _, name in rows)),
        Column("type", tuple(name.type for _, name in rows)),
        Column("answers", tuple(_cell(name.answers) for _, name in rows)),
        Column("targets", tuple(_cell(name.targets) for _, name in rows)),
        Column("healthy", tuple(_healthy(name) for _, name in rows)),
    )


def fitting(
    columns: Sequence[Column], spared: Sequence[str], *, width: int
) -> tuple[tuple[Column, ...], tuple[str, ...]]:
    """The columns that a terminal has room for, and the headings that it has not."""
    left_out: list[str] = []
    for heading in spared:
        if sum(one.width for one in columns if one.heading not in left_out) <= width:
            break
        left_out.append(heading)
    return tuple(one for one in columns if one.heading not in left_out), tuple(left_out)


def _table(columns: Sequence[Column]) -> Table:
    table = Table(box=None, padding=(0, _GAP, 0, 0), header_style="dim")
    for column in columns:
        table.add_column(column.heading, overflow="fold")
    for cells in zip(*(one.cells for one in columns), strict=True):
        table.add_row(*cells)
    return table


def _healthy(name: NameStatus) -> str | Text:
    if name.healthy is None or name.targets is None:
        return _cell(name.healthy)
    return Text(str(name.healthy), style="green" if name.healthy == name.targets else "red")


def _cell(value: object) -> str:
    return "-" if value is None else str(value)


def _fence(zone: ZoneStatus) -> str:
    fence = zone.fence
    return "-" if fence is None else f"{fence.generation} step {fence.step}/{fence.steps}"


def _enactors(zone: ZoneStatus) -> str:
    """Each AZ's generation and the age of its sight, shortest form."""
    seen = [
        f"{one.az}:{_cell(one.generation)}" + ("" if one.age_s is None else f" {one.age_s}s ago")
        for one in zone.enactors or ()
    ]
    return "\n".join(seen) or "-"
