"""Adopting writes a plan of what stands and one record, the fence; of two operators one wins."""

from collections.abc import Callable

import pytest
from msgspec import structs

from dnsplan.fence import FencingToken, fence_name, to_record_set
from dnsplan.generation import GenerationItem, Transition
from dnsplan.names import parse_name
from dnsplan.outcomes import WriteOutcome
from dnsplan.plan import Digest, Generation, NameLedger
from dnsplan.records import RecordSet
from enactor.rules.outcomes import Applied, Held, HoldRule, InSync
from planner.rules.outcomes import Published, Unchanged
from runbooks.adopting.first_fence import AdoptLost, first_fence
from runbooks.adopting.preparing import NothingToAdopt
from runbooks.adopting.taking_over import AdoptDrifted, TakingOver
from runbooks.controls.outside import Operator, Refused
from tests.fakes.audit import FakeAudit
from tests.fakes.table import TableFault
from tests.fakes.world import OWNER, World, a, cname
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

WWW, API = a("www.example.com", "192.0.2.1"), a("api.example.com", "192.0.2.2")
OTHER = a("other.example.com", "192.0.2.9")
FENCE_TEXT = '"dnsplan/1 generation=3 step=1/1" "broken"'


async def test_a_zone_made_by_hand_is_taken_over_without_a_change() -> None:
    """Plan 1 holds what stands at the stated names; only the fence is new; nothing is planned."""
    world = World()
    stand(world, WWW, OTHER)
    audit = FakeAudit()
    await adopt(world, names(WWW), audit=audit)
    assert world.route53.content(world.zone) == (OTHER, WWW)
    assert [one.changes[0].action for one in world.route53.accepted] == ["CREATE"]
    plan, item, fence = await newest(world), await world.item(), await fence_of(world)
    assert (plan.generation, plan.content) == (1, (WWW,))
    assert (item.head, item.claimed, item.applied, item.last_known_good) == (1, 1, 1, 1)
    assert item.zone_id == world.zone.zone_id
    assert fence is not None
    assert (fence.token, fence.is_complete, fence.held) == (FencingToken(1, 1), True, 0)
    assert fence.digest == item.head_digest
    assert await planned(world, names(WWW)) == Unchanged(Generation(1))
    assert await world.enact(world.az()) == InSync(Generation(1))
    assert [(row.action, row.by, row.facts["generation"]) for row in audit.rows] == [
        ("adopt", "ann", 1)
    ]


async def test_what_dns_yaml_wants_otherwise_is_planned_afterwards() -> None:
    """Adopting changes nothing; the next plan does, under the guardrails, by the enactors."""
    world = World()
    stand(world, WWW, OTHER)
    wanted = names(a("www.example.com", "192.0.2.5"), API)
    await adopt(world, wanted)
    assert world.route53.content(world.zone) == (OTHER, WWW)
    assert isinstance(await planned(world, wanted), Published)
    assert await world.enact(world.az()) == Applied(Generation(2), 1, 0, confirmed=False)
    assert set(world.route53.content(world.zone)) == {
        a("www.example.com", "192.0.2.5"),
        API,
        OTHER,
    }


async def test_a_type_that_must_give_way_is_taken_in() -> None:
    """A CNAME stands where addresses are stated: it ends in the batch that makes them."""
    world = World()
    stand(world, cname("www.example.com", "old.example.net."), OTHER)
    await adopt(world, names(WWW))
    await planned(world, names(WWW))
    await world.enact(world.az())
    assert world.route53.content(world.zone) == (OTHER, WWW)


async def test_a_plan_that_nobody_could_begin_is_followed_by_what_stands() -> None:
    """The planner was first: the enactor holds and names adopt; adopting gets the next number."""
    world = World()
    stand(world, WWW)
    wanted = names(a("www.example.com", "192.0.2.5"))
    await planned(world, wanted)
    held = await world.enact(world.az())
    assert isinstance(held, Held)
    assert (held.rule, held.command) == (HoldRule.FENCE_MISSING, "dns-runbook adopt shop")
    await adopt(world, wanted)
    plan = await newest(world)
    assert (plan.generation, plan.base, plan.content) == (2, 1, (WWW,))
    await planned(world, wanted)
    await world.enact(world.az())
    assert world.route53.content(world.zone) == (a("www.example.com", "192.0.2.5"),)


