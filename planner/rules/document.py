"""The JSON in which files, commands and web addresses name targets, and a listing made of it. Pure.

The text is taken whole or not at all: what cannot be read, or contradicts itself, is an incomplete
listing without targets, and what was known before stays. Its schema is `docs/targets.schema.json`.
"""

import ipaddress
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta, Struct

from dnsplan.errors import InvalidName
from dnsplan.names import parse_name
from dnsplan.records import AliasTarget
from dnsplan.values import is_mapped
from planner.rules.roll import Found, Listing

# Some thousand bytes a target are plenty; more text is no list of targets.
TARGETS_MAX = 5_000
DOCUMENT_BYTES_MAX = 4 * 1024 * 1024

# Python's $ also stands before a line end that is the last character.
_END = r"$(?!\n)"

TargetId = Annotated[
    str,
    Meta(
        pattern=rf"^[A-Za-z0-9][A-Za-z0-9._-]{{0,63}}{_END}",
        description="What the target is known by, also when its address changes.",
    ),
]


class StatedAlias(Struct, frozen=True, forbid_unknown_fields=True):
    """A name that an alias record leads to, and the hosted zone that it lies in."""

    name: Annotated[str, Meta(min_length=1, max_length=255)]
    zone_id: Annotated[str, Meta(pattern=rf"^Z[A-Z0-9]{{1,31}}{_END}")]
    evaluate_target_health: bool = False


class StatedTarget(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One target: exactly one of address and alias. Capacity 0 is drained."""

    id: TargetId
    address: Annotated[str, Meta(description="An IPv4 or IPv6 address.")] | None = None
    alias: StatedAlias | None = None
    types: Annotated[list[Literal["A", "AAAA"]], Meta(min_length=1, max_length=2)] | None = None
    capacity: Annotated[int, Meta(ge=0, le=1_000_000)] = 100
    az: Annotated[str, Meta(pattern=rf"^[a-z0-9][a-z0-9-]{{0,30}}{_END}")] | None = None


class Document(Struct, frozen=True, forbid_unknown_fields=True):
    """All targets of a pool that the source knows.

    `complete` is false when it knows that some may be missing: then nothing is taken away.
    """

    targets: Annotated[list[StatedTarget], Meta(max_length=TARGETS_MAX)]
    complete: bool = True


def schema() -> dict[str, Any]:
    """The JSON schema of the text."""
    made = msgspec.json.schema(Document)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Targets of a pool, as a source names them",
        **made,
    }


def listing_of(text: bytes) -> Listing:
    """What a text says."""
    if len(text) > DOCUMENT_BYTES_MAX:
        return Listing((), f"more than {DOCUMENT_BYTES_MAX} bytes")
    try:
        stated = msgspec.json.decode(text, type=Document)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        return Listing((), f"not as docs/targets.schema.json says: {error}")
    try:
        found = tuple(_found(one) for one in stated.targets)
    except (InvalidName, ValueError) as error:
        return Listing((), str(error))
    for what, values in (("id", [o.id for o in found]), ("answer", [o.answer for o in found])):
        if (twice := _twice(values)) is not None:
            return Listing((), f"the {what} {twice} stands twice")
    if not found:
        return Listing((), "it names no target")
    return Listing(found, None if stated.complete else "it says that it is not complete")


def _found(stated: StatedTarget) -> Found:
    if (stated.address is None) == (stated.alias is None):
        raise ValueError(f"target {stated.id}: exactly one of address and alias is needed")
    if stated.address is not None:
        if stated.types is not None:
            raise ValueError(f"target {stated.id}: types beside an address, which says its type")
        address = ipaddress.ip_address(stated.address)
        is_none = address.is_unspecified or address.is_multicast or is_mapped(address)
        if is_none or getattr(address, "scope_id", None):
            raise ValueError(f"target {stated.id}: no client can connect to {stated.address}")
        types: tuple[str, ...] = ("A",) if address.version == 4 else ("AAAA",)
        return Found(
            id=stated.id,
            address=str(address),
            alias=None,
            types=types,
            capacity=stated.capacity,
            az=stated.az,
        )
    return Found(
        id=stated.id,
        address=None,
        alias=_alias(stated.alias),
        types=tuple(dict.fromkeys(stated.types or ("A",))),
        capacity=stated.capacity,
        az=stated.az,
    )


def _alias(stated: StatedAlias | None) -> AliasTarget | None:
    if stated is None:
        return None
    return AliasTarget(stated.zone_id, parse_name(stated.name), stated.evaluate_target_health)


def _twice(values: list[str]) -> str | None:
    seen: set[str] = set()
    for value in values:
        if value in seen:
            return value
        seen.add(value)
    return None
