"""Lost answers, crashes half-way and old knowledge: the zone is asked, and nothing is guessed."""

import pytest

from dnsplan.names import parse_name
from dnsplan.plan import Generation, Retirement
from enactor.rules.drift import DRIFT_HELD
from enactor.rules.outcomes import Applied, Fenced, Held, HoldRule, InSync, Unknown
from sandbox.aws.faults import PRIOR_REQUEST, THROTTLE, HoldRequest, LoseReply, Where
from tests.cases.stages import CHANGE, Wire
from tests.fakes.world import a, cname

BATCH = Where(operation=CHANGE)
WWW, API = "www.example.com", "api.example.com"


async def test_b15_nothing_is_believed_applied_that_was_refused(wire: Wire) -> None:
    """After a throttled batch the table says the old generation and the next pass sends it."""
    await wire.apply(a(WWW, "192.0.2.1"))
    await wire.publish(a(WWW, "192.0.2.2"))
    cycle = wire.az()
    for trouble in (THROTTLE, PRIOR_REQUEST):
        wire.aws.faults.arm(trouble, BATCH)
        assert isinstance(await wire.enact_and_settle(cycle), Unknown)
        assert ((await wire.item()).applied, wire.content()) == (1, {a(WWW, "192.0.2.1")})
    assert isinstance(await wire.enact_and_settle(cycle), Applied)
    assert ((await wire.item()).applied, wire.content()) == (2, {a(WWW, "192.0.2.2")})


async def test_b16_one_process_never_deletes_twice_what_it_deleted(wire: Wire) -> None:
    """Names and fence come from one reading, so later passes state no delete of what is gone."""
    keep, gone = a(API, "192.0.2.9"), a(WWW, "192.0.2.1")
    cycle = wire.az()
    await wire.publish(keep, gone)
    await wire.enact_and_settle(cycle)
    ended = (Retirement(parse_name(WWW), None, 2, "ann"),)
    await wire.publish(keep, retired=ended)
    wire.aws.faults.arm(LoseReply(), BATCH)
    assert isinstance(await wire.enact(cycle), Applied)
    assert (await wire.item()).applied == 1  # only the fence knows yet
    for number in range(3):
        await wire.publish(a(API, f"192.0.2.{number + 10}"), retired=ended)
        assert isinstance(await wire.enact_and_settle(cycle), Applied)
    assert (wire.content(), wire.refusals()) == ({a(API, "192.0.2.12")}, 0)


async def test_b17_an_idle_pass_leaves_nothing_behind_that_spoils_the_next(wire: Wire) -> None:
    """After quiet passes a new name comes with its fence, also when the name had stood before."""
    keep, back = a(API, "192.0.2.9"), a(WWW, "192.0.2.1")
    cycle = wire.az()
    await wire.publish(keep, back)
    await wire.enact_and_settle(cycle)
    await wire.publish(keep, retired=(Retirement(parse_name(WWW), None, 2, "ann"),))
    await wire.enact_and_settle(cycle)
    for _ in range(3):
        assert await wire.enact(cycle) == InSync(Generation(2))
    await wire.publish(keep, back)
    await wire.enact_and_settle(cycle)
    fence = await wire.fence()
    assert (fence.generation, fence.held, fence.is_complete) == (3, 0, True)
    assert wire.content() == {keep, back}


async def test_b22_a_stranger_who_overwrites_after_acceptance_is_seen(wire: Wire) -> None:
    """INSYNC of our change is no word on what stands: the name is read back, named and mended."""
    await wire.apply(a(WWW, "192.0.2.1"))
    await wire.publish(a(WWW, "192.0.2.2"))
    cycle = wire.az()
    await wire.enact(cycle)
    wire.by_hand(("UPSERT", a(WWW, "192.0.2.1")))
    held = await wire.settle(cycle)
    assert isinstance(held, Held)
    assert held.rule is HoldRule.DRIFT
    assert WWW in held.text
    assert (await wire.item()).applied == 1
    await wire.enact_and_settle(cycle)
    assert ((await wire.item()).applied, wire.content()) == (2, {a(WWW, "192.0.2.2")})


async def test_b43_older_work_may_not_act_after_newer_work(wire: Wire) -> None:
    """A batch that was held up lands after its successor: it is refused, whole, by the fence alone,
    since all that it creates and deletes would fit the zone."""
    keep = a(API, "192.0.2.9")
    await wire.apply(keep, a(WWW, "192.0.2.1"))
    ended = (Retirement(parse_name(WWW), None, 2, "ann"),)
    await wire.publish(keep, a("late.example.com", "192.0.2.7"), retired=ended)
    late = wire.aws.faults.arm(HoldRequest(), BATCH)
    assert isinstance(await wire.enact(wire.az("az1")), Unknown)
    newer = {a(API, "192.0.2.8"), a(WWW, "192.0.2.1")}
    assert isinstance(await wire.apply(*newer), Applied)
    wire.aws.faults.release(late.id)
    await late.strikes[0].done.wait()
    assert (wire.refusals(), wire.content()) == (1, newer)


@pytest.mark.parametrize("dropped", ["kept_old", "vanished"])
async def test_b46_in_sync_and_unchanged_is_found_out(wire: Wire, dropped: str) -> None:
    """A change reported in sync that did not take place is no success, whatever stands instead."""
    await wire.apply(cname(WWW, "one.example.net."))
    await wire.publish(cname(WWW, "two.example.net."))
    cycle = wire.az()
    await wire.enact(cycle)
    action = "UPSERT" if dropped == "kept_old" else "DELETE"
    stands = cname(WWW, "one.example.net." if dropped == "kept_old" else "two.example.net.")
    wire.by_hand((action, stands))
    held = await wire.settle(cycle)
    assert isinstance(held, Held)
    assert (held.rule, (await wire.item()).applied) == (HoldRule.DRIFT, 1)
    await wire.enact_and_settle(cycle)
    assert wire.content() == {cname(WWW, "two.example.net.")}


