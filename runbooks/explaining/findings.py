"""What an explanation finds: a rule, how it stands, what was measured, what to type next. Pure."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from dnsplan.fence import FenceRecord
from dnsplan.generation import GenerationItem
from dnsplan.pages import path_of
from dnsplan.runtime.status.model import Unread
from runbooks.explaining.facts import ZoneFacts


class State(StrEnum):
    """How a rule stands."""

    CLEAR = "clear"
    HOLDS = "holds"
    BEHIND = "behind"  # it mends itself by waiting
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Finding:
    """One rule: what was measured, and what to type next (empty where nothing is to be done)."""

    rule: str
    state: State
    text: str = ""
    command: str = ""

    @property
    def page(self) -> str:
        """Where it is read up, in the repository and in the package."""
        return path_of(self.rule)

    @property
    def told(self) -> str:
        """What was measured, what to type next, and where to read on."""
        following = f"; next: {self.command}" if self.command else ""
        return f"{self.text}{following}; page: {self.page}"


Said: TypeAlias = Iterator[tuple[State, str, str]]
Judge: TypeAlias = Callable[[ZoneFacts], Said]


def item_of(facts: ZoneFacts) -> GenerationItem | None:
    """The generation item, where there is one that could be read."""
    return facts.item if isinstance(facts.item, GenerationItem) else None


def fence_of(facts: ZoneFacts) -> FenceRecord | None:
    """The fence, where there is one that could be read."""
    if isinstance(facts.fence, Unread) or facts.fence.fence is None:
        return None
    return facts.fence.fence.record
