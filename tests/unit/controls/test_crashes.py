"""An operator who dies at any request of a control, and another one who gives it again."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import replace

import pytest

from dnsplan.codec import unseal
from dnsplan.fence import SeenFence
from dnsplan.generation import GenerationItem
from dnsplan.plan import Generation
from dnsplan.ports import Zone
from runbooks.controls.freezing import Freezing, NotFrozen
from runbooks.controls.froze import Frozen
from runbooks.controls.outside import Operator, Outside
from runbooks.controls.pinning import Pinning, PinRefused
from runbooks.controls.rolling_back import RollingBack
from tests.fakes.audit import FakeAudit
from tests.fakes.clock import SeededJitter
from tests.fakes.cutting import Crashed, Cut, Moment
from tests.fakes.world import LIMITS, World, a
from tests.unit.adopting.hands import quiet, settled

OLD, NEW = a("www.example.com", "192.0.2.1"), a("www.example.com", "192.0.2.2")
CALLS_MAX = 40
ANN, BOB = Operator("ann", "drill"), Operator("bob", "drill")
Control = Callable[[World, Outside, Operator], Awaitable[None]]


def outside(world: World, cut: Cut, *, seed: int) -> Outside:
    """Deadly ports; chance of their own."""
    return Outside(
        table=cut.wrap(world.table),
        archive=cut.wrap(world.archive),
        records=cut.wrap(world.route53),
        audit=cut.wrap(FakeAudit()),
        clock=world.clock,
        jitter=SeededJitter(seed),
    )


class Side:
    """Route 53 as freeze opens it."""

    def __init__(self, world: World, ports: Outside) -> None:
        """Whatever the ports do."""
        self._world, self.records = world, ports.records

    async def zone_of(self, item: GenerationItem) -> Zone:
        """The one zone."""
        assert item.label == self._world.zone.label
        return self._world.zone


async def freeze(world: World, ports: Outside, who: Operator) -> None:
    """Frozen, or dead."""

    @asynccontextmanager
    async def opened() -> AsyncIterator[Side]:
        yield Side(world, ports)

    (ended,) = await Freezing(ports, who, quiet).freeze(("shop",), opened)
    assert isinstance(ended, Frozen)


async def thaw(world: World, ports: Outside, who: Operator) -> None:
    """Thawed; not frozen any more is as good."""
    with suppress(NotFrozen):
        await Freezing(ports, who, quiet).thaw(world.zone, "f1", ports.records)


async def pin(world: World, ports: Outside, who: Operator) -> None:
    """Pinned."""
    await Pinning(ports, who).pin(world.zone, Generation(2))


async def unpin(world: World, ports: Outside, who: Operator) -> None:
    """Unpinned; not pinned any more is as good."""
    with suppress(PinRefused):
        await Pinning(ports, who).unpin(world.zone)


async def roll_back(world: World, ports: Outside, who: Operator) -> None:
    """Old content at head and pinned, however often it is given."""
    hand = RollingBack(ports, who)
    found = await hand.prepare(world.zone, Generation(1), LIMITS, ())
    if found.changes or found.item.pin is None:
        await hand.publish(found, pinned=True)


@pytest.mark.parametrize("moment", list(Moment))
@pytest.mark.parametrize("control", [freeze, thaw, pin, unpin, roll_back])
async def test_the_same_word_of_another_operator_ends_what_a_dead_one_began(
    control: Control, moment: Moment
) -> None:
    """Wherever the first one dies, the zone ends as if nobody had: item, fence and records."""
    wanted = await given(control, Cut(0, moment), again=False)
    for call in range(1, CALLS_MAX):
        cut = Cut(call, moment)
        assert await given(control, cut, again=True) == wanted
        if cut.calls < call:
            return
    pytest.fail("it never came to its end")


async def given(control: Control, cut: Cut, *, again: bool) -> tuple[object, ...]:
    """What stands once the control was given, and given again."""
    world = await settled(OLD)
    await world.publish(NEW)
    if control is thaw:
        await frozen_by(world, "f1")
    if control is unpin:
        await pin(world, outside(world, Cut(0, Moment.BEFORE), seed=1), ANN)
    with suppress(Crashed):
        await control(world, outside(world, cut, seed=2), ANN)
    if again:
        await control(world, outside(world, Cut(0, Moment.BEFORE), seed=3), BOB)
    item, seen = await world.item(), await world.route53.read_fence(world.zone)
    assert isinstance(seen, SeenFence)
    assert item.frozen == seen.record.frozen
    newest = unseal(await world.archive.load(item.head_id)).content
    pinned = None if item.pin is None else item.pin == item.head
    is_frozen = item.frozen is not None
    return is_frozen, pinned, newest, seen.record.token, world.route53.content(world.zone)


async def frozen_by(world: World, freeze_id: str) -> None:
    """A freeze of this id, in table and fence."""
    hands = outside(world, Cut(0, Moment.BEFORE), seed=1)
    hands = replace(hands, jitter=Named(freeze_id))
    await freeze(world, hands, ANN)


class Named(SeededJitter):
    """Chance whose first token is known."""

    def __init__(self, first: str) -> None:
        """Then as ever."""
        super().__init__(9)
        self._first = [first]

    def token(self, bits: int) -> str:
        """The name, once."""
        return self._first.pop() if self._first else super().token(bits)
