"""What one reply of a name server means for one name and type.

Answers are counted, never the response code: the failure that this exists for is NOERROR with
nothing in it. What the reply does not say is not guessed: a CNAME that leaves the zone counts as
an answer, since this server cannot know what stands at its end.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from dnsplan.names import Name, is_within
from sentinel.rules.watched import Expected, WatchedName

CNAME, NS = "CNAME", "NS"
NOERROR, NXDOMAIN = "NOERROR", "NXDOMAIN"
_NOT_MINE = frozenset({"REFUSED", "NOTAUTH"})


class Finding(StrEnum):
    """What a look at a name and type came to."""

    ANSWERED = "answered"
    FEW = "few"  # fewer answers than the floor that the name is promised
    NODATA = "nodata"  # the name exists and answers with nothing of the type: October 2025
    NXDOMAIN = "nxdomain"
    DANGLING = "dangling"  # an alias or a CNAME is there, and nothing at its end
    SERVFAIL = "servfail"  # or another error that a server reports of itself
    LAME = "lame"  # the server does not know the zone
    TIMEOUT = "timeout"  # no reply that could be read


# A server that gives one of these has said that the records are not there, and resolvers believe
# it. All others make a resolver ask the next server.
DENIALS = frozenset({Finding.FEW, Finding.NODATA, Finding.NXDOMAIN, Finding.DANGLING})


@dataclass(frozen=True, slots=True)
class Row:
    """One record of a reply."""

    owner: Name
    type: str
    ttl_s: int
    value: str


@dataclass(frozen=True, slots=True)
class Reply:
    """What a server said. `rcode` is the code's name; `referred` are the NS of another zone;
    `extended` is why it failed, where it says so."""

    rcode: str
    authoritative: bool
    rows: tuple[Row, ...] = ()
    referred: tuple[Row, ...] = ()
    extended: str = ""


@dataclass(frozen=True, slots=True)
class NoReply:
    """Nothing came that could be read: in words, why."""

    reason: str


Heard: TypeAlias = Reply | NoReply


@dataclass(frozen=True, slots=True)
class Seen:
    """What a reply means. `values` and `ttl_s` are the counted answers'."""

    finding: Finding
    values: tuple[str, ...] = ()
    ttl_s: int = 0
    detail: str = ""


def see(watched: WatchedName, expected: Expected, asked: str, heard: Heard) -> Seen:
    """Judge one reply to a question for `asked`."""
    if isinstance(heard, NoReply):
        return Seen(Finding.TIMEOUT, detail=heard.reason)
    if failure := _failure(heard):
        return failure
    renamed = _renamed(watched.name, heard.rows)
    end = Name(renamed[-1].value) if renamed else watched.name
    counted = [row for row in heard.rows if row.owner == end and row.type == asked]
    if renamed:
        return _seen_renamed(watched, expected, heard, renamed, counted)
    if asked == NS and not counted:  # a delegation is told as a referral, not as an answer
        counted = [row for row in heard.referred if row.owner == watched.name]
    if counted:
        return _counted(counted, expected)
    if heard.rcode == NXDOMAIN:
        return Seen(Finding.NXDOMAIN)
    if not heard.authoritative and not watched.recursive:
        return Seen(Finding.LAME, detail="no answer and no authority")
    return Seen(Finding.NODATA)


def _failure(reply: Reply) -> Seen | None:
    """A server's word about itself rather than about the name."""
    if reply.rcode in (NOERROR, NXDOMAIN):
        return None
    finding = Finding.LAME if reply.rcode in _NOT_MINE else Finding.SERVFAIL
    return Seen(finding, detail=", ".join(filter(None, (reply.rcode, reply.extended))))


def _renamed(name: Name, rows: Iterable[Row]) -> list[Row]:
    """The CNAMEs that lead on from the name, in their order; a loop ends where it closes."""
    by_owner = {row.owner: row for row in rows if row.type == CNAME}
    chain: list[Row] = []
    at = name
    while (row := by_owner.pop(at, None)) is not None:
        chain.append(row)
        at = Name(row.value)
    return chain


def _seen_renamed(
    watched: WatchedName, expected: Expected, reply: Reply, renamed: list[Row], counted: list[Row]
) -> Seen:
    """A CNAME: whether anything is behind it, as far as this server can know."""
    is_wanted = expected.type == CNAME
    if counted and not is_wanted:
        return _counted(counted, expected)
    end = Name(renamed[-1].value)
    # A server follows a CNAME inside its own zone (RFC 1034, 4.3.2), a resolver follows any.
    followed = watched.recursive or (is_within(end, watched.zone) and not reply.referred)
    needed = expected.through or not is_wanted
    if reply.rcode == NXDOMAIN or (followed and needed and not counted):
        return Seen(Finding.DANGLING, detail=f"CNAME {end}")
    return _answered(renamed[:1])


def _counted(rows: list[Row], expected: Expected) -> Seen:
    seen = _answered(rows)
    if len(seen.values) >= expected.least:
        return seen
    detail = f"{len(seen.values)} of at least {expected.least}"
    return Seen(Finding.FEW, seen.values, seen.ttl_s, detail)


def _answered(rows: list[Row]) -> Seen:
    values = tuple(sorted({row.value for row in rows}))
    return Seen(Finding.ANSWERED, values, min(row.ttl_s for row in rows))
