"""An audit as facts, lines and a table, and what happens next. Pure: it reads nothing."""

from collections.abc import Iterator

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from dnsplan.names import display
from dnsplan.records import RecordSet
from dnsplan.runtime.config.schema import ZoneEntry
from enactor.rules.drift import Drift, in_words
from runbooks.auditing.looking import Audit


def audit_facts(label: str, audit: Audit) -> dict[str, object]:
    """What `--json` prints."""
    return {
        "label": label,
        "generation": audit.generation,
        "record_sets": audit.record_sets,
        "drift": [
            {
                "name": one.name,
                "type": one.type,
                "wanted": _texts(one.wanted),
                "standing": _texts(one.standing),
                "held": one.name in audit.drift_held,
            }
            for one in audit.drift
        ],
        "held": [{"name": one.name, "reason": one.reason} for one in audit.held],
        "returned": [
            {"name": one.name, "type": one.type, "standing": _texts(one.standing)}
            for one in audit.returned
        ],
    }


def audit_lines(label: str, audit: Audit) -> Iterator[str]:
    """One line a difference, one a held name, one a retired name that stands, and the sum."""
    for one in audit.drift:
        yield f"{label} drift {one}"
    for held in audit.held:
        yield f"{label} held {display(held.name)} {held.reason}"
    for one in audit.returned:
        yield f"{label} retired {_stands_again(one)}"
    yield f"{label} {in_sum(audit)}"


def audit_table(label: str, audit: Audit) -> RenderableType:
    """The same for a terminal."""
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    for column in ("name", "type", "wanted", "standing"):
        table.add_column(column, overflow="fold")
    for one in audit.drift:
        standing = Text(in_words(one.standing), style="red")
        table.add_row(display(one.name), one.type, in_words(one.wanted), standing)
    held = [Text(str(one), "yellow") for one in audit.held]
    returned = [Text(f"retired {_stands_again(one)}", "yellow") for one in audit.returned]
    last = Text(f"{label}: {in_sum(audit)}", style="red" if audit.drift else "green")
    return Group(*([table] if audit.drift else []), *held, *returned, last)


def in_sum(audit: Audit) -> str:
    """How much was looked at, and how much of it drifted."""
    found = f"{len(audit.drift)} of them drifted" if audit.drift else "no drift"
    return f"generation {audit.generation}, {audit.record_sets} record sets looked at: {found}"


def what_next(label: str, entry: ZoneEntry, audit_s: float) -> str:
    """Who mends it and when; this command does not."""
    if entry.mode == "observe":
        return f"{label} is in mode observe: nothing is mended"
    if entry.drift == "hold":
        return (
            f"{label} has drift: hold, so it stays: put the records back by hand, or set"
            " drift: repair in dns.yaml and restart the enactors"
        )
    return (
        f"nothing was changed here: the enactors mend it under the fence when their own audit gets"
        f" to it, within about {audit_s:g} s (enactor.audit_s); dns-runbook status shows it then"
    )


def _stands_again(one: Drift) -> str:
    return f"{display(one.name)} {one.type}: stands again as {in_words(one.standing)}, left alone"


def _texts(record_sets: tuple[RecordSet, ...]) -> list[str]:
    return [in_words((one,)) for one in record_sets]
