"""The enactor's cycle in every outcome, on strict fakes: what stands in the zone is the judge."""

import pytest
from msgspec import structs

from dnsplan.fence import FenceRecord, NoFence, fence_name, to_record_set
from dnsplan.names import parse_name
from dnsplan.outcomes import Refused
from dnsplan.plan import Digest, Generation, Retirement
from dnsplan.records import Multivalue, RecordSet
from enactor.rules.drift import FOREIGN
from enactor.rules.outcomes import Applied, Fenced, Held, HoldRule, InSync, Unknown
from tests.fakes.table import TableFault
from tests.fakes.world import OWNER, World, a, cname
from tests.fakes.zone_records import Fault


async def fence_of(world: World) -> FenceRecord:
    """What the zone's fence says."""
    found = await world.route53.read_fence(world.zone)
    assert not isinstance(found, NoFence)
    return found.record


async def applied_once(world: World, *content: RecordSet) -> None:
    """A zone that holds plan 1, noted."""
    await world.publish(*content)
    cycle = world.az()
    await world.enact(cycle)
    await world.settle(cycle)
    assert (await world.item()).applied == 1


async def test_first_plan_makes_the_fence_and_the_records() -> None:
    """An empty zone gets the plan and a fence in one batch, and is noted only after INSYNC."""
    world = World()
    await world.publish(a("www.example.com", "192.0.2.1"))
    cycle = world.az()
    assert await world.enact(cycle) == Applied(Generation(1), 1, 0, confirmed=False)
    assert world.route53.content(world.zone) == (a("www.example.com", "192.0.2.1"),)
    fence = await fence_of(world)
    assert (fence.generation, fence.step, fence.steps, fence.owner) == (1, 1, 1, OWNER)
    assert (await world.item()).applied == 0
    await world.settle(cycle)
    item = await world.item()
    assert (item.applied, item.last_known_good, item.claimed) == (1, 1, 1)


async def test_one_changed_record_costs_two_requests_and_two_to_confirm() -> None:
    """An ordinary change never lists the zone: fence and batch, then status and read back."""
    world = World()
    await applied_once(world, a("www.example.com", "192.0.2.1"), a("b.example.com", "192.0.2.9"))
    world.route53.requests.clear()
    await world.publish(a("www.example.com", "192.0.2.2"), a("b.example.com", "192.0.2.9"))
    cycle = world.az()
    await world.enact(cycle)
    assert dict(world.route53.requests) == {"read_fence": 1, "submit": 1}
    world.route53.requests.clear()
    await world.settle(cycle)
    assert dict(world.route53.requests) == {"change_status": 1, "list_page": 1}


async def test_an_old_batch_held_at_the_door_is_refused() -> None:
    """P1: a batch prepared against an older zone changes nothing, however late it lands."""
    world = World()
    await applied_once(world, a("www.example.com", "192.0.2.1"))
    await world.publish(a("www.example.com", "192.0.2.2"))
    world.route53.submit_faults.append(Fault.HOLD)
    slow = world.az("az1")
    assert isinstance(await world.enact(slow), Unknown)
    await world.publish(a("www.example.com", "192.0.2.3"))
    quick = world.az("az2")
    assert await world.enact(quick) == Applied(Generation(3), 1, 0, confirmed=False)
    zone, batch = world.route53.held[0]
    assert isinstance(world.route53.land(zone, batch), Refused)
    assert world.route53.content(world.zone) == (a("www.example.com", "192.0.2.3"),)


async def test_a_lost_race_is_fenced_and_drops_everything() -> None:
    """The loser sees another's fence and sends nothing more in that cycle."""
    world = World()
    await applied_once(world, a("www.example.com", "192.0.2.1"))
    await world.publish(a("www.example.com", "192.0.2.2"))
    slow, quick = world.az("az1"), world.az("az2")

    original = world.route53.submit

    async def submit_late(zone, batch):  # type: ignore[no-untyped-def]  # wraps the port's method
        world.route53.submit = original  # type: ignore[method-assign]  # once
        await world.enact(quick)
        return await original(zone, batch)

    world.route53.submit = submit_late  # type: ignore[method-assign]  # a race on purpose
    outcome = await world.enact(slow)
    assert isinstance(outcome, Fenced)
    assert (await fence_of(world)).writer == "az2"


