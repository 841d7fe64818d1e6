"""What is known of a pool's targets from reading a source again and again.

A read is complete or incomplete. An incomplete one may bring targets and change them, and never
takes one away. A complete one that lacks a target only begins its absence; it is gone when a later
complete read, at least the hold-down afterwards, lacks it too. A read that names nobody is never
complete: an empty pool is no instruction. A target is its id; what it answers with may change.
"""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from dnsplan.records import AliasTarget

NEVER_S = -math.inf

# One planning pass is enough to notice that an answer has no member any more; a planner that makes
# none in this time begins the hold-down anew, which is slow and never wrong.
DEPARTED_KEPT_S = 120.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """One target as a source names it: an address in canonical text, or an alias.

    `healthy` is what the source itself says of it, `detail` in words; None where it says nothing.
    """

    id: str
    address: str | None
    alias: AliasTarget | None
    types: tuple[str, ...]
    capacity: int
    az: str | None = None
    healthy: bool | None = None
    detail: str = ""

    @property
    def answer(self) -> str:
        """What it answers with."""
        return self.alias.name if self.alias is not None else self.address or ""


@dataclass(frozen=True, slots=True)
class Listing:
    """One read. `problem` says why it is not the whole truth; None when it is."""

    targets: tuple[Found, ...]
    problem: str | None = None

    @property
    def is_complete(self) -> bool:
        """Whether what it lacks begins to be absent."""
        return self.problem is None and bool(self.targets)


@dataclass(frozen=True, slots=True)
class Known:
    """A target, and when the first complete read lacked it (None: the last one named it)."""

    found: Found
    absent_since_s: float | None = None


@dataclass(frozen=True, slots=True)
class Departure:
    """An answer that ended: its absence began at one time and was confirmed at another."""

    since_s: float
    at_s: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Roll:
    """All targets of one source that are not gone, by id. Times are on a clock that never goes
    back. `complete_s` are those of the last two complete reads, the older one first. `is_awaited`:
    a first complete read may still come soon. `is_silent`: the newest read named nobody."""

    targets: Mapping[str, Known] = field(default_factory=dict)
    complete_s: tuple[float, float] = (NEVER_S, NEVER_S)
    departed: Mapping[str, Departure] = field(default_factory=dict)
    problem: str | None = "not read yet"
    is_awaited: bool = True
    is_silent: bool = True

    @property
    def is_read(self) -> bool:
        """Whether one complete read was made."""
        return self.complete_s[1] > NEVER_S

    @property
    def found(self) -> tuple[Found, ...]:
        """The targets, by id."""
        return tuple(self.targets[one].found for one in sorted(self.targets))

    @property
    def absent(self) -> tuple[str, ...]:
        """Those that the last complete read lacked and that are not gone, by id."""
        return tuple(
            one for one in sorted(self.targets) if self.targets[one].absent_since_s is not None
        )


NOT_READ = Roll()


def heard(before: Roll, listing: Listing, *, hold_s: float, now_s: float) -> Roll:
    """Count one read in."""
    named = {one.id: Known(one) for one in _believed(before, listing)}
    departed = {
        answer: one
        for answer, one in before.departed.items()
        if now_s - one.at_s <= DEPARTED_KEPT_S
    }
    for known in before.targets.values():
        after = named.get(known.found.id)
        if after is not None and after.found.answer != known.found.answer:
            departed[known.found.answer] = Departure(NEVER_S, now_s)
    if not listing.is_complete:
        problem = listing.problem or "it named no target"
        return replace(
            before,
            targets={**before.targets, **named},
            departed=departed,
            problem=problem,
            is_silent=not listing.targets,
        )
    for target_id, known in before.targets.items():
        if target_id in named:
            continue
        since_s = known.absent_since_s
        if since_s is not None and now_s - since_s >= hold_s:
            departed[known.found.answer] = Departure(since_s, now_s)
        else:
            named[target_id] = Known(known.found, now_s if since_s is None else since_s)
    return Roll(
        targets=named,
        complete_s=(before.complete_s[1], now_s),
        departed=departed,
        problem=None,
        is_awaited=False,
        is_silent=False,
    )


def _believed(before: Roll, listing: Listing) -> Iterable[Found]:
    """What a read says, but for an incomplete one that gives to one target what another has: both
    would answer as one, and it may take nobody away."""
    if listing.is_complete:
        return listing.targets
    named = {one.id for one in listing.targets}
    taken = {one.found.answer for one in before.targets.values() if one.found.id not in named}
    return [one for one in listing.targets if one.answer not in taken]


@dataclass(frozen=True, slots=True, kw_only=True)
class Attendance:
    """What all sources of a pool together say of answers that none of their targets gives.

    `complete_s`: each source has made its last two complete reads at these times or later.
    `is_read`: each was read completely, or is no longer waited for; else `unread` says why.
    `is_silent`: the newest read of some named nobody, so what is known of its targets may be old.
    """

    hold_s: float
    complete_s: tuple[float, float]
    departed: Mapping[str, Departure]
    is_read: bool
    unread: str = ""
    is_silent: bool = False


def attendance(rolls: Iterable[Roll], *, hold_s: float) -> Attendance:
    """Put the rolls of a pool together."""
    each = tuple(rolls)
    awaited = [one for one in each if not one.is_read and one.is_awaited]
    return Attendance(
        hold_s=hold_s,
        complete_s=(
            min((one.complete_s[0] for one in each), default=NEVER_S),
            min((one.complete_s[1] for one in each), default=NEVER_S),
        ),
        departed={answer: left for one in each for answer, left in one.departed.items()},
        is_read=not awaited,
        unread="; ".join(sorted({one.problem for one in awaited if one.problem is not None})),
        is_silent=any(one.is_silent for one in each),
    )
