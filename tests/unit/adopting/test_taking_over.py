"""Adopting writes a plan of what stands and one record, the fence; of two operators one wins."""

import pytest
from msgspec import structs

from dnsplan.fence import FencingToken, fence_name
from dnsplan.names import parse_name
from dnsplan.plan import Digest, Generation, NameLedger
from dnsplan.records import RecordSet
from enactor.rules.outcomes import Applied, Held, HoldRule, InSync
from planner.rules.outcomes import Published, Unchanged
from runbooks.adopting.preparing import NothingToAdopt
from tests.fakes.audit import FakeAudit
from tests.fakes.world import World, a, cname
from tests.unit.adopting.hands import (
    adopt,
    fence_of,
    lose_fence,
    names,
    newest,
    planned,
    settled,
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


async def test_what_the_newest_plan_took_out_counts_from_now() -> None:
    """P7: its author may have stood still between making and publishing it."""
    world = World()
    made_s = int(world.clock.now_s())
    ledger = (NameLedger(parse_name("www.example.com"), "A", 4, 4, ((made_s, 1),)),)
    await world.publish(WWW, ledger=ledger)
    cycle = world.az()
    await world.enact(cycle)
    await world.settle(cycle)
    await lose_fence(world)
    world.clock.advance(30.0)
    await adopt(world, names(WWW))
    plan = await newest(world)
    assert plan.created_s > made_s + 29
    assert plan.ledger[0].spent == ((plan.created_s, 1),)


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
