"""Change batches within Route 53's limits, each opened by the fence pair.

A batch holds at most 1,000 ResourceRecord elements and 32,000 characters of values. We never use
UPSERT, which counts twice and checks nothing: a changed set is DELETE as known and CREATE, at the
same cost, so that Route 53 itself verifies our view of the zone. All changes of a name sit in one
batch. A batch that would take a name's last answer cannot be built.
Source: Route 53 Developer Guide, quotas on API requests.
"""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from dnsplan.diff import NameChange
from dnsplan.errors import check
from dnsplan.fence import FenceRecord, SeenFence, fence_name, is_fence, to_record_set
from dnsplan.guardrails import APEX_TYPES_OFF_LIMITS
from dnsplan.names import Name, is_within
from dnsplan.records import Key, RecordSet, characters_of, elements_of, key_of
from enactor.rules.order import Together, Unchanged, ranked

ELEMENTS_MAX = 1_000
CHARACTERS_MAX = 32_000

# A fence value has at most two strings of 255 characters with quotes and a space between.
_FENCE_ELEMENTS = 2
_FENCE_CHARACTERS = 2 * 520

# Deeper chains of aliases than this are a loop, which Route 53 refuses.
_ALIAS_DEPTH_MAX = 16

# Bins that stay open while names are placed: more fills batches better and costs time.
_OPEN_BINS_MAX = 8


@dataclass(frozen=True, slots=True)
class Change:
    """Create or delete one record set, exactly."""

    action: Literal["CREATE", "DELETE"]
    record_set: RecordSet


@dataclass(frozen=True, slots=True)
class ChangeBatch:
    """Changes that Route 53 applies all or none; `fence` is what the zone says afterwards."""

    fence: FenceRecord
    changes: tuple[Change, ...]


@dataclass(frozen=True, slots=True)
class Packed:
    """Groups of names, a batch each, in the order to send; and names too big for any batch."""

    groups: tuple[tuple[NameChange, ...], ...]
    oversized: tuple[NameChange, ...]


def pack(
    changes: Iterable[NameChange],
    zone: Name,
    unchanged: Unchanged,
    *,
    apart: Collection[Name] = (),
) -> Packed:
    """Group names into as few batches as their sizes and their order allow.

    Each of `apart` shares its batch only with what must change with it.
    """
    groups: list[_Bin] = []
    oversized: list[NameChange] = []
    for rank in ranked(tuple(changes), zone, unchanged):
        first_open = max(0, len(groups) - 1)
        for together in rank:
            sizes = [size_of(change) for change in together]
            elements, characters = sum(one[0] for one in sizes), sum(one[1] for one in sizes)
            if not _fits(elements, characters):
                oversized.extend(together)
                continue
            start = max(first_open, len(groups) - _OPEN_BINS_MAX)
            is_apart = any(change.name in apart for change in together)
            room = (one for one in groups[start:] if one.takes(elements, characters))
            place = None if is_apart else next(room, None)
            if place is None:
                groups.append(place := _Bin(closed=is_apart))
            place.add(together, elements, characters)
    return Packed(tuple(tuple(one.changes) for one in groups), tuple(oversized))


def size_of(change: NameChange) -> tuple[int, int]:
    """Elements and characters that a name's changes cost; DELETE and CREATE count alike."""
    sets = (*change.before, *change.after)
    return sum(map(elements_of, sets)), sum(map(characters_of, sets))


def batches_min(changes: Iterable[NameChange]) -> int:
    """The fewest batches that could carry these changes, each with the fence pair."""
    sizes = [size_of(change) for change in changes]
    by_elements = -(-sum(size[0] for size in sizes) // (ELEMENTS_MAX - _FENCE_ELEMENTS))
    by_characters = -(-sum(size[1] for size in sizes) // (CHARACTERS_MAX - _FENCE_CHARACTERS))
    return max(by_elements, by_characters)


def build(
    before: SeenFence | None,
    after: FenceRecord,
    names: Sequence[NameChange],
    *,
    zone: Name,
    may_end: Callable[[Key], bool],
) -> ChangeBatch:
    """The batch for a group of names: fence pair, deletes, plain creates, aliases by depth.

    Whether Route 53 lets go of what an alias leads to, nobody says: aliases go outermost first.
    `before` None means that the zone was read and has no fence: creating it is its own swap.
    """
    for change in names:
        _check_name(change, zone, may_end)
    if before is not None:
        check(is_fence(before.listed, zone), "the fence to delete is this zone's")
        check(before.record.token <= after.token, "the fence never goes back")
        check(before.record.nonce != after.nonce, "a fence value never repeats")
    gone = [one for change in names for one in change.before]
    come = [one for change in names for one in change.after]
    depth, depth_gone = _alias_depths(come, zone), _alias_depths(gone, zone)
    fence_pair = [Change("DELETE", before.listed)] if before is not None else []
    fence_pair.append(Change("CREATE", to_record_set(after, zone)))
    deletes = sorted(
        gone, key=lambda one: (one.alias is None, -depth_gone.get(one.name, 0), key_of(one))
    )
    creates = sorted(come, key=lambda one: (depth.get(one.name, 0), key_of(one)))
    changes = (
        *fence_pair,
        *(Change("DELETE", one) for one in deletes),
        *(Change("CREATE", one) for one in creates),
    )
    check(sum(elements_of(one.record_set) for one in changes) <= ELEMENTS_MAX, "elements fit")
    check(sum(characters_of(one.record_set) for one in changes) <= CHARACTERS_MAX, "characters fit")
    return ChangeBatch(after, changes)


def _check_name(change: NameChange, zone: Name, may_end: Callable[[Key], bool]) -> None:
    check(
        not change.ends or all(may_end(key_of(one)) for one in change.before),
        f"{change.name} keeps an answer (P2)",
    )
    check(is_within(change.name, zone), f"{change.name} is in {zone} (P6)")
    check(change.name != fence_name(zone), "the fence is no managed name (P6)")
    for one in (*change.before, *change.after):
        apex = one.name == zone and one.type in APEX_TYPES_OFF_LIMITS
        check(not apex, f"{one.type} at the apex is never touched (P6)")


@dataclass(slots=True)
class _Bin:
    changes: list[NameChange]
    elements: int
    characters: int
    closed: bool

    def __init__(self, *, closed: bool) -> None:
        self.changes, self.elements, self.characters, self.closed = [], 0, 0, closed

    def takes(self, elements: int, characters: int) -> bool:
        return not self.closed and _fits(self.elements + elements, self.characters + characters)

    def add(self, together: Together, elements: int, characters: int) -> None:
        self.changes.extend(together)
        self.elements += elements
        self.characters += characters


def _fits(elements: int, characters: int) -> bool:
    return (
        elements <= ELEMENTS_MAX - _FENCE_ELEMENTS
        and characters <= CHARACTERS_MAX - _FENCE_CHARACTERS
    )


def _alias_depths(record_sets: Iterable[RecordSet], zone: Name) -> dict[Name, int]:
    """How many aliases of these stand between a name and its values; a loop counts as deep."""
    targets: dict[Name, set[Name]] = {}
    for one in record_sets:
        if one.alias is not None and is_within(one.alias.name, zone):
            targets.setdefault(one.name, set()).add(one.alias.name)
    depth = dict.fromkeys(targets, 1)
    for _ in range(min(len(targets), _ALIAS_DEPTH_MAX)):
        deeper = {
            name: 1
            + max(depth.get(target, 0) for target in found if target != name or len(found) == 1)
            for name, found in targets.items()
        }
        if deeper == depth:
            break
        depth = deeper
    return depth