async def test_b44_a_removal_that_did_not_take_place_is_found_out(wire: Wire) -> None:
    """A retired name that still stands when all is in sync is said with its value, and left: it
    may be somebody's new record."""
    keep, gone = a(API, "192.0.2.9"), a(WWW, "192.0.2.1")
    await wire.apply(keep, gone)
    await wire.publish(keep, retired=(Retirement(parse_name(WWW), None, 2, "ann"),))
    cycle = wire.az()
    await wire.enact(cycle)
    wire.by_hand(("CREATE", gone))
    held = await wire.settle(cycle)
    assert isinstance(held, Held)
    assert (held.rule, (await wire.item()).applied) == (HoldRule.DRIFT, 2)
    assert "www.example.com. A: wanted nothing; standing A 60 192.0.2.1" in held.text
    assert await wire.enact_and_settle(cycle) == InSync(Generation(2))
    assert wire.content() == {keep, gone}


async def test_b114_what_was_written_is_read_once_after_it_is_in_sync(wire: Wire) -> None:
    """One page covers the changed names; a change that nobody touched is confirmed by it."""
    await wire.apply(a(WWW, "192.0.2.1"), a(API, "192.0.2.1"))
    await wire.publish(a(WWW, "192.0.2.2"), a(API, "192.0.2.2"))
    cycle = wire.az()
    await wire.enact(cycle)
    wire.spent()
    done = await wire.settle(cycle)
    assert done == Applied(Generation(2), 0, 0, confirmed=True)
    assert wire.spent() == {"GetChange": 1, "ListResourceRecordSets": 1}


async def test_b47_what_is_done_already_is_dropped_and_the_rest_goes_on(wire: Wire) -> None:
    """A batch of which a part stands already is refused, read and sent without that part."""
    await wire.apply(*(a(f"h{n}.example.com", "192.0.2.1") for n in range(5)))
    after = [a(f"h{n}.example.com", "192.0.2.2") for n in range(5)]
    wire.by_hand(("UPSERT", after[0]), ("UPSERT", after[1]))
    outcome = await wire.apply(*after)
    assert isinstance(outcome, Applied)
    assert (outcome.held, wire.content()) == (0, set(after))


async def test_b100_a_refused_delete_is_read_and_not_taken_for_done(wire: Wire) -> None:
    """An end whose record was changed meanwhile is a conflict: held by policy, or mended aloud."""
    keep = a(API, "192.0.2.9")
    await wire.apply(keep, a(WWW, "192.0.2.1"))
    theirs = a(WWW, "203.0.113.7")
    wire.by_hand(("UPSERT", theirs))
    ended = (Retirement(parse_name(WWW), None, 2, "ann"),)
    wire.task = wire.task.__class__(wire.zone, False, False, wire.task.limits)
    held = await wire.apply(keep, retired=ended)
    assert isinstance(held, Applied)
    assert held.notes == (f"{WWW}. held: {DRIFT_HELD}",)
    assert wire.content() == {keep, theirs}


async def test_b101_an_end_of_what_is_gone_already_is_done(wire: Wire) -> None:
    """A record deleted by hand does not wedge the plan that ends it, nor those after it."""
    keep = a(API, "192.0.2.9")
    await wire.apply(keep, a(WWW, "192.0.2.1"))
    wire.by_hand(("DELETE", a(WWW, "192.0.2.1")))
    outcome = await wire.apply(keep, retired=(Retirement(parse_name(WWW), None, 2, "ann"),))
    assert isinstance(outcome, Applied)
    assert (outcome.held, (await wire.item()).applied) == (0, 2)
    assert isinstance(await wire.apply(a(API, "192.0.2.8")), Applied)
    assert wire.content() == {a(API, "192.0.2.8")}


async def test_b102_a_writer_killed_after_its_write_is_followed_without_a_refusal(
    wire: Wire,
) -> None:
    """The next one reads the fence: the batch stands, so only the note of it is missing."""
    await wire.publish(a(WWW, "192.0.2.1"))
    await wire.enact(wire.az("az1"))  # killed here: accepted, and nobody noted it
    assert isinstance(await wire.enact_and_settle(wire.az("az2")), Applied)
    assert ((await wire.item()).applied, wire.refusals()) == (1, 0)
    assert wire.content() == {a(WWW, "192.0.2.1")}


async def test_b103_a_batch_whose_answer_was_lost_is_sent_once_and_counts_as_won(
    wire: Wire,
) -> None:
    """No layer sends it again: the fence carries my nonce, so I won and am not fenced by myself.

    The second batch is the fence alone, for a change id that tells when all is in sync.
    """
    await wire.apply(a(WWW, "192.0.2.1"))
    await wire.publish(a(WWW, "192.0.2.2"))
    wire.spent()
    wire.aws.faults.arm(LoseReply(), BATCH)
    cycle = wire.az()
    outcome = await wire.enact(cycle)
    assert not isinstance(outcome, Fenced)
    assert outcome == Applied(Generation(2), 2, 0, confirmed=False)
    assert (wire.spent()[CHANGE], wire.refusals()) == (2, 0)
    await wire.enact_and_settle(cycle)
    assert ((await wire.item()).applied, wire.content()) == (2, {a(WWW, "192.0.2.2")})
