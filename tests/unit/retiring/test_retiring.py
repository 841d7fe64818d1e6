"""A name ends only by an operator's word, and only that name (P2)."""

from collections.abc import Iterable

import pytest
from msgspec import structs

from dnsplan.codec import unseal
from dnsplan.fence import to_record_set
from dnsplan.names import Name, display, parse_name
from dnsplan.plan import Generation, NameLedger, Plan, Retirement
from dnsplan.records import AliasTarget, RecordSet, Weighted
from enactor.rules.outcomes import Applied, InSync
from planner.rules.candidate import ZoneWish
from planner.rules.outcomes import Published, Unchanged
from planner.rules.outcomes import Refused as PlanRefused
from runbooks.controls.outside import Mistaken, Operator, Refused
from runbooks.controls.rolling_back import RollingBack
from runbooks.retiring.retiring import Asked, Prepared, RetiredAlready, RetireLost, Retiring
from tests.fakes.audit import FakeAudit
from tests.fakes.world import LIMITS, World, a, cname
from tests.unit.adopting.hands import adopt, fence_of, outside, planned
from tests.unit.planner.cases import multivalue, pool, wish

WWW, OLD = a("www.example.com", "192.0.2.1"), a("old.example.com", "192.0.2.9")
OLD_6 = RecordSet(OLD.name, "AAAA", 60, ("2001:db8::9",))
TEXT = RecordSet(OLD.name, "TXT", 60, ('"made by hand"',))
KEPT = wish(records=[WWW])


async def settled(*record_sets: RecordSet, ledger: tuple[NameLedger, ...] = ()) -> World:
    """A zone that holds plan 1 of these."""
    world = World()
    await world.publish(*record_sets, ledger=ledger)
    cycle = world.az()
    await world.enact(cycle)
    await world.settle(cycle)
    return world


def hand(world: World, *, seed: int = 400, audit: FakeAudit | None = None) -> Retiring:
    """Ann's hand."""
    return Retiring(outside(world, seed=seed, audit=audit), Operator("ann", "moved"))


async def prepared(
    world: World, name: str = "old", kind: str | None = None, config: ZoneWish = KEPT
) -> Prepared:
    """What retiring would publish."""
    return await hand(world).prepare(world.zone, Asked(name, kind), config, LIMITS)


async def retire(
    world: World, name: str = "old", kind: str | None = None, config: ZoneWish = KEPT
) -> Plan:
    """Prepare and publish; the new head."""
    await hand(world).publish(await prepared(world, name, kind, config))
    return unseal(await world.archive.load((await world.item()).head_id))


async def test_exactly_that_name_goes() -> None:
    """Planner and enactor let it through, and nothing else: it is gone and stays gone."""
    world = await settled(WWW, OLD, OLD_6)
    plan = await retire(world)
    assert (plan.generation, plan.content) == (2, (WWW,))
    assert plan.retired == (
        Retirement(OLD.name, "A", 2, "ann"),
        Retirement(OLD.name, "AAAA", 2, "ann"),
    )
    assert plan.reason == "retire old.example.com. A, old.example.com. AAAA: moved"
    cycle = world.az()
    assert await world.enact(cycle) == Applied(Generation(2), 1, 0, confirmed=False)
    await world.settle(cycle)
    assert world.route53.content(world.zone) == (WWW,)
    assert await planned(world, KEPT) == Unchanged(Generation(2))
    assert await world.enact(world.az()) == InSync(Generation(2))


async def test_one_type_of_a_name_goes() -> None:
    """The other goes on answering."""
    world = await settled(WWW, OLD, OLD_6)
    assert (await retire(world, kind="AAAA")).content == (OLD, WWW)
    await world.enact(world.az())
    assert world.route53.content(world.zone) == (OLD, WWW)


async def test_what_is_not_managed_at_the_name_stays() -> None:
    """P6: a TXT that people made beside it is theirs, also when the zone must be listed."""
    world = await settled(WWW, OLD)
    world.route53.edit(world.zone, ("CREATE", TEXT))
    fence, zone = await fence_of(world), world.zone.name
    assert fence is not None
    unnoted = structs.replace(fence, held=1, nonce="unnoted")
    moved = (("DELETE", to_record_set(fence, zone)), ("CREATE", to_record_set(unnoted, zone)))
    world.route53.edit(world.zone, *moved)
    await retire(world)
    assert isinstance(await world.enact(world.az()), Applied)
    assert world.route53.requests["list_page"] > 0
    assert world.route53.content(world.zone) == (TEXT, WWW)


