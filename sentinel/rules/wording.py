"""The words of a page: rule, measured number, limit, name, evidence, what to restore, what to run.

A person reads it at three in the morning; so the first line says what is wrong, and the last lines
are commands. Long lists are cut, and what is cut is counted.
"""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import assert_never

from dnsplan.names import Name, display
from sentinel.rules.dossier import Dossier, Evidence, explained
from sentinel.rules.findings import Finding
from sentinel.rules.judging import Ailment, Ailments, Look
from sentinel.rules.opinion import in_words
from sentinel.rules.paging import Kind, Page, Subject
from sentinel.rules.remembering import LastGood

NAMES_SHOWN_MAX = 20
LOOKS_SHOWN_MAX = 8

_MEANING = {
    Finding.ANSWERED: "answers",
    Finding.FEW: "fewer answers than its floor",
    Finding.NODATA: "NOERROR with nothing in it",
    Finding.NXDOMAIN: "the name does not exist",
    Finding.DANGLING: "what it points to answers nothing",
    Finding.SERVFAIL: "its name servers fail",
    Finding.LAME: "its name servers do not know the zone",
    Finding.TIMEOUT: "its name servers are silent about it",
}


def title(page: Page, dossier: Dossier) -> str:
    """What is wrong, in one line."""
    subject = page.subject
    match subject.kind:
        case Kind.NAME:
            evidence = dossier.evidence.get((subject.label, Name(subject.name)), Evidence())
            what = verdict(explained(page.ailments, evidence.opinions))
            how = _how(page.ailments)
            return f"{display(Name(subject.name))} (zone {subject.label}) {how}: {what}"
        case Kind.ZONE:
            return f"many names of zone {subject.label} have no answers"
        case Kind.MANY:
            return "names of many zones have no answers"
        case Kind.UNSEEN_ZONE:
            return f"zone {subject.label} cannot be seen: none of its name servers replies"
        case Kind.UNSEEN:
            return "nothing can be seen from here: no name server of any zone replies"
        case Kind.UNWATCHED:
            return f"{names_are(len(page.covered))} not watched: names_max is {dossier.names_max}"
        case Kind.BEHIND:
            return f"looks come too late to page within {dossier.page_within_s:g} s"
        case _:
            assert_never(subject.kind)


def recovered(subject: Subject, dossier: Dossier) -> str:
    """What is right again, in one line."""
    match subject.kind:
        case Kind.NAME:
            return f"{display(Name(subject.name))} (zone {subject.label}) answers"
        case Kind.ZONE:
            return f"the names of zone {subject.label} answer"
        case Kind.MANY:
            return "the names of all zones answer"
        case Kind.UNSEEN_ZONE:
            return f"zone {subject.label} can be seen"
        case Kind.UNSEEN:
            return "name servers reply"
        case Kind.UNWATCHED:
            return "all names are watched"
        case Kind.BEHIND:
            return f"looks are in time to page within {dossier.page_within_s:g} s"
        case _:
            assert_never(subject.kind)


def body(page: Page, dossier: Dossier) -> Sequence[str]:
    """What was measured, and what stood there before."""
    subject = page.subject
    match subject.kind:
        case Kind.NAME:
            evidence = dossier.evidence.get((subject.label, Name(subject.name)), Evidence())
            return [
                line
                for one in explained(page.ailments, evidence.opinions)
                for line in _ailment_lines(one, evidence)
            ]
        case Kind.ZONE | Kind.MANY:
            return _covered_lines(page, dossier)
        case Kind.UNWATCHED:
            return [
                *_covered_lines(page, dossier),
                "Share the zones out to several processes with --zones, or raise names_max.",
            ]
        case Kind.UNSEEN_ZONE:
            return [dossier.reasons.get(subject.label, "silence over UDP and TCP")]
        case Kind.UNSEEN:
            reasons = sorted(set(dossier.reasons.values())) or ["silence over UDP and TCP"]
            return [
                *reasons[:NAMES_SHOWN_MAX],
                f"{names_are(dossier.watched)} unseen; what answers is not known.",
                "Most likely the network of this host is down.",
            ]
        case Kind.BEHIND:
            return [f"{names_are(dossier.watched)} watched; share them out with --zones."]
        case _:
            assert_never(subject.kind)