async def test_a_lost_reply_is_settled_by_reading() -> None:
    """P11: the batch landed and its answer was lost; the fence says so, no change is sent again.

    There is no change id to wait for, so the fence alone is written again, at the same place.
    """
    world = World()
    await applied_once(world, a("www.example.com", "192.0.2.1"))
    await world.publish(a("www.example.com", "192.0.2.2"))
    world.route53.submit_faults.append(Fault.LOSE_REPLY)
    cycle = world.az()
    looks = world.route53.requests["read_fence"]
    assert await world.enact(cycle) == Applied(Generation(2), 2, 0, confirmed=False)
    assert world.route53.requests["read_fence"] == looks + 2  # before the batch, and to settle it
    assert [len(one.changes) for one in world.route53.accepted[-2:]] == [4, 2]
    fence = await fence_of(world)
    assert (fence.generation, fence.step, fence.steps) == (2, 1, 1)
    await world.settle(cycle)
    assert (await world.item()).applied == 2


async def test_a_lost_request_is_unknown_and_the_next_cycle_starts_over() -> None:
    """P11: the fence is unmoved, so the cycle ends; the next one reads everything anew."""
    world = World()
    await applied_once(world, a("www.example.com", "192.0.2.1"))
    await world.publish(a("www.example.com", "192.0.2.2"))
    world.route53.submit_faults.append(Fault.LOSE_REQUEST)
    cycle = world.az()
    assert isinstance(await world.enact(cycle), Unknown)
    assert world.route53.content(world.zone) == (a("www.example.com", "192.0.2.1"),)
    assert await world.enact(cycle) == Applied(Generation(2), 1, 0, confirmed=False)


async def test_a_batch_that_lands_after_it_was_given_up_fences_the_next() -> None:
    """The zone moved, by whomever: the cycle starts over, and the next finds the work done."""
    world = World()
    await applied_once(world, a("www.example.com", "192.0.2.1"))
    await world.publish(a("www.example.com", "192.0.2.2"))
    world.route53.submit_faults.append(Fault.HOLD)
    cycle = world.az()
    await world.enact(cycle)

    def land_now() -> None:
        world.route53.before_submit = None
        world.route53.land(*world.route53.held.pop())

    world.route53.before_submit = land_now
    fenced = await world.enact(cycle)
    assert isinstance(fenced, Fenced)
    assert fenced.found.endswith("by az1"), "its own"
    assert world.route53.content(world.zone) == (a("www.example.com", "192.0.2.2"),)
    assert isinstance(await world.enact(cycle), Applied)


async def test_a_plan_in_several_batches_has_steps() -> None:
    """All batches carry the fence, step by step, in the fewest batches."""
    world = World()
    names = [a(f"h{n:04d}.example.com", "192.0.2.1", "192.0.2.2") for n in range(1200)]
    await world.publish(*names)
    cycle = world.az()
    assert await world.enact(cycle) == Applied(Generation(1), 3, 0, confirmed=False)
    tokens = [(b.fence.step, b.fence.steps) for b in world.route53.accepted]
    assert tokens == [(1, 3), (2, 3), (3, 3)]
    assert len(world.route53.content(world.zone)) == 1200


async def test_a_crash_between_steps_is_finished_by_another() -> None:
    """F1, F3: a half-done plan is listed and finished; steps go on and never start again."""
    world = World()
    names = [a(f"h{n:04d}.example.com", "192.0.2.1", "192.0.2.2") for n in range(1200)]
    await world.publish(*names)
    world.route53.submit_faults.extend([Fault.LOSE_REPLY, Fault.LOSE_REQUEST])
    assert isinstance(await world.enact(world.az("az1")), Unknown)
    assert (await fence_of(world)).step == 1
    outcome = await world.enact(world.az("az2"))
    assert outcome == Applied(Generation(1), 2, 0, confirmed=False)
    fence = await fence_of(world)
    assert (fence.step, fence.steps) == (3, 3)
    assert len(world.route53.content(world.zone)) == 1200


