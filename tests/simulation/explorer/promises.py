"""The promises, judged from what stands in zone, item and archive, by an eye of their own.

No code of the product judges here: the fence is read from its text, a plan from its stored bytes,
records are compared as the zone lists them.
"""

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from dnsplan.generation import GenerationItem
from sandbox.route53.model import StoredRecordSet

FENCE_LABEL = "_dnsplan."

_FENCE = re.compile(
    r'^"dnsplan/1 generation=(\d+) step=(\d+)/(\d+) base=(\d+) held=(\d+)(?: frozen=(\S+))?"'
    r' "owner=\S+ writer=(\S+) nonce=(\S+) digest=(\S+)"$'
)

Content = Mapping[tuple[str, str], tuple[int | None, tuple[str, ...]]]


class Broken(Exception):
    """A promise does not hold."""

    def __init__(self, promise: str, text: str, *, after: tuple[str, ...] = ()) -> None:
        """Name the promise by its number in docs/promises.md; `after` are more steps of a trace."""
        super().__init__(f"{promise} is broken: {text}")
        self.promise = promise
        self.after = after


@dataclass(frozen=True, slots=True)
class Mark:
    """What a fence's text says."""

    text: str
    generation: int
    step: int
    steps: int
    base: int
    held: int
    frozen: str | None
    digest: str

    @property
    def whole(self) -> bool:
        """Whether it claims that the whole plan stands."""
        return self.step == self.steps

    def __str__(self) -> str:
        """The position, as a person says it."""
        frozen = f" frozen by {self.frozen}" if self.frozen else ""
        held = f" held {self.held}" if self.held else ""
        return f"{self.generation} {self.step}/{self.steps}{held}{frozen}"


def mark_in(sets: Iterable[StoredRecordSet]) -> Mark | None:
    """The fence among a zone's record sets."""
    for one in sets:
        if one.name.startswith(FENCE_LABEL):
            return _mark(one.values[0])
    return None


@lru_cache(maxsize=100_000)
def _mark(text: str) -> Mark:
    found = _FENCE.match(text)
    if found is None:
        raise Broken("P1", f"the fence cannot be read: {text}")
    generation, step, steps, base, held = map(int, found.groups()[:5])
    return Mark(text, generation, step, steps, base, held, found[6], found[9])


def content_of(sets: Iterable[StoredRecordSet]) -> Content:
    """What a zone answers, without the fence."""
    return {
        (one.name, one.type): (one.ttl, tuple(sorted(one.values)))
        for one in sets
        if not one.name.startswith(FENCE_LABEL)
    }


def stated_in(body: bytes) -> Content:
    """What a stored plan states."""
    record_sets = json.loads(body)[9]
    return {(one[0], one[1]): (one[2], tuple(sorted(one[3]))) for one in record_sets}


def check_landing(
    before: tuple[StoredRecordSet, ...],
    after: tuple[StoredRecordSet, ...],
    managed: frozenset[str],
    *,
    after_freeze: bool,
) -> None:
    """An accepted batch kept P1, P2, P3, P6 and, when `after_freeze`, should not have landed."""
    was, now = mark_in(before), mark_in(after)
    old, new = content_of(before), content_of(after)
    changed = {key for key in old.keys() | new.keys() if old.get(key) != new.get(key)}
    if after_freeze:
        raise Broken("P9", f"freeze had returned, and a batch moved the fence to {now}")
    _check_forward(was, now, changed=bool(changed))
    if emptied := {name for name, _ in old} - {name for name, _ in new}:
        raise Broken("P2", f"{', '.join(sorted(emptied))} answers nothing any more")
    if strange := sorted(name for name, _ in changed if name not in managed):
        raise Broken("P6", f"{', '.join(strange)} is not ours")


def _check_forward(was: Mark | None, now: Mark | None, *, changed: bool) -> None:
    if now is None or (was is not None and was.text == now.text):
        raise Broken("P1", "a batch landed without moving the fence")
    if was is None:
        return
    there, here = (was.generation, was.step), (now.generation, now.step)
    if here < there:
        raise Broken("P1", f"the fence went back from {was} to {now}")
    if changed and here <= there:
        raise Broken("P1", f"records changed and the fence went from {was} only to {now}")
    if was.generation == now.generation and was.digest != now.digest:
        raise Broken("P3", f"generation {now.generation} has two contents")


def check_content(
    zone: tuple[StoredRecordSet, ...], stated: Mapping[tuple[int, str], Content]
) -> None:
    """A fence that claims a whole plan stands over exactly that plan's records.

    As many names as it says are held may stand otherwise, and no more.
    """
    mark = mark_in(zone)
    if mark is None or mark.generation == 0:
        return
    wanted = stated.get((mark.generation, mark.digest))
    if wanted is None:
        raise Broken("P4", f"the fence is at {mark}, which was never published")
    standing = content_of(zone)
    otherwise = [key for key, value in sorted(wanted.items()) if standing.get(key) != value]
    if mark.whole and len(otherwise) > mark.held:
        found = "; ".join(f"{key[0]} holds {standing.get(key)}" for key in otherwise)
        raise Broken("P3", f"the fence says {mark}, and yet {found}")


class Numbers(NamedTuple):
    """The generation item's numbers."""

    head: int
    floor: int
    claimed: int
    applied: int
    last_known_good: int


def numbers_of(item: GenerationItem) -> Numbers:
    """The item's numbers, by themselves."""
    return Numbers(item.head, item.floor, item.claimed, item.applied, item.last_known_good)


def check_noted(before: GenerationItem, after: GenerationItem) -> None:
    """What an item says never goes back, and only a plan that held no name back is good."""
    old, new = numbers_of(before), numbers_of(after)
    for name, was, now in zip(Numbers._fields, old, new, strict=True):
        if now < was:
            raise Broken("P1", f"{name.replace('_', ' ')} went back from {was} to {now}")
    if new.last_known_good > old.last_known_good:
        mark = _mark(after.applied_fence or "")
        if mark.held or not mark.whole or mark.generation != new.last_known_good:
            raise Broken("P5", f"{new.last_known_good} is called good, of the fence {mark}")


def check_bodies(
    floor: int, *, issued: Iterable[tuple[int, str]], bodies: frozenset[tuple[int, str]]
) -> None:
    """P4 and P5: no number has two contents, and every plan that may be claimed has its body."""
    seen: dict[int, str] = {}
    for generation, digest in issued:
        if seen.setdefault(generation, digest) != digest:
            raise Broken("P4", f"generation {generation} was issued twice")
        if generation >= floor and (generation, digest) not in bodies:
            raise Broken("P5", f"plan {generation} is deleted, and the floor is {floor}")


def check_floor(item: GenerationItem, fence: Mark | None, surest: Mark | None) -> None:
    """P5. `surest` is the fence that a failover could bring back at worst."""
    numbers = numbers_of(item)
    bounds = {
        "claimed": numbers.claimed,
        "applied": numbers.applied,
        "last known good": numbers.last_known_good,
        "the pin": item.pin,
        "the live plan": fence.generation if fence else None,
        "the base of the unfinished plan": fence.base if fence and not fence.whole else None,
    }
    for what, bound in bounds.items():
        if bound is not None and numbers.floor > bound:
            raise Broken("P5", f"the floor is {numbers.floor}, past {what}, {bound}")
    least = surest.generation if surest else 0
    if numbers.applied > least:
        raise Broken(
            "P5", f"applied says {numbers.applied}, and Route 53 may still go back to {least}"
        )
