"""P9: once freeze has returned, nothing that a planner fed lands, not even what is in flight."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

import pytest
from msgspec import structs

from dnsplan.errors import ReadFailed
from dnsplan.fence import FenceRecord, NoFence, to_record_set
from dnsplan.generation import GenerationItem, Transition
from dnsplan.outcomes import Refused, WriteOutcome
from dnsplan.plan import Generation
from dnsplan.ports import Zone
from enactor.ports import ZoneRecords
from enactor.rules.outcomes import Applied, Held, HoldRule, Unknown
from runbooks.controls import freezing, outside
from runbooks.controls.consequences import freeze_lines
from runbooks.controls.freezing import Freezing, NotFrozen
from runbooks.controls.froze import Froze, Frozen, HalfFrozen, Unfrozen
from runbooks.controls.outside import Operator, TableSide
from tests.fakes.audit import FakeAudit
from tests.fakes.clock import SeededJitter
from tests.fakes.table import TableFault
from tests.fakes.world import World, a
from tests.fakes.zone_records import Fault

OLD, NEW = a("www.example.com", "192.0.2.1"), a("www.example.com", "192.0.2.2")


@dataclass
class Route53:
    """`runbooks.controls.outside.ZoneSide` on a world, or none at all."""

    world: World
    missing: str = ""  # a label that has no zone
    is_closed: bool = False

    @property
    def records(self) -> ZoneRecords:
        """The fake's."""
        return self.world.route53

    async def zone_of(self, item: GenerationItem) -> Zone:
        """Where a zone is, if it is anywhere."""
        if item.label == self.missing:
            raise ReadFailed(f"no hosted zone for {item.label}")
        return self.world.zone

    @asynccontextmanager
    async def open(self) -> AsyncIterator["Route53"]:
        """As the command opens Route 53, after the table; closed for want of credentials."""
        if self.is_closed:
            raise ReadFailed("open a client for route53: no credentials")
        yield self


class Hand:
    """Ann's hand on the world."""

    def __init__(self, world: World, seed: int = 100) -> None:
        """Chance of its own."""
        self.world, self.audit, self.told = world, FakeAudit(), list[str]()
        self.side = TableSide(
            table=world.table,
            archive=world.archive,
            audit=self.audit,
            clock=world.clock,
            jitter=SeededJitter(seed),
        )
        self.freezing = Freezing(self.side, Operator("ann", "drill"), self.told.append)

    async def try_freeze(self) -> Froze:
        """Freeze, and say how it ended."""
        (ended,) = await self.freezing.freeze(("shop",), Route53(self.world).open)
        return ended

    async def freeze(self) -> str:
        """Freeze for good; the freeze's id."""
        ended = await self.try_freeze()
        assert isinstance(ended, Frozen), ended
        return ended.freeze_id

    async def thaw(self, freeze_id: str) -> None:
        """Thaw."""
        await self.freezing.thaw(self.world.zone, freeze_id, self.world.route53)


async def settled_world() -> World:
    """A zone that holds plan 1."""
    world = World()
    await world.publish(OLD)
    cycle = world.az()
    await world.enact(cycle)
    await world.settle(cycle)
    return world


async def fence_of(world: World) -> FenceRecord:
    """What the zone's fence says."""
    found = await world.route53.read_fence(world.zone)
    assert not isinstance(found, NoFence)
    return found.record


async def test_a_batch_held_at_the_door_is_refused_after_freeze() -> None:
    """The claim passed before the freeze; the moved fence refuses what it claimed."""
    world = await settled_world()
    await world.publish(NEW)
    world.route53.submit_faults.append(Fault.HOLD)
    assert isinstance(await world.enact(world.az("az2")), Unknown)
    hand = Hand(world)
    freeze_id = await hand.freeze()
    assert isinstance(world.route53.land(*world.route53.held[0]), Refused)
    assert world.route53.content(world.zone) == (OLD,)
    held = await world.enact(world.az("az3"))
    assert isinstance(held, Held)
    assert held.rule is HoldRule.FROZEN
    assert (await world.item()).frozen == (await fence_of(world)).frozen == freeze_id
    assert [(row.action, row.by) for row in hand.audit.rows] == [("freeze", "ann")]


