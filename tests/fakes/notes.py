"""Exceptions rows and signs of life in memory, with failures on demand."""

from collections.abc import Sequence

from dnsplan.errors import ReadFailed
from dnsplan.plan import Generation
from dnsplan.ports import Presence
from enactor.rules.exceptions import ExceptionsRow


class FakeExceptionsLog:
    """Rows by zone, generation and nonce."""

    def __init__(self) -> None:
        """Start empty."""
        self.rows: dict[tuple[str, Generation, str], ExceptionsRow] = {}

    async def note(self, row: ExceptionsRow) -> None:
        """Keep a row."""
        self.rows[row.label, row.generation, row.nonce] = row

    async def find(self, label: str, generation: Generation, nonce: str) -> ExceptionsRow | None:
        """The row of one fence value."""
        return self.rows.get((label, generation, nonce))

    async def newest(self, label: str) -> Sequence[ExceptionsRow]:
        """Rows of a zone, newest generation first."""
        found = [row for row in self.rows.values() if row.label == label]
        return sorted(found, key=lambda row: -row.generation)


class FakeBoard:
    """One board for all AZs of a test."""

    def __init__(self) -> None:
        """Start empty and readable."""
        self.signs: dict[str, Presence] = {}
        self.fails = False

    async def announce(self, presence: Presence) -> None:
        """Replace an AZ's sign."""
        if self.fails:
            raise ReadFailed("the board cannot be written")
        self.signs[presence.az] = presence

    async def everyone(self) -> Sequence[Presence]:
        """All signs by AZ."""
        if self.fails:
            raise ReadFailed("the board cannot be read")
        return [self.signs[az] for az in sorted(self.signs)]