async def test_a_half_done_older_plan_is_overtaken_by_a_listing() -> None:
    """A newer head over a half-done plan is reached from what the zone really holds."""
    world = World()
    names = [a(f"h{n:04d}.example.com", "192.0.2.1", "192.0.2.2") for n in range(1200)]
    await world.publish(*names)
    world.route53.submit_faults.extend([Fault.LOSE_REPLY, Fault.LOSE_REQUEST])
    await world.enact(world.az("az1"))
    newer = [a(f"h{n:04d}.example.com", "192.0.2.7") for n in range(1200)]
    await world.publish(*newer)
    assert isinstance(await world.enact(world.az("az2")), Applied)
    assert set(world.route53.content(world.zone)) == set(newer)


async def test_frozen_in_the_table_or_in_the_fence_holds() -> None:
    """P9: either mark is enough, and each names the freeze to thaw."""
    world = World()
    await applied_once(world, a("www.example.com", "192.0.2.1"))
    await world.publish(a("www.example.com", "192.0.2.2"))
    item = await world.item()
    world.table.items["shop"] = structs.replace(item, frozen="freeze1")
    held = await world.enact(world.az())
    assert isinstance(held, Held)
    assert (held.rule, held.command) == (HoldRule.FROZEN, "dns-runbook thaw shop freeze1")
    world.table.items["shop"] = item
    fence = await world.route53.read_fence(world.zone)
    assert not isinstance(fence, NoFence)
    frozen = structs.replace(fence.record, frozen="freeze2", nonce="f" * 16)
    new = to_record_set(frozen, world.zone.name)
    world.route53.edit(world.zone, ("DELETE", fence.listed), ("CREATE", new))
    held = await world.enact(world.az())
    assert isinstance(held, Held)
    assert (held.rule, held.command) == (HoldRule.FROZEN, "dns-runbook thaw shop freeze2")


async def test_a_refusal_where_no_fence_stands_asks_the_table_again() -> None:
    """P9: others wrote the zone and it was frozen, and somebody deleted the fence that said so."""
    world = World()
    await world.publish(a("a.example.com", "192.0.2.1"), a("b.example.com", "192.0.2.2"))
    theirs = a("a.example.com", "203.0.113.9")

    def frozen_meanwhile() -> None:
        world.route53.before_submit = None
        world.route53.edit(world.zone, ("CREATE", theirs))
        world.table.items["shop"] = structs.replace(world.table.items["shop"], frozen="f1")

    world.route53.before_submit = frozen_meanwhile
    outcome = await world.enact(world.az())
    assert isinstance(outcome, Held)
    assert outcome.rule is HoldRule.CLAIM_REFUSED
    assert world.route53.content(world.zone) == (theirs,)


async def test_a_foreign_owner_is_left_alone() -> None:
    """P6: a zone whose fence belongs to another deployment is never touched."""
    world = World()
    await world.publish(a("www.example.com", "192.0.2.1"))
    foreign = FenceRecord(
        generation=Generation(1),
        step=1,
        steps=1,
        base=Generation(0),
        held=0,
        owner="staging",
        writer="az9",
        nonce="1" * 16,
        digest=Digest("d" * 64),
    )
    world.route53.edit(world.zone, ("CREATE", to_record_set(foreign, world.zone.name)))
    held = await world.enact(world.az())
    assert isinstance(held, Held)
    assert held.rule is HoldRule.FOREIGN_OWNER
    assert world.route53.content(world.zone) == ()


@pytest.mark.parametrize("extra", [1, 5])
async def test_a_fence_above_head_marks_ahead_and_holds(extra: int) -> None:
    """A table that lost history stops everybody until an operator reconciles."""
    world = World()
    await applied_once(world, a("www.example.com", "192.0.2.1"))
    backup = world.table.snapshot()
    for n in range(extra):
        await world.publish(a("www.example.com", f"192.0.2.{n + 2}"))
        cycle = world.az()
        await world.enact(cycle)
        await world.settle(cycle)
    world.table.restore(backup, incarnation="table-1")
    held = await world.enact(world.az())
    assert isinstance(held, Held)
    assert held.rule is HoldRule.AHEAD
    assert (await world.item()).ahead == 1 + extra


