"""A world as looking commands see it, with signs of life that a test writes."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from dnsplan.errors import ReadFailed
from dnsplan.ports import Presence, Zone
from runbooks.looking.eyes import Eyes
from tests.fakes.clock import SeededJitter
from tests.fakes.world import World

APEX = "example.com"


@dataclass
class FakeBoard:
    """Signs of life in memory."""

    signs: list[Presence] = field(default_factory=list)
    reachable: bool = True

    async def announce(self, presence: Presence) -> None:
        """Keep a sign."""
        self.signs.append(presence)

    async def everyone(self) -> Sequence[Presence]:
        """All of them."""
        if not self.reachable:
            raise ReadFailed("the board cannot be reached")
        return self.signs


def eyes_on(world: World, board: FakeBoard | None = None) -> Eyes:
    """Eyes on the world's ports."""

    async def find(label: str) -> Zone:
        assert label == world.label
        return world.zone

    return Eyes(
        table=world.table,
        archive=world.archive,
        exceptions=world.exceptions,
        presence=board or FakeBoard(),
        records=world.records,
        find_zone=find,
        clock=world.clock,
        jitter=SeededJitter(7),
    )


async def applied(world: World) -> None:
    """An enactor applies head, and notes it."""
    cycle = world.az()
    await world.enact(cycle)
    await world.settle(cycle)
