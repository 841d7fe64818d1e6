"""A table that lost history goes on from what the zone holds, and no number is ever used twice."""

import pytest
from msgspec import structs

from dnsplan.codec import seal
from dnsplan.fence import fence_name, to_record_set
from dnsplan.plan import BELIEVED_MAX, ERA, Digest, Generation, NameLedger
from dnsplan.records import RecordSet
from dnsplan.transitions import pin
from enactor.rules.outcomes import Applied, Held, HoldRule, InSync
from planner.rules.outcomes import Held as PlannerHeld
from planner.rules.outcomes import Published
from runbooks.controls.freezing import Freezing
from runbooks.controls.outside import Mistaken, Operator, Refused
from runbooks.reconciling.preparing import NothingToReconcile
from runbooks.reconciling.reconciling import ReconcileLost
from runbooks.reconciling.rules import Word
from runbooks.reconciling.show import reconcile_lines
from tests.fakes.audit import FakeAudit
from tests.fakes.table import FakeTable
from tests.fakes.world import OWNER, World, a
from tests.unit.adopting.hands import (
    adopt,
    lose_fence,
    names,
    newest,
    outside,
    planned,
    quiet,
    settled,
)
from tests.unit.reconciling.hands import done, go_back, prepared, reconciled
from tests.unit.restoring.hands import empty, fence_of, freeze_fence, restored, stated

WWW, API = a("www.example.com", "192.0.2.1"), a("api.example.com", "192.0.2.2")
OLD = a("old.example.com", "192.0.2.3")
NEW_WWW = a("www.example.com", "192.0.2.11")
CONFIG = names(WWW, API)


async def goes_on(world: World, *wanted: RecordSet) -> int:
    """Planner and an enactor take it from here; the generation that ends applied."""
    outcome = await planned(world, names(*wanted))
    assert isinstance(outcome, Published), outcome
    cycle = world.az("az9", seed=999)
    assert isinstance(await world.enact(cycle), Applied)
    await world.settle(cycle)
    item = await world.item()
    assert item.applied == item.head == item.last_known_good == outcome.plan_id.generation
    return item.head


def damage_fence(world: World, value: str) -> None:
    """Somebody overwrites the fence's text."""
    (fence,) = world.route53.standing(world.zone, fence_name(world.zone.name))
    torn = structs.replace(fence, values=(value,))
    world.route53.edit(world.zone, ("DELETE", fence), ("CREATE", torn))


async def thawed(world: World) -> None:
    """An operator ends the freeze that the item names."""
    frozen = (await world.item()).frozen
    assert frozen is not None
    ports = outside(world, seed=901)
    await Freezing(ports, Operator("eva", ""), quiet).thaw(world.zone, frozen, world.records)


async def test_a_restored_table_goes_on_in_an_era_of_its_own() -> None:
    """P4: number 2 was issued and lost with the table; it is never issued again."""
    world = await settled(WWW)
    backup = world.table.snapshot()
    await world.publish(WWW, API)
    await world.enact(cycle := world.az())
    await world.settle(cycle)
    go_back(world, backup, incarnation="table-2")
    held = await planned(world, CONFIG)
    assert isinstance(held, PlannerHeld)
    assert held.command == "dns-runbook reconcile shop"
    ended = await reconciled(world, CONFIG)
    item, fence = await world.item(), await fence_of(world)
    assert (item.head, item.claimed, item.applied, item.ahead) == (ERA, ERA, ERA, None)
    assert (item.incarnation, item.owner, item.floor) == ("table-2", OWNER, 0)
    assert (fence.generation, fence.digest, fence.base) == (ERA, item.head_digest, 2)
    assert (await newest(world)).content == ended.plan.content == (API, WWW)
    assert await world.enact(world.az()) == InSync(Generation(ERA))
    assert await goes_on(world, NEW_WWW, API) == ERA + 1
    assert world.route53.content(world.zone) == (API, NEW_WWW)


