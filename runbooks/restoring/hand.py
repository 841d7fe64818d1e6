"""Route 53 as a restore reaches it: the enactor's port, with a word to the operator as it goes.

There is no table, so names that Route 53 refuses are noted nowhere but on the terminal; an enactor
that meets a fence which holds names back without a note lists the zone.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from dnsplan.fence import NoFence, SeenFence
from dnsplan.names import Name
from dnsplan.outcomes import Accepted, SubmitOutcome
from dnsplan.plan import Generation
from dnsplan.ports import Zone
from dnsplan.records import RecordSet
from enactor.ports import ChangeStatus, Cursor, Page, ZoneRecords
from enactor.rules.exceptions import ExceptionsRow
from enactor.rules.packing import ChangeBatch
from runbooks.controls.fence_mover import Tell

# A listing of a long zone takes minutes; an operator hears of it each so many pages.
PAGES_TOLD = 20


class PassingNotes:
    """`enactor.ports.ExceptionsLog` for as long as the command runs."""

    def __init__(self) -> None:
        """Start empty."""
        self._rows: list[ExceptionsRow] = []

    async def note(self, row: ExceptionsRow) -> None:
        """Keep a row."""
        self._rows.append(row)

    async def find(self, label: str, generation: Generation, nonce: str) -> ExceptionsRow | None:
        """The row of one fence value."""
        wanted = (label, generation, nonce)
        rows = await self.newest(label)
        return next((one for one in rows if (one.label, one.generation, one.nonce) == wanted), None)

    async def newest(self, label: str) -> Sequence[ExceptionsRow]:
        """The rows of a zone, newest first."""
        return [one for one in reversed(self._rows) if one.label == label]


@dataclass(slots=True)
class ToldRecords:
    """`enactor.ports.ZoneRecords` that says how far it is; it changes no answer."""

    records: ZoneRecords
    tell: Tell
    pages: int = 0

    async def read_fence(self, zone: Zone) -> SeenFence | NoFence:
        """The fence."""
        return await self.records.read_fence(zone)

    async def list_page(self, zone: Zone, start: Cursor | None) -> Page:
        """One page."""
        page = await self.records.list_page(zone, start)
        self.pages += 1
        if self.pages % PAGES_TOLD == 0 and page.following is not None:
            self.tell(f"{zone.label}: listing, at {page.following.name}")
        return page

    async def list_name(self, zone: Zone, name: Name) -> tuple[RecordSet, ...]:
        """Every record set of one name."""
        return await self.records.list_name(zone, name)

    async def submit(self, zone: Zone, batch: ChangeBatch) -> SubmitOutcome:
        """Send a batch once."""
        outcome = await self.records.submit(zone, batch)
        if isinstance(outcome, Accepted):
            fence = batch.fence
            self.tell(
                f"{zone.label}: generation {fence.generation} step {fence.step}/{fence.steps}"
                " accepted"
            )
        return outcome

    async def change_status(self, zone: Zone, change_id: str) -> ChangeStatus:
        """How far an accepted change has come."""
        return await self.records.change_status(zone, change_id)