def moment(at_s: float) -> str:
    """A wall time as people compare it with their logs."""
    return datetime.fromtimestamp(at_s, UTC).strftime("%Y-%m-%d %H:%M:%SZ")


def commands(subject: Subject) -> tuple[str, ...]:
    """What to run next."""
    match subject.kind:
        case Kind.NAME | Kind.ZONE | Kind.UNSEEN_ZONE:
            return (
                f"dns-runbook status {subject.label}",
                f"dns-sentinel check --zones {subject.label}",
            )
        case Kind.MANY:
            return ("dns-runbook status", "dns-sentinel check")
        case Kind.UNSEEN | Kind.BEHIND | Kind.UNWATCHED:
            return ("dns-sentinel check",)
        case _:
            assert_never(subject.kind)


def runbook(kind: Kind) -> str:
    """The page of `runbooks/` to read, without its ending."""
    match kind:
        case Kind.NAME | Kind.ZONE | Kind.MANY:
            return "empty-name"
        case Kind.UNSEEN_ZONE | Kind.UNSEEN | Kind.UNWATCHED | Kind.BEHIND:
            return "sentinel-blind"
        case _:
            assert_never(kind)


def _how(ailments: Ailments) -> str:
    if all(one.finding is Finding.FEW for one in ailments):
        return "has fewer answers than its floor"
    return "is partly gone" if all(one.partly for one in ailments) else "has no answers"


def names_are(count: int) -> str:
    """`1 name is`, `2 names are`."""
    return "1 name is" if count == 1 else f"{count} names are"


def verdict(ailments: Ailments) -> str:
    """`A nodata, AAAA nodata (some servers)`."""
    return ", ".join(_verdict(one) for one in ailments)


def _verdict(one: Ailment) -> str:
    return f"{one.type} {one.finding}{' at some servers' if one.partly else ''}"


def _ailment_lines(one: Ailment, evidence: Evidence) -> Sequence[str]:
    looks = [look for look in evidence.looks if look.type == one.type]
    answered = sum(look.seen.finding is Finding.ANSWERED for look in looks)
    measured = f"{answered} of {len(looks)} questions answered, all should be"
    lines = [f"{one.type}: {one.finding}: {_MEANING[one.finding]}; {measured}"]
    lines += [f"  {_look_line(look)}" for look in looks[:LOOKS_SHOWN_MAX]]
    if len(looks) > LOOKS_SHOWN_MAX:
        lines.append(f"  and {len(looks) - LOOKS_SHOWN_MAX} more")
    if one.type in evidence.opinions:
        lines.append(f"  {in_words(evidence.opinions[one.type])}")
    lines.append(f"  {last_good_line(one.type, evidence.last_good.get(one.type))}")
    return lines


def last_good_line(kind: str, last_good: LastGood | None) -> str:
    """What to restore."""
    if last_good is None:
        return f"last good answers: none; no {kind} answer has been seen yet"
    values = ", ".join(last_good.values)
    earlier = f"; shortly before also {', '.join(last_good.earlier)}" if last_good.earlier else ""
    when = moment(last_good.seen_s)
    return f"last good answers: {kind} {values} (TTL {last_good.ttl_s} s) at {when}{earlier}"


def _look_line(look: Look) -> str:
    detail = f" ({look.seen.detail})" if look.seen.detail else ""
    values = f" {', '.join(look.seen.values)}" if look.seen.values else ""
    return f"{look.server} {look.transport}: {look.seen.finding}{values}{detail}"


def _covered_lines(page: Page, dossier: Dossier) -> Sequence[str]:
    """The names that a page stood for when it opened, with what each last answered."""
    lines = [f"at least these {len(page.covered)}:"]
    for label, name in page.covered[:NAMES_SHOWN_MAX]:
        kept = dossier.evidence.get((label, name), Evidence()).last_good
        good = "; ".join(last_good_line(kind, kept[kind]) for kind in sorted(kept))
        lines.append(f"{label} {display(name)}{': ' if good else ''}{good}")
    more = len(page.covered) - NAMES_SHOWN_MAX
    return [*lines, f"and {more} more"] if more > 0 else lines
