"""Collects one test for each rule that the stand-in marks, so that no rule goes untested."""

from collections.abc import Callable
from typing import TypeVar

Case = TypeVar("Case", bound=Callable[..., object])
CASES: dict[str, list[Callable[..., object]]] = {}


def rule(*rule_ids: str) -> Callable[[Case], Case]:
    """Say which marked rules a test shows."""

    def note(case: Case) -> Case:
        for rule_id in rule_ids:
            CASES.setdefault(rule_id, []).append(case)
        return case

    return note
