"""What a running sandbox knows of itself: addresses, processes, the newest report, last events.

The supervisor writes it, screens read it. Nothing is decided here.
"""

from collections import deque
from dataclasses import dataclass, field

from msgspec import Struct

from dnsplan.names import Name, parse_name
from dnsplan.runtime.config.schema import Settings
from dnsplan.runtime.status.model import Report
from dnsplan.runtime.status.verdict import Standing, Verdict
from sandbox.run.child import Child
from sandbox.run.events import Event
from sandbox.run.hosts import BackendAddress
from sandbox.run.lookout import Lookout

EVENTS_KEPT = 200
PAGE_SERVED = "page_served"


class Addresses(Struct, frozen=True):
    """Where everything listens, as HOST:PORT (URLs where a URL is used).

    `environment` is a file of shell exports that lead other commands here.
    """

    endpoint_url: str
    dns: str
    dns_private: str
    backends: str | None
    environment: str


@dataclass(slots=True)
class Stage:
    """One sandbox from its start to its end."""

    settings: Settings
    addresses: Addresses
    started_s: float
    backends: tuple[BackendAddress, ...] = ()
    children: list[Child] = field(default_factory=list)
    events: deque[Event] = field(default_factory=lambda: deque(maxlen=EVENTS_KEPT))
    lookout: Lookout = field(default_factory=Lookout)
    pages: dict[str, str] = field(default_factory=dict)
    report: Report | None = None
    verdicts: tuple[Verdict, ...] = ()
    answers: dict[tuple[str, str, str], tuple[str, ...]] = field(default_factory=dict)
    age_s: float = 0.0
    converged_after_s: float | None = None
    failure: str = ""

    @property
    def is_converged(self) -> bool:
        """Whether every zone stands as its head says, seen by every enactor.

        A zone that is only observed is held by its mode, and stands as it should.
        """
        expected = {
            label: {Standing.IN_SYNC, Standing.HELD}
            if zone.mode == "observe"
            else {Standing.IN_SYNC}
            for label, zone in self.settings.zones.items()
        }
        return bool(self.verdicts) and all(
            verdict.standing in expected[verdict.label] for verdict in self.verdicts
        )

    def hear(self, event: Event) -> None:
        """Take in one event: what the sentinel sees, and where a daemon's page is."""
        self.events.append(event)
        self.lookout.hear(event)
        if event.what == PAGE_SERVED:
            self.pages[event.who] = dict(event.facts).get("url", "")

    def missing(self) -> tuple[str, ...]:
        """What keeps each zone from being in sync, one line a zone."""
        if not self.verdicts:
            return ("nothing could be read yet",)
        return tuple(
            f"{verdict.label}: {'; '.join(verdict.reasons)}"
            for verdict in self.verdicts
            if verdict.reasons
        )

    def first_name(self) -> tuple[Name, bool]:
        """The first pool-driven name, which is worth digging, and whether its zone is private."""
        for zone in self.settings.zones.values():
            apex = parse_name(zone.name)
            for key, entry in zone.names.items():
                if entry.pool is not None:
                    return (apex if key == "@" else parse_name(f"{key}.{apex}")), zone.private
        zone = next(iter(self.settings.zones.values()))
        return parse_name(zone.name), zone.private