async def test_a_restored_table_holds_by_its_incarnation() -> None:
    """P4: an item written in another table is not believed."""
    world = World()
    await applied_once(world, a("www.example.com", "192.0.2.1"))
    await world.publish(a("www.example.com", "192.0.2.2"))
    world.table.restore(world.table.snapshot(), incarnation="table-2")
    held = await world.enact(world.az())
    assert isinstance(held, Held)
    assert held.rule is HoldRule.FOREIGN_TABLE
    assert world.route53.content(world.zone) == (a("www.example.com", "192.0.2.1"),)


async def test_a_failover_that_loses_a_change_is_repaired() -> None:
    """Fence below applied: accepted changes were lost, and the newest plan is applied again."""
    world = World()
    await applied_once(world, a("www.example.com", "192.0.2.1"))
    await world.publish(a("www.example.com", "192.0.2.2"))
    cycle = world.az()
    await world.enact(cycle)
    await world.settle(cycle)
    world.route53.account.forget_last(world.zone.zone_id, 1)
    assert (await fence_of(world)).generation == 1
    assert isinstance(await world.enact(world.az("az2")), Applied)
    assert world.route53.content(world.zone) == (a("www.example.com", "192.0.2.2"),)


async def test_a_missing_fence_beside_our_records_is_recreated_only_if_they_are_exact() -> None:
    """A deleted fence comes back over an untouched zone; over an edited one it holds."""
    world = World()
    await applied_once(world, a("www.example.com", "192.0.2.1"))
    fence = await world.route53.read_fence(world.zone)
    assert not isinstance(fence, NoFence)
    world.route53.edit(world.zone, ("DELETE", fence.listed))
    await world.publish(a("www.example.com", "192.0.2.2"))
    assert isinstance(await world.enact(world.az()), Applied)
    now = await world.route53.read_fence(world.zone)
    assert not isinstance(now, NoFence)
    world.route53.edit(
        world.zone, ("DELETE", now.listed), ("UPSERT", a("www.example.com", "203.0.113.66"))
    )
    held = await world.enact(world.az())
    assert isinstance(held, Held)
    assert (held.rule, held.command) == (HoldRule.FENCE_MISSING, "dns-runbook adopt shop")
    assert world.route53.content(world.zone) == (a("www.example.com", "203.0.113.66"),)


async def test_records_that_stand_before_the_first_plan_need_adoption() -> None:
    """P6: a zone that already holds a planned name is not taken over silently."""
    world = World()
    world.route53.edit(world.zone, ("CREATE", a("www.example.com", "203.0.113.1")))
    await world.publish(a("www.example.com", "192.0.2.1"))
    held = await world.enact(world.az())
    assert isinstance(held, Held)
    assert held.rule is HoldRule.FENCE_MISSING
    assert world.route53.content(world.zone) == (a("www.example.com", "203.0.113.1"),)


async def test_a_plan_that_would_empty_a_name_is_refused_here_too() -> None:
    """P2: the enactor judges again, whatever the planner let through."""
    world = World()
    keep, gone = a("b.example.com", "192.0.2.9"), a("www.example.com", "192.0.2.1")
    await applied_once(world, keep, gone)
    await world.publish(keep)
    held = await world.enact(world.az())
    assert isinstance(held, Held)
    assert held.rule is HoldRule.GUARDRAIL
    assert "never_empty" in held.text
    assert set(world.route53.content(world.zone)) == {keep, gone}


async def test_a_retired_name_ends() -> None:
    """Only an operator's retirement takes a name away."""
    world = World()
    keep, gone = a("b.example.com", "192.0.2.9"), a("www.example.com", "192.0.2.1")
    await applied_once(world, keep, gone)
    await world.publish(keep, retired=(Retirement(parse_name("www.example.com"), None, 2, "ann"),))
    assert isinstance(await world.enact(world.az()), Applied)
    assert world.route53.content(world.zone) == (keep,)