async def test_what_the_newest_plan_took_out_counts_from_now() -> None:
    """P7: its author may have stood still between making and publishing it."""
    world = World()
    made_s = int(world.clock.now_s())
    await world.publish(WWW, ledger=(NameLedger(WWW.name, "A", 4, 4, ((made_s, 1),)),))
    cycle = world.az()
    await world.enact(cycle)
    await world.settle(cycle)
    go_back(world, world.table.snapshot(), incarnation="table-2")
    world.clock.advance(30.0)
    plan = (await reconciled(world, names(WWW))).plan
    assert plan.created_s > made_s + 29
    assert plan.ledger[0].spent == ((plan.created_s, 1),)


async def test_a_finished_restore_keeps_its_number() -> None:
    """The file's plan becomes head under the number that stands, and the planner goes on."""
    world = await settled(WWW, API)
    empty(world)
    await restored(world, stated(WWW, API))
    fence = await fence_of(world)
    assert isinstance(await world.enact(world.az()), Held)
    await reconciled(world, CONFIG)
    item, now = await world.item(), await fence_of(world)
    assert (item.head, item.head_digest) == (ERA, fence.digest)
    assert (now.token, now.digest) == (fence.token, fence.digest)
    assert now.writer == "operator.ann"
    assert (await newest(world)).author == "restore"
    assert await goes_on(world, NEW_WWW, API) == ERA + 1


async def test_a_restore_that_was_reconciled_before_never_keeps_its_number_again() -> None:
    """P4: its era has had other numbers since, lost with the table."""
    world = await settled(WWW, API)
    backup = world.table.snapshot()
    await restored(world, stated(WWW, API, OLD))
    assert (await reconciled(world, names(WWW, API, OLD))).plan.generation == ERA
    await world.publish(WWW)  # 1000001, never applied
    go_back(world, backup, incarnation="table-2")
    assert (await reconciled(world, names(WWW, API, OLD), seed=800)).plan.generation == 2 * ERA


async def test_a_restore_that_others_edited_opens_an_era() -> None:
    """What stands is not what the number says, so it gets one of its own."""
    world = await settled(WWW, API)
    await restored(world, stated(WWW, API))
    world.route53.edit(world.zone, ("DELETE", WWW), ("CREATE", NEW_WWW))
    ended = await reconciled(world, CONFIG)
    assert (ended.plan.generation, ended.plan.content) == (2 * ERA, (API, NEW_WWW))


async def test_the_same_number_with_another_digest_is_in_doubt() -> None:
    """Two tables issued one number: neither of the two is believed."""
    world = await settled(WWW)
    other = structs.replace(await world.item(), head_digest=Digest("e" * 64))
    world.table.items["shop"] = other
    assert isinstance(await world.enact(world.az()), Held)
    ready = await prepared(world, names(WWW))
    assert "digest of another plan" in " ".join(ready.doubts)
    await done(world, ready)
    assert await goes_on(world, NEW_WWW) == ERA + 1


async def test_a_lost_head_body_is_replaced_by_what_stands() -> None:
    """P8 makes the planner hold for ever without it; the names that it managed are told from the
    plan before, so that one which dns.yaml no longer states is not forgotten."""
    world = await settled(WWW, OLD)
    await world.publish(NEW_WWW, OLD)
    del world.archive.bodies[(await world.item()).head_id]
    held = await world.enact(world.az())
    assert isinstance(held, Held)
    assert held.rule is HoldRule.PLAN_UNUSABLE
    ended = await reconciled(world, names(WWW))
    assert ended.plan.content == (OLD, WWW)
    assert await goes_on(world, NEW_WWW) == ERA + 1
    assert world.route53.content(world.zone) == (OLD, NEW_WWW)


async def test_an_era_that_is_used_up_ends() -> None:
    """The planner stops at its last number; an operator opens the next."""
    world = await settled(WWW)
    plan = structs.replace(await newest(world), generation=Generation(ERA - 1))
    sealed = seal(plan)
    world.archive.bodies[sealed.plan_id] = sealed
    at = {"head": plan.generation, "head_digest": sealed.plan_id.digest}
    world.table.items["shop"] = structs.replace(await world.item(), **at)
    await world.enact(cycle := world.az())
    await world.settle(cycle)
    assert isinstance(await planned(world, names(NEW_WWW)), PlannerHeld)
    assert (await prepared(world, names(WWW))).doubts == (
        "the era of generation 999999 is used up",
    )
    await reconciled(world, names(WWW))
    assert await goes_on(world, NEW_WWW) == ERA + 1


