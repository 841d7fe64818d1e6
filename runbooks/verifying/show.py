"""A verification as facts, plain lines and a terminal's table. Pure: it reads nothing."""

from collections.abc import Iterator

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from dnsplan.names import display
from dnsplan.records import values_in_words
from dnsplan.runtime.status.model import Unread
from enactor.rules.drift import in_words
from runbooks.controls.words import counted, record_set_in_words
from runbooks.looking.asking import Answer
from runbooks.looking.wanted import in_route53_form
from runbooks.verifying.verifying import Verification, Verified
from sentinel.rules.findings import Finding


def verify_facts(label: str, found: Verification) -> dict[str, object]:
    """What `--json` prints: every name and type, the same or not."""
    return {
        "label": label,
        "generation": found.generation,
        "in_sync": found.is_in_sync,
        "servers": None if isinstance(found.servers, Unread) else list(found.servers),
        "names": [_unit_facts(one) for one in found.units],
        "not_asked": found.not_asked,
        "unread": [str(found.servers)] if isinstance(found.servers, Unread) else [],
    }


def verify_lines(label: str, found: Verification) -> Iterator[str]:
    """All three values of what differs, and the sum."""
    for one in found.units:
        if one.is_same:
            continue
        what = f"{label} {display(one.unit[0])} {one.unit[1]}"
        yield f"{what} planned {in_words(one.planned)}"
        yield f"{what} standing {standing_in_words(one)}"
        yield from (f"{what} answered by {text}" for text, _ in answers_in_words(one))
        if one.held is not None:
            yield f"{what} held {one.held}"
    yield f"{label} {in_sum(found)}"
    yield from (f"{label} {text}" for text in remarks(label, found))


def verify_table(label: str, found: Verification) -> RenderableType:
    """The same for a terminal."""
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    for column in ("name", "planned", "standing", "answered"):
        table.add_column(column, overflow="fold")
    differing = [one for one in found.units if not one.is_same]
    for one in differing:
        name = Text(f"{display(one.unit[0])} {one.unit[1]}")
        if one.held is not None:
            name.append(f"\nheld: {one.held}", style="yellow")
        standing = Text(standing_in_words(one), style="red" if one.drift else "green")
        answered = Text("\n").join(
            Text(text, style="green" if good else "red") for text, good in answers_in_words(one)
        )
        table.add_row(name, in_words(one.planned), standing, answered)
    last = Text(f"{label}: {in_sum(found)}", style="green" if found.is_in_sync else "red")
    more = (Text(text, style="dim") for text in remarks(label, found))
    return Group(*([table] if differing else []), last, *more)


def in_sum(found: Verification) -> str:
    """How much was compared, and how much of it differs."""
    bad = sum(not one.is_same for one in found.units)
    asked = 0 if isinstance(found.servers, Unread) else len(found.servers)
    names = units_in_words(len(found.units))
    end = "in sync" if found.is_in_sync else "stands as planned, answers are not known"
    end = f"{bad} differ" if bad else end
    return f"generation {found.generation}, {names}, {counted(asked, 'name server')}: {end}"


def remarks(label: str, found: Verification) -> Iterator[str]:
    """What was not asked, and what to do about a difference."""
    if isinstance(found.servers, Unread):
        yield f"no name server was asked: {found.servers}"
    elif found.not_asked:
        yield (
            f"the name servers were not asked for {units_in_words(found.not_asked)} more;"
            " --limit asks for more"
        )
    if any(one.drift and one.held is None for one in found.units):
        yield f"what stands otherwise is mended by the enactors: dns-runbook audit {label}"
    elif not all(one.is_same for one in found.units):
        yield "a change takes up to a minute to reach all name servers; run it again"


def units_in_words(count: int) -> str:
    """`1 name and type`, `2 names and types`."""
    return "1 name and type" if count == 1 else f"{count} names and types"


def standing_in_words(one: Verified) -> str:
    """What Route 53 lists."""
    return in_words(one.planned if one.drift is None else one.drift.standing)


def answers_in_words(one: Verified) -> Iterator[tuple[str, bool]]:
    """What each server said, and whether the plan allows it."""
    for each in one.answered:
        words = answer_in_words(one.unit[1], each.answer)
        yield f"{each.answer.server}: {words}", each.is_wanted


def answer_in_words(record_type: str, answer: Answer) -> str:
    """Values with their TTL, spelled as plans are, or what was found instead."""
    seen = answer.seen
    if seen.finding is Finding.ANSWERED:
        values = in_route53_form(record_type, seen.values)
        return f"{values_in_words(values)} ttl {seen.ttl_s}"
    return f"{seen.finding} ({seen.detail})" if seen.detail else str(seen.finding)


def _unit_facts(one: Verified) -> dict[str, object]:
    standing = one.planned if one.drift is None else one.drift.standing
    return {
        "name": one.unit[0],
        "type": one.unit[1],
        "in_sync": one.is_same,
        "planned": [record_set_in_words(each) for each in one.planned],
        "standing": [record_set_in_words(each) for each in standing],
        "answers": [
            {
                "server": each.answer.server,
                "finding": str(each.answer.seen.finding),
                "values": list(in_route53_form(one.unit[1], each.answer.seen.values)),
                "ttl_s": each.answer.seen.ttl_s,
                "as_planned": each.is_wanted,
            }
            for each in one.answered
        ],
        "held": one.held,
    }
