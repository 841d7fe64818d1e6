"""What pages are written from: the evidence about each name, and what explains it."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from sentinel.rules.findings import Finding
from sentinel.rules.judging import Ailment, Ailments, Look
from sentinel.rules.opinion import Aliased, Opinion
from sentinel.rules.remembering import LastGood
from sentinel.rules.watched import NameKey


@dataclass(frozen=True, slots=True)
class Evidence:
    """What is known about one name when a page about it is written, by type."""

    looks: tuple[Look, ...] = ()
    last_good: Mapping[str, LastGood] = field(default_factory=dict)
    opinions: Mapping[str, Opinion] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Dossier:
    """All that pages are written from.

    `reasons`: why zones cannot be seen, by label. `watched`: how many names this process watches.
    """

    page_within_s: float
    evidence: Mapping[NameKey, Evidence]
    reasons: Mapping[str, str] = field(default_factory=dict)
    watched: int = 0
    names_max: int = 0


def explained(ailments: Ailments, opinions: Mapping[str, Opinion]) -> Ailments:
    """The same with an alias named as what it is; DNS alone shows it as NODATA."""
    return tuple(
        Ailment(one.type, Finding.DANGLING, one.partly)
        if one.finding is Finding.NODATA and isinstance(opinions.get(one.type), Aliased)
        else one
        for one in ailments
    )