async def test_the_ledger_goes_with_it() -> None:
    """What velocity knew of the name means nothing any more."""
    ledger = tuple(NameLedger(one.name, "A", 1, 1, ()) for one in (OLD, WWW))
    world = await settled(WWW, OLD, ledger=ledger)
    assert (await retire(world)).ledger == ledger[1:]


async def test_what_the_newest_plan_took_out_counts_from_now() -> None:
    """P7: its author may have stood still between making and publishing it."""
    world = World()
    made_s = int(world.clock.now_s())
    ledger = (NameLedger(WWW.name, "A", 4, 4, ((made_s, 1),)),)
    await world.publish(WWW, OLD, ledger=ledger)
    cycle = world.az()
    await world.enact(cycle)
    await world.settle(cycle)
    world.clock.advance(30.0)
    plan = await retire(world)
    assert plan.created_s > made_s + 29
    assert plan.ledger[0].spent == ((plan.created_s, 1),)


async def test_the_last_name_of_a_zone_can_end() -> None:
    """An operator may end all; absence never does."""
    world = await settled(OLD)
    assert (await retire(world, config=wish())).content == ()
    assert isinstance(await world.enact(world.az()), Applied)
    assert world.route53.content(world.zone) == ()


async def test_stated_again_it_comes_back_and_is_safe_again() -> None:
    """Undo: the retirement ends with the name's return, so P2 guards it as before."""
    world = await settled(WWW, OLD)
    await retire(world)
    cycle = world.az()
    await world.enact(cycle)
    await world.settle(cycle)
    both = wish(records=[WWW, OLD])
    assert isinstance(await planned(world, both), Published)
    await world.enact(cycle)
    assert world.route53.content(world.zone) == (OLD, WWW)
    plan = unseal(await world.archive.load((await world.item()).head_id))
    assert plan.retired == ()
    assert await planned(world, KEPT) == Unchanged(Generation(3))


async def test_a_rollback_brings_it_back_to_stay() -> None:
    """The word is spent with the name's return: the planner carries it on as unlisted."""
    world = await settled(WWW, OLD, OLD_6)
    await retire(world, kind="A")
    cycle = world.az()
    await world.enact(cycle)
    await world.settle(cycle)
    back = RollingBack(outside(world), Operator("ann", "a mistake"))
    await back.publish(await back.prepare(world.zone, Generation(1), LIMITS, ()), pinned=False)
    assert await planned(world, KEPT) == Unchanged(Generation(3))
    await world.enact(cycle)
    assert set(world.route53.content(world.zone)) == {WWW, OLD, OLD_6}


@pytest.mark.parametrize("name", ["old", "OLD", "old.example.com", "old.example.com."])
async def test_a_name_is_meant_as_people_write_it(name: str) -> None:
    """As in dns.yaml, or in full with and without the last dot."""
    world = await settled(WWW, OLD)
    assert (await prepared(world, name)).name == OLD.name


@pytest.mark.parametrize("name", ["@", "example.com", "example.com."])
async def test_the_apex_is_a_name_like_others(name: str) -> None:
    """Its managed records end; NS and SOA are never managed."""
    apex = a("example.com", "192.0.2.3")
    world = await settled(WWW, apex)
    assert (await prepared(world, name)).ending == (apex,)


@pytest.mark.parametrize(
    ("name", "kind", "why"),
    [
        ("odl", None, r"manages no name odl in generation 1; nearest: old\.example\.com\."),
        ("ww", None, r"nearest: www\.example\.com\.$"),
        ("nothing.like.it", None, "nor one like it; see dns-runbook status shop$"),
        ("old", "MX", "has no MX in generation 1 of shop; it has A$"),
        ("", None, "manages no name"),
        ("a..b", None, "manages no name"),
    ],
)
async def test_what_is_not_managed_is_a_mistake(name: str, kind: str | None, why: str) -> None:
    """The text says what was found and what there is."""
    world = await settled(WWW, OLD)
    with pytest.raises(Mistaken, match=why):
        await prepared(world, name, kind)


async def test_retired_before_is_said() -> None:
    """A second run finds the first one's work."""
    world = await settled(WWW, OLD)
    await retire(world)
    with pytest.raises(RetiredAlready, match=r"retired by ann in generation 2"):
        await prepared(world)


STATED = {
    "stated": wish(records=[WWW, OLD]),
    "pool": wish(pool("a", name=OLD.name), records=[WWW]),
}


