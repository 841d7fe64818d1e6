"""Waivers that operators offer to the next plan: how they wait in the generation item.

An offer is for one number, the one after head when it was made, and for a limited time. Whoever
publishes that number takes it up or ends it, so that no waiver waits for a plan that nobody
thought of when it was given. What cannot be read is no waiver.
"""

from collections.abc import Iterable

import msgspec
from msgspec import Struct

from dnsplan.generation import GenerationItem
from dnsplan.plan import Waiver
from dnsplan.vouch import NOBODY, Vouch

# The one rule that planners alone keep: a zone whose config changed waits for its turn.
WAVE = "wave"


class Offer(Struct, frozen=True, array_like=True, gc=False):
    """A waiver that waits, until when (in seconds since 1970), and who signed it."""

    waiver: Waiver
    until_s: int
    vouch: Vouch = NOBODY


def offers(item: GenerationItem) -> tuple[Offer, ...]:
    """Everything that waits in an item, also what is late or for a number that is gone."""
    if item.waivers is None:
        return ()
    try:
        return msgspec.json.decode(item.waivers.encode(), type=tuple[Offer, ...])
    except msgspec.DecodeError:  # only `encoded` writes it; else somebody edited the item by hand
        return ()


def standing(item: GenerationItem, *, now_s: int) -> tuple[Offer, ...]:
    """What the next plan may take up now."""
    number = item.head + 1
    return tuple(
        one for one in offers(item) if one.waiver.generation == number and now_s < one.until_s
    )


def waived(item: GenerationItem, *, now_s: int) -> tuple[Waiver, ...]:
    """The waivers of the next plan."""
    return tuple(one.waiver for one in standing(item, now_s=now_s))


def encoded(waiting: Iterable[Offer]) -> str | None:
    """The item's field; None where nothing waits."""
    kept = sorted(waiting, key=lambda one: one.waiver.rule)
    return msgspec.json.encode(kept).decode() if kept else None