async def settled(*record_sets: RecordSet) -> World:
    """A zone that holds plan 1 of these."""
    world = World()
    await world.publish(*record_sets)
    cycle = world.az()
    await world.enact(cycle)
    await world.settle(cycle)
    return world


async def lose_fence(world: World) -> None:
    """A human deletes the fence record."""
    (fence,) = world.route53.standing(world.zone, fence_name(world.zone.name))
    world.route53.edit(world.zone, ("DELETE", fence))


async def test_a_lost_fence_comes_back_under_a_new_number() -> None:
    """P1, P3, P4: generation 1 stood here, so what stands now is generation 2."""
    world = await settled(WWW)
    changed = a("www.example.com", "192.0.2.77")
    world.route53.edit(world.zone, ("DELETE", WWW), ("CREATE", changed))
    await lose_fence(world)
    assert isinstance(await world.enact(world.az()), Held)
    await adopt(world, names(WWW))
    plan, fence, item = await newest(world), await fence_of(world), await world.item()
    assert (plan.generation, plan.content) == (2, (changed,))
    assert fence is not None
    assert (fence.generation, fence.digest) == (2, item.head_digest)
    assert await planned(world, names(WWW)) == Published(world.plan_id(3, await digest(world, 3)))
    await world.enact(world.az())
    assert world.route53.content(world.zone) == (WWW,)


async def digest(world: World, generation: int) -> Digest:
    """The digest of a published plan."""
    return await world.digest_at(generation)


async def test_ledger_and_managed_names_of_before_are_kept() -> None:
    """What velocity has spent is not forgotten, and a name that dns.yaml lost stays managed."""
    ledger = (NameLedger(parse_name("www.example.com"), "A", 4, 4, ((1_759_999_990, 1),)),)
    world = World()
    await world.publish(WWW, OTHER, ledger=ledger)
    cycle = world.az()
    await world.enact(cycle)
    await world.settle(cycle)
    await lose_fence(world)
    await adopt(world, names(WWW))
    plan = await newest(world)
    assert (plan.ledger, plan.content) == (ledger, (OTHER, WWW))


async def test_a_damaged_fence_is_replaced_and_nothing_else() -> None:
    """What cannot be read is deleted as it stands, in the batch that creates the new fence."""
    world = await settled(WWW)
    await lose_fence(world)
    broken = RecordSet(fence_name(world.zone.name), "TXT", 60, (FENCE_TEXT,))
    stand(world, broken)
    held = await world.enact(world.az())
    assert isinstance(held, Held)
    assert (held.rule, held.command) == (HoldRule.FENCE_DAMAGED, "dns-runbook adopt shop")
    await lose_fence(world)
    stand(world, structs.replace(broken, values=('"anything"',)))
    await adopt(world, names(WWW))
    fence = await fence_of(world)
    assert fence is not None
    assert fence.generation == 2
    assert world.route53.content(world.zone) == (WWW,)


async def test_where_only_the_damaged_fence_stands_enactors_finish() -> None:
    """Nothing stands at the names: the newest plan gets a new number and a half-done fence."""
    world = await settled(WWW)
    world.route53.edit(world.zone, ("DELETE", WWW))
    await lose_fence(world)
    stand(world, RecordSet(fence_name(world.zone.name), "TXT", 60, ('"anything"',)))
    await adopt(world, names(WWW))
    fence = await fence_of(world)
    assert fence is not None
    assert (fence.generation, fence.step, fence.steps) == (2, 1, 2)
    assert (await world.item()).applied == 1
    assert isinstance(await world.enact(world.az()), Applied)
    assert world.route53.content(world.zone) == (WWW,)


async def test_a_zone_made_again_is_bound_to_the_label() -> None:
    """Another id under the same name: held until an operator says so, then it is like new."""
    world = await settled(WWW)
    again = world.route53.make_zone("again", "example.com.")
    zone = structs.replace(again, label="shop")
    world.task = structs.replace(world.task, zone=zone)
    held = await world.enact(world.az())
    assert isinstance(held, Held)
    assert (held.rule, held.command) == (HoldRule.OTHER_ZONE, "dns-runbook adopt shop")
    assert (await adopt(world, names(WWW), zone=zone)).plan is None
    assert (await world.item()).zone_id == zone.zone_id
    assert isinstance(await world.enact(world.az()), Applied)
    assert world.route53.content(zone) == (WWW,)


