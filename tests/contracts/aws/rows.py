"""What a row of the suite is: a name, what to run, and why plain moto fails it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from tests.contracts.aws.talk import Talk

Run = Callable[[Talk], Any]


@dataclass(frozen=True, slots=True)
class Case:
    """One row: what it shows, and why plain moto fails it (None: plain moto passes)."""

    name: str
    run: Run
    moto_fails: str | None


def row(cases: list[Case], moto_fails: str | None = None) -> Callable[[Run], Run]:
    """Add a function to the rows; its name is the row's."""

    def note(run: Run) -> Run:
        cases.append(Case(run.__name__, run, moto_fails))
        return run

    return note


def known_failure(case: Case) -> list[pytest.MarkDecorator]:
    """Mark a row that plain moto fails; it must fail by a claim of the row, not by any error."""
    if case.moto_fails is None:
        return []
    return [pytest.mark.xfail(reason=case.moto_fails, raises=AssertionError)]


def parameters(cases: list[Case]) -> list[object]:
    """Give rows as pytest parameters, those that plain moto fails marked so."""
    return [pytest.param(one, id=one.name, marks=known_failure(one)) for one in cases]
