"""What the schema allows at a path, in words for the person who wrote something else there."""

import types
from dataclasses import dataclass
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import annotated_types
from pydantic.fields import FieldInfo

from dnsplan.runtime.config.nodes import Path
from dnsplan.runtime.config.secret import FORMS, SecretText
from dnsplan.runtime.config.section import Section


@dataclass(frozen=True, slots=True)
class Field:
    """A type of the schema with what narrows it. `key` is the last key that leads to it."""

    kind: Any  # a typing form: typing gives them no common type
    metadata: tuple[object, ...]
    description: str | None
    key: str

    @property
    def is_secret(self) -> bool:
        """Whether what is written here must never be shown."""
        return self.kind is SecretText


def field_at(root: type[Section], path: Path) -> Field | None:
    """The schema's field at a path, or None when there is no such key."""
    field: Field | None = _field(root, "")
    for step in path:
        if field is None:
            return None
        field = _below(field, step)
    return field


def is_below_secret(root: type[Section], path: Path) -> bool:
    """Whether the path stands at or below a field that holds a secret."""
    below = (field_at(root, path[:size]) for size in range(1, len(path) + 1))
    return any(field is not None and field.is_secret for field in below)


def keys_of(field: Field | None) -> tuple[str, ...]:
    """The keys that may stand in a section; none for what is no section."""
    return tuple(field.kind.model_fields) if field and _is_section(field.kind) else ()


def describe(field: Field) -> str:
    """The field's type, bounds and unit as a short phrase."""
    if field.description:
        return field.description
    origin = get_origin(field.kind)
    if field.is_secret:
        return FORMS
    if origin is Literal:
        return " or ".join(map(str, get_args(field.kind)))
    if origin is list:
        return f"a list{_length(field)}"
    if origin is dict:
        needed = any(isinstance(one, annotated_types.MinLen) for one in field.metadata)
        return f"a mapping of {'at least one key: value line' if needed else 'key: value lines'}"
    if _is_section(field.kind):
        return f"a mapping with {', '.join(keys_of(field)) or 'no keys: {}'}"
    return _scalar(field)


def _scalar(field: Field) -> str:
    unit = _unit(field.key)
    if field.kind is bool:
        return "true or false"
    if field.kind is int:
        return f"a whole number{unit}{_bounds(field)}"
    if field.kind is float:
        return f"a number{unit}{_bounds(field)}"
    return f"text{_length(field)}"


def _unit(key: str) -> str:
    if key.endswith("_per_s"):
        return " a second"
    return " of seconds" if key.endswith("_s") else ""


def _bounds(field: Field) -> str:
    low = high = ""
    for one in field.metadata:
        match one:
            case annotated_types.Ge(ge=bound):
                low = f" from {bound}"
            case annotated_types.Gt(gt=bound):
                low = f" above {bound}"
            case annotated_types.Le(le=bound):
                high = f" to {bound}"
            case _:
                pass
    return low + high


def _length(field: Field) -> str:
    low, high = 0, None
    for one in field.metadata:
        match one:
            case annotated_types.MinLen(min_length=bound):
                low = bound
            case annotated_types.MaxLen(max_length=bound):
                high = bound
            case _:
                pass
    if high is not None:
        return f" of {low} to {high}"
    return f" of at least {low}" if low else ""


def _below(field: Field, step: str | int) -> Field | None:
    kind = field.kind
    arguments = get_args(kind)
    if get_origin(kind) is list and isinstance(step, int):
        return _field(arguments[0], field.key)
    if get_origin(kind) is dict:
        return _field(arguments[1], str(step))
    if _is_section(kind) and step in kind.model_fields:
        return _from_info(kind.model_fields[step], str(step))
    return None


def key_field(field: Field | None) -> Field | None:
    """What the keys of a mapping may be."""
    if field is None or get_origin(field.kind) is not dict:
        return None
    return _field(get_args(field.kind)[0], "")


def _from_info(info: FieldInfo, key: str) -> Field:
    inner = _field(info.annotation, key)
    description = info.description or inner.description
    return Field(inner.kind, (*info.metadata, *inner.metadata), description, key)


def _field(kind: Any, key: str) -> Field:  # a typing form
    metadata: tuple[object, ...] = ()
    description: str | None = None
    while True:
        if get_origin(kind) is Annotated:
            kind, *extra = get_args(kind)
            for one in extra:
                metadata += tuple(one.metadata) if isinstance(one, FieldInfo) else (one,)
                description = getattr(one, "description", None) or description
        elif get_origin(kind) in (Union, types.UnionType):
            kind = next(one for one in get_args(kind) if one is not types.NoneType)
        else:
            return Field(kind, metadata, description, key)


def _is_section(kind: Any) -> bool:  # a typing form
    return isinstance(kind, type) and issubclass(kind, Section)