async def test_a_missing_or_damaged_plan_holds() -> None:
    """P3, P8: a body that cannot be read is no instruction."""
    world = World()
    await applied_once(world, a("www.example.com", "192.0.2.1"))
    await world.publish(a("www.example.com", "192.0.2.2"))
    plan_id = (await world.item()).head_id
    envelope = world.archive.bodies.pop(plan_id)
    held = await world.enact(world.az())
    assert isinstance(held, Held)
    assert held.rule is HoldRule.PLAN_UNUSABLE
    damaged = structs.replace(envelope, body=envelope.body.replace(b"192.0.2.2", b"192.0.2.3"))
    world.archive.bodies[plan_id] = damaged
    held = await world.enact(world.az())
    assert isinstance(held, Held)
    assert held.rule is HoldRule.PLAN_UNUSABLE
    assert world.route53.content(world.zone) == (a("www.example.com", "192.0.2.1"),)


async def test_drift_met_by_a_batch_is_repaired_from_what_stands() -> None:
    """Route 53 verifies our view: a foreign edit refuses the batch, is read, and is mended."""
    world = World()
    await applied_once(world, a("www.example.com", "192.0.2.1"), a("b.example.com", "192.0.2.9"))
    world.route53.edit(world.zone, ("UPSERT", a("www.example.com", "203.0.113.66")))
    await world.publish(a("www.example.com", "192.0.2.2"), a("b.example.com", "192.0.2.8"))
    outcome = await world.enact(world.az())
    assert outcome == Applied(Generation(2), 1, 0, confirmed=False)
    assert isinstance(outcome, Applied)
    assert outcome.notes == ("www.example.com. was changed by others: mended",)
    assert set(world.route53.content(world.zone)) == {
        a("www.example.com", "192.0.2.2"),
        a("b.example.com", "192.0.2.8"),
    }


async def test_a_foreign_record_in_the_way_holds_that_name_only() -> None:
    """B24: a hand-made CNAME at a new name blocks nobody else; the fence says held=1."""
    world = World()
    await applied_once(world, a("b.example.com", "192.0.2.9"))
    world.route53.edit(world.zone, ("CREATE", cname("new.example.com", "elsewhere.test.")))
    await world.publish(a("b.example.com", "192.0.2.8"), a("new.example.com", "192.0.2.1"))
    cycle = world.az()
    outcome = await world.enact(cycle)
    assert outcome == Applied(Generation(2), 1, 1, confirmed=False)
    assert isinstance(outcome, Applied)
    assert outcome.notes == (f"new.example.com. held: {FOREIGN}",)
    assert set(world.route53.content(world.zone)) == {
        a("b.example.com", "192.0.2.8"),
        cname("new.example.com", "elsewhere.test."),
    }
    assert (await fence_of(world)).held == 1
    await world.settle(cycle)
    item = await world.item()
    assert (item.applied, item.last_known_good) == (2, 1)
    # Unchanged content is not tried again; the rest goes on.
    await world.publish(a("b.example.com", "192.0.2.7"), a("new.example.com", "192.0.2.1"))
    submits = world.route53.requests["submit"]
    assert await world.enact(world.az()) == Applied(Generation(3), 1, 1, confirmed=False)
    assert world.route53.requests["submit"] == submits + 1


async def test_a_lost_claim_reply_sends_nothing() -> None:
    """An unanswered claim ends the cycle; the next claims again."""
    world = World()
    await applied_once(world, a("www.example.com", "192.0.2.1"))
    await world.publish(a("www.example.com", "192.0.2.2"))
    world.table.write_faults.append(TableFault.LOSE_REPLY)
    cycle = world.az()
    submits = world.route53.requests["submit"]
    assert await world.enact(cycle) == Unknown("claim: timed out")
    assert world.route53.requests["submit"] == submits
    assert isinstance(await world.enact(cycle), Applied)


async def test_in_sync_when_the_fence_says_so() -> None:
    """A complete fence at head, noted in the table, needs nothing."""
    world = World()
    await applied_once(world, a("www.example.com", "192.0.2.1"))
    assert await world.enact(world.az("az3")) == InSync(Generation(1))


async def test_a_writer_that_died_before_noting_is_noted_by_another() -> None:
    """F5: only one's own change, in sync, moves `applied`: the fence is written again, alone."""
    world = World()
    await world.publish(a("www.example.com", "192.0.2.1"))
    await world.enact(world.az("az1"))
    other = world.az("az2")
    assert await world.enact(other) == Applied(Generation(1), 1, 0, confirmed=False)
    fence = await fence_of(world)
    assert (fence.generation, fence.step, fence.steps, fence.writer) == (1, 1, 1, "az2")
    await world.settle(other)
    assert (await world.item()).applied == 1


