"""Which enactor acts first on a zone, and when the others step in. Safety never rests on this.

Each zone has its own order of AZs (rendezvous hashing), so that work spreads and the loss of
one AZ moves only its zones. The first acts at once; the next only when the ones before it show no
progress.
"""

import hashlib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from dnsplan.plan import Generation
from dnsplan.ports import Presence, ZoneSighting


@dataclass(frozen=True, slots=True)
class Peer:
    """Another enactor's newest sign and how long ago it changed, on one's own clock."""

    presence: Presence
    unchanged_s: float

    def sighting(self, label: str) -> ZoneSighting | None:
        """What it said of a zone."""
        return next((one for one in self.presence.zones if one.label == label), None)


def order(label: str, azs: Collection[str]) -> tuple[str, ...]:
    """AZs by preference for a zone; the same everywhere, whatever the process or its seed."""
    return tuple(sorted(azs, key=lambda az: hashlib.sha256(f"{label}|{az}".encode()).digest()))


def alive(peers: Mapping[str, Peer], *, silent_s: float) -> frozenset[str]:
    """The AZs whose sign of life is fresh."""
    return frozenset(az for az, peer in peers.items() if peer.unchanged_s <= silent_s)


def rank(label: str, az: str, azs: Sequence[str], silent: Collection[str]) -> int:
    """How many AZs stand before this one and are not known to be silent."""
    before = order(label, azs)
    return sum(one not in silent for one in before[: before.index(az)])


def before(
    peers: Mapping[str, Peer], label: str, az: str, azs: Sequence[str], target: Generation
) -> Mapping[str, Peer]:
    """The peers to whom this AZ leaves a zone that both are at work on: those that stand before it,
    and whoever had the plan accepted already."""
    preferred = order(label, azs)
    first = preferred[: preferred.index(az)]
    return {
        name: peer
        for name, peer in peers.items()
        if name in first
        or ((seen := peer.sighting(label)) is not None and seen.generation == target)
    }


def is_busy(peers: Mapping[str, Peer], label: str, target: Generation, *, silent_s: float) -> bool:
    """Whether a living peer works on this generation, or had it accepted and waits for sync."""
    for peer in peers.values():
        sighting = peer.sighting(label)
        if sighting is None or sighting.holding is not None or peer.unchanged_s > silent_s:
            continue
        if target in (sighting.working_to, sighting.generation):
            return True
    return False


def may_act(
    *, rank: int, waited_s: float, busy_s: float | None, stagger_s: float, patience_s: float
) -> bool:
    """Whether it is this enactor's turn: after `rank` staggers, or when a peer that has been at
    work for `busy_s` stalls."""
    if busy_s is not None:
        return busy_s > patience_s
    return waited_s >= rank * stagger_s


def fence_check_every_s(fence_check_s: float, *, zones: int, requests_per_s: float) -> float:
    """The interval of fence checks, stretched to stay within a fifth of the request share."""
    return max(fence_check_s, zones / (requests_per_s / 5))