async def test_a_zone_made_again_with_records_gets_a_plan_of_them() -> None:
    """Also where its fence was copied along: the swap starts from exactly what stands."""
    world = await settled(WWW)
    (fence,) = world.route53.standing(world.zone, fence_name(world.zone.name))
    zone = structs.replace(world.route53.make_zone("again", "example.com."), label="shop")
    changed = a("www.example.com", "192.0.2.77")
    stand(world, changed, fence, zone=zone)
    await adopt(world, names(WWW), zone=zone)
    now, item = await fence_of(world, zone), await world.item()
    assert now is not None
    assert (now.generation, item.head, item.zone_id) == (2, 2, zone.zone_id)
    assert world.route53.content(zone) == (changed,)
    old = await fence_of(world)
    assert old is not None
    assert old.generation == 1


@pytest.mark.parametrize("records", [(), (OTHER,)], ids=["empty", "unmanaged"])
async def test_nothing_to_adopt_where_enactors_can_begin(records: tuple[RecordSet, ...]) -> None:
    """No stated name stands: nothing is written, and the text says what happens by itself."""
    world = World()
    stand(world, *records) if records else None
    with pytest.raises(NothingToAdopt, match="begin by themselves"):
        await adopt(world, names(WWW))
    assert world.table.items == {}
    assert world.route53.content(world.zone) == records


async def test_nothing_to_adopt_where_the_fence_stands() -> None:
    """A second run finds the first one's work."""
    world = World()
    stand(world, WWW)
    await adopt(world, names(WWW))
    with pytest.raises(NothingToAdopt, match="generation 1, step 1/1"):
        await adopt(world, names(WWW))
    assert (await world.item()).head == 1


def changed_item(change: Callable[[GenerationItem], GenerationItem]) -> Callable[[World], None]:
    """A change of the generation item behind everybody's back."""

    def act(world: World) -> None:
        world.table.items["shop"] = change(world.table.items["shop"])

    return act


def restored(world: World) -> None:
    """Another table than the item was written in."""
    world.table.id = "table-2"


REFUSALS = {
    "frozen": (
        changed_item(lambda item: structs.replace(item, frozen="f1")),
        "dns-runbook thaw shop f1",
    ),
    "pinned": (
        changed_item(lambda item: structs.replace(item, pin=Generation(1))),
        "dns-runbook unpin shop",
    ),
    "ahead": (
        changed_item(lambda item: structs.replace(item, ahead=Generation(9))),
        "dns-runbook reconcile shop",
    ),
    "restored": (restored, "dns-runbook reconcile shop"),
    "other owner": (
        changed_item(lambda item: structs.replace(item, owner="f" * 32)),
        f"owner {OWNER}",
    ),
    "above head": (
        changed_item(lambda item: structs.replace(item, head=Generation(0), zone_id="Z9")),
        "above head 0",
    ),
}


@pytest.mark.parametrize("state", REFUSALS)
async def test_a_zone_in_doubt_is_refused(state: str) -> None:
    """Each refusal says what to run; the zone and its item stay as they are."""
    world = await settled(WWW)
    make, text = REFUSALS[state]
    make(world)
    before, content = dict(world.table.items), world.route53.content(world.zone)
    with pytest.raises(Refused, match=text):
        await adopt(world, names(WWW))
    assert (world.table.items, world.route53.content(world.zone)) == (before, content)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ('"dnsplan/1 owner=ffffffffffffffffffffffffffffffff nonce=?"', "another deployment"),
        ('"dnsplan/1 generation=99 step=?"', "above head 1"),
    ],
)
async def test_what_can_be_read_of_a_damaged_fence_counts(text: str, why: str) -> None:
    """P1 and P6 in doubt: another owner's or a higher fence is not written over."""
    world = await settled(WWW)
    await lose_fence(world)
    stand(world, RecordSet(fence_name(world.zone.name), "TXT", 60, (text,)))
    with pytest.raises(Refused, match=why):
        await adopt(world, names(WWW))


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


async def test_a_few_names_of_a_long_zone_are_not_read_back_by_listing_it_all() -> None:
    """Ten pages once; then the managed names alone."""
    world = World()
    others = [a(f"h{n:04d}.example.com", "192.0.2.1") for n in range(2900)]
    for start in range(0, 2900, 900):
        stand(world, *others[start : start + 900])
    stand(world, WWW)
    await adopt(world, names(WWW, API))
    requests = world.route53.requests
    assert (requests["list_page"], requests["list_name"]) == (10, 2)


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
