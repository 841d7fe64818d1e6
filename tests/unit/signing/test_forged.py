"""Who may write the table and has no key changes no DNS: it is held, and paged."""

import pytest
from msgspec import structs

from dnsplan.codec import contents
from dnsplan.drains import Drain
from dnsplan.drains import encoded as encoded_drains
from dnsplan.errors import PlanUnvouched
from dnsplan.fence import NoFence, SeenFence
from dnsplan.plan import Digest, Generation, Waiver
from dnsplan.records import RecordSet
from dnsplan.vouch import Signer
from dnsplan.waivers import Offer
from dnsplan.waivers import encoded as encoded_offers
from enactor.rules.causes import RUNBOOKS
from enactor.rules.outcomes import Applied, Held, HoldRule, InSync
from enactor.rules.packing import build
from enactor.shelf import Shelf
from planner.rules.outcomes import Held as PlannerHeld
from planner.rules.outcomes import HoldRule as PlannerRule
from planner.rules.outcomes import Published
from runbooks.controls.outside import Operator
from runbooks.controls.pinning import Pinning
from runbooks.draining.draining import Draining
from runbooks.reconciling.preparing import Reckoning
from runbooks.reconciling.reconciling import Reconciling
from tests.fakes.world import a
from tests.unit.adopting.hands import names, outside, quiet
from tests.unit.reconciling.hands import NOTHING_SAID
from tests.unit.restoring.hands import freeze_fence
from tests.unit.signing.hands import (
    ANN,
    ANN_KEY,
    KEYRING,
    PLANNER,
    PLANNER_2,
    STRANGER,
    SignedWorld,
    changed_body,
    listed,
)

ONE, TWO = a("www.example.com", "192.0.2.1"), a("www.example.com", "192.0.2.2")
EVIL = a("www.example.com", "203.0.113.66")


async def live(*content: RecordSet) -> SignedWorld:
    """A zone that holds signed plan 1."""
    world = SignedWorld()
    await world.publish(*(content or (ONE,)))
    cycle = world.az()
    assert isinstance(await world.enact(cycle), Applied)
    await world.settle(cycle)
    return world


async def test_what_is_signed_is_applied() -> None:
    """And says whose key it was, in its row."""
    world = await live()
    (row,) = await world.archive.rows("shop")
    assert (row.key_id, world.names_in_zone()) == ("planner-1", (ONE,))
    assert isinstance(await world.enact(world.az()), InSync)


@pytest.mark.parametrize(
    ("signer", "why"),
    [
        (None, "plan shop 2 is not signed"),
        (PLANNER_2, "plan shop 2 is signed by key planner-2, which the config does not list"),
        (STRANGER, "plan shop 2 bears a signature that key planner-1 did not make"),
    ],
)
async def test_a_forged_plan_is_held(signer: Signer | None, why: str) -> None:
    """Body, row and head agree, and the zone stays as it is; planner and enactors say why."""
    world = await live()
    await world.forge(await world.next_plan(EVIL), signer)
    held = await world.enact(world.az())
    assert held == Held(HoldRule.UNVOUCHED, why, "dns-runbook reconcile shop")
    planned = await world.plan(names(TWO))
    assert planned == PlannerHeld(PlannerRule.UNVOUCHED, why, "dns-runbook reconcile shop")
    assert world.names_in_zone() == (ONE,)
    assert RUNBOOKS[HoldRule.UNVOUCHED] == "unsigned-plan"


async def test_a_signature_stands_under_one_plan() -> None:
    """Not under other bytes, another number, or another zone's label."""
    world = await live()
    head = (await world.item()).head_id
    forged = changed_body(world.bodies, head, await world.next_plan(EVIL))
    world.put(head=forged.generation, head_digest=forged.digest)
    held = await world.enact(world.az())
    assert isinstance(held, Held)
    assert held.text == "plan shop 2 bears a signature that key planner-1 did not make"


async def test_an_old_plan_does_not_come_back() -> None:
    """A head that is put back finds a fence beyond it, however well it is signed."""
    world = await live()
    first = await world.item()
    await world.publish(TWO)
    cycle = world.az()
    await world.enact(cycle)
    await world.settle(cycle)
    world.put(
        head=first.head, head_digest=first.head_digest, claimed=first.claimed, applied=first.applied
    )
    held = await world.enact(world.az())
    assert isinstance(held, Held)
    assert (held.rule, world.names_in_zone()) == (HoldRule.AHEAD, (TWO,))


