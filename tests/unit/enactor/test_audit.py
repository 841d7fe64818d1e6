"""What others change in a zone that holds its plan is found page by page, and mended or held."""

import pytest
from msgspec import structs

from dnsplan.names import parse_name
from dnsplan.outcomes import Accepted
from dnsplan.plan import Generation
from dnsplan.records import RecordSet, Weighted
from enactor.cycle import EnactCycle
from enactor.rules.outcomes import Applied, Held, HoldRule, InSync, Outcome
from tests.fakes.world import World, a, cname
from tests.unit.enactor.test_cycle import applied_once, fence_of

WWW = a("www.example.com", "192.0.2.1")
FOREIGN = a("www.example.com", "203.0.113.66")


async def audited(world: World, cycle: EnactCycle) -> Outcome:
    """One look at the next page."""
    item, incarnation = await world.item(), await world.table.incarnation()
    return await cycle.run_once(world.task, item, incarnation=incarnation, audits=True)


async def test_a_foreign_change_is_mended_with_the_fence_and_read_back() -> None:
    """What the live plan does not explain is put back, and the repair is confirmed like a plan."""
    world = World()
    await applied_once(world, WWW)
    before = await fence_of(world)
    world.route53.edit(world.zone, ("UPSERT", FOREIGN))
    cycle = world.az()
    outcome = await audited(world, cycle)
    assert isinstance(outcome, Applied)
    assert outcome.notes == ("www.example.com. was changed by others: mended",)
    assert [str(one) for one in cycle.findings("shop").drift] == [
        "www.example.com. A: wanted A 60 192.0.2.1; standing A 60 203.0.113.66"
    ]
    assert world.route53.content(world.zone) == (WWW,)
    after = await fence_of(world)
    assert (after.generation, after.step) == (before.generation, before.step + 1)
    assert cycle.awaits(await world.item())
    assert await world.settle(cycle) == Applied(Generation(1), 0, 0, confirmed=True)
    assert cycle.findings("shop").drift == ()
    assert await audited(world, cycle) == InSync(Generation(1))


@pytest.mark.parametrize(
    "edits",
    [
        (("DELETE", WWW),),
        (("DELETE", WWW), ("CREATE", cname("www.example.com", "elsewhere.example.net"))),
        (("UPSERT", structs.replace(WWW, ttl_s=61)),),
        (
            ("DELETE", WWW),
            ("CREATE", structs.replace(WWW, set_id="x", routing=Weighted(1))),
        ),
    ],
    ids=["emptied", "cname in its place", "another ttl", "another policy"],
)
async def test_every_kind_of_foreign_change_is_mended_at_once(
    edits: tuple[tuple[str, RecordSet], ...],
) -> None:
    """An emptied name, a CNAME in its place, a TTL, a routing policy: one look, one repair."""
    world = World()
    await applied_once(world, WWW, a("b.example.com", "192.0.2.2"))
    world.route53.edit(world.zone, *edits)
    assert isinstance(await audited(world, world.az()), Applied)
    assert set(world.route53.content(world.zone)) == {WWW, a("b.example.com", "192.0.2.2")}


async def test_a_foreign_member_of_a_managed_group_is_drift() -> None:
    """The sets of one name and type are one unit: a member that the plan does not state goes."""
    world = World()
    name = parse_name("w.example.com")
    ours = RecordSet(name, "A", 60, ("192.0.2.1",), "ours", Weighted(1))
    theirs = RecordSet(name, "A", 60, ("203.0.113.66",), "theirs", Weighted(1))
    await applied_once(world, ours)
    world.route53.edit(world.zone, ("CREATE", theirs))
    assert isinstance(await audited(world, world.az()), Applied)
    assert world.route53.content(world.zone) == (ours,)