async def test_what_is_in_order_is_not_reconciled() -> None:
    """And a zone without a fence, or without anything, is adopted."""
    world = await settled(WWW)
    with pytest.raises(NothingToReconcile, match="agree"):
        await prepared(world, names(WWW))
    await lose_fence(world)
    with pytest.raises(NothingToReconcile, match="run dns-runbook adopt shop"):
        await prepared(world, names(WWW))
    with pytest.raises(NothingToReconcile, match="run dns-runbook adopt"):
        await prepared(World(), names(WWW))


async def test_a_lost_fence_in_a_lost_history_gets_a_number_above_what_is_left() -> None:
    """Rows, marks and the operator's own word say what was issued."""
    world = await settled(WWW)
    await world.publish(API)
    await lose_fence(world)
    world.table.items = {}
    ended = await reconciled(world, CONFIG, Word(above=3 * ERA))
    item, fence = await world.item(), await fence_of(world)
    assert (ended.plan.generation, item.head, fence.generation) == (4 * ERA, 4 * ERA, 4 * ERA)
    assert item.owner == fence.owner != OWNER
    await thawed(world)
    assert await goes_on(world, NEW_WWW, API) == 4 * ERA + 1


async def test_a_new_table_takes_its_zone_only_when_the_owner_is_named() -> None:
    """P6: a zone whose item is gone may as well be another deployment's."""
    world = await settled(WWW, API)
    world.table, world.archive = FakeTable("table-2"), type(world.archive)()
    with pytest.raises(Refused, match=f"--take-over {OWNER}"):
        await prepared(world, CONFIG)
    await reconciled(world, CONFIG, Word(take_over=OWNER))
    item, fence = await world.item(), await fence_of(world)
    assert item.owner == fence.owner != OWNER
    assert (item.head, item.incarnation) == (ERA, "table-2")
    assert await goes_on(world, NEW_WWW, API) == ERA + 1


async def test_a_planner_that_was_first_in_a_new_table_is_overtaken() -> None:
    """It has published number 1 under an owner of its own, and enactors hold."""
    world = await settled(WWW, API)
    world.table, world.archive = FakeTable("table-2"), type(world.archive)()
    assert isinstance(await planned(world, CONFIG), Published)
    held = await world.enact(world.az())
    assert isinstance(held, Held)
    assert held.rule is HoldRule.FOREIGN_OWNER
    await reconciled(world, CONFIG, Word(take_over=OWNER))
    assert await goes_on(world, NEW_WWW, API) == ERA + 1


async def test_without_any_plan_a_file_says_what_is_managed() -> None:
    """dns.yaml no longer states a name that stands; the file does, so it stays managed."""
    world = await settled(WWW, OLD)
    world.table, world.archive = FakeTable("table-2"), type(world.archive)()
    word = Word(take_over=OWNER)
    assert (await prepared(world, names(WWW), word)).survey.content == (WWW,)
    ready = await prepared(world, names(WWW), word, file=stated(OLD))
    assert ready.survey.content == (OLD, WWW)
    with pytest.raises(Mistaken, match=r"allowed: one of shop"):
        await prepared(world, names(WWW), word, file=structs.replace(stated(OLD), label="staging"))


async def test_a_zone_is_never_reconciled_to_nothing() -> None:
    """P2: an emptied zone is restored first."""
    world = await settled(WWW)
    empty(world)
    world.table.restore(world.table.snapshot(), incarnation="table-2")
    with pytest.raises(Refused, match="dns-runbook restore"):
        await prepared(world, names(WWW))


