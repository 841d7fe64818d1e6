"""What daemons tell people: causes that need somebody, and the messages about them.

A cause has an id that is the same in every process and after every restart, so that receivers can
fold repeats. Pure: when something is told, and to whom, is decided elsewhere.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum


class Change(StrEnum):
    """What is said about a page. Folded: it has ended, since a page about several stands for it."""

    PAGE = "page"
    CHANGE = "change"
    REPEAT = "repeat"
    FOLDED = "folded"
    RECOVERY = "recovery"


LEAD = {
    Change.PAGE: "PAGE",
    Change.CHANGE: "PAGE (changed)",
    Change.REPEAT: "PAGE (still)",
    Change.FOLDED: "ONE OF MANY",
    Change.RECOVERY: "WELL AGAIN",
}


@dataclass(frozen=True, slots=True)
class Notice:
    """One message to people. `page_id` is stable; `facts` are the same content for programs."""

    page_id: str
    change: Change
    title: str
    text: str
    at_s: float
    facts: Mapping[str, object]

    @property
    def notice_id(self) -> str:
        """The same however often this message arrives, and no other message's."""
        return f"{self.page_id}#{self.change}@{self.at_s:.3f}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Cause:
    """Something that needs a person. `verdict` is what is wrong in one word: a page is told anew
    when it changes, and not when a number in `title` or `lines` does. `runbook` is a page of
    `runbooks/`, without its ending."""

    kind: str
    label: str = ""
    name: str = ""
    verdict: str
    title: str
    lines: tuple[str, ...] = ()
    commands: tuple[str, ...]
    runbook: str

    @property
    def page_id(self) -> str:
        """For receivers, which fold repeats by it."""
        return "/".join(part for part in (self.kind, self.label, self.name) if part)
