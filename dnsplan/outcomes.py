"""What can come of a remote write, as closed unions. A write is done, refused or unknown.

Unknown is settled by reading, never by sending something again. A throttled write counts as
unknown too: nothing public says that a throttled batch cannot land.
"""

from dataclasses import dataclass
from typing import TypeAlias, assert_never

from dnsplan.generation import (
    AbsentOr,
    AtLeast,
    AtMost,
    Condition,
    Equals,
    GenerationItem,
    IsAbsent,
)


@dataclass(frozen=True, slots=True)
class Written:
    """The conditional write took place."""


@dataclass(frozen=True, slots=True)
class ConditionFailed:
    """The write was refused. `item` is what a consistent read shows now; `failed` is why.

    When the item meets all conditions again, somebody moved it meanwhile and `failed` is empty.
    """

    item: GenerationItem | None
    failed: tuple[Condition, ...]

    @property
    def why(self) -> str:
        """What was found and what is allowed, for people."""
        if not self.failed:
            return "it moved meanwhile"
        if self.item is None:
            return "there is no item"
        item = self.item
        return ", ".join(_unmet(condition, item) for condition in self.failed)


@dataclass(frozen=True, slots=True)
class Unknown:
    """No answer, or one that does not say whether the write took place."""

    reason: str


WriteOutcome: TypeAlias = Written | ConditionFailed | Unknown


@dataclass(frozen=True, slots=True)
class Accepted:
    """Route 53 took the whole batch; `change_id` tells when it is on all name servers."""

    change_id: str


@dataclass(frozen=True, slots=True)
class Refused:
    """Route 53 took nothing of the batch. Messages are hints; the next read decides."""

    messages: tuple[str, ...]


SubmitOutcome: TypeAlias = Accepted | Refused | Unknown


def _unmet(condition: Condition, item: GenerationItem) -> str:
    """One condition that an item does not meet, with the measured value."""
    if isinstance(condition, AbsentOr):
        return _unmet(condition.condition, item)
    field = condition.field.replace("_", " ")
    there = getattr(item, condition.field)
    match condition:
        case IsAbsent():
            return f"{field} is {there}"
        case Equals(_, value):
            return f"{field} is {there}, not {value}"
        case AtMost(_, value):
            return f"{field} is {there}, above {value}"
        case AtLeast(_, value):
            return f"{field} is {there}, below {value}"
        case _:
            assert_never(condition)