async def test_freeze_changes_neither_position_nor_records() -> None:
    """Same generation and step under a new nonce."""
    world = await settled_world()
    before = await fence_of(world)
    await Hand(world).freeze()
    after = await fence_of(world)
    assert (after.token, after.digest, after.steps) == (before.token, before.digest, before.steps)
    assert after.nonce != before.nonce
    assert world.route53.content(world.zone) == (OLD,)


async def test_freezing_a_frozen_zone_moves_the_fence_again() -> None:
    """F9d: a second freeze has a change of its own to wait for, and keeps the first one's id."""
    world = await settled_world()
    first = await Hand(world, 1).freeze()
    nonce = (await fence_of(world)).nonce
    second = await Hand(world, 2).freeze()
    assert first == second
    assert (await fence_of(world)).nonce != nonce


async def test_freeze_returns_only_in_sync() -> None:
    """It waits for its own change, and tells meanwhile."""
    world = await settled_world()
    world.route53.settings.insync_after_s = 40.0
    hand = Hand(world)
    began_s = world.clock.elapsed_s()
    await hand.freeze()
    assert world.clock.elapsed_s() - began_s >= 40.0
    assert any("not yet on all name servers" in line for line in hand.told)


async def test_a_poll_that_fails_is_asked_again() -> None:
    """A throttle says nothing about the change, and a freeze in an incident meets many."""
    world = await settled_world()
    world.route53.settings.insync_after_s = 40.0
    hand = Hand(world)

    def throttle(line: str) -> None:
        hand.told.append(line)
        is_waiting = "not yet on all name servers" in line
        world.route53.read_failures = 1 if is_waiting and len(hand.told) < 6 else 0

    hand.freezing = Freezing(hand.side, Operator("ann", "drill"), throttle)
    await hand.freeze()
    assert sum("could not be asked for" in line for line in hand.told) > 1


async def test_freeze_without_route53_says_what_is_not_excluded() -> None:
    """Frozen in the table: nothing new is claimed; in-flight batches may land, and it says so."""
    world = await settled_world()
    world.route53.read_failures = 1
    hand = Hand(world)
    ended = await hand.try_freeze()
    assert isinstance(ended, HalfFrozen)
    assert (await world.item()).frozen == ended.freeze_id
    assert str(ended).startswith(
        f"shop: frozen in the table by {ended.freeze_id}, in-flight batches not excluded: "
    )
    assert str(ended).endswith("run dns-runbook freeze shop again")
    assert [row.action for row in hand.audit.rows] == ["freeze_in_table_only"]
    await hand.freeze()
    assert (await fence_of(world)).frozen == (await world.item()).frozen


async def test_the_table_is_frozen_before_route53_is_even_opened() -> None:
    """No credentials and no client for Route 53: nothing is claimed any more all the same."""
    world = await settled_world()
    (ended,) = await Hand(world).freezing.freeze(("shop",), Route53(world, is_closed=True).open)
    frozen = (await world.item()).frozen
    assert frozen is not None
    assert ended == HalfFrozen("shop", frozen, "open a client for route53: no credentials")
    held = await world.enact(world.az("az2"))
    assert isinstance(held, Held)
    assert held.rule is HoldRule.FROZEN


async def test_a_zone_that_cannot_be_frozen_keeps_no_other_from_it() -> None:
    """One has no plan, one has no hosted zone, one is fine: each gets its own outcome."""
    world = await settled_world()
    item = await world.item()
    world.table.items["lost"] = structs.replace(item, label="lost")
    labels = ("lost", "empty", "shop")
    lost, empty, shop = await Hand(world).freezing.freeze(labels, Route53(world, "lost").open)
    lost_id, shop_id = world.table.items["lost"].frozen, (await world.item()).frozen
    assert (lost_id is None, shop_id is None) == (False, False)
    assert lost == HalfFrozen("lost", lost_id or "", "no hosted zone for lost")
    assert empty == Unfrozen("empty", "empty has no plan; nothing can be sent to it yet")
    assert shop == Frozen("shop", shop_id or "")
    assert (await fence_of(world)).frozen == shop_id


