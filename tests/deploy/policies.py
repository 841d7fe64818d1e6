"""Decides as IAM does whether policies allow a request: the part of its language that we use.

An operator or element that is not known here is an error, never an answer.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

Json = Mapping[str, Any]

ELEMENTS = {"Sid", "Effect", "Action", "Resource", "Condition"}


@dataclass(frozen=True, slots=True)
class Request:
    """One call: the action, what it is made on, and the condition keys that it carries."""

    action: str
    resource: str
    context: Mapping[str, Sequence[str]] = field(default_factory=dict)


def is_allowed(policies: Iterable[Json], request: Request) -> bool:
    """Allowed by a statement, and denied by none."""
    effects = {
        statement["Effect"]
        for policy in policies
        for statement in listed(policy["Statement"])
        if _covers(statement, request)
    }
    return effects == {"Allow"}


def listed(one_or_many: Any) -> list[Any]:
    """A value that may stand alone or in a list, as a list."""
    return list(one_or_many) if isinstance(one_or_many, list | tuple) else [one_or_many]


def _covers(statement: Json, request: Request) -> bool:
    assert set(statement) <= ELEMENTS, f"unknown elements: {set(statement) - ELEMENTS}"
    return (
        any(_like(one.lower(), request.action.lower()) for one in listed(statement["Action"]))
        and any(_like(one, request.resource) for one in listed(statement["Resource"]))
        and all(
            _holds(operator, key, [str(value) for value in listed(values)], request.context)
            for operator, keys in statement.get("Condition", {}).items()
            for key, values in keys.items()
        )
    )


def _holds(
    operator: str, key: str, values: Sequence[str], context: Mapping[str, Sequence[str]]
) -> bool:
    asked = context.get(key, ())
    match operator:
        case "Null":
            return [str(not asked).lower()] == list(values)
        case "StringEquals" | "Bool":
            return len(asked) == 1 and asked[0] in values
        case "ForAllValues:StringEquals":  # true where the key is absent, as in IAM
            return all(one in values for one in asked)
        case "ForAllValues:StringLike":
            return all(any(_like(value, one) for value in values) for one in asked)
        case _:
            msg = f"an operator that the evaluator does not know: {operator}"
            raise AssertionError(msg)


@lru_cache(maxsize=4_096)
def _pattern(pattern: str) -> re.Pattern[str]:
    words = [{"*": ".*", "?": "."}.get(one, re.escape(one)) for one in pattern]
    return re.compile("".join(words), re.DOTALL)


def _like(pattern: str, text: str) -> bool:
    return _pattern(pattern).fullmatch(text) is not None
