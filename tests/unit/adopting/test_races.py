"""Adopting beside others: operators, hands in the zone, a freeze, lost answers and crashes."""

import pytest
from msgspec import structs

from dnsplan.fence import to_record_set
from dnsplan.generation import Transition
from dnsplan.outcomes import WriteOutcome
from dnsplan.plan import Digest, Generation
from runbooks.adopting.first_fence import AdoptLost, first_fence
from runbooks.adopting.preparing import NothingToAdopt
from runbooks.adopting.taking_over import AdoptDrifted, TakingOver
from runbooks.controls.outside import Operator
from tests.fakes.table import TableFault
from tests.fakes.world import World, a
from tests.fakes.zone_records import Fault
from tests.unit.adopting.hands import (
    adopt,
    fence_of,
    names,
    newest,
    outside,
    planned,
    prepared,
    quiet,
    stand,
)

WWW = a("www.example.com", "192.0.2.1")
OTHER = a("other.example.com", "192.0.2.9")


async def test_of_two_operators_one_wins() -> None:
    """Both looked at the same zone; the number is issued once, and the loser is told."""
    world = World()
    stand(world, WWW)
    await world.item_or_new()
    ann, bob = await prepared(world, names(WWW)), await prepared(world, names(WWW), seed=201)
    await TakingOver(outside(world, seed=1), Operator("ann", "")).take_over(ann, quiet)
    with pytest.raises(AdoptLost, match="run it again"):
        await TakingOver(outside(world, seed=2), Operator("bob", "")).take_over(bob, quiet)
    assert (await newest(world)).author == "operator ann"
    fence = await fence_of(world)
    assert fence is not None
    assert (fence.generation, fence.writer) == (1, "operator.ann")


async def test_a_name_that_changes_while_the_operator_thinks_is_noticed() -> None:
    """The plan must hold what stands: what was shown a minute ago is looked at again."""
    world = World()
    stand(world, WWW)
    ready = await prepared(world, names(WWW))
    world.clock.advance(60.0)
    world.route53.edit(world.zone, ("DELETE", WWW), ("CREATE", a("www.example.com", "192.0.2.3")))
    hand = TakingOver(outside(world), Operator("ann", ""))
    with pytest.raises(AdoptLost, match=r"www\.example\.com\. changed since"):
        await hand.take_over(ready, quiet)
    assert world.table.items == {}


async def test_a_name_that_changes_while_the_fence_is_written_is_drift() -> None:
    """It is adopted, the change is named, and the generation is not called good."""
    world = World()
    stand(world, WWW)

    def edit() -> None:
        world.route53.before_submit = None
        new = a("www.example.com", "192.0.2.3")
        world.route53.edit(world.zone, ("DELETE", WWW), ("CREATE", new))

    world.route53.before_submit = edit
    with pytest.raises(AdoptDrifted, match=r"www\.example\.com\. changed"):
        await adopt(world, names(WWW))
    item = await world.item()
    assert (item.applied, item.last_known_good) == (1, 0)


@pytest.mark.parametrize("writes", range(4))
@pytest.mark.parametrize("fault", list(TableFault))
async def test_a_crash_after_any_write_leaves_what_the_next_run_finishes(
    writes: int, fault: TableFault
) -> None:
    """Item, head, claim, applied: whichever answer is lost, running it again ends adopted."""
    world = World()
    stand(world, WWW, OTHER)
    answered = 0
    write = world.table.write

    async def counted(transition: Transition) -> WriteOutcome:
        nonlocal answered
        answered += 1
        if answered == writes + 1:
            world.table.write_faults.append(fault)
        return await write(transition)

    world.table.write = counted  # type: ignore[method-assign]  # one test's fault
    try:
        await adopt(world, names(WWW))
    except AdoptLost:
        world.table.write = write  # type: ignore[method-assign]  # the fault is over
        try:
            await adopt(world, names(WWW), seed=210)
        except NothingToAdopt:
            await world.enact(cycle := world.az())
            await world.settle(cycle)
    item, fence = await world.item(), await fence_of(world)
    assert fence is not None
    assert item.head == item.applied == fence.generation
    assert (await newest(world)).content == (WWW,)
    assert world.route53.content(world.zone) == (OTHER, WWW)


async def test_a_freeze_in_between_wins() -> None:
    """P9: frozen after the claim and before the fence, nothing of this run lands."""
    world = World()
    stand(world, WWW)

    def freeze() -> None:
        world.route53.before_submit = None
        fence = first_fence(
            world.plan_id(0, Digest("none")), owner=owner(), writer="eva", nonce="f", stands=True
        )
        frozen = structs.replace(fence, frozen="f1")
        stand(world, to_record_set(frozen, world.zone.name))

    def owner() -> str:
        return world.table.items["shop"].owner

    world.route53.before_submit = freeze
    with pytest.raises(AdoptLost, match="somebody else's move"):
        await adopt(world, names(WWW))
    fence = await fence_of(world)
    assert fence is not None
    assert (fence.generation, fence.frozen, fence.writer) == (0, "f1", "eva")


@pytest.mark.parametrize("fault", [Fault.LOSE_REQUEST, Fault.LOSE_REPLY])
async def test_a_lost_answer_to_the_fence_is_settled_by_reading(fault: Fault) -> None:
    """P11: whether it landed is read from the zone; one run ends adopted."""
    world = World()
    stand(world, WWW)
    world.route53.submit_faults.append(fault)
    await adopt(world, names(WWW))
    item = await world.item()
    assert (item.head, item.applied) == (1, 1)


async def test_a_published_plan_that_nobody_claimed_is_taken_up() -> None:
    """The crash came between head and claim: the number is not wasted, nor used twice."""
    world = World()
    stand(world, WWW)
    await planned(world, names(WWW))
    ready = await prepared(world, names(WWW))
    assert ready.published == (await world.item()).head_id
    world.table.items["shop"] = structs.replace(await world.item(), claimed=Generation(1))
    again = await prepared(world, names(WWW))
    assert again.plan is not None
    assert (again.published, again.plan.generation) == (None, 2)


async def test_a_fence_that_is_not_known_to_stand_is_told_with_what_is_done() -> None:
    """Route 53 is away once the plan is published: what stands, what does not, and what to run."""
    world = World()
    stand(world, WWW)
    world.route53.submit_faults.append(Fault.LOSE_REPLY)
    world.route53.before_submit = lambda: setattr(world.route53, "read_failures", 1)
    told = "generation 1 of shop is published, and its fence is not known to stand; .*: run it aga"
    with pytest.raises(AdoptLost, match=told):
        await adopt(world, names(WWW))
    assert (await world.item()).head == 1
