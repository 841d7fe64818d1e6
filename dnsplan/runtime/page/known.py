"""What a page's daemon knows of the table: as it was read, or as a former process left it."""

from collections.abc import Mapping

from msgspec import Struct

from dnsplan.generation import GenerationItem
from dnsplan.plan import PlanId
from dnsplan.ports import Presence
from dnsplan.runtime.page.model import NameView, Stages


class PlanFacts(Struct, frozen=True):
    """What is kept of a plan's body: what a page has room for."""

    plan_id: PlanId
    created_s: int
    names: tuple[NameView, ...]
    more_names: int


class ZoneKnown(Struct, frozen=True):
    """What is known of one zone; `item` is None where the table has none."""

    item: GenerationItem | None = None
    stages: tuple[Stages, ...] | None = None
    head: PlanFacts | None = None
    standing: PlanFacts | None = None
    names_held: int = 0


class Known(Struct, frozen=True):
    """All of it, and when it was last read whole."""

    read_s: float
    zones: Mapping[str, ZoneKnown]
    presences: tuple[Presence, ...]


NOTHING_KNOWN = ZoneKnown()
