"""A restore in words: plain lines for a pipe, a table for a terminal, facts for `--json`. Pure."""

from collections.abc import Iterator

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from dnsplan.diff import NameChange
from dnsplan.fence import FENCE_LABEL, FenceRecord
from dnsplan.names import display
from dnsplan.plan import NO_GENERATION
from dnsplan.records import RecordSet
from enactor.rules.settle import position
from runbooks.controls.words import answer_in_words, change_lines, counted, record_set_in_words
from runbooks.restoring.preparing import Prepared

# A change of more names than this is summed up; --json has it whole.
NAMES_SHOWN_MAX = 200


def restore_lines(prepared: Prepared) -> Iterator[str]:
    """Everything, each line begun by the zone's label."""
    label = prepared.zone.label
    yield f"{label} {heading(prepared)}"
    for change in prepared.changes[:NAMES_SHOWN_MAX]:
        yield from (f"{label} {sign} {text}" for sign, text in change_lines(change))
    for line in _notes(prepared):
        yield f"{label} {line}"


def restore_table(prepared: Prepared) -> RenderableType:
    """The same for a terminal."""
    table = Table("", "name", "type", "answer", box=None, padding=(0, 1))
    for change in prepared.changes[:NAMES_SHOWN_MAX]:
        for sign, one in _signed(change):
            cells = (sign, display(one.name), one.type, answer_in_words(one))
            table.add_row(*map(Text, cells), style="red" if sign == "-" else "green")
    label = Text.assemble((prepared.zone.label, "bold"), "  ", heading(prepared))
    shown = [table] if prepared.changes else []
    return Group(label, *shown, *map(Text, _notes(prepared)))


def heading(prepared: Prepared) -> str:
    """The zone, where its fence stands, and the number that will stand."""
    zone, target, stated = prepared.zone, prepared.target, prepared.stated
    goes_on = " (begun before, goes on)" if target.resumes else ""
    return (
        f"zone {zone.name} {zone.zone_id}: {_fence_in_words(prepared)}; file of generation"
        f" {stated.generation} with {counted(len(stated.content), 'record set')}; restored as"
        f" generation {target.plan.generation}{goes_on}: changes"
        f" {counted(len(prepared.changes), 'name')}"
    )


def restore_facts(prepared: Prepared, *, restored: bool) -> dict[str, object]:
    """The same for scripts; nothing is left out."""
    zone, fence = prepared.zone, prepared.standing.fence
    return {
        "label": zone.label,
        "zone": zone.name,
        "zone_id": zone.zone_id,
        "fence": None if fence is None else _fence_facts(fence.record),
        "generation": prepared.target.plan.generation,
        "digest": prepared.target.digest,
        "resumes": prepared.target.resumes,
        "changes": [
            {
                "name": display(one.name),
                "before": list(map(record_set_in_words, one.before)),
                "after": list(map(record_set_in_words, one.after)),
            }
            for one in prepared.changes
        ],
        "batches": prepared.batches,
        "requests": requests_of(prepared),
        "restored": restored,
        "next": f"dns-runbook reconcile {zone.label}",
    }


def requests_of(prepared: Prepared) -> int:
    """About how many requests it takes: the listing again, the batches, and a few looks."""
    return prepared.pages + prepared.batches + 4


def _fence_in_words(prepared: Prepared) -> str:
    if prepared.standing.damaged:
        return f"the fence at {FENCE_LABEL} cannot be read and is replaced"
    if prepared.standing.fence is None:
        return "no fence"
    return f"fence at {position(prepared.standing.fence)}"


def _fence_facts(fence: FenceRecord) -> dict[str, object]:
    return {name: getattr(fence, name) for name in fence.__struct_fields__}


def _signed(change: NameChange) -> Iterator[tuple[str, RecordSet]]:
    for one in change.before:
        yield "-", one
    for one in change.after:
        yield "+", one


def _notes(prepared: Prepared) -> Iterator[str]:
    more = len(prepared.changes) - NAMES_SHOWN_MAX
    if more > 0:
        yield f"and {counted(more, 'more name')}; --json shows all"
    if prepared.is_done:
        yield (
            "all of the file stands already: nothing is to be done; when the table is back:"
            f" dns-runbook reconcile {prepared.zone.label}"
        )
        return
    owner, mine = prepared.standing.owner, prepared.stated.owner
    if owner not in (None, mine):
        yield f"the zone is taken from owner {owner}; it will be {mine}'s"
    if prepared.standing.frozen is not None:
        yield f"the freeze {prepared.standing.frozen} ends in the zone; the table may still have it"
    if prepared.standing.generation == NO_GENERATION:
        yield (
            "the zone does not say which numbers were issued: --above N, if the table or a log"
            " shows one above the file's"
        )
    count = max(1, prepared.batches)
    batches = "1 batch" if count == 1 else f"{count} batches"
    yield (
        f"{batches}, each under the fence; about {requests_of(prepared)} requests to Route 53;"
        " names that the file does not state stay as they are"
    )
