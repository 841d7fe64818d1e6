"""What speaks against a zone's newest turn, and how old the turn is. Pure.

What befalls a zone is put down to its turn while that is not applied, and for a while afterwards. A
zone that an operator holds in place speaks for nothing.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from dnsplan.generation import GenerationItem
from dnsplan.plan import Turn
from dnsplan.ports import Presence, ZoneSighting
from planner.rules.waves import OpenPage, Waves

# Enactors write their signs of life each few seconds; an older one says what was.
SIGN_KEPT_S = 60


@dataclass(frozen=True, slots=True)
class Met:
    """Since when this planner knows a turn, on its own clock; dated, if it saw the one before."""

    turn: Turn
    since_s: float
    is_dated: bool


@dataclass(frozen=True, slots=True)
class Heard:
    """What was heard of enactors and of the sentinel, at `now_s`; `silent` says why nothing was."""

    now_s: float
    signs: Sequence[Presence] = ()
    pages: Sequence[OpenPage] = ()
    silent: str = ""


def met(turn: Turn, before: Met | None, *, elapsed_s: float) -> Met:
    """The turn as this planner knows it now."""
    if before is not None and before.turn.generation == turn.generation:
        return before
    return Met(turn, elapsed_s, is_dated=before is not None)


def age_of(known: Met, *, elapsed_s: float, now_s: float) -> float:
    """Seconds since the turn. Who saw it come goes by his own clock, which nobody sets; who did not
    goes by the plan's word, and never takes it for younger than he knows it."""
    stood_s = elapsed_s - known.since_s
    return stood_s if known.is_dated else max(stood_s, now_s - known.turn.since_s)


def by_hand(item: GenerationItem, turn: Turn) -> str:
    """How an operator holds the zone where it is; empty if he does not."""
    if item.frozen is not None:
        return f"it is frozen ({item.frozen}); thaw it"
    if item.pin is not None and item.pin < turn.generation:
        return f"it is pinned to {item.pin}; unpin it"
    return ""


def against(item: GenerationItem, turn: Turn, waves: Waves, heard: Heard, *, age_s: float) -> str:
    """The first thing that speaks against the turn, in words; empty when nothing does."""
    if by_hand(item, turn):
        return ""
    return next(_said(item, turn, waves, heard, age_s=age_s), "")


def _said(
    item: GenerationItem, turn: Turn, waves: Waves, heard: Heard, *, age_s: float
) -> Iterator[str]:
    is_applied, is_fresh = item.applied >= turn.generation, age_s <= waves.watched_s
    if is_fresh or not is_applied:
        for az, sighting in _sightings(item.label, heard):
            if sighting.holding is not None:
                yield f"enactor {az} holds: {sighting.holding}"
            yield from (f"enactor {az} saw drift: {text}" for text in sighting.drift)
    if not is_applied and not is_fresh:
        limit = f"limit: bake_s and window_s together, {waves.watched_s:g} s"
        yield f"generation {turn.generation} is not applied {int(age_s)} s after its turn; {limit}"
    # A canary that was paged before its turn, and is still, cannot show that the turn did no harm.
    from_s = 0.0 if item.label in waves.canaries else turn.since_s
    until_s = turn.since_s + waves.watched_s
    for page in heard.pages:
        if page.label == item.label and from_s <= page.opened_s <= until_s:
            yield f"the sentinel pages: {page.text}"


def _sightings(label: str, heard: Heard) -> Iterator[tuple[str, ZoneSighting]]:
    for sign in heard.signs:
        if heard.now_s - sign.written_s <= SIGN_KEPT_S:
            yield from ((sign.az, one) for one in sign.zones if one.label == label)