async def test_a_freeze_goes_on_whatever_the_table_forgot() -> None:
    """P9: the zone is frozen and the restored table is not; afterwards both are."""
    world = await settled(WWW)
    backup = world.table.snapshot()
    freeze_fence(world, await fence_of(world), "f1")
    go_back(world, backup, incarnation="table-2")
    await reconciled(world, names(WWW))
    item, fence = await world.item(), await fence_of(world)
    assert (item.frozen, fence.frozen, item.head) == ("f1", "f1", ERA)
    held = await world.enact(world.az())
    assert isinstance(held, Held)
    assert held.rule is HoldRule.FROZEN
    await thawed(world)
    assert await goes_on(world, NEW_WWW) == ERA + 1


async def test_a_freeze_in_between_wins() -> None:
    """P9: it comes after the look and before head moves; this run ends, the next carries it on."""
    world = await settled(WWW)
    world.table.restore(world.table.snapshot(), incarnation="table-2")
    ready = await prepared(world, names(WWW))
    world.table.items["shop"] = structs.replace(await world.item(), frozen="f2")
    with pytest.raises(ReconcileLost, match="frozen"):
        await done(world, ready)
    assert (await world.item()).head == 1
    await reconciled(world, names(WWW), seed=800)
    assert ((await world.item()).frozen, (await fence_of(world)).frozen) == ("f2", "f2")


async def test_a_pin_is_ended_first() -> None:
    """It names a plan of the lost history."""
    world = await settled(WWW)
    item = await world.item()
    await world.table.write(pin(item, item.head_id, nonce="p"))
    world.table.restore(world.table.snapshot(), incarnation="table-2")
    with pytest.raises(Refused, match="run dns-runbook unpin shop first"):
        await prepared(world, names(WWW))


async def test_of_two_operators_one_wins() -> None:
    """Both looked at the same state; the loser is told, and history is the winner's."""
    world = await settled(WWW)
    world.table.restore(world.table.snapshot(), incarnation="table-2")
    ann = await prepared(world, names(WWW))
    world.clock.advance(5.0)
    bob = await prepared(world, names(WWW), by="bob", seed=601)
    await done(world, ann)
    with pytest.raises(ReconcileLost):
        await done(world, bob, by="bob", seed=701)
    assert (await newest(world)).author == "operator ann"
    assert await goes_on(world, NEW_WWW) == ERA + 1


async def test_a_name_that_changes_while_the_operator_thinks_is_noticed() -> None:
    """The plan must hold what stands: what was shown a minute ago is looked at again."""
    world = await settled(WWW)
    world.table.restore(world.table.snapshot(), incarnation="table-2")
    ready = await prepared(world, names(WWW))
    world.clock.advance(60.0)
    world.route53.edit(world.zone, ("DELETE", WWW), ("CREATE", NEW_WWW))
    with pytest.raises(ReconcileLost, match=r"www\.example\.com\. changed since"):
        await done(world, ready)
    assert (await world.item()).head == 1


async def test_a_name_that_changes_while_the_fence_is_written_is_drift() -> None:
    """It is reconciled, the change is named, and the generation is not called good."""
    world = await settled(WWW)
    world.table.restore(world.table.snapshot(), incarnation="table-2")

    def edit() -> None:
        world.route53.before_submit = None
        world.route53.edit(world.zone, ("DELETE", WWW), ("CREATE", NEW_WWW))

    world.route53.before_submit = edit
    ended = await reconciled(world, names(WWW))
    assert [one.name for one in ended.drifted] == [WWW.name]
    item = await world.item()
    assert (item.applied, item.last_known_good) == (ERA, 1)


async def test_a_damaged_fence_above_head_is_replaced() -> None:
    """adopt refuses it, since its number is above head; reconcile goes above both."""
    world = await settled(WWW)
    damage_fence(world, f'"generation=140 owner={OWNER} step=oops"')
    with pytest.raises(Refused, match="run dns-runbook reconcile shop"):
        await adopt(world, names(WWW))
    await reconciled(world, names(WWW))
    assert (await fence_of(world)).generation == ERA
    await thawed(world)
    assert await goes_on(world, NEW_WWW) == ERA + 1


