"""Three enactors over one zone: who asks Route 53, who waits, and who takes over."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from msgspec import structs
from structlog.testing import capture_logs

from dnsplan.errors import ItemUnreadable
from dnsplan.fence import NoFence
from dnsplan.generation import GenerationItem
from dnsplan.transitions import freeze, thaw
from enactor.daemon import EnactorDaemon
from enactor.rules import stagger
from tests.fakes.notes import FakeBoard
from tests.fakes.table import FakeTable
from tests.fakes.world import PACE, World, a

AZS = ("az1", "az2", "az3")


class Trio:
    """A world with a daemon in each AZ; requests are counted by AZ."""

    def __init__(self) -> None:
        """Nobody has run yet."""
        self.world = World()
        self.board = FakeBoard()
        self.azs = {az: self.daemon(az) for az in AZS}
        self.spent: dict[str, Counter[str]] = {az: Counter() for az in AZS}
        self.order = stagger.order(self.world.label, AZS)

    def daemon(self, az: str) -> EnactorDaemon:
        """A daemon as after a restart."""
        world = self.world
        daemon = EnactorDaemon(
            world.outside(sum(az.encode())), self.board, az=az, azs=AZS, pace=PACE
        )
        daemon.admit(world.task)
        return daemon

    async def run(self, seconds: float, *, dead: tuple[str, ...] = ()) -> None:
        """Let every living AZ pass every two seconds."""
        for _ in range(int(seconds / 2)):
            for az, daemon in self.azs.items():
                if az in dead:
                    continue
                before = Counter(self.world.route53.requests)
                await daemon.run_once()
                await daemon.finish()
                self.spent[az] += Counter(self.world.route53.requests) - before
            self.world.clock.advance(2.0)


async def test_one_changed_record_costs_the_other_azs_nothing() -> None:
    """At most two requests to acceptance and two to confirm, all by one AZ."""
    trio = Trio()
    await trio.world.publish(a("www.example.com", "192.0.2.1"))
    await trio.run(10)
    for spent in trio.spent.values():
        spent.clear()
    await trio.world.publish(a("www.example.com", "192.0.2.2"))
    await trio.run(10)
    item = await trio.world.item()
    assert (item.applied, item.last_known_good) == (2, 2)
    first = trio.order[0]
    checks = sum(spent["read_fence"] for spent in trio.spent.values()) - 1
    assert trio.spent[first]["submit"] == 1
    assert trio.spent[first]["change_status"] == 1
    assert trio.spent[first]["list_page"] == 1
    assert checks <= 1  # a fence check that happened to be due
    assert all(not trio.spent[az]["submit"] for az in trio.order[1:])


async def test_an_unchanged_zone_costs_only_the_fence_checks_of_one_az() -> None:
    """Ten quiet minutes: ten looks by the first living AZ, which show the fence and the rest of the
    only page; nothing else by anybody."""
    trio = Trio()
    await trio.world.publish(a("www.example.com", "192.0.2.1"))
    await trio.run(120)
    for spent in trio.spent.values():
        spent.clear()
    await trio.run(600)
    first = trio.order[0]
    assert set(trio.spent[first]) == {"list_page"}
    assert 9 <= trio.spent[first]["list_page"] <= 11
    assert all(not trio.spent[az] for az in trio.order[1:])


async def test_a_dead_first_az_costs_one_stagger() -> None:
    """The second takes over after its stagger; no lease is waited for."""
    trio = Trio()
    first = trio.order[0]
    await trio.world.publish(a("www.example.com", "192.0.2.1"))
    await trio.run(12, dead=(first,))
    assert (await trio.world.item()).applied == 1
    fence = await trio.world.route53.read_fence(trio.world.zone)
    assert not isinstance(fence, NoFence)
    assert fence.record.writer == trio.order[1]


async def test_two_dead_azs_leave_the_third() -> None:
    """Each enactor can do all the work alone."""
    trio = Trio()
    await trio.world.publish(a("www.example.com", "192.0.2.1"))
    await trio.run(20, dead=trio.order[:2])
    assert (await trio.world.item()).applied == 1


async def test_a_lost_failover_change_is_seen_within_the_fence_check() -> None:
    """`applied` alone is never believed for longer than a fence check."""
    trio = Trio()
    await trio.world.publish(a("www.example.com", "192.0.2.1"))
    await trio.run(10)
    await trio.world.publish(a("www.example.com", "192.0.2.2"))
    await trio.run(10)
    trio.world.route53.account.forget_last(trio.world.zone.zone_id, 1)
    await trio.run(70)
    assert trio.world.route53.content(trio.world.zone) == (a("www.example.com", "192.0.2.2"),)


async def test_an_unreadable_board_costs_pace_only() -> None:
    """Without signs of life everybody still converges."""
    trio = Trio()
    trio.board.fails = True
    await trio.world.publish(a("www.example.com", "192.0.2.1"))
    await trio.run(20)
    assert (await trio.world.item()).applied == 1


async def test_a_writer_that_dies_before_confirming_is_followed() -> None:
    """Accepted, never noted: another AZ notes it after the dead one has been silent."""
    trio = Trio()
    first = trio.order[0]
    await trio.world.publish(a("www.example.com", "192.0.2.1"))
    trio.world.route53.settings.insync_after_s = 30.0
    await trio.run(4)
    assert (await trio.world.item()).claimed == 1
    await trio.run(120, dead=(first,))
    assert (await trio.world.item()).applied == 1


async def test_a_held_zone_is_asked_ever_less() -> None:
    """A zone that needs adoption costs each AZ a look a minute, not one each cycle."""
    trio = Trio()
    trio.world.route53.edit(trio.world.zone, ("CREATE", a("www.example.com", "203.0.113.1")))
    await trio.world.publish(a("www.example.com", "192.0.2.1"))
    await trio.run(120)
    for spent in trio.spent.values():
        spent.clear()
    await trio.run(600)
    for az in AZS:
        assert 5 <= trio.spent[az]["read_fence"] <= 25
    assert not any(spent["submit"] for spent in trio.spent.values())


async def test_a_thaw_ends_the_pause_of_the_freeze() -> None:
    """An operator's word ends every pause: an enactor that waited its turn goes on after thaw."""
    trio = Trio()
    await trio.world.publish(a("www.example.com", "192.0.2.1"))
    await trio.run(10)
    await trio.world.publish(a("www.example.com", "192.0.2.2"))
    await trio.azs[trio.order[1]].run_once()  # has seen the new head, and waits for the first
    await trio.world.table.write(freeze(await trio.world.item(), "f1", nonce="f"))
    await trio.run(60)
    await trio.world.table.write(thaw(await trio.world.item(), "f1", nonce="t"))
    await trio.run(10, dead=(trio.order[0], trio.order[2]))
    assert (await trio.world.item()).applied == 2