async def test_what_no_plan_manages_is_nobodys_drift() -> None:
    """P6: other names, and other types of a managed name, may come, change and go."""
    world = World()
    await applied_once(world, WWW)
    text = RecordSet(parse_name("www.example.com"), "TXT", 60, ('"v"',))
    world.route53.edit(world.zone, ("CREATE", text), ("CREATE", a("x.example.com", "192.0.2.9")))
    world.route53.requests.clear()
    assert await audited(world, world.az()) == InSync(Generation(1))
    assert world.route53.requests["submit"] == 0


async def test_drift_is_held_where_the_zone_says_so_and_freed_when_it_ends() -> None:
    """`drift: hold`: shown and counted in the fence, sent once; put back by hand, it is over."""
    world = World()
    world.task = structs.replace(world.task, repair_drift=False)
    await applied_once(world, WWW)
    world.route53.edit(world.zone, ("UPSERT", FOREIGN))
    cycle = world.az()
    outcome = await audited(world, cycle)
    assert isinstance(outcome, Applied)
    assert outcome.held == 1
    assert world.route53.content(world.zone) == (FOREIGN,)
    await world.settle(cycle)
    submits = world.route53.requests["submit"]
    for _ in range(3):
        assert await audited(world, cycle) == InSync(Generation(1), held=1)
    assert world.route53.requests["submit"] == submits
    assert len(cycle.findings("shop").drift) == 1
    world.route53.edit(world.zone, ("UPSERT", WWW))
    assert isinstance(await audited(world, cycle), Applied)
    assert (await fence_of(world)).held == 0
    assert cycle.findings("shop").drift == ()


async def test_a_name_that_others_emptied_stays_so_where_drift_is_held() -> None:
    """The zone's word has no exception: neither an audit nor a later plan fills the name again,
    and both say so."""
    world = World()
    world.task = structs.replace(world.task, repair_drift=False)
    await applied_once(world, WWW)
    world.route53.edit(world.zone, ("DELETE", WWW))
    cycle = world.az()
    assert isinstance(await audited(world, cycle), Applied)
    await world.settle(cycle)
    assert [str(one) for one in cycle.findings("shop").drift] == [
        "www.example.com. A: wanted A 60 192.0.2.1; standing nothing"
    ]
    await world.publish(a("www.example.com", "192.0.2.2"))
    outcome = await world.enact(cycle)
    assert isinstance(outcome, Applied)
    assert (outcome.held, world.route53.content(world.zone)) == (1, ())


async def test_held_drift_is_mended_when_the_zone_says_repair() -> None:
    """The word on drift is read anew at each look; nobody has to publish a plan for it."""
    world = World()
    world.task = structs.replace(world.task, repair_drift=False)
    await applied_once(world, WWW)
    world.route53.edit(world.zone, ("UPSERT", FOREIGN))
    await audited(world, world.az())
    world.task = structs.replace(world.task, repair_drift=True)
    assert isinstance(await audited(world, world.az("az2")), Applied)
    assert world.route53.content(world.zone) == (WWW,)
    assert (await fence_of(world)).held == 0


async def test_a_name_held_for_its_content_is_not_drift_and_stays_held_beside_a_repair() -> None:
    """Mending a neighbour forgets no held name, and asks Route 53 for no refused one again."""
    world = World()
    bad = RecordSet(parse_name("bad.example.com"), "MX", 60, ("99999 mail.example.com.",))
    await applied_once(world, WWW, bad)
    assert (await fence_of(world)).held == 1
    cycle = world.az()
    assert await audited(world, cycle) == InSync(Generation(1), held=1)
    assert cycle.findings("shop").drift == ()
    world.route53.edit(world.zone, ("UPSERT", FOREIGN))
    outcome = await audited(world, cycle)
    assert isinstance(outcome, Applied)
    assert outcome.held == 1
    assert world.route53.content(world.zone) == (WWW,)
    row = await world.exceptions.find("shop", Generation(1), (await fence_of(world)).nonce)
    assert row is not None
    assert [one.name for one in row.names] == [bad.name]