async def test_a_pin_is_an_operators_word() -> None:
    """One that nobody signed, or another's signature, holds; unpinned, the zone goes on."""
    world = await live()
    hand = Pinning(outside(world), ANN)
    await world.publish(TWO)
    await hand.pin(world.zone, Generation(2))
    assert isinstance(await world.enact(world.az()), Applied)
    pinned = await world.item()
    for forged in (
        {"pin_vouch": None},
        {"pin": Generation(1), "pin_digest": Digest("d" * 64)},
        {"pin_vouch": f"planner-1:{PLANNER.sign(b'pin').signature.hex()}"},
        {"pin_vouch": "change-1:00"},
        {"pin_vouch": "no colon"},
    ):
        world.put(**forged)
        held = await world.enact(world.az())
        assert isinstance(held, Held)
        assert (held.rule, held.command) == (HoldRule.UNVOUCHED, "dns-runbook unpin shop")
        world.table.items["shop"] = pinned
    world.put(pin=None, pin_digest=None, pin_vouch=None)
    assert not isinstance(await world.enact(world.az()), Held)


async def test_a_waiver_or_a_drain_is_an_operators_word() -> None:
    """What nobody signed is not planned on, nor as if it were not there; the hold ends it."""
    world = await live()
    until_s = int(world.clock.now_s()) + 600
    offer = Offer(Waiver("velocity", "eve", "", Generation(2)), until_s)
    world.put(waivers=encoded_offers([offer]))
    held = await world.plan(names(TWO))
    assert held == PlannerHeld(
        PlannerRule.UNVOUCHED,
        "shop: the waiver of velocity is not signed",
        "dns-runbook waive shop velocity --because unsigned --end",
    )
    world.put(waivers=None, drains=encoded_drains([Drain("web/a", until_s, "eve", "")]))
    held = await world.plan(names(TWO))
    assert held == PlannerHeld(
        PlannerRule.UNVOUCHED,
        "shop: the drain of web/a is not signed",
        "dns-runbook undrain web/a shop",
    )
    world.put(drains=None)
    await Draining(outside(world), ANN).write(
        await Draining(outside(world), ANN).prepare("shop", "web/a", until_s=until_s)
    )
    assert isinstance(await world.plan(names(TWO)), Published)


async def test_a_planners_key_is_no_operators() -> None:
    """A planner's machine that is taken over gives nobody an operator's word."""
    world = await live()
    until_s = int(world.clock.now_s()) + 600
    hand = Draining(outside(world), Operator("eve", "", PLANNER))
    await hand.write(await hand.prepare("shop", "web/a", until_s=until_s))
    held = await world.plan(names(TWO))
    assert isinstance(held, PlannerHeld)
    assert held.text == (
        "shop: the drain of web/a is signed by key planner-1 of a planner, and only a key of"
        " operators may"
    )


async def test_reconcile_takes_what_stands() -> None:
    """Nothing of the forged plan: the zone's own content, signed, in an era above it."""
    world = await live()
    await world.forge(await world.next_plan(EVIL))
    world.turn_on(KEYRING, ANN_KEY)
    ports = outside(world, seed=600)
    ready = await Reckoning(ports, ANN).prepare(world.zone, names(TWO), NOTHING_SAID, None, quiet)
    await Reconciling(ports, ANN).reconcile(ready, quiet)
    item = await world.item()
    envelope = await world.archive.load(item.head_id)
    assert (item.head, envelope.key_id) == (1_000_000, "change-1")
    assert contents(envelope).content == (ONE,)
    world.turn_on(KEYRING, PLANNER)
    assert isinstance(await world.plan(names(TWO)), Published)
    await world.enact(world.az())
    assert world.names_in_zone() == (TWO,)


async def test_signing_is_switched_on_over_plans_that_nobody_signed() -> None:
    """What stands is named by the zone's own fence, so enactors leave it and hold nothing. What
    they would have to write waits, and planners hold, until an operator signs what stands."""
    world = SignedWorld(keyring=listed(), signer=None)
    await world.publish(ONE)
    cycle = world.az()
    await world.enact(cycle)
    await world.settle(cycle)
    world.turn_on(KEYRING, PLANNER)
    assert isinstance(await world.enact(world.az()), InSync)
    world.put(applied=Generation(0), applied_fence=None, last_known_good=Generation(0))
    unsigned = await world.enact(world.az())
    assert isinstance(unsigned, Held)
    assert unsigned.rule is HoldRule.UNVOUCHED
    held = await world.plan(names(TWO))
    assert isinstance(held, PlannerHeld)
    assert held.rule is PlannerRule.UNVOUCHED
    world.turn_on(KEYRING, ANN_KEY)
    ports = outside(world, seed=600)
    ready = await Reckoning(ports, ANN).prepare(world.zone, names(TWO), NOTHING_SAID, None, quiet)
    assert ready.known is not None
    await Reconciling(ports, ANN).reconcile(ready, quiet)
    world.turn_on(KEYRING, PLANNER)
    assert isinstance(await world.plan(names(TWO)), Published)


