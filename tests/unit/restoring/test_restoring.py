"""A zone is broken and everything but Route 53 is gone: a plan file brings it back."""

import pytest
from msgspec import structs

from dnsplan.fence import fence_name
from dnsplan.names import parse_name
from dnsplan.plan import ERA
from dnsplan.records import AliasTarget, RecordSet
from enactor.rules.outcomes import Fenced, Held, HoldRule
from runbooks.controls.outside import Refused
from runbooks.restoring.preparing import saved
from runbooks.restoring.restoring import RestoreLost
from runbooks.restoring.rules import Word
from tests.fakes.clock import FakeClock
from tests.fakes.world import OWNER, a, cname
from tests.fakes.zone_records import Fault
from tests.unit.adopting.hands import lose_fence, settled
from tests.unit.restoring.hands import (
    done,
    empty,
    fence_of,
    file_of,
    freeze_fence,
    prepared,
    restored,
    stated,
)

WWW, API = a("www.example.com", "192.0.2.1"), a("api.example.com", "192.0.2.2")
OTHER = a("other.example.com", "192.0.2.9")
STRANGER = "f" * 32


async def test_an_emptied_zone_comes_back_under_the_next_era() -> None:
    """P13, P4: all of the file stands, and its number is above any that was issued."""
    world = await settled(WWW, API)
    empty(world)
    file = file_of(await world.publish(WWW, API))  # generation 2 was issued, never applied
    ended = await restored(world, file)
    assert world.route53.content(world.zone) == (API, WWW)
    fence = await fence_of(world)
    assert (ended.held, ended.drifted, ended.fence) == ({}, (), fence)
    assert (fence.generation, fence.owner, fence.base, fence.is_complete) == (ERA, OWNER, 1, True)
    assert fence.writer == f"restore.{int(world.clock.now_s())}.ann"


async def test_enactors_that_still_run_are_shut_out_and_then_hold() -> None:
    """A batch in flight is refused; the next look marks the table ahead, and nothing is sent."""
    world = await settled(WWW)
    file = file_of(await world.publish(WWW, API))
    await world.publish(a("www.example.com", "192.0.2.66"))
    world.route53.submit_faults.append(Fault.HOLD)
    cycle = world.az()
    await world.enact(cycle)  # its batch hangs at Route 53's door
    await restored(world, file)
    (late,) = world.route53.held
    world.route53.land(*late)
    assert world.route53.content(world.zone) == (API, WWW)
    held = await world.enact(cycle)
    assert isinstance(held, Held)
    assert (held.rule, held.command) == (HoldRule.AHEAD, "dns-runbook reconcile shop")
    assert (await world.item()).ahead == ERA


async def test_an_enactor_that_moves_the_zone_meanwhile_is_overtaken() -> None:
    """The operator agreed to what the file says; it stands, whatever an enactor did in between."""
    world = await settled(WWW)
    ready = await prepared(world, stated(WWW, API))
    await world.publish(a("www.example.com", "192.0.2.66"))
    await world.enact(world.az())
    ended = await done(world, ready)
    assert (ended.fence.generation, ended.fence.base) == (ERA, 2)
    assert world.route53.content(world.zone) == (API, WWW)


async def test_what_the_file_does_not_state_is_never_touched() -> None:
    """P6: other names, and other types at a stated name, stay as they are."""
    world = await settled(WWW)
    mail = RecordSet(WWW.name, "MX", 300, ("10 mail.example.net.",))
    world.route53.edit(world.zone, ("CREATE", OTHER), ("CREATE", mail))
    new = a("www.example.com", "192.0.2.5")
    await restored(world, stated(new))
    assert world.route53.content(world.zone) == (OTHER, new, mail)


@pytest.mark.parametrize(
    ("standing", "wanted"),
    [(WWW, cname("www.example.com", "h.example.net.")), (cname("www.example.com", "h.a."), WWW)],
)
async def test_a_cname_gives_way_and_is_given_way_to(
    standing: RecordSet, wanted: RecordSet
) -> None:
    """Both happen in one batch, so the name answers all the time."""
    world = await settled(standing)
    await restored(world, stated(wanted))
    assert world.route53.content(world.zone) == (wanted,)
    assert len(world.route53.accepted) == 2


async def test_an_alias_of_others_is_not_left_pointing_at_nothing() -> None:
    """P2: a stated name that becomes a CNAME would empty an alias that the file does not know."""
    world = await settled(WWW)
    alias = RecordSet(
        parse_name("shop.example.com"),
        "A",
        None,
        (),
        alias=AliasTarget(world.zone.zone_id, WWW.name, evaluate_target_health=False),
    )
    world.route53.edit(world.zone, ("CREATE", alias))
    with pytest.raises(Refused, match=r"never_empty: shop\.example\.com\..*A is an alias of www"):
        await restored(world, stated(cname("www.example.com", "h.example.net.")))
    assert (await fence_of(world)).generation == 1


