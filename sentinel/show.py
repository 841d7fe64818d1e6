"""What a check found, for people and for programs. Pure: from a report to facts, lines, a table."""

from collections.abc import Iterator, Mapping

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from dnsplan.names import display
from sentinel.check import Checked, CheckReport
from sentinel.rules.dossier import explained
from sentinel.rules.findings import Finding
from sentinel.rules.judging import Ailment
from sentinel.rules.opinion import in_words
from sentinel.rules.wording import names_are, verdict

VALUES_SHOWN_MAX = 4
NAMED_MAX = 10


def facts(report: CheckReport) -> Mapping[str, object]:
    """One JSON object."""
    return {
        "well": report.exit_code == 0,
        "names": [_name_facts(one) for one in report.checked],
        "zones": [
            {"id": one.page_id, "kind": one.kind, "title": one.title, "lines": list(one.lines)}
            for one in report.faults
        ],
        "beyond": [{"label": label, "name": name} for label, name in report.scope.beyond],
        "unjudged": [
            {"label": one.key[0], "name": one.key[1], "reason": one.reason}
            for one in report.scope.unjudged
        ],
    }


def table(report: CheckReport) -> RenderableType:
    """A row a name and type, the ailing ones first, and a line for what was left out."""
    shown = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for heading in ("zone", "name", "type", "verdict", "answers", "seen"):
        shown.add_column(heading, overflow="fold")
    for checked in sorted(report.checked, key=lambda one: one.is_well):
        for cells in _rows(checked):
            shown.add_row(*cells)
    return Group(shown, *(Text(line) for line in closing_lines(report)))


def closing_lines(report: CheckReport) -> Iterator[str]:
    """What to know besides the rows."""
    ailing = sum(not one.is_well for one in report.checked)
    count = len(report.checked)
    yield f"{count - ailing} of {names_are(count)} well."
    for fault in report.faults:
        yield f"{fault.title}: {'; '.join(fault.lines)}."
    if beyond := report.scope.beyond:
        named = ", ".join(f"{label} {display(name)}" for label, name in beyond[:NAMED_MAX])
        rest = f" and {len(beyond) - NAMED_MAX} more" if len(beyond) > NAMED_MAX else ""
        yield f"{names_are(len(beyond))} beyond names_max and not watched: {named}{rest}."
        yield "Share the zones out with --zones, or raise sentinel.names_max."
    for one in report.scope.unjudged:
        label, name = one.key
        yield f"{label} {display(name)} cannot be judged from here: {one.reason}."


def _rows(checked: Checked) -> Iterator[tuple[str, ...]]:
    watched = checked.watched
    where = (watched.label, display(watched.name))
    if checked.unseen:
        kinds = ", ".join(one.type for one in watched.expected)
        yield (*where, kinds, "unseen", "", checked.unseen)
        return
    ailing = {one.type: one for one in explained(checked.ailments, checked.opinions or {})}
    for expected in watched.expected:
        ailment = ailing.get(expected.type)
        said = verdict((ailment,)).partition(" ")[2] if ailment else str(Finding.ANSWERED)
        yield (
            *where,
            expected.type,
            said,
            _answers(checked, expected.type),
            _seen(checked, expected.type),
        )


def _values(checked: Checked, kind: str) -> list[str]:
    return sorted({v for look in checked.looks if look.type == kind for v in look.seen.values})


def _answers(checked: Checked, kind: str) -> str:
    values = _values(checked, kind)
    more = len(values) - VALUES_SHOWN_MAX
    return ", ".join(values[:VALUES_SHOWN_MAX]) + (f" and {more} more" if more > 0 else "")


def _seen(checked: Checked, kind: str) -> str:
    """How many paths answered; where one did not, which and how."""
    looks = [look for look in checked.looks if look.type == kind]
    bad = [look for look in looks if look.seen.finding is not Finding.ANSWERED]
    parts = [f"{len(looks) - len(bad)} of {len(looks)} paths"]
    if bad and len(bad) < len(looks):
        parts += [f"{look.server} {look.transport} {look.seen.finding}" for look in bad[:2]]
    if kind in (checked.opinions or {}):
        parts.append(in_words((checked.opinions or {})[kind]))
    return "; ".join(parts)


def _name_facts(checked: Checked) -> Mapping[str, object]:
    opinions = checked.opinions or {}
    ailing = {one.type: one for one in explained(checked.ailments, opinions)}
    return {
        "label": checked.watched.label,
        "name": checked.watched.name,
        "well": checked.is_well,
        "unseen": checked.unseen or None,
        "types": [
            {
                "type": one.type,
                "verdict": _finding(checked, ailing.get(one.type)),
                "partly": one.type in ailing and ailing[one.type].partly,
                "answers": _values(checked, one.type),
                "control_api": in_words(opinions[one.type]) if one.type in opinions else None,
            }
            for one in checked.watched.expected
        ],
        "looks": [
            {
                "type": look.type,
                "server": look.server,
                "transport": look.transport,
                "finding": str(look.seen.finding),
                "values": list(look.seen.values),
                "detail": look.seen.detail or None,
            }
            for look in checked.looks
        ],
    }


def _finding(checked: Checked, ailment: Ailment | None) -> str | None:
    """The finding's word; None when nothing was seen."""
    if checked.unseen:
        return None
    return str(ailment.finding if ailment else Finding.ANSWERED)
