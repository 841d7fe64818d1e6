"""What an actor takes over from one pass into the next, as one comparable value.

Two histories that leave the same memory behind are one from there on; that is what keeps the space
small. Every attribute counts unless it is a port or can be computed again, and what cannot be
compared is an error, so that nothing is left out unseen.
"""

from collections import deque
from collections.abc import Hashable, Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import cached_property
from types import FunctionType, MethodType
from typing import Any

from msgspec import Struct

from dnsplan.fence import SeenFence
from dnsplan.plan import Plan, PlanId
from dnsplan.records import RecordSet
from tests.simulation.explorer.script import Port, SilentAudit

# Values all the way down; they compare themselves.
_PLAIN = (str, bytes, int, float, bool, type(None), Enum, Plan, PlanId, RecordSet, SeenFence)


def memory_of(thing: object) -> Hashable:
    """A value that is equal exactly when two objects would go on alike."""
    if isinstance(thing, _PLAIN):
        return thing
    if isinstance(thing, Port | SilentAudit):
        return type(thing).__name__
    if isinstance(thing, Mapping):
        return tuple((memory_of(key), memory_of(value)) for key, value in thing.items())
    if isinstance(thing, set | frozenset):
        return frozenset(map(memory_of, thing))
    if isinstance(thing, list | tuple | deque):
        return tuple(map(memory_of, thing))
    if isinstance(thing, FunctionType) and thing.__closure__ is None:
        return thing.__qualname__  # it encloses nothing
    if isinstance(thing, MethodType):
        return (thing.__func__.__qualname__, memory_of(thing.__self__))
    return (type(thing).__qualname__, *(memory_of(value) for value in _parts(thing)))


def _parts(thing: Any) -> tuple[object, ...]:  # any object: that is the point
    if isinstance(thing, Struct):
        return tuple(getattr(thing, name) for name in thing.__struct_fields__)
    if is_dataclass(thing):
        return tuple(getattr(thing, field.name) for field in fields(thing))
    if callable(thing) or not hasattr(thing, "__dict__"):
        raise TypeError(f"cannot tell what {thing!r} remembers")
    kind = type(thing)
    kept = {
        name: value
        for name, value in vars(thing).items()
        if not isinstance(getattr(kind, name, None), cached_property)
    }
    return tuple(part for name in sorted(kept) for part in (name, kept[name]))
