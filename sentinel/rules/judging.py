"""From looks over several paths to what ails a name.

A server that answers on any transport answers. A type that no server answers is gone; one that
some servers answer and others deny is gone for a part of the world. A server that is silent or
fails while others answer does not empty a name, since resolvers then ask the next.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from sentinel.rules.findings import DENIALS, Finding, Seen

Transport = Literal["udp", "tcp"]


@dataclass(frozen=True, slots=True)
class Look:
    """What one path showed for one type. `server` is the server's address as text."""

    type: str
    server: str
    transport: Transport
    seen: Seen


@dataclass(frozen=True, slots=True, order=True)
class Ailment:
    """What is wrong with one type of a name. `partly`: some servers answer."""

    type: str
    finding: Finding
    partly: bool = False


# Sorted by type, none for a name that is well.
Ailments: TypeAlias = tuple[Ailment, ...]
WELL: Ailments = ()

# Of several findings at one server or of several servers, the one that says most stands: a denial
# is about the name, an error about the server, and silence is about nobody.
_TELLING = (
    Finding.DANGLING,
    Finding.NODATA,
    Finding.NXDOMAIN,
    Finding.FEW,
    Finding.SERVFAIL,
    Finding.LAME,
    Finding.TIMEOUT,
)


def judge(looks: Iterable[Look]) -> Ailments:
    """What a round shows. A type that nobody was asked for is not judged."""
    by_type: dict[str, dict[str, list[Finding]]] = {}
    for look in looks:
        by_server = by_type.setdefault(look.type, {})
        by_server.setdefault(look.server, []).append(look.seen.finding)
    judged = (_judge_type(kind, by_server) for kind, by_server in by_type.items())
    return tuple(sorted(one for one in judged if one is not None))


def blamed(looks: Iterable[Look]) -> dict[str, bool]:
    """Each server, and whether it left out what another server answered."""
    answered: dict[str, set[str]] = {}
    servers: dict[str, None] = {}
    types: dict[str, None] = {}
    for look in looks:
        servers[look.server] = None
        types[look.type] = None
        if look.seen.finding is Finding.ANSWERED:
            answered.setdefault(look.type, set()).add(look.server)
    return {
        server: any(answered.get(kind) and server not in answered[kind] for kind in types)
        for server in servers
    }


def have_given_up(looks: Iterable[Look]) -> bool:
    """Whether all servers that speak say that they do not know the zone."""
    return {look.seen.finding for look in looks} - {Finding.TIMEOUT} == {Finding.LAME}


def is_whole(ailments: Ailments) -> bool:
    """Whether some type has no answer anywhere."""
    return any(not one.partly for one in ailments)


def _judge_type(kind: str, by_server: Mapping[str, list[Finding]]) -> Ailment | None:
    best = [_best(findings) for findings in by_server.values()]
    bad: Counter[Finding] = Counter(one for one in best if one is not Finding.ANSWERED)
    if not bad:
        return None
    if sum(bad.values()) < len(best):
        denied = [one for one in _TELLING if one in DENIALS and bad[one]]
        return Ailment(kind, denied[0], partly=True) if denied else None
    return Ailment(kind, _most_telling(bad))


def _best(findings: list[Finding]) -> Finding:
    if Finding.ANSWERED in findings:
        return Finding.ANSWERED
    return min(findings, key=_TELLING.index)


def _most_telling(bad: Counter[Finding]) -> Finding:
    """Silence says nothing while any server speaks; else what most servers say."""
    counts = {one: count for one, count in bad.items() if one is not Finding.TIMEOUT} or bad
    return min(counts, key=lambda one: (one not in DENIALS, -counts[one], _TELLING.index(one)))
