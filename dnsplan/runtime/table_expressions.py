"""A transition's conditions and fields as one UpdateItem: names and values by placeholder only.

The conditions themselves are the contract's; this only writes them down. `label` is no attribute
of its own: it is the item's key, and its absence is the item's.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from dnsplan.errors import check
from dnsplan.generation import (
    AbsentOr,
    AtLeast,
    AtMost,
    Condition,
    Equals,
    IsAbsent,
    Transition,
    Value,
)
from dnsplan.runtime.dynamodb import PARTITION_KEY, SORT_KEY, Attribute, attribute

PREFIX = "gen#"
ITEM = "item"


def key_of(label: str) -> dict[str, Attribute]:
    """The key of a zone's generation item."""
    return {PARTITION_KEY: {"S": f"{PREFIX}{label}"}, SORT_KEY: {"S": ITEM}}


def update_request(transition: Transition) -> Mapping[str, Any]:
    """The arguments of UpdateItem, without the table's name. The nonce is always written."""
    check(bool(transition.conditions), "every write of a generation item stands under a condition")
    words = _Words()
    conditions = [words.condition(one) for one in transition.conditions]
    fields = {**dict(transition.put), "nonce": transition.nonce}
    sets = [f"{words.name(name)} = {words.value(v)}" for name, v in fields.items() if v is not None]
    gone = [words.name(name) for name, value in fields.items() if value is None]
    update = f"SET {', '.join(sets)}" + (f" REMOVE {', '.join(gone)}" if gone else "")
    return {
        "Key": key_of(transition.label),
        "ConditionExpression": " AND ".join(conditions),
        "UpdateExpression": update,
        "ExpressionAttributeNames": words.names,
        "ExpressionAttributeValues": words.values,
    }


@dataclass(slots=True)
class _Words:
    names: dict[str, str] = field(default_factory=dict)
    values: dict[str, Attribute] = field(default_factory=dict)

    def name(self, name: str) -> str:
        placeholder = f"#{name}"
        self.names[placeholder] = PARTITION_KEY if name == "label" else name
        return placeholder

    def value(self, value: Value) -> str:
        placeholder = f":v{len(self.values)}"
        self.values[placeholder] = attribute(value)
        return placeholder

    def condition(self, condition: Condition) -> str:
        match condition:
            case IsAbsent(name):
                return f"attribute_not_exists({self.name(name)})"
            case Equals("label", value):
                return f"{self.name('label')} = {self.value(f'{PREFIX}{value}')}"
            case Equals(name, value):
                return f"{self.name(name)} = {self.value(value)}"
            case AtMost(name, value):
                return f"{self.name(name)} <= {self.value(value)}"
            case AtLeast(name, value):
                return f"{self.name(name)} >= {self.value(value)}"
            case AbsentOr(inner):
                # No item has no fields either, but a condition on a field asks for an item.
                there = f"attribute_exists({self.name('label')})"
                absent = f"attribute_not_exists({self.name(inner.field)})"
                return f"({there} AND ({absent} OR {self.condition(inner)}))"
