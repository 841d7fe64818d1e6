"""What the daemons need from outside, in our words. Adapters and strict fakes stand behind these.

Reads raise ReadFailed when anything of them failed; writes come back as outcomes.
"""

from collections.abc import Mapping, Sequence
from typing import Protocol

from msgspec import Struct

from dnsplan.codec import Envelope
from dnsplan.errors import ItemUnreadable
from dnsplan.fence import NoFence, SeenFence
from dnsplan.generation import GenerationItem, Transition
from dnsplan.names import Name
from dnsplan.outcomes import WriteOutcome
from dnsplan.plan import Generation, PlanId


class Clock(Protocol):
    """Time as a daemon sees it. Wall time is for people and ledgers, never for ordering writes."""

    def now_s(self) -> float:
        """Seconds since 1970."""
        ...

    def elapsed_s(self) -> float:
        """Seconds on a clock that never goes back; only differences mean something."""
        ...

    async def sleep(self, seconds: float) -> None:
        """Wait; 0 gives way to others once."""
        ...


class Jitter(Protocol):
    """Chance."""

    def uniform(self, low: float, high: float) -> float:
        """A number in [low, high]."""
        ...

    def token(self, bits: int) -> str:
        """A fresh token in lower-case hex that nobody else draws."""
        ...


class Zone(Struct, frozen=True):
    """A zone by its id, as every call names it. Names never find a zone."""

    label: str
    zone_id: str
    name: Name


class PlanRow(Struct, frozen=True, kw_only=True):
    """What is kept about a plan beside its body; it outlives the body as a tombstone.

    `key_id` tells people who signed it; only the signature beside the body proves it.
    """

    plan_id: PlanId
    created_s: int
    author: str
    reason: str
    base: Generation
    chunks: int
    record_sets: int
    deleted_s: int | None = None
    deleted_by: str | None = None
    key_id: str = ""


def all_readable(
    found: Mapping[str, GenerationItem | ItemUnreadable],
) -> Mapping[str, GenerationItem]:
    """The items of a read that is of use only whole; the first that cannot be read is raised."""
    items: dict[str, GenerationItem] = {}
    for label, item in found.items():
        if isinstance(item, ItemUnreadable):
            raise item
        items[label] = item
    return items


class GenerationTable(Protocol):
    """The generation items. All reads are consistent."""

    async def incarnation(self) -> str:
        """The id of the table that is open now; another id means restored or copied."""
        ...

    async def read(self, labels: Sequence[str]) -> Mapping[str, GenerationItem]:
        """The items there are; a label that is left out has none. Incomplete: ReadFailed."""
        ...

    async def read_each(
        self, labels: Sequence[str]
    ) -> Mapping[str, GenerationItem | ItemUnreadable]:
        """As `read`, but what cannot be read of one zone's item stands in its place, so that this
        zone holds and the others go on."""
        ...

    async def write(self, transition: Transition) -> WriteOutcome:
        """Write one item if its conditions hold, once."""
        ...


class PlanArchive(Protocol):
    """Plan bodies and rows, by plan id."""

    async def store(self, envelope: Envelope, row: PlanRow) -> None:
        """Write chunks, then the row; storing the same id again changes nothing but who vouches for
        the same bytes."""
        ...

    async def load(self, plan_id: PlanId) -> Envelope:
        """The body, or PlanMissing / PlanDamaged when it is not whole."""
        ...

    async def rows(self, label: str) -> Sequence[PlanRow]:
        """Every row of a zone by generation, tombstones too."""
        ...

    async def bury(self, row: PlanRow, *, by: str, now_s: int) -> None:
        """Turn a row into a tombstone, then delete its chunks."""
        ...

    async def sweep(self, label: str, *, below: Generation) -> int:
        """Delete chunks below a raised floor that no row speaks of; how many there were."""
        ...


class FenceReader(Protocol):
    """The one thing that cleanup may ask of Route 53."""

    async def read_fence(self, zone: Zone) -> SeenFence | NoFence:
        """The fence as the control API shows it now, in one small request; or FenceDamaged."""
        ...


class ZoneSighting(Struct, frozen=True, array_like=True):
    """What one enactor last knew of one zone. `holding` is a reason in words, or None.

    `drift` says what others changed there, `notes` what people should know ahead of trouble, in
    words: a few lines of each.
    """

    label: str
    generation: Generation
    step: int
    holding: str | None
    seen_s: int
    working_to: Generation | None = None
    drift: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


class Presence(Struct, frozen=True, array_like=True):
    """An enactor's sign of life: advice for pacing and for people, never a reason to write."""

    az: str
    written_s: int
    zones: tuple[ZoneSighting, ...]


class PresenceBoard(Protocol):
    """Where enactors show that they are alive, so that they need not all ask Route 53."""

    async def announce(self, presence: Presence) -> None:
        """Replace this AZ's sign; best effort, a lost one costs only pace."""
        ...

    async def everyone(self) -> Sequence[Presence]:
        """The newest sign of each AZ that ever wrote one."""
        ...