async def test_a_trace_that_cannot_be_left_is_said_and_undoes_nothing() -> None:
    """Frozen is what the fence says; that the audit has no row of it is told beside."""
    world = await settled_world()
    hand = Hand(world)
    hand.audit.failure = "throttled"
    await hand.freeze()
    assert "shop: no audit row of this freeze: throttled" in hand.told


async def test_freeze_makes_a_fence_where_there_is_none() -> None:
    """A first batch in flight is refused: the fence that it would create is there."""
    world = World()
    await world.publish(OLD)
    world.route53.submit_faults.append(Fault.HOLD)
    await world.enact(world.az("az1"))
    hand = Hand(world)
    freeze_id = await hand.freeze()
    assert isinstance(world.route53.land(*world.route53.held[0]), Refused)
    assert world.route53.content(world.zone) == ()
    assert (await fence_of(world)).generation == 0
    await hand.thaw(freeze_id)
    assert await world.enact(world.az("az1")) == Applied(Generation(1), 1, 0, confirmed=False)
    assert world.route53.content(world.zone) == (OLD,)


@pytest.mark.parametrize("is_claimed", [False, True])
async def test_a_freeze_writes_no_fence_into_a_zone_that_is_only_observed(
    *, is_claimed: bool
) -> None:
    """It is others' zone, and the table says that nothing can be in flight; where something was
    claimed, as under another config, the first fence is made, and what is in flight is refused."""
    world = World()
    await world.publish(OLD)
    if is_claimed:
        world.route53.submit_faults.append(Fault.HOLD)
        await world.enact(world.az("az1"))
    hand = Hand(world)
    zones = Route53(world).open
    (ended,) = await hand.freezing.freeze(("shop",), zones, observed=("shop",))
    assert isinstance(ended, Frozen)
    assert (await world.item()).frozen == ended.freeze_id
    assert isinstance(await world.route53.read_fence(world.zone), NoFence) is not is_claimed
    await hand.thaw(ended.freeze_id)
    assert (await world.item()).frozen is None


async def test_a_fence_made_by_a_freeze_takes_over_nothing() -> None:
    """P6: records that stood before still need adoption after a freeze and a thaw."""
    world = World()
    foreign = a("www.example.com", "203.0.113.1")
    world.route53.edit(world.zone, ("CREATE", foreign))
    await world.publish(OLD)
    hand = Hand(world)
    await hand.thaw(await hand.freeze())
    held = await world.enact(world.az("az1"))
    assert isinstance(held, Held)
    assert held.rule is HoldRule.FENCE_MISSING
    assert world.route53.content(world.zone) == (foreign,)


async def test_thaw_names_the_freeze_that_it_ends() -> None:
    """F9c: a late duplicate of an earlier thaw thaws nothing."""
    world = await settled_world()
    hand = Hand(world)
    first = await hand.freeze()
    await hand.thaw(first)
    second = await hand.freeze()
    assert second != first
    with pytest.raises(NotFrozen, match=second):
        await hand.thaw(first)
    assert (await world.item()).frozen == (await fence_of(world)).frozen == second
    await hand.thaw(second)
    assert (await world.item()).frozen is None
    assert (await fence_of(world)).frozen is None


async def test_a_thaw_that_stopped_half_way_is_finished_by_running_it_again() -> None:
    """The fence is thawed first, so a crash leaves the zone frozen in the table."""
    world = await settled_world()
    hand = Hand(world)
    freeze_id = await hand.freeze()
    world.table.write_faults.append(TableFault.LOSE_REQUEST)
    with pytest.raises(NotFrozen, match="got no answer"):
        await hand.thaw(freeze_id)
    assert (await fence_of(world)).frozen is None
    held = await world.enact(world.az())
    assert isinstance(held, Held)
    await hand.thaw(freeze_id)
    assert (await world.item()).frozen is None


