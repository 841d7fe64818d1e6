"""Drains: targets and AZs that an operator wants to answer nobody for a while.

They wait in the generation item, each with an end in seconds since 1970; whoever plans takes them
for targets of capacity 0 until then. They lift no guardrail: the floor and velocity hold. What
cannot be read is no drain, since in doubt everybody answers.
"""

from collections.abc import Iterable

import msgspec
from msgspec import Struct

from dnsplan.generation import Equals, GenerationItem, IsAbsent, Transition
from dnsplan.vouch import NOBODY, Vouch

# An item holds at most 400 KB, and is read with every pass.
DRAINS_MAX = 100
BECAUSE_CHARS_MAX = 200


class Drain(Struct, frozen=True, array_like=True, gc=False):
    """One word of an operator. `what` is a target as POOL/ID, or an AZ."""

    what: str
    until_s: int
    by: str
    because: str
    vouch: Vouch = NOBODY

    def names(self, *, pool: str, target_id: str, az: str | None) -> bool:
        """Whether a target is meant."""
        return self.what in (f"{pool}/{target_id}", az)


def standing(item: GenerationItem, *, now_s: int) -> tuple[Drain, ...]:
    """Those that hold now."""
    if item.drains is None:
        return ()
    try:
        found = msgspec.json.decode(item.drains.encode(), type=tuple[Drain, ...])
    except msgspec.DecodeError:  # only `encoded` writes it; else somebody edited the item by hand
        return ()
    return tuple(one for one in found if now_s < one.until_s)


def encoded(drains: Iterable[Drain]) -> str | None:
    """The item's field; None where nothing is drained."""
    kept = sorted(drains, key=lambda one: one.what)
    return msgspec.json.encode(kept).decode() if kept else None


def drain(seen: GenerationItem, drains: str | None, *, nonce: str) -> Transition:
    """Let these drains hold and no others; of two operators the second finds the first's. It moves
    no plan, so it may pass one that is published at the same moment."""
    was = IsAbsent("drains") if seen.drains is None else Equals("drains", seen.drains)
    return Transition(
        name="drain",
        label=seen.label,
        nonce=nonce,
        conditions=(
            Equals("incarnation", seen.incarnation),
            Equals("owner", seen.owner),
            was,
        ),
        put=(("drains", drains),),
    )
