"""How a freeze of one zone ended, in words that say what is still possible. Pure."""

from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class Frozen:
    """Nothing planner-fed lands, not even what is in flight."""

    label: str
    freeze_id: str


@dataclass(frozen=True, slots=True)
class HalfFrozen:
    """Nothing new is claimed, but a batch in flight may still land. `is_held`: freezing again would
    meet the same fence, over which enactors hold as it is."""

    label: str
    freeze_id: str
    reason: str
    is_held: bool = False

    def __str__(self) -> str:
        """What is frozen, what is not, and what to run."""
        done = f"{self.label}: frozen in the table by {self.freeze_id}, in-flight batches not"
        then = f"run dns-runbook freeze {self.label} again"
        if self.is_held:
            then = f"enactors hold over such a fence: look at dns-runbook explain {self.label}"
        return f"{done} excluded: {self.reason}; {then}"


@dataclass(frozen=True, slots=True)
class Unfrozen:
    """It is not known to be frozen anywhere."""

    label: str
    reason: str

    def __str__(self) -> str:
        """That nothing is known to stand in the way of any batch."""
        return f"{self.label}: not known to be frozen: {self.reason}"


Froze: TypeAlias = Frozen | HalfFrozen | Unfrozen
