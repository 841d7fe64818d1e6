"""Who was heard when: the memory behind `sight`.

What was silent while nothing could be heard has to be silent again, once something is heard, before
it counts against a zone; else the end of one outage here would look like many outages there.
"""

from collections.abc import Collection, Iterable

from dnsplan.ports import Clock
from sentinel.rules.pace import Pace
from sentinel.rules.sight import Sight, sight


class Vantage:
    """What this process hears of each zone's servers."""

    def __init__(self, labels: Iterable[str], clock: Clock, pace: Pace) -> None:
        """Nobody is silent until rounds say so."""
        now_s = clock.elapsed_s()
        self._clock = clock
        self._pace = pace
        self._heard_s = dict.fromkeys(labels, now_s)
        self._last_s = now_s
        self._missed: dict[str, float] = {}
        self._silent: dict[str, float] = {}
        self._unseen: frozenset[str] = frozenset()
        self._was_blind = False

    def hear(self, label: str) -> None:
        """A server of a zone said something."""
        now_s = self._clock.elapsed_s()
        self._heard_s[label] = self._last_s = now_s
        self._missed.pop(label, None)
        self._silent.pop(label, None)
        if self._was_blind:
            self._was_blind = False
            self._missed.clear()
            self._silent = {one: at for one, at in self._silent.items() if one in self._unseen}

    def miss(self, label: str, *, begun_s: float) -> bool:
        """A round, of whichever name, heard nobody; whether the zone counts as silent by now.

        It does after a second such round that began when the first had ended, with nobody heard
        since the first began.
        """
        if self._heard_s[label] >= begun_s:
            return False
        now_s = self._clock.elapsed_s()
        if begun_s >= self._missed.setdefault(label, now_s):
            self._silent.setdefault(label, now_s)
        return label in self._silent

    def is_silent(self, label: str) -> bool:
        """Whether a zone counts as silent."""
        return label in self._silent

    def sight(self, unfound: Collection[str]) -> Sight:
        """What can be seen now. `unfound`: zones whose servers nobody could find."""
        seen = sight(
            self._heard_s,
            self._silent,
            unfound,
            pace=self._pace,
            heard_s=self._last_s,
            now_s=self._clock.elapsed_s(),
        )
        self._was_blind = seen.is_blind
        if not seen.is_blind:
            self._unseen = seen.unseen
        return seen
