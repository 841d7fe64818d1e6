"""History and differences as facts, plain lines and a terminal's text. Pure: it reads nothing.

A sign tells what a line is in a pipe; colour only repeats it on a terminal.
"""

from collections.abc import Iterator, Sequence

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from dnsplan.diff import NameChange
from dnsplan.errors import visible
from dnsplan.names import Name, display
from dnsplan.ports import PlanRow
from dnsplan.runtime.status.model import Unread
from dnsplan.trace import trace_of
from runbooks.controls.words import change_facts, change_lines, counted, moment
from runbooks.history.comparing import Compared
from runbooks.history.past import Entry, Past, came, differ, went
from runbooks.looking.line import Gone

STYLES = {"+": "green", "-": "red"}


def history_facts(label: str, past: Past) -> dict[str, object]:
    """What `history --json` prints."""
    return {
        "label": label,
        "head": past.item.head,
        "live": None if isinstance(past.live, Unread) else past.live,
        "plans": [_entry_facts(one) for one in past.entries],
        "looked": past.looked,
        "older": past.older,
        "unread": [str(past.live)] if isinstance(past.live, Unread) else [],
    }


def history_lines(label: str, past: Past, *, name: Name | None) -> Iterator[str]:
    """One line a plan; with a name what it changed there, and what was not looked at."""
    for one in past.entries:
        row = one.row
        marks = f" [{', '.join(one.marks)}]" if one.marks else ""
        yield (
            f"{label} {row.plan_id.generation} {moment(row.created_s)} {row.author}"
            f" {_counts(one)}{marks} {row.reason}; {_found_by(row)}"
        )
        if name is not None and not isinstance(one.changes, Gone):
            yield from (f"{label} {text}" for text in _signed(one.changes))
    yield from (f"{label} {text}" for text in remarks(past, name=name))


def history_table(past: Past, *, name: Name | None) -> RenderableType:
    """The same for a terminal."""
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    for heading in ("plan", "when", "who", "names", "why"):
        table.add_column(heading, overflow="fold", no_wrap=heading in ("plan", "names"))
    for one in past.entries:
        row = one.row
        why = Text(row.reason)
        if one.marks:
            why = Text(f"{', '.join(one.marks)}\n", style="cyan").append(row.reason, style="")
        why.append(f"\n{_found_by(row)}", style="dim")
        if name is not None and not isinstance(one.changes, Gone):
            for text in _signed(one.changes):
                why.append(f"\n{text}", style=STYLES[text[0]])
        number = str(row.plan_id.generation)
        table.add_row(number, moment(row.created_s), row.author, _counts(one), why)
    return Group(table, *(Text(text, style="dim") for text in remarks(past, name=name)))


def remarks(past: Past, *, name: Name | None) -> Iterator[str]:
    """What is not shown, and why."""
    for one in past.entries:
        if isinstance(one.changes, Gone):
            yield f"generation {one.row.plan_id.generation}: changes unknown: {one.changes.why}"
    if name is not None and not past.entries:
        yield f"{counted(past.looked, 'plan')} looked at, none changed {display(name)}"
    if past.older:
        yield f"{counted(past.older, 'older plan')} not looked at; --limit shows more"
    if isinstance(past.live, Unread):
        yield f"what is live is not known: {past.live}"


def diff_facts(compared: Compared) -> dict[str, object]:
    """What `diff --json` prints."""
    return {
        "label": compared.label,
        "a": compared.a,
        "b": compared.b,
        "changes": [change_facts(one) for one in compared.changes],
    }


def diff_text(compared: Compared) -> Iterator[Text]:
    """What goes and comes, sign by sign, and the sum; its plain text is what a pipe gets."""
    if not compared.changes:
        yield Text(f"{compared.label} {compared.a} and {compared.b} hold the same")
        return
    for change in compared.changes:
        for sign, text in change_lines(change):
            yield Text(f"{compared.label} {sign} {text}", style=STYLES[sign])
    count = len(compared.changes)
    names = "1 name differs" if count == 1 else f"{count} names differ"
    yield Text(f"{compared.label} {names} from {compared.a} to {compared.b}")


def _entry_facts(one: Entry) -> dict[str, object]:
    row, known = one.row, not isinstance(one.changes, Gone)
    changes: Sequence[NameChange] = () if isinstance(one.changes, Gone) else one.changes
    waivers = () if isinstance(one.plan, Gone) else one.plan.waivers
    return {
        "generation": row.plan_id.generation,
        "digest": row.plan_id.digest,
        "trace": trace_of(row.plan_id.digest),
        "key_id": row.key_id or None,
        "created_s": row.created_s,
        "author": row.author,
        "reason": row.reason,
        "base": row.base,
        "record_sets": row.record_sets,
        "marks": list(one.marks),
        "added": list(came(changes)) if known else None,
        "removed": list(went(changes)) if known else None,
        "changed": list(differ(changes)) if known else None,
        "unknown": one.changes.why if isinstance(one.changes, Gone) else None,
        "waivers": [
            {"rule": each.rule, "by": each.by, "because": each.because, "at": each.generation}
            for each in waivers
        ],
    }


def _found_by(row: PlanRow) -> str:
    """What finds the plan elsewhere, and whose key its row names; its signature alone proves it."""
    key = f"; key {visible(row.key_id)}" if row.key_id else ""
    return f"trace {trace_of(row.plan_id.digest)}{key}"


def _counts(one: Entry) -> str:
    if isinstance(one.changes, Gone):
        return "+? -? ~?"
    new, gone, other = (len(which(one.changes)) for which in (came, went, differ))
    return f"+{new} -{gone} ~{other}"


def _signed(changes: Sequence[NameChange]) -> Iterator[str]:
    for change in changes:
        yield from (f"{sign} {text}" for sign, text in change_lines(change))