class TableOfLate(FakeTable):
    """A table that is read while something else happens."""

    meanwhile: Callable[[], None] | None = None

    async def read_each(
        self, labels: Sequence[str]
    ) -> Mapping[str, GenerationItem | ItemUnreadable]:
        """The items, and then what happens meanwhile."""
        found = await super().read_each(labels)
        if self.meanwhile is not None:
            self.meanwhile()
        return found


async def test_a_zone_admitted_while_the_table_is_read_is_looked_at_in_the_next_pass() -> None:
    """Its item was not among those read, and that it was not read is not that there is none."""
    world = World()
    table = world.table = TableOfLate()
    await world.publish(a("www.example.com", "192.0.2.1"))
    daemon = EnactorDaemon(world.outside(1), FakeBoard(), az="az1", azs=("az1",), pace=PACE)
    other = structs.replace(world.task, zone=world.route53.make_zone("other", "example.org."))
    daemon.admit(other)
    table.meanwhile = lambda: daemon.admit(world.task)
    with capture_logs() as logs:
        await daemon.run_once()
    assert [one["zone"] for one in logs if one["event"] == "zone_held"] == ["other"]
    table.meanwhile = None
    await daemon.run_once()
    await daemon.finish()
    assert world.route53.content(world.zone) == (a("www.example.com", "192.0.2.1"),)
