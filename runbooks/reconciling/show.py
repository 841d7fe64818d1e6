"""A reconcile in words: lines for a pipe, a table for a terminal, facts for `--json`. Pure."""

from collections.abc import Iterator, Sequence

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from dnsplan.fence import FENCE_LABEL
from dnsplan.names import display
from dnsplan.records import RecordSet, Unit
from enactor.rules.settle import position
from runbooks.adopting.survey import Finding, Match
from runbooks.controls.words import answer_in_words, counted
from runbooks.reconciling.preparing import Prepared
from runbooks.reconciling.rules import is_half_restored

# What is long is summed up; `--json` has it whole.
SHOWN_MAX = 20


def reconcile_lines(prepared: Prepared, found: Sequence[Finding]) -> Iterator[str]:
    """Everything, each line begun by the zone's label."""
    label = prepared.zone.label
    for line in (_heading(prepared), *_doubts(prepared), *_what(prepared)):
        yield f"{label} {line}"
    for one in _next(found):
        yield f"{label} next ~ {' '.join(_cells(one))}"
    for line in _notes(prepared, found):
        yield f"{label} {line}"


def reconcile_table(prepared: Prepared, found: Sequence[Finding]) -> RenderableType:
    """The same for a terminal."""
    label = Text.assemble((prepared.zone.label, "bold"), "  ", _heading(prepared))
    doubts = [Text(line, style="yellow") for line in _doubts(prepared)]
    table = Table("name", "type", "stands", "planned next", box=None, padding=(0, 1))
    for one in _next(found):
        table.add_row(*map(Text, _cells(one)))
    shown = [table] if table.row_count else []
    notes = map(Text, _notes(prepared, found))
    return Group(label, *doubts, *map(Text, _what(prepared)), *shown, *notes)


def reconcile_facts(
    prepared: Prepared, found: Sequence[Finding], *, reconciled: bool
) -> dict[str, object]:
    """The same for scripts; nothing is left out."""
    survey, item = prepared.survey, prepared.item
    return {
        "label": prepared.zone.label,
        "zone": prepared.zone.name,
        "zone_id": prepared.zone.zone_id,
        "doubts": list(prepared.doubts),
        "head": None if item is None else item.head,
        "fence": prepared.standing.generation,
        "generation": prepared.plan.generation,
        "keeps_restore": prepared.keeps,
        "half_restored": is_half_restored(prepared.standing),
        "frozen": prepared.frozen,
        "freeze_is_new": prepared.is_freeze_new,
        "record_sets": len(survey.content),
        "not_managed": [_unit_facts(unit) for unit in survey.elsewhere],
        "lost": [_unit_facts(unit) for unit in survey.lost],
        "next": [
            {
                "name": display(one.unit[0]),
                "type": one.unit[1],
                "standing": list(map(answer_in_words, one.standing)),
                "planned": list(map(answer_in_words, one.planned)),
            }
            for one in found
            if one.standing != one.planned
        ],
        "reconciled": reconciled,
    }


def _heading(prepared: Prepared) -> str:
    zone, item, fence = prepared.zone, prepared.item, prepared.standing.fence
    head = "no item" if item is None else f"head {item.head}"
    if prepared.standing.damaged:
        where = "a fence that cannot be read"
    else:
        where = "no fence" if fence is None else f"fence at {position(fence)}"
    return f"zone {zone.name} {zone.zone_id}: {head}, {where}"


def _doubts(prepared: Prepared) -> Iterator[str]:
    for doubt in prepared.doubts:
        yield f"in doubt: {doubt}"


def _what(prepared: Prepared) -> Iterator[str]:
    """What will be written; the records are not."""
    generation = prepared.plan.generation
    count = counted(len(prepared.survey.content), "record set")
    if prepared.keeps:
        yield f"generation {generation} is a finished restore of {count}: it keeps its number"
    else:
        yield f"generation {generation} is written from what stands: {count}, in an era of its own"
    yield f"the one record that is written is {FENCE_LABEL}.{prepared.zone.name} TXT"


def _notes(prepared: Prepared, found: Sequence[Finding]) -> Iterator[str]:
    survey, standing = prepared.survey, prepared.standing
    more = sum(one.standing != one.planned for one in found) - SHOWN_MAX
    if more > 0:
        yield f"and {more} more that are planned next; --json shows all"
    if is_half_restored(standing):
        yield (
            "a restore is half done here: finish it first by dns-runbook restore with the same"
            " file, or the rest of it is left to the planner"
        )
    if prepared.known is None:
        yield (
            "no plan can be read, so only what dns.yaml states stays managed: --plan-file names"
            " more"
        )
    if survey.elsewhere:
        shown = _units_in_words(survey.elsewhere)
        yield f"not managed, never touched: {len(survey.elsewhere)}: {shown}"
    if survey.lost:
        shown = _units_in_words(survey.lost)
        yield f"managed before, gone from the zone and from dns.yaml, managed no more: {shown}"
    yield from _what_goes_with_it(prepared)


def _what_goes_with_it(prepared: Prepared) -> Iterator[str]:
    """What else is true afterwards: a freeze, another owner, another hosted zone."""
    standing = prepared.standing
    if prepared.is_freeze_new:
        yield (
            "whether the zone was frozen cannot be told: its fence cannot be read, and the table is"
            " of another time. It will be frozen, until dns-runbook thaw is run"
        )
    elif prepared.frozen is not None:
        yield f"the freeze {prepared.frozen} goes on: nothing is sent until it is thawed"
    if standing.owner not in (None, prepared.plan.owner):
        yield f"the zone is taken from owner {standing.owner}; it will be {prepared.plan.owner}'s"
    before = None if prepared.item is None else prepared.item.zone_id
    if before not in (None, prepared.zone.zone_id):
        yield f"the label was bound to zone {before}; it will be {prepared.zone.zone_id}"


def _next(found: Sequence[Finding]) -> Sequence[Finding]:
    """What the planner would change once it goes on."""
    return [one for one in found if one.match is not Match.EQUAL and one.standing != one.planned][
        :SHOWN_MAX
    ]


def _cells(one: Finding) -> tuple[str, str, str, str]:
    planned = _all_in_words(one.planned) or "when its targets were probed"
    name, kind = display(one.unit[0]), one.unit[1]
    return name, kind, _all_in_words(one.standing) or "nothing", f"-> {planned}"


def _unit_facts(unit: Unit) -> dict[str, str]:
    return {"name": display(unit[0]), "type": unit[1]}


def _units_in_words(units: Sequence[Unit]) -> str:
    shown = ", ".join(f"{display(name)} {kind}" for name, kind in units[:SHOWN_MAX])
    more = len(units) - SHOWN_MAX
    return shown + (f", and {more} more (--json lists all)" if more > 0 else "")


def _all_in_words(record_sets: Sequence[RecordSet]) -> str:
    return ", ".join(map(answer_in_words, record_sets))
