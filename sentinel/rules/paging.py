"""Which pages are open: one for each root cause, repeated only when its verdict changes.

The open pages follow from what is ill now, pass by pass; nothing is counted up or down. Many names
of one zone, or names of many zones, are one cause, and its page takes the place of theirs. Where
nothing can be seen, nothing is said about names: neither that they are empty, nor that they are
well again.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import assert_never

from dnsplan.names import Name
from dnsplan.notices import Change
from sentinel.rules.judging import Ailments
from sentinel.rules.sight import Sight
from sentinel.rules.watched import NameKey

# More pages than these at once would hide their common cause.
NAMES_APART_MAX = 10
ZONES_APART_MAX = 10


class Kind(StrEnum):
    """What a page is about; the first part of its id."""

    NAME = "empty-name"
    ZONE = "empty-zone"
    MANY = "empty-names"
    UNSEEN_ZONE = "unseen-zone"
    UNSEEN = "unseen"
    UNWATCHED = "unwatched-names"
    BEHIND = "behind"


@dataclass(frozen=True, slots=True, order=True)
class Subject:
    """What a page is about. Its id is the same in every process and after every restart."""

    kind: Kind
    label: str = ""
    name: str = ""

    @property
    def page_id(self) -> str:
        """For receivers, which fold repeats by it."""
        return "/".join(part for part in (self.kind, self.label, self.name) if part)


@dataclass(frozen=True, slots=True)
class Page:
    """An open page. `covered` are the names that a page about several stood for when it opened."""

    subject: Subject
    opened_s: float
    ailments: Ailments = ()
    covered: tuple[NameKey, ...] = ()


@dataclass(frozen=True, slots=True)
class Turn:
    """Something to say. `into`: the page that a folded one is part of now."""

    change: Change
    page: Page
    into: Subject | None = None


@dataclass(frozen=True, slots=True)
class Situation:
    """What is known now. `ill` holds confirmed names only."""

    ill: Mapping[NameKey, Ailments] = field(default_factory=dict)
    sight: Sight = field(default_factory=Sight)
    beyond: tuple[NameKey, ...] = ()
    is_behind: bool = False


OpenPages = Mapping[Subject, Page]


def name_subject(key: NameKey) -> Subject:
    """The page about one name."""
    label, name = key
    return Subject(Kind.NAME, label, name)


def revise(
    pages: OpenPages, situation: Situation, *, now_s: float
) -> tuple[dict[Subject, Page], tuple[Turn, ...]]:
    """The pages that are open now, and what there is to say about the difference."""
    wanted = _wanted(pages, situation, now_s)
    turns: list[Turn] = []
    for subject, page in sorted(wanted.items()):
        before = pages.get(subject)
        if before is None:
            turns.append(Turn(Change.PAGE, page))
        elif before.ailments != page.ailments:
            turns.append(Turn(Change.CHANGE, page))
    for subject in sorted(pages.keys() - wanted.keys()):
        into = _folded_into(subject, situation, wanted)
        change = Change.RECOVERY if into is None else Change.FOLDED
        turns.append(Turn(change, pages[subject], into))
    return wanted, tuple(turns)


def _folded_into(subject: Subject, situation: Situation, wanted: OpenPages) -> Subject | None:
    """The page about several that stands for a name which is ill as before; None: it is well."""
    if subject.kind is not Kind.NAME or (subject.label, Name(subject.name)) not in situation.ill:
        return None
    zone, many = Subject(Kind.ZONE, subject.label), Subject(Kind.MANY)
    return zone if zone in wanted else many


def _wanted(pages: OpenPages, situation: Situation, now_s: float) -> dict[Subject, Page]:
    wanted: dict[Subject, Page] = {}

    def want(subject: Subject, covered: Iterable[NameKey] = (), ailments: Ailments = ()) -> None:
        before = pages.get(subject)
        wanted[subject] = (
            replace(before, ailments=ailments)
            if before
            else Page(subject, now_s, ailments, tuple(sorted(covered)))
        )

    if situation.beyond:
        want(Subject(Kind.UNWATCHED), situation.beyond)
    if situation.is_behind:
        want(Subject(Kind.BEHIND))
    if situation.sight.is_blind:
        want(Subject(Kind.UNSEEN))
    for label in situation.sight.unseen:
        want(Subject(Kind.UNSEEN_ZONE, label))
    hides = situation.sight.hides
    kept = {one: page for one, page in pages.items() if _is_out_of_sight(page, situation.sight)}
    visible = {key: ailments for key, ailments in situation.ill.items() if not hides(key[0])}
    for subject, covered in _causes(visible, pages).items():
        want(subject, covered, visible.get((subject.label, Name(subject.name)), ()))
    return {**kept, **wanted}


def _is_out_of_sight(page: Page, sight: Sight) -> bool:
    """Whether an open page can be neither confirmed nor ended now."""
    match page.subject.kind:
        case Kind.NAME | Kind.ZONE:
            return sight.hides(page.subject.label)
        case Kind.MANY:
            return any(sight.hides(label) for label, _ in page.covered)
        case Kind.UNSEEN_ZONE:
            return sight.is_blind
        case Kind.UNSEEN | Kind.UNWATCHED | Kind.BEHIND:
            return False
        case _:
            assert_never(page.subject.kind)


def _causes(ill: Iterable[NameKey], pages: OpenPages) -> dict[Subject, list[NameKey]]:
    """The root causes of these ill names."""
    causes: dict[Subject, list[NameKey]] = {}
    by_label: dict[str, list[NameKey]] = {}
    for key in sorted(ill):
        by_label.setdefault(key[0], []).append(key)
    many = Subject(Kind.MANY)
    is_everywhere = many in pages or len(by_label) > ZONES_APART_MAX
    for label, keys in by_label.items():
        zone = Subject(Kind.ZONE, label)
        if zone in pages or (not is_everywhere and len(keys) > NAMES_APART_MAX):
            causes[zone] = keys
        elif is_everywhere:
            causes.setdefault(many, []).extend(keys)
        else:
            causes.update({name_subject(key): [key] for key in keys})
    return causes