async def test_a_type_switch_is_one_batch() -> None:
    """B37, B39: A to CNAME deletes and creates together, whichever way it goes."""
    world = World()
    await applied_once(world, a("www.example.com", "192.0.2.1"))
    await world.publish(cname("www.example.com", "api.example.net."))
    assert await world.enact(world.az()) == Applied(Generation(2), 1, 0, confirmed=False)
    await world.publish(a("www.example.com", "192.0.2.5"))
    assert await world.enact(world.az()) == Applied(Generation(3), 1, 0, confirmed=False)
    assert world.route53.content(world.zone) == (a("www.example.com", "192.0.2.5"),)


async def test_unmanaged_records_are_never_touched() -> None:
    """P6: other names, and other types of a managed name, stay as they are."""
    world = World()
    text = RecordSet(parse_name("example.com"), "TXT", 300, ('"v=spf1 -all"',))
    other = a("hand.example.com", "203.0.113.5")
    world.route53.edit(world.zone, ("CREATE", text), ("CREATE", other))
    await applied_once(world, a("example.com", "192.0.2.1"))
    await world.publish(a("example.com", "192.0.2.2"))
    await world.enact(world.az())
    content = world.route53.content(world.zone)
    assert set(content) == {a("example.com", "192.0.2.2"), text, other}


async def test_read_back_finds_a_foreign_overwrite_and_lists_once() -> None:
    """B22, B45: INSYNC is not proof; what is read back otherwise is mended, then left to people."""
    world = World()
    await applied_once(world, a("www.example.com", "192.0.2.1"))
    await world.publish(a("www.example.com", "192.0.2.2"))
    cycle = world.az()
    await world.enact(cycle)
    world.route53.edit(world.zone, ("UPSERT", a("www.example.com", "203.0.113.66")))
    held = await world.settle(cycle)
    assert isinstance(held, Held)
    assert held.rule is HoldRule.DRIFT
    assert (await world.item()).applied == 1
    assert isinstance(await world.enact(cycle), Applied)
    await world.settle(cycle)
    assert (await world.item()).applied == 2
    assert world.route53.content(world.zone) == (a("www.example.com", "192.0.2.2"),)


async def test_members_of_a_group_change_alone() -> None:
    """One member of a multivalue group goes; its siblings are not rewritten."""

    def member(which: str, value: str) -> RecordSet:
        name = parse_name("api.example.com")
        return RecordSet(name, "A", 30, (value,), which, Multivalue())

    world = World()
    one, two, three = (member(w, f"192.0.2.{n}") for n, w in enumerate(["a", "b", "c"], 1))
    await applied_once(world, one, two, three)
    await world.publish(one, two)
    await world.enact(world.az())
    batch = world.route53.accepted[-1]
    named = [c.record_set.name for c in batch.changes]
    assert named.count(parse_name("api.example.com")) == 1
    assert fence_name(world.zone.name) in named
    assert set(world.route53.content(world.zone)) == {one, two}


async def test_one_bad_name_takes_no_neighbour_with_it() -> None:
    """B23: the refusal names nobody, so the batch is halved; only the bad name is held."""
    world = World()
    good = [a(f"h{n}.example.com", "192.0.2.1") for n in range(4)]
    await applied_once(world, *good)
    bad = RecordSet(parse_name("bad.example.com"), "MX", 60, ("99999 mail.example.com.",))
    changed = [a(f"h{n}.example.com", "192.0.2.2") for n in range(4)]
    await world.publish(*changed, bad)
    outcome = await world.enact(world.az())
    assert isinstance(outcome, Applied)
    assert outcome.held == 1
    assert set(world.route53.content(world.zone)) == set(changed)
    (note,) = outcome.notes
    assert note.startswith("bad.example.com. held: ")


async def test_a_wildcard_beside_digits_is_read_back_where_route53_lists_it() -> None:
    """The order is of bytes, not of escapes: `*` stands before the digits."""
    world = World()
    names = [a(f"{n:04d}.example.com", "192.0.2.1") for n in range(400)]
    await world.publish(a("*.example.com", "192.0.2.9"), *names)
    cycle = world.az()
    await world.enact(cycle)
    outcome = await world.settle(cycle)
    assert outcome == Applied(Generation(1), 0, 0, confirmed=True)