async def test_a_lost_reply_of_the_fence_move_is_settled_by_reading() -> None:
    """P11: it landed; the fence is moved once more, to have a change to wait for."""
    world = await settled_world()
    world.route53.submit_faults.append(Fault.LOSE_REPLY)
    freeze_id = await Hand(world).freeze()
    assert (await fence_of(world)).frozen == freeze_id


async def test_freeze_races_an_enactor_and_wins() -> None:
    """A batch that lands between reading and moving the fence costs an attempt, no more."""
    world = await settled_world()
    await world.publish(NEW)
    world.route53.submit_faults.append(Fault.HOLD)
    await world.enact(world.az("az2"))

    def land_first() -> None:
        world.route53.before_submit = None
        world.route53.land(*world.route53.held.pop())

    world.route53.before_submit = land_first
    freeze_id = await Hand(world).freeze()
    fence = await fence_of(world)
    assert (fence.generation, fence.frozen) == (2, freeze_id)


async def test_a_table_that_does_not_answer_leaves_the_zone_unfrozen() -> None:
    """The write got no answer: it is not known to be frozen, and no fence says that it is."""
    world = await settled_world()
    world.table.write_faults.append(TableFault.LOSE_REQUEST)
    ended = await Hand(world).try_freeze()
    assert isinstance(ended, Unfrozen)
    assert str(ended).startswith("shop: not known to be frozen: freeze of shop got no answer")
    assert (await fence_of(world)).frozen is None


async def test_a_freeze_that_was_written_is_told_whatever_becomes_of_the_table() -> None:
    """The table is away from the moment on that it took the freeze: it is frozen, with its id."""
    world = await settled_world()
    write = world.table.write

    async def write_and_go(transition: Transition) -> WriteOutcome:
        outcome = await write(transition)
        world.table.reachable = False
        return outcome

    world.table.write = write_and_go  # type: ignore[method-assign]  # a table that goes
    freeze_id = await Hand(world).freeze()
    world.table.reachable = True
    assert (await world.item()).frozen == freeze_id == (await fence_of(world)).frozen


async def test_a_thaw_that_route_53_keeps_from_ending_says_what_stands_and_what_to_run() -> None:
    """Route 53 gives no answer: the table still holds the zone, or nobody knows."""
    world = await settled_world()
    hand = Hand(world)
    freeze_id = await hand.freeze()
    world.route53.submit_faults.append(Fault.LOSE_REPLY)
    world.route53.before_submit = lambda: setattr(world.route53, "read_failures", 1)
    again = f"run dns-runbook thaw shop {freeze_id} again$"
    with pytest.raises(NotFrozen, match=f"^shop stays frozen in the table: .*; {again}"):
        await hand.thaw(freeze_id)
    assert (await world.item()).frozen == freeze_id
    await hand.thaw(freeze_id)
    assert (await world.item()).frozen is None


@pytest.mark.parametrize("owner", [None, "f" * 32])
async def test_a_freeze_over_a_fence_that_cannot_be_moved_can_be_ended(owner: str | None) -> None:
    """Damaged, or another owner's: enactors hold over it, so the table's freeze ends alone; what
    mends the fence (adopt, reconcile) waits for that, and freezing again would mend nothing."""
    world = await settled_world()
    fence = await fence_of(world)
    stands = to_record_set(fence, world.zone.name)
    other = structs.replace(stands, values=('"hello"',))
    if owner is not None:
        other = to_record_set(structs.replace(fence, owner=owner), world.zone.name)
    world.route53.edit(world.zone, ("DELETE", stands), ("CREATE", other))
    hand = Hand(world)
    ended = await hand.try_freeze()
    assert isinstance(ended, HalfFrozen)
    assert str(ended).endswith("enactors hold over such a fence: look at dns-runbook explain shop")
    await hand.thaw(ended.freeze_id)
    assert (await world.item()).frozen is None
    held = await world.enact(world.az())
    assert isinstance(held, Held)
    assert held.rule in (HoldRule.FENCE_DAMAGED, HoldRule.FOREIGN_OWNER)
    assert [row.action for row in hand.audit.rows] == ["freeze_in_table_only", "thaw"]


