"""Which pages are open, told from the causes that stand now: one a cause, and its end.

Pure. A page is told once, again when its verdict changes, and again after a stated time; it ends
when its cause has been gone for a while, so that one which comes and goes is one page. Where
nothing can be known about a cause, its page stays as it is. More pages of one kind than a person
can read are one page.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TypeAlias

from dnsplan.notices import LEAD, Cause, Change, Notice

# More pages of a kind than these at once would hide their common cause.
APART_MAX = 10
SHOWN_MAX = 20
MANY = "many-"


@dataclass(frozen=True, slots=True)
class OpenPage:
    """A page that people were told of. Wall times; `gone_s`: since when its cause is not seen."""

    cause: Cause
    opened_s: float
    told_s: float
    gone_s: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Manners:
    """How often people are told: again after `repeat_s`, and of an end after `calm_s`."""

    repeat_s: float
    calm_s: float


OpenPages: TypeAlias = Mapping[str, OpenPage]


def revise(
    pages: OpenPages,
    causes: Iterable[Cause],
    *,
    is_unsure: Callable[[Cause], bool],
    manners: Manners,
    now_s: float,
) -> tuple[dict[str, OpenPage], tuple[Notice, ...]]:
    """The pages that are open now, and what there is to say."""
    standing = {one.page_id: one for one in _apart(causes, pages)}
    kept: dict[str, OpenPage] = {}
    told: list[Notice] = []
    for page_id, cause in sorted(standing.items()):
        before = _not_later(pages[page_id], now_s) if page_id in pages else None
        change = _change(before, cause, manners, now_s)
        opened_s = now_s if before is None else before.opened_s
        told_s = now_s if before is None or change is not None else before.told_s
        kept[page_id] = OpenPage(cause, opened_s, told_s)
        if change is not None:
            told.append(notice(change, kept[page_id], now_s=now_s))
    for page_id in sorted(pages.keys() - standing.keys()):
        page = _not_later(pages[page_id], now_s)
        many = many_of(page.cause)
        if many in standing:
            told.append(notice(Change.FOLDED, page, now_s=now_s, into=many))
        elif is_unsure(page.cause):
            kept[page_id] = page
        elif now_s - (since_s := now_s if page.gone_s is None else page.gone_s) < manners.calm_s:
            kept[page_id] = replace(page, gone_s=since_s)
        else:
            told.append(notice(Change.RECOVERY, page, now_s=now_s))
    return kept, tuple(told)


def many_of(cause: Cause) -> str:
    """The id of the page that stands for many of a kind."""
    return MANY + cause.kind


def notice(change: Change, page: OpenPage, *, now_s: float, into: str | None = None) -> Notice:
    """One message about a page, as text and as facts for programs."""
    cause = page.cause
    since = f"It has been open since {moment(page.opened_s)}."
    to_do = (*(f"run: {one}" for one in cause.commands), f"read: runbooks/{cause.runbook}.md")
    match change:
        case Change.RECOVERY:
            lines: tuple[str, ...] = (f"It was paged at {moment(page.opened_s)}.",)
        case Change.FOLDED:
            lines = (f"It is part of {into} now; this page has ended.", *to_do)
        case Change.REPEAT:
            lines = (since, *cause.lines, "", *to_do)
        case Change.PAGE | Change.CHANGE:
            lines = (*cause.lines, "", *to_do)
    head = (f"{LEAD[change]}: {cause.title}", f"id: {cause.page_id}")
    facts: dict[str, object] = {
        "id": cause.page_id,
        "change": str(change),
        "into": into,
        "kind": cause.kind,
        "title": cause.title,
        "label": cause.label or None,
        "name": cause.name or None,
        "verdict": cause.verdict,
        "opened_s": page.opened_s,
        "at_s": now_s,
        "run": list(cause.commands),
        "runbook": cause.runbook,
    }
    text = "\n".join([*head, *lines, ""])
    return Notice(cause.page_id, change, cause.title, text, now_s, facts)


def moment(at_s: float) -> str:
    """A wall time as people compare it with their logs."""
    return datetime.fromtimestamp(at_s, UTC).strftime("%Y-%m-%d %H:%M:%SZ")


def _not_later(page: OpenPage, now_s: float) -> OpenPage:
    """A page as of now: a clock that was ahead and was set back must not silence it until then."""
    gone_s = None if page.gone_s is None else min(page.gone_s, now_s)
    return replace(page, told_s=min(page.told_s, now_s), gone_s=gone_s)


def _change(before: OpenPage | None, cause: Cause, manners: Manners, now_s: float) -> Change | None:
    if before is None:
        return Change.PAGE
    if before.cause.verdict != cause.verdict:
        return Change.CHANGE
    return Change.REPEAT if now_s - before.told_s >= manners.repeat_s else None


def _apart(causes: Iterable[Cause], pages: OpenPages) -> list[Cause]:
    """Each cause by itself, or one for all of a kind once there are, or were, too many."""
    by_kind: defaultdict[str, list[Cause]] = defaultdict(list)
    for one in causes:
        by_kind[one.kind].append(one)
    apart: list[Cause] = []
    for kind, of_kind in by_kind.items():
        if len(of_kind) <= APART_MAX and MANY + kind not in pages:
            apart.extend(of_kind)
        else:
            apart.append(_many(kind, sorted(of_kind, key=lambda one: one.page_id)))
    return apart


def _many(kind: str, causes: list[Cause]) -> Cause:
    more = len(causes) - SHOWN_MAX
    shown = tuple(one.title for one in causes[:SHOWN_MAX])
    return Cause(
        kind=MANY + kind,
        verdict="many",
        title=f"{len(causes)} pages of {kind} at once, most likely of one cause",
        lines=(*shown, f"and {more} more") if more > 0 else shown,
        commands=("dns-runbook status",),
        runbook=causes[0].runbook,
    )
