"""The status as tables for a terminal. Pure: from a report to something rich can draw."""

from collections.abc import Sequence

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from dnsplan.runtime.status.model import Report, ZoneStatus
from dnsplan.runtime.status.verdict import Standing, Verdict

STYLES = {
    Standing.IN_SYNC: "green",
    Standing.BEHIND: "cyan",
    Standing.HELD: "yellow",
    Standing.UNHEALTHY: "red",
}


def status_tables(report: Report, verdicts: Sequence[Verdict]) -> RenderableType:
    """Zones, names, the reasons for all that is not in sync, then what is unlisted."""
    zones = report.status.zones
    parts: list[RenderableType] = [zones_table(zones, verdicts), Text(), names_table(zones)]
    reasons = [
        Text(f"{verdict.label}: {reason}", style=STYLES[verdict.standing])
        for verdict in verdicts
        for reason in verdict.reasons
    ]
    reasons += [Text(f"{one.label}: {one}", style="dim") for one in report.unlisted]
    if reasons:
        parts += [Text(), *reasons]
    return Group(*parts)


def zones_table(zones: Sequence[ZoneStatus], verdicts: Sequence[Verdict]) -> Table:
    """One row a zone."""
    table = _table(
        "zone",
        "name",
        "standing",
        "head",
        "applied",
        "good",
        "floor",
        "fence",
        "writer",
        "enactors",
    )
    for zone, verdict in zip(zones, verdicts, strict=True):
        table.add_row(
            zone.label,
            zone.zone,
            Text(verdict.standing.value, style=STYLES[verdict.standing]),
            _cell(zone.head),
            _cell(zone.applied),
            _cell(zone.last_known_good),
            _cell(zone.floor),
            _fence(zone),
            zone.fence.writer if zone.fence is not None else "-",
            _enactors(zone),
        )
    return table


def names_table(zones: Sequence[ZoneStatus]) -> Table:
    """One row a name and type."""
    table = _table("zone", "record", "type", "answers", "targets", "healthy")
    for zone in zones:
        for name in zone.names or ():
            healthy = _cell(name.healthy)
            if name.healthy is not None and name.targets is not None:
                style = "green" if name.healthy == name.targets else "red"
                healthy = Text(str(name.healthy), style=style)
            table.add_row(
                zone.label, name.name, name.type, str(name.answers), _cell(name.targets), healthy
            )
    return table


def _table(*columns: str) -> Table:
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    for column in columns:
        table.add_column(column, overflow="fold")
    return table


def _cell(value: object) -> str | Text:
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