async def test_what_stands_is_shown_from_the_table_alone() -> None:
    """Which generation stays, what waits, where nothing can be sent; Route 53 is not asked."""
    world = await settled_world()
    hand, labels = Hand(world), ("shop", "other")
    asked = len(world.route53.requests)
    shown = [freeze_lines(labels, await hand.freezing.look(labels) or {})]
    await world.publish(NEW)
    shown.append(freeze_lines(labels[:1], await hand.freezing.look(labels) or {}))
    assert asked == len(world.route53.requests)
    freeze_id = await hand.freeze()
    shown.append(freeze_lines(labels[:1], await hand.freezing.look(labels) or {}))
    assert [list(lines) for lines in shown] == [
        [
            "shop: generation 1 stands and stays, no record changes",
            "other: has no plan; nothing can be sent to it yet",
        ],
        ["shop: generation 1 stands and stays, no record changes; 2 waits"],
        [f"shop: frozen already by {freeze_id}, generation 1 stands; its fence is moved"],
    ]


async def test_a_table_that_is_away_keeps_nobody_from_the_question(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Whether it says no or nothing: what stands is then not known, and that is told."""
    world = await settled_world()
    hand = Hand(world)
    world.table.reachable = False
    assert await hand.freezing.look(("shop",), expected=1) is None

    async def silent(labels: object) -> dict[str, GenerationItem]:
        await asyncio.Event().wait()
        return {}

    monkeypatch.setattr(freezing, "LOOK_S_MAX", 0.01)
    monkeypatch.setattr(world.table, "read", silent)
    assert await hand.freezing.look(("shop",)) is None
    assert hand.told[-1] == "what stands is not known: no answer in 0.01 s"


async def test_a_script_freezes_and_thaws_only_what_it_looked_at() -> None:
    """Another generation than it expects: nothing is written, nor where it moved after the look."""
    world = await settled_world()
    hand = Hand(world)
    moved = "shop is at generation 1, not 7; nothing was changed"
    with pytest.raises(outside.Refused, match=moved):
        await hand.freezing.look(("shop",), expected=7)
    ended = await hand.freezing.freeze(("shop",), Route53(world).open, expected=7)
    assert ended == (Unfrozen("shop", moved),)
    assert (await world.item()).frozen is None
    freeze_id = await hand.freeze()
    with pytest.raises(outside.Refused, match=moved):
        await hand.freezing.thaw(world.zone, freeze_id, world.route53, expected=7)
    assert (await world.item()).frozen == freeze_id


async def test_a_thaw_of_nothing_is_not_asked_about() -> None:
    """It is known before the question that another freeze holds, or none; one that is in the fence
    alone can be ended."""
    world = await settled_world()
    hand = Hand(world)
    with pytest.raises(NotFrozen, match="not frozen by anybody"):
        await hand.freezing.thawable(world.zone, "other", world.route53)
    freeze_id = await hand.freeze()
    with pytest.raises(NotFrozen, match=f"is frozen by {freeze_id}, not by other"):
        await hand.freezing.thawable(world.zone, "other", world.route53)
    items = world.table.items
    items["shop"] = structs.replace(items["shop"], frozen=None)
    with pytest.raises(NotFrozen, match=f"end that one: dns-runbook thaw shop {freeze_id}"):
        await hand.freezing.thawable(world.zone, "other", world.route53)
    assert await hand.freezing.thawable(world.zone, freeze_id, world.route53) == items["shop"]