@pytest.mark.parametrize("by", STATED)
async def test_refused_while_dns_yaml_states_it(by: str) -> None:
    """The planner would only make it again."""
    world = await settled(WWW, OLD)
    with pytest.raises(Refused, match=r"old\.example\.com\. A: .* dns\.yaml; take it out"):
        await prepared(world, config=STATED[by])
    assert (await world.item()).head == 1


def alias(name: str, to: Name, kind: str = "A") -> RecordSet:
    """An alias in the same zone."""
    return RecordSet(parse_name(name), kind, None, (), alias=AliasTarget("Z1", to, False))


POINTING: dict[str, Iterable[RecordSet]] = {
    "alias": [alias("to.example.com", OLD.name)],
    "cname": [cname("to.example.com", "old.example.com.")],
    "mx": [RecordSet(parse_name("to.example.com"), "MX", 60, ("10 old.example.com.",))],
    "srv": [RecordSet(parse_name("to.example.com"), "SRV", 60, ("1 1 80 old.example.com.",))],
    "weighted": [
        structs.replace(alias("to.example.com", OLD.name), set_id="w", routing=Weighted(1))
    ],
}


@pytest.mark.parametrize("kind", POINTING)
async def test_refused_while_a_managed_record_points_at_it(kind: str) -> None:
    """It would answer with nothing afterwards."""
    world = await settled(WWW, OLD, *POINTING[kind])
    with pytest.raises(Refused, match=r"to\.example\.com\. .*; change or retire that first"):
        await prepared(world)


async def test_a_pointer_that_still_finds_an_answer_forbids_nothing() -> None:
    """One type ends: an alias of the other, and a CNAME to the name, go on answering."""
    to = (alias("alias.example.com", OLD.name), cname("c.example.com", "old.example.com."))
    world = await settled(WWW, OLD, OLD_6, *to)
    assert (await prepared(world, kind="AAAA")).ending == (OLD_6,)


@pytest.mark.parametrize(
    ("field", "value", "command"),
    [
        ("frozen", "f1", "dns-runbook thaw shop f1"),
        ("pin", Generation(1), "dns-runbook unpin shop"),
        ("ahead", Generation(9), "dns-runbook reconcile shop"),
        ("incarnation", "table-0", "dns-runbook reconcile shop"),
    ],
)
async def test_refused_under_another_operators_word(
    field: str, value: str | Generation, command: str
) -> None:
    """A freeze, a pin, a table in doubt: each refusal names what ends it."""
    world = await settled(WWW, OLD)
    world.table.items["shop"] = structs.replace(await world.item(), **{field: value})
    with pytest.raises(Refused, match=command):
        await prepared(world)


async def test_of_two_operators_one_wins_and_the_other_is_told() -> None:
    """Both prepared from the same head; the number is issued once."""
    world = await settled(WWW, OLD)
    ann, bob = await prepared(world), await prepared(world, "www", config=wish(records=[OLD]))
    await hand(world, seed=1).publish(ann)
    with pytest.raises(RetireLost, match="run it again"):
        await hand(world, seed=2).publish(bob)
    await world.enact(world.az())
    assert world.route53.content(world.zone) == (WWW,)


async def test_it_leaves_a_trace() -> None:
    """Who ended what, when and why."""
    world, audit = await settled(WWW, OLD, OLD_6), FakeAudit()
    await hand(world, audit=audit).publish(await prepared(world))
    (row,) = audit.rows
    assert (row.action, row.by, row.because) == ("retire", "ann", "moved")
    facts = {key: row.facts[key] for key in ("name", "types", "generation")}
    assert facts == {"name": display(OLD.name), "types": "A,AAAA", "generation": 2}


async def test_a_name_that_only_vanished_from_dns_yaml_goes_on_answering() -> None:
    """Absence is no instruction, for stated and for pool-driven names alike."""
    driven = multivalue("a", "b", name=parse_name("pool.example.com."))
    world = await settled(WWW, OLD, *driven)
    assert not isinstance(await planned(world, KEPT), Published | PlanRefused)
    assert set(world.route53.content(world.zone)) == {WWW, OLD, *driven}


async def test_a_lost_fence_does_not_undo_a_retirement() -> None:
    """The word travels on with the adopted plan: what still stands ends with the next one."""
    world = await settled(WWW, OLD)
    await retire(world)
    fence = await fence_of(world)
    assert fence is not None
    world.route53.edit(world.zone, ("DELETE", to_record_set(fence, world.zone.name)))
    await adopt(world, KEPT)
    assert set(world.route53.content(world.zone)) == {WWW, OLD}
    assert isinstance(await planned(world, KEPT), Published)
    await world.enact(world.az())
    assert world.route53.content(world.zone) == (WWW,)