def many(count: int) -> list[RecordSet]:
    """Names in the order in which Route 53 lists them."""
    return [a(f"h{n:04d}.example.com", "192.0.2.1") for n in range(count)]


async def test_the_whole_zone_is_covered_page_by_page() -> None:
    """700 names: three looks of a page and the fence behind it, then it begins again."""
    world = World()
    content = many(700)
    await applied_once(world, *content)
    cycle = world.az()
    world.route53.requests.clear()
    for _ in range(3):
        assert await audited(world, cycle) == InSync(Generation(1))
    # One fence before the first page; the first page holds it, and each other has it read behind.
    assert dict(world.route53.requests) == {"read_fence": 3, "list_page": 3}
    assert cycle.audit_pages("shop") == 3
    last = a("h0699.example.com", "203.0.113.66")
    world.route53.edit(world.zone, ("UPSERT", last))
    for _ in range(2):
        assert await audited(world, cycle) == InSync(Generation(1))
    assert isinstance(await audited(world, cycle), Applied)
    assert set(world.route53.content(world.zone)) == set(content)
    assert cycle.audit_pages("shop") is None  # the next page is looked at soon
    world.route53.edit(world.zone, ("UPSERT", a("h0000.example.com", "203.0.113.66")))
    assert isinstance(await audited(world, cycle), Applied)


async def test_a_zone_that_somebody_emptied_is_listed_and_filled() -> None:
    """Beyond some tens of names a listing costs less than asking for each."""
    world = World()
    content = many(700)
    await applied_once(world, *content)
    world.route53.edit(world.zone, *(("DELETE", one) for one in content))
    world.route53.requests.clear()
    assert isinstance(await audited(world, world.az()), Applied)
    assert set(world.route53.content(world.zone)) == set(content)
    assert world.route53.requests["list_page"] + world.route53.requests["list_name"] <= 5


async def test_a_page_read_while_a_plan_was_applied_says_nothing() -> None:
    """The fence behind the page is another plan's: what the page shows is no drift."""
    world = World()
    old, new = many(400), [a(one.name, "192.0.2.2") for one in many(400)]
    await applied_once(world, *old)
    cycle, other = world.az("az1"), world.az("az2")
    await audited(world, cycle)  # the first page; the second is next
    await world.publish(*new)
    await world.enact(other)
    batch = world.route53.accepted[-1]
    world.route53.account.forget_last(world.zone.zone_id, 1)

    def overtaken() -> None:
        world.route53.after_page = None
        assert isinstance(world.route53.land(world.zone, batch), Accepted)

    world.route53.after_page = overtaken
    item = structs.replace(
        await world.item(), head=Generation(1), head_digest=await world.digest_at(1)
    )
    incarnation = await world.table.incarnation()
    outcome = await cycle.run_once(world.task, item, incarnation=incarnation, audits=True)
    assert isinstance(outcome, Held)  # the item read in this pass is older than the fence
    assert outcome.rule is HoldRule.AHEAD
    assert cycle.findings("shop").drift == ()
    assert set(world.route53.content(world.zone)) == set(new)


async def test_a_page_read_while_the_fence_was_renewed_is_read_again() -> None:
    """The same plan under another nonce: the page counts for nothing, the next reading does."""
    world = World()
    await applied_once(world, *many(700))
    cycle, other = world.az("az1"), world.az("az2")
    await audited(world, cycle)
    world.route53.edit(world.zone, ("UPSERT", a("h0000.example.com", "203.0.113.66")))
    repaired = world.az("az2")
    await audited(world, repaired)
    await world.settle(repaired)
    world.route53.edit(world.zone, ("UPSERT", a("h0400.example.com", "203.0.113.66")))
    assert isinstance(await audited(world, cycle), Applied)
    assert set(world.route53.content(world.zone)) == set(many(700))
    assert await audited(world, other) == InSync(Generation(1))