@pytest.mark.parametrize("damage", ["not a fence", "dnsplan/1 generation=1 step=oops"])
async def test_where_nobody_can_tell_of_a_freeze_there_is_one(damage: str) -> None:
    """P9: the table was set back to before the freeze, and the fence is damaged. Thaw ends it."""
    world = await settled(WWW)
    backup = world.table.snapshot()
    freeze_fence(world, await fence_of(world), "f1")
    damage_fence(world, f'"{damage}"')
    go_back(world, backup, incarnation="table-2")
    ready = await prepared(world, names(WWW))
    lines = [*reconcile_lines(ready, ())]
    assert any("cannot be told" in line and "dns-runbook thaw" in line for line in lines)
    assert ready.is_freeze_new
    await done(world, ready)
    item, fence = await world.item(), await fence_of(world)
    assert item.frozen == fence.frozen == ready.frozen
    held = await world.enact(world.az())
    assert isinstance(held, Held)
    assert held.rule is HoldRule.FROZEN
    await thawed(world)
    assert await goes_on(world, NEW_WWW) == ERA + 1


async def test_a_freeze_that_a_damaged_fence_still_tells_of_goes_on() -> None:
    """What can be read of it counts, so it is thawed by the id that its operator knows."""
    world = await settled(WWW)
    damage_fence(world, '"dnsplan/1 generation=1 step=oops frozen=00c0ffee00c0ffee"')
    go_back(world, world.table.snapshot(), incarnation="table-2")
    ready = await prepared(world, names(WWW))
    assert (ready.frozen, ready.is_freeze_new) == ("00c0ffee00c0ffee", False)


async def test_a_table_that_lost_nothing_tells_of_no_freeze() -> None:
    """Only the plan at head was lost: the item knows, whatever became of the fence."""
    world = await settled(WWW)
    damage_fence(world, '"not a fence"')
    world.archive.bodies.clear()
    ready = await prepared(world, names(WWW))
    assert (ready.frozen, ready.is_freeze_new) == (None, False)


@pytest.mark.parametrize("number", [BELIEVED_MAX, BELIEVED_MAX + 1, 10**15 - 1])
async def test_a_number_that_nobody_issued_leaves_numbers_to_go_on_with(number: int) -> None:
    """Whoever may move the fence can write the highest that it holds."""
    world = await settled(WWW)
    fence = structs.replace(await fence_of(world), generation=Generation(number), nonce="high")
    (value,) = to_record_set(fence, world.zone.name).values
    damage_fence(world, value)
    held = await world.enact(world.az())
    assert isinstance(held, Held)
    assert held.rule is HoldRule.AHEAD
    for _ in range(2):  # the second finds what the first has written, and is in order
        try:
            await reconciled(world, names(WWW), seed=number % 97)
        except NothingToReconcile:
            break
    item, fence = await world.item(), await fence_of(world)
    assert item.head == fence.generation <= BELIEVED_MAX + ERA
    if item.frozen is not None:
        await thawed(world)
    assert await goes_on(world, NEW_WWW) == item.head + 1


async def test_the_audit_says_what_was_in_doubt() -> None:
    """Who, why, from where to where."""
    world, audit = await settled(WWW), FakeAudit()
    world.table.restore(world.table.snapshot(), incarnation="table-2")
    await done(world, await prepared(world, names(WWW)), audit=audit)
    (row,) = audit.rows
    assert (row.action, row.by, row.because) == ("reconcile", "ann", "drill")
    assert (row.facts["head_before"], row.facts["generation"]) == (1, ERA)
    assert "table was restored or copied" in str(row.facts["doubts"])


async def test_an_audit_that_fails_undoes_nothing() -> None:
    """The zone is reconciled all the same, and the operator hears of it."""
    world, audit = await settled(WWW), FakeAudit()
    audit.failure = "down"
    world.table.restore(world.table.snapshot(), incarnation="table-2")
    await done(world, await prepared(world, names(WWW)), audit=audit)
    assert (await world.item()).head == ERA
