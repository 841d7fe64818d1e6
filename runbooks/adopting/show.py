"""A survey in words: plain lines for a pipe, a table for a terminal, facts for `--json`. Pure."""

from collections.abc import Iterator, Mapping, Sequence

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from dnsplan.fence import FENCE_LABEL
from dnsplan.names import display, typed
from dnsplan.records import TRAFFIC_POLICY, RecordSet, Unit, policy_in_words
from runbooks.adopting.marks import Mark
from runbooks.adopting.preparing import Prepared
from runbooks.adopting.survey import Finding, Match
from runbooks.controls.words import answer_in_words

# What is not managed is of interest as a whole; `--json` lists all of it.
ELSEWHERE_SHOWN_MAX = 20
FINDINGS_SHOWN_MAX = 200

_SIGNS = {
    Match.EQUAL: "=",
    Match.DIFFERENT: "~",
    Match.MISSING: "+",
    Match.UNLISTED: "?",
    Match.ENDING: "-",
}
_STYLES = {"=": "green", "~": "yellow", "+": "cyan", "?": "dim", "-": "red"}


def adopt_lines(prepared: Prepared, found: Sequence[Finding]) -> Iterator[str]:
    """Everything, each line begun by the zone's label."""
    label = prepared.zone.label
    yield f"{label} {heading(prepared, found)}"
    shown, left = of_interest(found)
    for one in shown:
        name, kind, stands, then = _cells(one, prepared.wish.label)
        yield f"{label} {_SIGNS[one.match]} {name} {kind} {stands}: {then}"
    if left:
        yield f"{label} and {left}; --json shows all"
    for line in _notes(prepared):
        yield f"{label} {line}"


def adopt_table(prepared: Prepared, found: Sequence[Finding]) -> RenderableType:
    """The same for a terminal."""
    table = Table("", "name", "type", "stands", "after adoption", box=None, padding=(0, 1))
    shown, left = of_interest(found)
    for one in shown:
        sign = _SIGNS[one.match]
        cells = (sign, *_cells(one, prepared.wish.label))
        table.add_row(*map(Text, cells), style=_STYLES[sign])
    label = Text.assemble((prepared.zone.label, "bold"), "  ", heading(prepared, found))
    rest = [Text(f"... and {left}; --json shows all", style="dim")] if left else []
    return Group(label, table, *rest, *map(Text, _notes(prepared)))


def heading(prepared: Prepared, found: Sequence[Finding]) -> str:
    """The zone, and how much of it would be managed."""
    zone, survey = prepared.zone, prepared.survey
    counts = ", ".join(
        f"{count} {match.name.lower()}"
        for match in Match
        if (count := sum(one.match is match for one in found))
    )
    return (
        f"zone {zone.name} {zone.zone_id}: {survey.listed} record sets listed;"
        f" names and types to manage: {len(found)} ({counts or 'none'})"
    )


def adopt_facts(prepared: Prepared, found: Sequence[Finding]) -> dict[str, object]:
    """The same for scripts; nothing is left out."""
    survey = prepared.survey
    return {
        "label": prepared.zone.label,
        "zone": prepared.zone.name,
        "zone_id": prepared.zone.zone_id,
        "zone_id_before": prepared.bound_before,
        "generation": None if prepared.plan is None else prepared.plan.generation,
        "managed": [
            {
                "name": display(one.unit[0]),
                "type": one.unit[1],
                "match": one.match.name.lower(),
                "standing": list(map(answer_in_words, one.standing)),
                "planned": list(map(answer_in_words, one.planned)),
            }
            for one in found
        ],
        "not_managed": [_unit_facts(unit) for unit in survey.elsewhere],
        "lost": [_unit_facts(unit) for unit in survey.lost],
        "marks": [
            {
                "tool": one.tool,
                "at": display(one.at),
                "owner": one.owner,
                "subject": None if one.subject is None else display(one.subject),
            }
            for one in survey.marks
        ],
    }


