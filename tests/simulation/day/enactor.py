"""What the enactors of a day have applied: each plan a while after it was published.

It knows no records. It keeps `applied` as enactors that keep up would, and as enactors that stand
still while the truth says so; superseded plans are passed over, as the product's enactors do.
"""

from dataclasses import dataclass, field

from dnsplan.plan import NO_GENERATION, Generation
from dnsplan.transitions import record_applied
from tests.fakes.clock import FakeClock
from tests.fakes.table import FakeTable
from tests.simulation.day.truth import Truth

# Route 53 is in sync within a minute; half of one is usual.
IN_SYNC_AFTER_S = 30.0


@dataclass(slots=True)
class Enactor:
    """The enactors of all AZs as one."""

    truth: Truth
    clock: FakeClock
    table: FakeTable
    published: list[tuple[float, Generation]] = field(default_factory=list)

    async def run_once(self) -> None:
        """Note what is in sync by now; without the table nothing is noted."""
        item = self.table.items.get("shop")
        if item is None or not self.table.reachable:
            return
        now_s = self.clock.elapsed_s()
        newest = self.published[-1][1] if self.published else NO_GENERATION
        if item.head > newest:
            self.published.append((now_s, item.head))
        if self.truth.is_stalled(now_s):
            return
        done = [number for at_s, number in self.published if at_s <= now_s - IN_SYNC_AFTER_S]
        if done and done[-1] > item.applied:
            nonce = f"in sync {done[-1]}"
            await self.table.write(record_applied(item, done[-1], fence="", good=True, nonce=nonce))
