"""What a status page shows, as one object. Instants are seconds since 1970; ages are the page's.

An object stays equal as long as nothing has happened, so that a page which watches is told only
news. What is left out for its length is counted (`more_...`), never dropped in silence.
"""

import msgspec
from msgspec import Struct

# A stage that was reached before this page's daemon began to look.
EARLIER_S = 0.0


class About(Struct, frozen=True):
    """Whose page it is."""

    component: str
    az: str | None
    version: str
    started_s: float


class Source(Struct, frozen=True):
    """Where the zones below come from, when that was last read whole, and why it is not now."""

    what: str
    read_s: float | None
    failing: str | None
    failing_since_s: float | None


class Hold(Struct, frozen=True):
    """Who leaves a zone as it is, since when and why, and what an operator types next."""

    who: str
    rule: str
    text: str
    command: str
    since_s: float | None


class AzView(Struct, frozen=True):
    """What one AZ's enactor last knew of the zone."""

    az: str
    generation: int | None
    seen_s: float | None
    working_to: int | None


class Stages(Struct, frozen=True, kw_only=True):
    """One generation's way: when each stage was first seen; None: not yet, or passed by."""

    generation: int
    planned_s: float
    trace: str = ""
    author: str = ""
    reason: str = ""
    claimed_s: float | None = None
    applied_s: float | None = None
    seen_by: tuple[tuple[str, float], ...] = ()
    passed_by: bool = False


class TargetView(Struct, frozen=True):
    """One target of a name: whether it answers, what its probes say, and since when."""

    target: str | None
    answer: str
    place: str
    health: str
    why: str
    since_s: float | None


class NameView(Struct, frozen=True, kw_only=True):
    """One name and type, and what it answers. `targets` is None where this daemon probes none."""

    name: str
    type: str
    ttl_s: int | None
    answers: tuple[str, ...]
    targets_all: int | None = None
    targets_healthy: int | None = None
    targets: tuple[TargetView, ...] | None = None
    state: str = ""
    is_ill: bool = False


class ZoneView(Struct, frozen=True, kw_only=True):
    """One zone. Generations are None where this daemon does not read the table."""

    label: str
    zone: str
    mode: str
    standing: str
    reasons: tuple[str, ...]
    head: int | None = None
    claimed: int | None = None
    applied: int | None = None
    last_known_good: int | None = None
    floor: int | None = None
    frozen: str | None = None
    pin: int | None = None
    azs: tuple[AzView, ...] = ()
    stages: tuple[Stages, ...] = ()
    holds: tuple[Hold, ...] = ()
    names: tuple[NameView, ...] = ()
    more_names: int = 0


class EventView(Struct, frozen=True):
    """One log event of this daemon."""

    at_s: float
    level: str
    what: str
    zone: str
    text: str


class PageState(Struct, frozen=True):
    """All that a page shows at a moment. `config`: why the config's files are not what the daemon
    goes by."""

    about: About
    source: Source
    not_ready: tuple[str, ...]
    zones: tuple[ZoneView, ...]
    more_zones: int
    events: tuple[EventView, ...]
    config: tuple[str, ...] = ()


def to_json(state: PageState) -> bytes:
    """As the page's script reads it."""
    return msgspec.json.encode(state)
