"""The members of a pool: the targets that the config states, and those that its sources name.

Pure. What the config states comes first; a target of a source whose id or answer stands already, or
whose type the pool does not answer, is left out and named. Nothing here takes a target away.
"""

import ipaddress
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from dnsplan.names import parse_name
from dnsplan.records import AliasTarget
from dnsplan.runtime.config.derived import target_types, targets_by_type
from dnsplan.runtime.config.schema import Pool, Target
from dnsplan.runtime.config.source_shape import Source
from planner.rules.pools import Member
from planner.rules.roll import NOT_READ, Attendance, Found, Roll, attendance

FeedKey: TypeAlias = tuple[str, str]
"""Pool and the words for a source."""

# A load balancer's state is asked for this often, and a deleted one is held this long.
BALANCER_INTERVAL_S = 15.0
BALANCER_HOLD_S = 60.0


@dataclass(frozen=True, slots=True)
class StatedBalancers:
    """The load balancers that a pool states among its targets; they are asked for together."""

    targets: tuple[Target, ...]


@dataclass(frozen=True, slots=True)
class Feed:
    """One source of a pool: what to read, how often, and how patiently to let go."""

    pool: str
    words: str
    what: Source | StatedBalancers
    interval_s: float
    hold_s: float

    @property
    def key(self) -> FeedKey:
        """What it is known by, also after its pace was changed."""
        return (self.pool, self.words)


@dataclass(frozen=True, slots=True)
class Seats:
    """A pool's members by type, every target once, and what was left out in words.

    `attendance` is None for a pool that the config alone names.
    """

    members: Mapping[str, tuple[Member, ...]]
    targets: tuple[Found, ...]
    capacity_max: int
    attendance: Attendance | None
    left_out: tuple[str, ...]


def feeds_of(name: str, pool: Pool) -> tuple[Feed, ...]:
    """What must be read to know the pool's targets."""
    found: list[Feed] = []
    balancers = tuple(one for one in pool.targets if one.load_balancer is not None)
    if balancers:
        stated = StatedBalancers(balancers)
        found.append(Feed(name, "targets", stated, BALANCER_INTERVAL_S, BALANCER_HOLD_S))
    for index, source in enumerate(pool.sources):
        words = f"sources[{index}] {_words(source)}"
        found.append(Feed(name, words, source, source.interval_s, source.hold_s))
    return tuple(found)


def seats(name: str, pool: Pool, rolls: Mapping[FeedKey, Roll]) -> Seats:
    """Seat everybody who is known."""
    feeds = feeds_of(name, pool)
    heard = [rolls.get(feed.key, NOT_READ) for feed in feeds]
    types = tuple(targets_by_type(pool))
    room = _Room()
    for target in pool.targets:
        if target.load_balancer is None:
            room.take(_stated(target))
    for feed, roll in zip(feeds, heard, strict=True):
        for found in roll.found:
            if (why := room.why_not(found, types)) is None:
                room.take(found)
                if not isinstance(feed.what, StatedBalancers):
                    room.source[found.id] = feed.words
                if found.id in roll.absent:
                    room.absent.add(found.id)
            else:
                room.left_out.append(f"{feed.words}: target {found.id} {why}")
    taken, is_checked = tuple(room.by_id.values()), pool.health is not None
    return Seats(
        members={
            kind: _members(name, taken, kind, is_checked=is_checked, room=room) for kind in types
        },
        targets=taken,
        capacity_max=max((one.capacity for one in taken), default=0),
        attendance=_attendance(feeds, heard),
        left_out=tuple(room.left_out),
    )


def _attendance(feeds: tuple[Feed, ...], heard: list[Roll]) -> Attendance | None:
    if not feeds:
        return None
    return attendance(heard, hold_s=max(feed.hold_s for feed in feeds))


@dataclass(slots=True)
class _Room:
    by_id: dict[str, Found] = field(default_factory=dict)
    answers: set[str] = field(default_factory=set)
    left_out: list[str] = field(default_factory=list)
    absent: set[str] = field(default_factory=set)
    source: dict[str, str] = field(default_factory=dict)

    def take(self, found: Found) -> None:
        self.by_id[found.id] = found
        self.answers.add(found.answer)

    def why_not(self, found: Found, types: tuple[str, ...]) -> str | None:
        if found.id in self.by_id:
            return "is in the pool already"
        if found.answer in self.answers:
            return f"answers {found.answer}, as another does"
        if not set(found.types) & set(types):
            told = " and ".join(types)
            return f"answers {' and '.join(found.types)}, and the pool answers {told}"
        return None


def _stated(target: Target) -> Found:
    alias: AliasTarget | None = None
    if (stated := target.alias) is not None:
        name = parse_name(stated.name)
        alias = AliasTarget(stated.zone_id, name, stated.evaluate_target_health)
    address = None if target.address is None else str(ipaddress.ip_address(target.address))
    return Found(
        id=target.id,
        address=address,
        alias=alias,
        types=target_types(target),
        capacity=target.capacity,
        az=target.az,
    )


def _members(
    pool: str,
    targets: Iterable[Found],
    record_type: str,
    *,
    is_checked: bool,
    room: _Room,
) -> tuple[Member, ...]:
    members = (
        Member(
            key=(pool, one.id),
            answer=one.answer,
            alias=one.alias,
            capacity=one.capacity,
            is_probed=one.healthy is not None or (is_checked and one.alias is None),
            az=one.az,
            is_absent=one.id in room.absent,
            source=room.source.get(one.id, ""),
        )
        for one in targets
        if record_type in one.types
    )
    return tuple(sorted(members, key=lambda member: member.target_id))


def _words(source: Source) -> str:
    """A source as logs name it; no secret stands in it."""
    return next(_each_form(source), "")


def _each_form(source: Source) -> Iterator[str]:
    if source.file is not None:
        yield f"file {source.file.path}"
    if source.command is not None:
        yield f"command {source.command.run[0]}"
    if source.http is not None:
        yield f"http from {source.http.url.source}"
    if (stated := source.load_balancers) is not None:
        tags = ", ".join(f"{key}={value}" for key, value in sorted(stated.tags.items()))
        yield f"load_balancers {stated.region} {tags}"
