"""What one enactor remembers of each zone in order to pace itself. Losing it costs pace only."""

from dataclasses import dataclass, field

from dnsplan.generation import GenerationItem
from dnsplan.plan import PlanId
from dnsplan.ports import Jitter, ZoneSighting
from enactor.rules import backoff, stagger
from enactor.rules.auditing import page_every_s
from enactor.rules.findings import Findings
from enactor.rules.outcomes import Held, Outcome
from enactor.rules.trouble import Trouble, cycled, drifted, looked
from enactor.settings import Pace

# Zones in mode observe are listed whole; this keeps their listings within a fifth of the time.
RESTS_A_LISTING = 4.0


@dataclass(slots=True)
class ZonePacing:
    """Instants are on the elapsed clock."""

    next_check_s: float
    next_audit_s: float
    target: PlanId | None = None
    waiting_since_s: float = 0.0
    busy_since_s: float | None = None
    begun_s: float = 0.0
    is_spread: bool = False
    not_before_s: float = 0.0
    face: tuple[object, ...] = ()
    last: type[Outcome] | None = None
    in_a_row: int = 0
    sighting: ZoneSighting | None = None
    findings: Findings = field(default_factory=Findings)
    trouble: Trouble = field(default_factory=Trouble)

    def look(self, item: GenerationItem, target: PlanId, now_s: float) -> bool:
        """Note what the table says; whether the zone may be worked on now.

        A new target starts the wait for one's turn; any word of planner or operator ends a pause.
        """
        self.trouble = looked(self.trouble, item, target.generation, now_s=now_s)
        if self.target != target:
            self.target, self.waiting_since_s, self.busy_since_s = target, now_s, None
        face = (
            item.head,
            item.head_digest,
            item.frozen,
            item.pin,
            item.ahead,
            item.incarnation,
            item.zone_id,
        )
        if self.face != face:
            self.face, self.not_before_s, self.in_a_row = face, 0.0, 0
        return now_s >= self.not_before_s

    def busy_s(self, now_s: float) -> float:
        """A peer is at work on the target; for how long it has been seen so."""
        self.busy_since_s = now_s if self.busy_since_s is None else self.busy_since_s
        return now_s - self.busy_since_s

    def spread_checks(self, every_s: float, jitter: Jitter, *, now_s: float) -> None:
        """After an outage checks come at random times, as after a start, and not all at once."""
        if now_s > self.next_check_s + every_s and not self.is_spread:
            self.is_spread = True
            self.next_check_s = now_s + jitter.uniform(0, every_s)
            self.next_audit_s = max(self.next_audit_s, self.next_check_s)

    def note(self, outcome: Outcome, *, interval_s: float, now_s: float, spread: float) -> bool:
        """Note an outcome and pause if it asks for it; whether its kind is new. `spread`: 0.5-1."""
        is_new = self.last is not type(outcome)
        self.in_a_row = 1 if is_new else self.in_a_row + 1
        self.last = type(outcome)
        pause_s = backoff.wait_s(outcome, in_a_row=self.in_a_row, interval_s=interval_s)
        if pause_s:
            self.not_before_s = now_s + pause_s * spread
        return is_new

    def cycled(self, outcome: Outcome, *, now_s: float) -> None:
        """A cycle of this enactor ended so."""
        self.trouble = cycled(self.trouble, outcome, now_s=now_s)

    def find(self, findings: Findings, *, now_s: float) -> None:
        """Keep what a cycle found."""
        self.findings = findings
        self.trouble = drifted(self.trouble, tuple(map(str, findings.drift)), now_s=now_s)

    def rest(self, *, took_s: float, now_s: float) -> None:
        """A listing of a long zone takes its time; it may take a fifth of it, and no more."""
        self.not_before_s = max(self.not_before_s, now_s + took_s * RESTS_A_LISTING)


def checked_again_s(pace: Pace, *, zones: int) -> float:
    """Seconds between two fence checks of a zone."""
    return stagger.fence_check_every_s(
        pace.fence_check_s, zones=zones, requests_per_s=pace.requests_per_s
    )


def audited_again_s(pace: Pace, outcome: Outcome, *, pages: int | None, zones: int) -> float:
    """Seconds from one page of a zone's audit to the next; at once where `pages` is not known."""
    if pages is None:
        return 0.0
    if isinstance(outcome, Held):  # the page was not read, or not mended
        return min(pace.audit_s, pace.fence_check_s)
    return page_every_s(
        pace.audit_s,
        pages=pages,
        zones=zones,
        check_every_s=checked_again_s(pace, zones=zones),
        requests_per_s=pace.requests_per_s,
    )