def of_interest(found: Sequence[Finding]) -> tuple[Sequence[Finding], str]:
    """What to show, and how much is left out: in a long list what stays as it is comes last."""
    if len(found) <= FINDINGS_SHOWN_MAX:
        return found, ""
    ordered = sorted(found, key=lambda one: one.match is Match.EQUAL)
    left = ordered[FINDINGS_SHOWN_MAX:]
    equal = sum(one.match is Match.EQUAL for one in left)
    return ordered[:FINDINGS_SHOWN_MAX], f"{len(left)} more, {equal} of them equal"


def _cells(one: Finding, label: str) -> tuple[str, str, str, str]:
    name, kind = display(one.unit[0]), one.unit[1]
    return name, kind, _all_in_words(one.standing) or "nothing", _then(one, label)


def _then(one: Finding, label: str) -> str:
    """What happens to it once planning goes on."""
    planned = _all_in_words(one.planned)
    match one.match:
        case Match.EQUAL:
            return "stays"
        case Match.DIFFERENT:
            return f"planned: {planned}{_instance(one)}"
        case Match.MISSING:
            return f"planned: {planned}" if planned else "planned once its targets were probed"
        case Match.UNLISTED:
            command = f"dns-runbook retire {label} {typed(one.unit[0])} --type {one.unit[1]}"
            return f"stays, not in dns.yaml ({command} ends it)"
        case Match.ENDING:
            return "ends: it cannot stand beside what dns.yaml states"


def _instance(one: Finding) -> str:
    """Whoever takes the place of a traffic policy's record leaves the policy's instance behind
    (API reference, Change: Route 53 keeps it, and charges for it)."""
    if not any(policy_in_words(there.routing) == TRAFFIC_POLICY for there in one.standing):
        return ""
    return "; delete the traffic policy instance in Route 53 then, or both write the name"


def _notes(prepared: Prepared) -> Iterator[str]:
    survey, zone = prepared.survey, prepared.zone
    if survey.elsewhere:
        shown = ", ".join(map(_unit_in_words, survey.elsewhere[:ELSEWHERE_SHOWN_MAX]))
        more = len(survey.elsewhere) - ELSEWHERE_SHOWN_MAX
        rest = f", and {more} more (--json lists all)" if more > 0 else ""
        yield f"not managed, never touched: {len(survey.elsewhere)}: {shown}{rest}"
    for mark in survey.marks:
        yield _mark_in_words(mark)
    if survey.lost:
        shown = ", ".join(map(_unit_in_words, survey.lost))
        yield (
            f"managed before, gone from the zone and from dns.yaml: {shown}; managed no more:"
            " state them in dns.yaml to have them back"
        )
    if prepared.bound_before is not None:
        yield f"the label was bound to zone {prepared.bound_before}; it will be {zone.zone_id}"
    if prepared.damaged:
        yield f"what stands at {FENCE_LABEL} cannot be read and is replaced by a fence"
    if prepared.plan is None:
        yield "nothing stands at the managed names: the label is bound, enactors begin"
    else:
        yield (
            f"generation {prepared.plan.generation} is written from what stands; the one record"
            f" that is written is {FENCE_LABEL}.{zone.name} TXT"
        )


def _mark_in_words(mark: Mark) -> str:
    owner = "" if mark.owner is None else f" (owner {mark.owner})"
    subject = "a name that cannot be told" if mark.subject is None else display(mark.subject)
    return (
        f"{mark.tool}{owner} marks {subject} by {display(mark.at)} TXT: stop it for this zone, or"
        " both write the name"
    )


def _unit_facts(unit: Unit) -> Mapping[str, str]:
    return {"name": display(unit[0]), "type": unit[1]}


def _unit_in_words(unit: Unit) -> str:
    return f"{display(unit[0])} {unit[1]}"


def _all_in_words(record_sets: Sequence[RecordSet]) -> str:
    return ", ".join(map(answer_in_words, record_sets))
