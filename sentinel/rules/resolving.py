"""What resolvers make of a name that the zone's own servers answer, and when it is worth a page.

Pure. A resolver shows what the world sees by way of the delegation, signatures and caches; none of
them is ours, so none has a say by itself: only when more than half of those stated find nothing,
again and again, is something wrong with the way to the zone. A resolver that says nothing to
anybody is no witness. What a cache may still remember is waited out.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from dnsplan.names import display
from dnsplan.notices import Cause
from dnsplan.records import Unit
from sentinel.rules.findings import DENIALS, Finding, Seen
from sentinel.rules.zone_faults import DELEGATION, UNRESOLVED

# Resolvers remember that servers failed for at most five minutes (RFC 2308, 7), and an absence for
# an hour by default, or three hours, whatever the zone says (RFC 2308, 5).
FAILURE_KEPT_S = 300.0
ABSENCE_KEPT_MAX_S = 10_800.0
# One voice alone proves nothing, however few are stated.
AGREEING_LEAST = 2
LOOKS_TO_CONFIRM = 3
LOOKS_TO_END = 2
SHOWN_MAX = 5


class Made(StrEnum):
    """What one resolver makes of a name."""

    ANSWERED = "answered"
    NODATA = "nodata"
    NXDOMAIN = "nxdomain"
    DANGLING = "dangling"
    BOGUS = "bogus"  # it has the records, and refuses them: they do not fit their signatures
    SERVFAIL = "servfail"
    SILENT = "silent"  # about this name, while it answers about others
    UNHEARD = "unheard"  # it says nothing to us at all: no witness


# Of as many voices the first of these names the page: what says most of the cause.
_TELLING = (
    Made.BOGUS,
    Made.NXDOMAIN,
    Made.NODATA,
    Made.DANGLING,
    Made.SERVFAIL,
    Made.SILENT,
)
_MEANING = {
    Made.BOGUS: "they have the records and refuse them: the DS records at the parent do not fit"
    " the zone's keys, or signatures have run out",
    Made.NXDOMAIN: "they hear that there is no such name: the domain is not delegated, or to"
    " servers that do not have it",
    Made.NODATA: "they hear that the name has no such record: the delegation leads to other servers"
    " than the zone's own",
    Made.DANGLING: "they find nothing where the name leads to",
    Made.SERVFAIL: "they get no answer that they can use: servers of the delegation that do not"
    " know the zone or are out of reach from there, or signatures",
    Made.SILENT: "they do not come to an end with it: servers of the delegation are out of reach"
    " from there",
}
_OF: Mapping[Finding, Made] = {
    Finding.ANSWERED: Made.ANSWERED,
    Finding.FEW: Made.ANSWERED,  # fewer than promised is what the zone's own servers are asked for
    Finding.NODATA: Made.NODATA,
    Finding.NXDOMAIN: Made.NXDOMAIN,
    Finding.DANGLING: Made.DANGLING,
    Finding.SERVFAIL: Made.SERVFAIL,
    Finding.LAME: Made.UNHEARD,  # it refuses us, whatever we ask
    Finding.TIMEOUT: Made.SILENT,
}


@dataclass(frozen=True, slots=True)
class Word:
    """What one resolver said of one name and type. `resolver` is its address as text."""

    resolver: str
    made: Made
    detail: str = ""


Words: TypeAlias = tuple[Word, ...]


def word(resolver: str, seen: Seen) -> Word:
    """Its look, without what other questions tell of it."""
    return Word(resolver, _OF[seen.finding], seen.detail)


def is_denied(findings: Sequence[Finding]) -> bool:
    """Whether one of the zone's own servers denied it, which resolvers may remember."""
    return any(one in DENIALS and one is not Finding.FEW for one in findings)


def kept_s(negative_ttl_s: int | None) -> float | None:
    """For how long resolvers may remember what was before; None where the zone does not say."""
    if negative_ttl_s is None:
        return None
    return max(FAILURE_KEPT_S, min(float(negative_ttl_s), ABSENCE_KEPT_MAX_S))


def majority(words: Words) -> Made | None:
    """What more than half of all stated resolvers make of a name; None where they do not agree.

    All that is not an answer is one voice: users of either find nothing.
    """
    counts = Counter(one.made for one in words if one.made is not Made.UNHEARD)
    answered = counts.pop(Made.ANSWERED, 0)
    empty = sum(counts.values())
    if 2 * empty > len(words) and empty >= AGREEING_LEAST:
        return min(counts, key=lambda one: (-counts[one], _TELLING.index(one)))
    return Made.ANSWERED if 2 * (answered + empty) > len(words) else None


@dataclass(frozen=True, slots=True)
class Doubt:
    """A name that most resolvers find empty: since when, what they said last, how often so far."""

    since_s: float
    made: Made
    words: Words
    looks: int = 1
    answered: int = 0
    is_confirmed: bool = False


def after_words(
    doubt: Doubt | None, words: Words, *, confirm_s: float, now_s: float
) -> Doubt | None:
    """One look at every resolver; where too few are heard nothing changes."""
    made = majority(words)
    if made is None:
        return doubt
    if made is Made.ANSWERED:
        return _answered(doubt)
    if doubt is None:
        return Doubt(now_s, made, words)
    looks = doubt.looks + 1
    is_long = now_s - doubt.since_s >= confirm_s and looks >= LOOKS_TO_CONFIRM
    return Doubt(doubt.since_s, made, words, looks, is_confirmed=doubt.is_confirmed or is_long)


def unresolved(label: str, doubts: Mapping[Unit, Doubt]) -> Iterator[Cause]:
    """The page about a zone, where some doubt is confirmed."""
    confirmed = {unit: one for unit, one in sorted(doubts.items()) if one.is_confirmed}
    if not confirmed:
        return
    counts = Counter(one.made for one in confirmed.values())
    made = min(counts, key=lambda one: (-counts[one], _TELLING.index(one)))
    shown = [_line(unit, one) for unit, one in list(confirmed.items())[:SHOWN_MAX]]
    yield Cause(
        kind=UNRESOLVED,
        label=label,
        verdict=str(made),
        title=f"zone {label}: most resolvers find nothing where its own servers answer",
        lines=(f"{made}: {_MEANING[made]}", *shown),
        commands=(f"dns-sentinel check --zones {label}",),
        runbook="sentinel-blind",
    )


def root_causes(standing: Sequence[Cause]) -> list[Cause]:
    """Without what follows from a delegation that is paged already."""
    delegated_elsewhere = {one.label for one in standing if one.kind == DELEGATION}
    return [
        one for one in standing if one.kind != UNRESOLVED or one.label not in delegated_elsewhere
    ]


def in_short(words: Words) -> str:
    """For one line of a page: who answers, and what the others say."""
    others = [f"{one.resolver} {one.made}" for one in words if one.made is not Made.ANSWERED]
    answered = f"{len(words) - len(others)} of {len(words)} resolvers answer"
    return ", ".join([answered, *others])


def _answered(doubt: Doubt | None) -> Doubt | None:
    """A page ends with the second look that finds answers; what was not told ends at once."""
    if doubt is None or not doubt.is_confirmed or doubt.answered + 1 >= LOOKS_TO_END:
        return None
    return Doubt(
        doubt.since_s, doubt.made, doubt.words, doubt.looks, doubt.answered + 1, is_confirmed=True
    )


def _line(unit: Unit, doubt: Doubt) -> str:
    name, kind = unit
    said = "; ".join(
        f"{one.resolver} {one.made}{f' ({one.detail})' if one.detail else ''}"
        for one in doubt.words
    )
    return f"{display(name)} {kind}: {said}"