async def test_a_zone_without_a_fence_gets_one_first() -> None:
    """Creating it is its own swap: of two who find none, one wins."""
    world = await settled(WWW)
    empty(world)
    await lose_fence(world)
    ended = await restored(world, stated(WWW, generation=140), Word(above=3 * ERA + 5))
    assert (ended.fence.generation, ended.fence.base) == (4 * ERA, 0)
    assert world.route53.content(world.zone) == (WWW,)


async def test_a_fence_that_cannot_be_read_is_replaced_above_what_it_said() -> None:
    """What a hand left of it still counts: its number, and its owner."""
    world = await settled(WWW)
    name = fence_name(world.zone.name)
    (fence,) = world.route53.standing(world.zone, name)
    torn = structs.replace(fence, values=(f'"generation=2000140 owner={OWNER} step=oops"',))
    world.route53.edit(world.zone, ("DELETE", fence), ("CREATE", torn))
    ended = await restored(world, stated(API))
    assert (ended.fence.generation, ended.fence.base) == (3 * ERA, 2_000_140)
    world.route53.edit(world.zone, ("DELETE", world.route53.standing(world.zone, name)[0]))
    foreign = structs.replace(torn, values=(f'"owner={STRANGER}"',))
    world.route53.edit(world.zone, ("CREATE", foreign))
    with pytest.raises(Refused, match=STRANGER):
        await restored(world, stated(API))


async def test_another_owners_zone_is_left_alone_unless_it_is_named() -> None:
    """P6: staging's file cannot take production's zone by mistake."""
    world = await settled(WWW)
    before = await fence_of(world)
    file = stated(API, owner=STRANGER)
    with pytest.raises(Refused, match=f"--take-over {OWNER}"):
        await restored(world, file)
    with pytest.raises(Refused, match="another deployment writes this zone"):
        await restored(world, file, Word(take_over=STRANGER))
    assert await fence_of(world) == before
    ended = await restored(world, file, Word(take_over=OWNER))
    assert (ended.fence.owner, ended.fence.generation) == (STRANGER, ERA)


async def test_a_frozen_zone_is_left_alone_unless_that_freeze_is_ended() -> None:
    """The way through the table is named first; where it is gone, the freeze is named instead."""
    world = await settled(WWW)
    freeze_fence(world, await fence_of(world), "f1")
    with pytest.raises(Refused, match=r"run dns-runbook thaw shop f1 first.*--thaw f1"):
        await restored(world, stated(API))
    with pytest.raises(Refused):
        await restored(world, stated(API), Word(thaw="f2"))
    ended = await restored(world, stated(API), Word(thaw="f1"))
    assert ended.fence.frozen is None


async def test_a_zone_that_moved_since_the_operator_looked_is_left_alone() -> None:
    """--expect-generation: the fence must be where a script believes it to be."""
    world = await settled(WWW)
    with pytest.raises(Refused, match="generation 1, not 140"):
        await restored(world, stated(API), Word(expect_generation=140))
    await restored(world, stated(API), Word(expect_generation=1))


async def test_of_two_operators_one_wins_and_the_other_is_told() -> None:
    """Both looked at the same fence with files of their own; the loser has changed nothing."""
    world = await settled(WWW)
    ann, bob = await prepared(world, stated(API)), await prepared(world, stated(OTHER), by="bob")
    await done(world, ann)
    with pytest.raises(RestoreLost, match="generation 1000000 by somebody else's move"):
        await done(world, bob, by="bob", seed=501)
    assert world.route53.content(world.zone) == (API, WWW)


async def test_a_fence_that_goes_after_it_was_shown_takes_the_word_along() -> None:
    """Bob restored, and his fence was deleted: nothing tells ann that her number is taken."""
    world = await settled(WWW)
    ann = await prepared(world, stated(API))
    await restored(world, stated(OTHER), by="bob", seed=501)
    await lose_fence(world)
    with pytest.raises(RestoreLost, match="could be read when this was shown"):
        await done(world, ann)
    assert world.route53.content(world.zone) == (OTHER, WWW)
    ended = await restored(world, stated(API), Word(above=ERA))
    assert ended.fence.generation == 2 * ERA


