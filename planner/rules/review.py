"""Nothing malformed is published, nothing that leads to itself or to what was retired, and nothing
too big for one change batch: a bad name stays as in the newest plan, the others go on.

Only what differs from the newest plan is read again, since the rest passed when it was planned.
Judging a value means parsing it, so findings are kept between cycles in a `Findings` that the
caller holds; they depend on the record set alone and can never be stale.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import chain

from dnsplan.diff import diff
from dnsplan.loops import loops
from dnsplan.names import Name, display
from dnsplan.places import elsewhere
from dnsplan.records import RecordSet, Unit, by_unit, leads_to, loses_answers, unit_of
from dnsplan.shards import sharded_name
from dnsplan.validation import SETS_MAX, VALUES_MAX, change_problems, name_problems, record_problems
from dnsplan.wildcards import silencing
from planner.rules.candidate import Candidate, with_names_restored
from planner.rules.leading import unstated_targets
from planner.rules.standing import Standing


@dataclass(slots=True)
class Findings:
    """Problems of record sets that were judged before; only the last candidate's are kept."""

    known: dict[RecordSet, tuple[str, ...]] = field(default_factory=dict)


def reviewed(candidate: Candidate, standing: Standing, zone: Name, findings: Findings) -> Candidate:
    """The candidate without the names that Route 53 would refuse."""
    if not candidate.changed:
        findings.known = {}
        return candidate
    names = {name for name, _ in candidate.changed}
    problems = _of_families(_problems(candidate, standing, names, zone, findings), names)
    if problems:
        candidate = with_names_restored(candidate, standing, problems)
    notes = tuple(unstated_targets(candidate.changed, candidate.units, zone))
    return replace(candidate, notes=(*candidate.notes, *notes)) if notes else candidate


def _of_families(problems: Mapping[Name, str], names: Iterable[Name]) -> Mapping[Name, str]:
    """A name and its shards change together or not at all."""
    heads = {sharded_name(name) or name: text for name, text in problems.items()}
    led = {name: text for name in names if (text := heads.get(sharded_name(name) or name))}
    return {**led, **problems}


def _problems(
    candidate: Candidate, standing: Standing, changed: set[Name], zone: Name, findings: Findings
) -> Mapping[Name, str]:
    used: dict[RecordSet, tuple[str, ...]] = {}
    found: dict[Name, str] = {}
    there = _by_name(standing.units, changed)
    touched = [unit for unit in candidate.units if unit[0] in changed]
    led_round = dict(loops(touched, candidate.units, zone))
    quiet = _quieted(candidate, standing, changed, zone)
    for name, sets in _by_name(candidate.units, changed).items():
        texts = list(name_problems(sets))
        for one in sets:
            known = findings.known.get(one)
            used[one] = record_problems(one, zone) if known is None else known
            texts.extend(used[one])
        texts.extend(_in_vain(sets, candidate, zone))
        texts.extend(_too_much(there[name], sets))
        texts.extend(_unspread(sets, candidate))
        texts.extend(led_round.get(unit_of(one), "") for one in sets)
        texts.append(quiet.get(name, ""))
        if any(texts):
            found[name] = "; ".join(dict.fromkeys(filter(None, texts)))
    findings.known = used
    return found


def _quieted(
    candidate: Candidate, standing: Standing, changed: set[Name], zone: Name
) -> Mapping[Name, str]:
    """Names that would have no answer for some clients any more, or take that of others."""
    before = {unit: sets for unit, sets in standing.units.items() if unit[0] in changed}
    after = {unit: sets for unit, sets in candidate.units.items() if unit[0] in changed}
    found = {name: f"{text}; {limit}" for name, text, limit in elsewhere(before, after)}
    if after.keys() - before.keys():  # a plan may hold 300,000 record sets, and few bring a name
        content = tuple(chain.from_iterable(candidate.units.values()))
        found.update(silencing(standing.content, content, (before, after), zone))
    return found


def _in_vain(sets: Iterable[RecordSet], candidate: Candidate, zone: Name) -> Iterator[str]:
    """That these would lead to a name that an operator ended: they would answer nothing."""
    for target, record_type in leads_to(sets, zone) if candidate.retired else ():
        gone = {one.type or "A" for one in candidate.retired if one.name == target}
        stays = {kind for name, kind in candidate.units if name == target} if gone else set()
        if loses_answers(gone, stays, record_type):
            yield (
                f"{display(target)} was retired and would answer nothing: state it again, or lead"
                " elsewhere"
            )


def _unspread(sets: Iterable[RecordSet], candidate: Candidate) -> Iterator[str]:
    """What to do about a pool that is too big for one name and was not spread over shards."""
    for unit, members in by_unit(sets).items():
        is_too_big = len(members) > SETS_MAX or len(members[0].values) > VALUES_MAX
        if is_too_big and unit in candidate.ledger:
            yield "a pool is spread over shards where the config states the zone's id"


def _too_much(there: Collection[RecordSet], wanted: Collection[RecordSet]) -> Iterator[str]:
    """That the name cannot come from what it has to what is wanted in one change batch."""
    if not any(change_problems(there, wanted)):
        return  # the whole fits, so the difference does
    for change in diff(there, wanted):
        yield from change_problems(change.before, change.after)


def _by_name(
    units: Mapping[Unit, tuple[RecordSet, ...]], names: Iterable[Name]
) -> Mapping[Name, list[RecordSet]]:
    grouped: dict[Name, list[RecordSet]] = {name: [] for name in sorted(names)}
    for unit in [unit for unit in units if unit[0] in grouped]:
        grouped[unit[0]].extend(units[unit])
    return grouped
