"""Plan bodies and rows in memory, with damage on demand."""

from collections.abc import Sequence

from msgspec import structs

from dnsplan.codec import Envelope
from dnsplan.errors import PlanMissing, ReadFailed
from dnsplan.plan import Generation, PlanId
from dnsplan.ports import PlanRow


class FakeArchive:
    """Bodies by plan id."""

    def __init__(self) -> None:
        """Start empty and reachable."""
        self.bodies: dict[PlanId, Envelope] = {}
        self.kept: dict[PlanId, PlanRow] = {}
        self.reachable = True

    async def store(self, envelope: Envelope, row: PlanRow) -> None:
        """Write the body, then the row; the same id again changes nothing but who vouches for it,
        and a deleted one raises."""
        self._reach()
        there = self.bodies.setdefault(envelope.plan_id, envelope)
        if envelope.key_id and there.body == envelope.body:
            self.bodies[envelope.plan_id] = envelope
        if self.kept.setdefault(row.plan_id, row).deleted_s is not None:
            raise PlanMissing(f"plan {row.plan_id.label} {row.plan_id.generation} was deleted")

    async def load(self, plan_id: PlanId) -> Envelope:
        """The body, or PlanMissing."""
        self._reach()
        if plan_id not in self.bodies:
            raise PlanMissing(f"no body of plan {plan_id.label} {plan_id.generation}")
        return self.bodies[plan_id]

    async def rows(self, label: str) -> Sequence[PlanRow]:
        """Rows of a zone by generation."""
        self._reach()
        found = [row for row in self.kept.values() if row.plan_id.label == label]
        return sorted(found, key=lambda row: (row.plan_id.generation, row.plan_id.digest))

    async def bury(self, row: PlanRow, *, by: str, now_s: int) -> None:
        """Leave a tombstone, then delete the body; the first burial's words stay."""
        self._reach()
        there = self.kept.get(row.plan_id, row)
        if there.deleted_s is None:
            there = structs.replace(there, deleted_s=now_s, deleted_by=by)
        self.kept[row.plan_id] = there
        self.bodies.pop(row.plan_id, None)

    async def forget(self, tombstone: PlanRow) -> None:
        """Delete a row for good, if it is this tombstone still."""
        self._reach()
        if tombstone.deleted_s is not None and self.kept.get(tombstone.plan_id) == tombstone:
            del self.kept[tombstone.plan_id]

    async def sweep(self, label: str, *, below: Generation) -> int:
        """Delete bodies below the floor that no row speaks of, or only a tombstone."""
        self._reach()
        living = {row.plan_id for row in self.kept.values() if row.deleted_s is None}
        orphans = [
            one
            for one in self.bodies
            if one.label == label and one.generation < below and one not in living
        ]
        for one in orphans:
            del self.bodies[one]
        return len(orphans)

    def _reach(self) -> None:
        if not self.reachable:
            raise ReadFailed("the archive cannot be reached")