async def test_a_frozen_zone_is_not_mended() -> None:
    """P9: a freeze that stands only in the fence yet ends the look."""
    world = World()
    await applied_once(world, WWW)
    world.route53.edit(world.zone, ("UPSERT", FOREIGN))
    item = structs.replace(await world.item(), frozen="f1")
    incarnation = await world.table.incarnation()
    outcome = await world.az().run_once(world.task, item, incarnation=incarnation, audits=True)
    assert isinstance(outcome, Held)
    assert outcome.rule is HoldRule.FROZEN
    assert world.route53.content(world.zone) == (FOREIGN,)


async def test_observing_shows_drift_and_changes_nothing() -> None:
    """`mode: observe` beside a fence of ours: the drift is known, and no batch is owed."""
    world = World()
    await applied_once(world, WWW)
    world.task = structs.replace(world.task, observe=True)
    world.route53.edit(world.zone, ("UPSERT", FOREIGN))
    cycle = world.az()
    submits = world.route53.requests["submit"]
    assert await audited(world, cycle) == InSync(Generation(1))
    assert len(cycle.findings("shop").drift) == 1
    assert not cycle.awaits(await world.item())
    assert world.route53.requests["submit"] == submits


async def test_drift_that_ended_by_itself_costs_no_batch() -> None:
    """Between the look and the repair the foreign hand took it back: nothing is sent."""
    world = World()
    await applied_once(world, WWW)
    world.route53.edit(world.zone, ("UPSERT", FOREIGN))

    def back() -> None:
        world.route53.after_page = None
        world.route53.edit(world.zone, ("UPSERT", WWW))

    world.route53.after_page = back
    submits = world.route53.requests["submit"]
    cycle = world.az()
    assert await audited(world, cycle) == InSync(Generation(1))
    assert world.route53.requests["submit"] == submits
    assert await audited(world, cycle) == InSync(Generation(1))
    assert cycle.findings("shop").drift == ()


async def test_a_repair_that_does_not_last_is_said_with_both_values() -> None:
    """INSYNC is no proof: who overwrites the repair is named by what stands and what should."""
    world = World()
    await applied_once(world, WWW)
    world.route53.edit(world.zone, ("UPSERT", FOREIGN))
    cycle = world.az()
    await audited(world, cycle)
    world.route53.edit(world.zone, ("UPSERT", FOREIGN))
    held = await world.settle(cycle)
    assert isinstance(held, Held)
    assert held.text == (
        "plan 1 is in sync, yet www.example.com. A: wanted A 60 192.0.2.1;"
        " standing A 60 203.0.113.66"
    )
    assert held.command == "dns-runbook audit shop"


async def test_drift_all_over_a_long_zone_is_mended_in_pieces_that_are_fresh() -> None:
    """A view older than 30 s is not acted upon: what was read by then is mended, then the rest."""
    world = World()
    content = many(4000)
    await applied_once(world, *content)
    places = range(0, 4000, 400)
    new = [a(one.name, "192.0.2.2") if n in places else one for n, one in enumerate(content)]
    await world.publish(*new)
    cycle = world.az()
    await world.enact(cycle)
    foreign = [a(content[n].name, "203.0.113.66") for n in places]
    world.route53.edit(world.zone, *(("UPSERT", one) for one in foreign))
    held = await world.settle(cycle)
    assert isinstance(held, Held)
    assert held.rule is HoldRule.DRIFT
    world.route53.after_page = lambda: world.clock.advance(6.0)
    passes = 0
    while set(world.route53.content(world.zone)) != set(new):
        assert isinstance(await world.enact(cycle), Applied)
        passes += 1
        assert passes <= 6, "no pass brought the zone nearer to its plan"
    assert passes == 5  # of two names each: a third is not begun after ten seconds
    world.route53.after_page = None
    await world.settle(cycle)
    assert (await world.item()).applied == 2
