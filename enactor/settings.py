"""What one enactor needs to know, taken out of the config once at start."""

from msgspec import Struct

from dnsplan.guardrails import Limits
from dnsplan.ports import Zone


class ZoneTask(Struct, frozen=True):
    """One zone and how it is treated."""

    zone: Zone
    observe: bool
    repair_drift: bool
    limits: Limits


class Pace(Struct, frozen=True, kw_only=True):
    """How often and how long. Safety never rests on any of these numbers.

    `audit_s`: in this time an audit gets around a zone, if its share of the requests allows it.
    `view_max_s`: a listing older than this counts for nothing, since nothing ties its pages
    together but the fence. `confirm_max_s`: Route 53 is usually in sync within 60 s; after ten
    minutes the fence is asked again. `peer_silent_s`: three missed signs of life.
    """

    interval_s: float
    fence_check_s: float
    stagger_s: float
    requests_per_s: float
    audit_s: float = 600.0
    announce_s: float = 5.0
    peer_silent_s: float = 15.0
    view_max_s: float = 30.0
    confirm_max_s: float = 600.0
    rounds_max: int = 64

    @property
    def zones_at_once(self) -> int:
        """Enough to keep the share of requests flowing while a few answers are lost.

        More would wait in line for their requests, with plans that grow old there.
        """
        return max(6, int(2 * self.requests_per_s))