@pytest.mark.parametrize("steps", [1, 2])
async def test_a_fence_vouches_for_no_record(steps: int) -> None:
    """Who may write the table and move the fence, and nothing else in the zone, names a plan by it
    that nobody signed: half done, to be finished, or whole, to be mended. It stays as it was."""
    world = await live()
    plan_id = await world.forge(await world.next_plan(EVIL), None)
    seen = await world.route53.read_fence(world.zone)
    assert isinstance(seen, SeenFence)
    named = structs.replace(
        seen.record,
        generation=plan_id.generation,
        digest=plan_id.digest,
        base=seen.record.generation,
        step=1,
        steps=steps,
        nonce="forged",
    )
    batch = build(seen, named, (), zone=world.zone.name, may_end=lambda _key: False)
    world.route53.land(world.zone, batch)
    world.put(claimed=plan_id.generation)
    cycle = world.az()
    for _ in range(4):
        held = await world.enact(cycle)
        assert isinstance(held, Held)
        assert held.rule is HoldRule.UNVOUCHED
        await world.clock.sleep(400.0)
    assert world.names_in_zone() == (ONE,)


async def test_what_one_fence_vouched_for_is_not_kept_for_the_next() -> None:
    """An enactor that took an unsigned plan, as the fence named it, asks anew each time."""
    world = SignedWorld(keyring=listed(), signer=None)
    await world.publish(ONE)
    await world.enact(world.az())
    world.turn_on(KEYRING, PLANNER)
    plan_id = (await world.item()).head_id
    seen = await world.route53.read_fence(world.zone)
    assert isinstance(seen, SeenFence)
    shelf = Shelf(world.archive)
    assert (await shelf.take(plan_id, standing=seen.record)).plan_id == plan_id
    another = structs.replace(seen.record, digest=Digest("another"))
    for fence in (None, another):
        with pytest.raises(PlanUnvouched):
            await shelf.take(plan_id, standing=fence)


async def test_what_nobody_signed_passes_while_it_is_switched_on() -> None:
    """With `unsigned: accept`, but nothing that a stranger signed."""
    world = SignedWorld(keyring=listed(PLANNER, takes_unsigned=True), signer=None)
    await world.publish(ONE)
    assert isinstance(await world.enact(world.az()), Applied)
    await world.forge(await world.next_plan(EVIL), STRANGER)
    assert isinstance(await world.enact(world.az()), Held)
    assert world.names_in_zone() == (ONE,)


async def test_a_key_takes_over_from_another() -> None:
    """Both are listed while plans of both are about; then the old one counts no more."""
    world = await live()
    world.turn_on(listed(PLANNER, PLANNER_2, ANN_KEY), PLANNER_2)
    assert isinstance(await world.plan(names(TWO)), Published)
    cycle = world.az()
    assert isinstance(await world.enact(cycle), Applied)
    await world.settle(cycle)
    world.turn_on(listed(PLANNER_2, ANN_KEY), PLANNER_2)
    assert isinstance(await world.plan(names(ONE)), Published)
    assert isinstance(await world.enact(world.az()), Applied)
    rows = await world.archive.rows("shop")
    assert [row.key_id for row in rows] == ["planner-1", "planner-2", "planner-2"]


async def test_a_thaw_in_the_table_alone_thaws_nothing() -> None:
    """The freeze stands in the fence as well, which needs Route 53."""
    world = await live()
    fence = await world.records.read_fence(world.zone)
    assert not isinstance(fence, NoFence)
    freeze_fence(world, fence.record, "f1")
    await world.publish(TWO)
    held = await world.enact(world.az())
    assert isinstance(held, Held)
    assert (held.rule, world.names_in_zone()) == (HoldRule.FROZEN, (ONE,))


def test_secrets_do_not_show() -> None:
    """Not in a repr, whoever logs it."""
    assert "o" * 8 not in repr(ANN_KEY)