async def test_whose_restore_is_overtaken_while_it_waits_is_told() -> None:
    """Accepted is not done: another's file came over it before it was in sync."""
    world = await settled(WWW)
    world.route53.settings.insync_after_s = 30.0
    ann = await prepared(world, stated(API))

    class Meanwhile(FakeClock):
        """While ann waits, bob restores his file."""

        async def sleep(self, seconds: float) -> None:
            if not self.elapsed_s():
                self.advance(1.0)
                await restored(world, stated(OTHER), by="bob", seed=501)
            await world.clock.sleep(seconds)

    with pytest.raises(RestoreLost, match=r"generation 2000000 by restore.*bob now"):
        await done(world, ann, clock=Meanwhile(world.clock.now_s()))
    assert (await fence_of(world)).generation == 2 * ERA


async def test_two_operators_with_one_file_end_at_one_number() -> None:
    """The second finds the first's restore by its digest, and has nothing left to do."""
    world = await settled(WWW)
    ann = await prepared(world, stated(API))
    world.clock.advance(60.0)
    bob = await prepared(world, stated(API), by="bob")
    first = await done(world, ann)
    second = await done(world, bob, by="bob", seed=501)
    assert second.fence == first.fence
    assert (await prepared(world, stated(API))).is_done


@pytest.mark.parametrize("fault", [Fault.LOSE_REQUEST, Fault.LOSE_REPLY, Fault.HOLD])
async def test_a_lost_answer_is_settled_by_reading(fault: Fault) -> None:
    """P11: the fence tells what became of it, and a batch that lands late does no harm."""
    world = await settled(WWW)
    world.route53.submit_faults.append(fault)
    ended = await restored(world, stated(API, WWW))
    for late in world.route53.held:
        world.route53.land(*late)
    assert await fence_of(world) == ended.fence
    assert world.route53.content(world.zone) == (API, WWW)


async def test_a_name_that_route53_refuses_keeps_what_it_has() -> None:
    """The rest stands, the fence counts it, and running the mended file again completes it."""
    world = await settled(WWW)
    bad = structs.replace(WWW, health_check_id="none-such", set_id=None)
    ended = await restored(world, stated(API, bad))
    assert (list(ended.held), ended.fence.held) == ([WWW.name], 1)
    assert world.route53.content(world.zone) == (API, WWW)
    again = await restored(world, stated(API, WWW), seed=501)
    assert (again.held, again.fence.generation) == ({}, 2 * ERA)


async def test_what_is_changed_under_ones_hands_becomes_the_files() -> None:
    """A hand edits a stated name between listing and batch: the batch is refused, then mended."""
    world = await settled(WWW)

    def edit() -> None:
        world.route53.before_submit = None
        new = a("www.example.com", "192.0.2.66")
        world.route53.edit(world.zone, ("DELETE", WWW), ("CREATE", new))

    world.route53.before_submit = edit
    wanted = a("www.example.com", "192.0.2.5")
    ended = await restored(world, stated(wanted))
    assert ended.held == {}
    assert world.route53.content(world.zone) == (wanted,)


async def test_what_broke_a_finished_restore_is_mended_under_its_number() -> None:
    """One number, one content: the same file again repairs, and the steps go on."""
    world = await settled(WWW)
    first = await restored(world, stated(API, WWW))
    empty(world)
    again = await restored(world, stated(API, WWW), seed=501)
    assert again.fence.generation == first.fence.generation
    assert again.fence.digest == first.fence.digest
    assert again.fence.token > first.fence.token
    assert world.route53.content(world.zone) == (API, WWW)


async def test_a_saved_file_undoes_it() -> None:
    """What stood at the stated names is itself a plan file."""
    world = await settled(WWW)
    ready = await prepared(world, stated(a("www.example.com", "192.0.2.5"), API))
    before = saved(ready)
    assert before is not None
    await done(world, ready)
    ended = await restored(world, before, seed=501)
    assert ended.fence.generation == 2 * ERA
    assert world.route53.content(world.zone) == (API, WWW)


async def test_a_fenced_enactor_is_told_by_whom() -> None:
    """An enactor in the middle of its cycle loses the race and says so."""
    world = await settled(WWW)
    await world.publish(API, WWW)
    restoring = await prepared(world, stated(OTHER))
    cycle, outcomes = world.az(), []

    async def overtake() -> None:
        await done(world, restoring)

    page = world.route53.read_fence

    async def read_then_restore(zone):  # type: ignore[no-untyped-def]  # the port's own signature
        seen = await page(zone)
        world.route53.read_fence = page  # type: ignore[method-assign]  # once
        await overtake()
        return seen

    world.route53.read_fence = read_then_restore  # type: ignore[method-assign]  # one test's play
    outcomes.append(await world.enact(cycle))
    assert outcomes == [
        Fenced("1 1/1 by az1", f"1000000 1/1 by restore.{int(world.clock.now_s())}.ann")
    ]