async def test_a_slow_listing_with_a_wildcard_is_finished_in_windows() -> None:
    """Windows are cut where Route 53 cuts pages, whatever the bytes of the names."""
    world = World()

    def content(value: str) -> list[RecordSet]:
        plain = [a(f"{n:04d}.example.com", value) for n in range(1400)]
        return [a("*.example.com", value), a("{.example.com", value), *plain]

    await applied_once(world, *content("192.0.2.1"))
    await world.publish(*content("192.0.2.2"))
    world.route53.submit_faults.extend([Fault.LOSE_REPLY, Fault.LOSE_REQUEST])
    await world.enact(world.az("az1"))
    world.route53.after_page = lambda: world.clock.advance(6.0)
    outcome = await world.enact(world.az("az2"))
    assert isinstance(outcome, Applied)
    assert outcome.notes == ()
    assert set(world.route53.content(world.zone)) == set(content("192.0.2.2"))


async def test_a_drift_that_was_mended_is_forgotten() -> None:
    """One foreign edit costs one listing: an unchanged zone costs only its fence checks again."""
    world = World()
    await applied_once(world, a("www.example.com", "192.0.2.1"))
    await world.publish(a("www.example.com", "192.0.2.2"))
    first, other = world.az("az1"), world.az("az2")
    await world.enact(first)
    world.route53.edit(world.zone, ("UPSERT", a("www.example.com", "203.0.113.66")))
    assert isinstance(await world.settle(first), Held)
    await world.enact(first)
    await world.enact(other)
    await world.settle(other)
    assert (await world.item()).applied == 2
    first.awaits(await world.item())
    submits = world.route53.requests["submit"]
    for _ in range(3):
        assert await world.enact(first) == InSync(Generation(2))
    assert world.route53.requests["submit"] == submits


@pytest.mark.parametrize("repair", [True, False])
async def test_drift_found_by_a_listing_is_mended_or_held_by_policy(repair: bool) -> None:
    """A half-done plan is finished; what others changed meanwhile is not silently overwritten."""
    world = World()
    world.task = structs.replace(world.task, repair_drift=repair)
    old = [a(f"h{n:04d}.example.com", "192.0.2.1", "192.0.2.2") for n in range(1200)]
    await applied_once(world, *old)
    new = [a(f"h{n:04d}.example.com", "192.0.2.3", "192.0.2.4") for n in range(1200)]
    await world.publish(*new)
    world.route53.submit_faults.extend([Fault.LOSE_REPLY, Fault.LOSE_REQUEST])
    await world.enact(world.az("az1"))
    foreign = a("h1199.example.com", "203.0.113.66")
    world.route53.edit(world.zone, ("UPSERT", foreign))
    outcome = await world.enact(world.az("az2"))
    assert isinstance(outcome, Applied)
    assert outcome.held == (0 if repair else 1)
    assert len(outcome.notes) == 1
    standing = world.route53.standing(world.zone, foreign.name)
    assert standing == ((new[1199],) if repair else (foreign,))


async def test_a_foreign_record_at_a_new_name_is_held_on_every_path() -> None:
    """P6: finishing a half-done plan from a listing takes over nothing either."""
    world = World()
    old = [a(f"h{n:04d}.example.com", "192.0.2.1", "192.0.2.2") for n in range(1200)]
    await applied_once(world, *old)
    foreign = a("zz.example.com", "203.0.113.66")
    world.route53.edit(world.zone, ("CREATE", foreign))
    new = [a(f"h{n:04d}.example.com", "192.0.2.3", "192.0.2.4") for n in range(1200)]
    await world.publish(*new, a("zz.example.com", *(f"192.0.2.{n}" for n in range(9))))
    world.route53.submit_faults.extend([Fault.LOSE_REPLY, Fault.LOSE_REQUEST])
    await world.enact(world.az("az1"))
    outcome = await world.enact(world.az("az2"))
    assert isinstance(outcome, Applied)
    assert outcome.held == 1
    assert set(world.route53.content(world.zone)) == {*new, foreign}
