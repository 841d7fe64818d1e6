"""Asks Route 53's control API about names: at once about a name in doubt, slowly about the others.

It is help and not a condition: unreachable, throttled or denied, the name servers alone decide.
What it says differently from DNS is logged and makes the name suspected, which DNS then settles.
"""

from collections.abc import Callable, Mapping, Sequence

import structlog

from dnsplan.errors import DnsplanError
from dnsplan.ports import Clock
from dnsplan.records import RecordSet
from sentinel.ports import ControlView
from sentinel.rules.opinion import (
    Absent,
    Aliased,
    NotAsked,
    Opinion,
    aliases_at,
    in_words,
    opinion,
    within_zone,
)
from sentinel.rules.watched import NameKey, WatchedName

# An alias tree that points to more names than these is judged by its first ones.
TARGETS_ASKED_MAX = 4


class SecondOpinion:
    """What the control API says about names, in a bounded time. `view` None: it is not used."""

    def __init__(self, view: ControlView | None, clock: Clock, *, ask_s: float) -> None:
        """Keep what asks."""
        self._view = view
        self._clock = clock
        self._ask_s = ask_s

    async def about(self, watched: WatchedName) -> Mapping[str, Opinion]:
        """An opinion for each type of a name; none when the control API is not used."""
        if self._view is None:
            return {}
        kinds = [one.type for one in watched.expected]
        try:
            return await self._about(self._view, watched, kinds)
        except DnsplanError as error:
            return dict.fromkeys(kinds, NotAsked(str(error)))

    async def _about(
        self, view: ControlView, watched: WatchedName, kinds: Sequence[str]
    ) -> Mapping[str, Opinion]:
        until_s = self._clock.elapsed_s() + self._ask_s
        listed = await view.listed(watched.label, watched.name, timeout_s=self._ask_s)
        zone_id = await view.zone_id(watched.label)
        wanted = {
            name: None for kind in kinds for name in within_zone(aliases_at(listed, kind), zone_id)
        }
        targets: list[RecordSet] = []
        asked = [one for one in wanted if one != watched.name][:TARGETS_ASKED_MAX]
        for name in asked:
            left_s = max(0.0, until_s - self._clock.elapsed_s())
            targets.extend(await view.listed(watched.label, name, timeout_s=left_s))
        return {
            kind: opinion(listed, kind, zone_id=zone_id, targets=(*targets, *listed))
            for kind in kinds
        }


class SlowRound:
    """Asks about one name after another, in turn, and reports what differs from DNS."""

    def __init__(
        self,
        names: Sequence[WatchedName],
        second: SecondOpinion,
        *,
        is_well: Callable[[NameKey], bool],
        doubt: Callable[[NameKey], None],
    ) -> None:
        """`is_well`: DNS answers a name; only of such can it be said that the two differ."""
        self._names = names
        self._second = second
        self._is_well = is_well
        self._doubt = doubt
        self._turn = 0
        self._differing: dict[NameKey, str] = {}
        self._log = structlog.get_logger("sentinel")

    async def run_once(self) -> None:
        """The next name."""
        if not self._names:
            return
        watched = self._names[self._turn % len(self._names)]
        self._turn += 1
        said = await self._second.about(watched)
        if not said or not self._is_well(watched.key):
            return
        differing = _differing(said)
        if differing is None:
            return
        before = self._differing.pop(watched.key, "")
        if differing:
            self._differing[watched.key] = differing
        if differing and differing != before:
            facts = {"zone": watched.label, "name": watched.name}
            self._log.warning("control_api_differs", **facts, reason=differing)
            self._doubt(watched.key)


def _differing(said: Mapping[str, Opinion]) -> str | None:
    """What the control API misses that DNS answers; the empty text when nothing; None unknown."""
    if any(isinstance(one, NotAsked) for one in said.values()):
        return None
    missed = [
        f"{kind}: {in_words(one)}"
        for kind, one in sorted(said.items())
        if isinstance(one, Absent) or (isinstance(one, Aliased) and one.missing)
    ]
    return "; ".join(missed)
