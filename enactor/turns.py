"""Whose turn it is: this AZ's beside its peers', zone by zone. Being wrong costs pace only."""

from collections.abc import Mapping, Sequence

from dnsplan.plan import Generation
from enactor.pacing import ZonePacing, audited_again_s, checked_again_s
from enactor.rules import stagger
from enactor.rules.outcomes import Outcome
from enactor.rules.stagger import Peer
from enactor.rules.urgency import Errand
from enactor.settings import Pace, ZoneTask

Peers = Mapping[str, Peer]


class Turns:
    """One AZ among all that run an enactor."""

    def __init__(self, *, az: str, azs: Sequence[str], pace: Pace) -> None:
        """`az` is this one. How many zones share its requests is told as they come and go."""
        self._az, self._azs, self._pace = az, azs, pace
        self.zones = 0

    def errand(
        self, task: ZoneTask, target: Generation, peers: Peers, pacing: ZonePacing, *, now_s: float
    ) -> Errand | None:
        """Whose plan it would be, if this AZ may work on it now.

        Who only observes makes no progress that others could wait for: the first AZ looks.
        """
        label, pace = task.zone.label, self._pace
        if task.observe:
            return Errand.CHECK if self.checks(label, peers) else None
        silent = set(peers) - stagger.alive(peers, silent_s=pace.peer_silent_s)
        rank = stagger.rank(label, self._az, self._azs, silent)
        may_act = stagger.may_act(
            rank=rank,
            waited_s=now_s - pacing.waiting_since_s,
            busy_s=self._busy_s(label, target, peers, pacing, now_s=now_s),
            stagger_s=pace.stagger_s,
            patience_s=pace.confirm_max_s,
        )
        if not may_act:
            return None
        return Errand.HELP if rank else Errand.PLAN

    def gives_way(
        self, label: str, target: Generation, peers: Peers, pacing: ZonePacing, *, now_s: float
    ) -> bool:
        """Whether a peer that does not stall is at work as well, and comes before this AZ."""
        first = stagger.before(peers, label, self._az, self._azs, target)
        busy_s = self._busy_s(label, target, first, pacing, now_s=now_s)
        return busy_s is not None and busy_s <= self._pace.confirm_max_s

    def checks(self, label: str, peers: Peers) -> bool:
        """Whether this AZ is the first living one in the zone's order."""
        living = stagger.alive(peers, silent_s=self._pace.peer_silent_s) | {self._az}
        return next(az for az in stagger.order(label, self._azs) if az in living) == self._az

    def check_every_s(self) -> float:
        """How often a quiet zone's fence is read."""
        return checked_again_s(self._pace, zones=self.zones)

    def page_every_s(self, outcome: Outcome, pages: int | None) -> float:
        """How long after a page of a zone's audit the next one comes; `pages` None: soon."""
        return audited_again_s(self._pace, outcome, pages=pages, zones=self.zones)

    def _busy_s(
        self, label: str, target: Generation, peers: Peers, pacing: ZonePacing, *, now_s: float
    ) -> float | None:
        """For how long a peer has been seen at work on the target."""
        busy = stagger.is_busy(peers, label, target, silent_s=self._pace.peer_silent_s)
        return pacing.busy_s(now_s) if busy else None
