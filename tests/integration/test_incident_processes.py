"""October 2025 at the level of real processes: a delayed enactor, and all others going on.

Plan 5 states what plan 1 did. So the values of the name would let a late batch of plan 2 through,
and it is the fence alone that refuses it.
"""

from pathlib import Path

import pytest

from dnsplan.errors import PlanMissing
from dnsplan.fence import FencingToken
from dnsplan.plan import PlanId
from sandbox.aws.faults import HoldRequest, Where, WithholdReply
from tests.fakes.world import a
from tests.integration.daemons_stage import WWW, A, B, Command, Daemons, daemons_stage

FIRST, STALE, THIRD, FOURTH = (
    ("192.0.2.11", "192.0.2.12"),
    ("192.0.2.21",),
    ("192.0.2.31",),
    ("192.0.2.41",),
)


async def begin(stage: Daemons) -> tuple[Command, Command]:
    """Both enactors, and plan 1 applied by A."""
    await stage.aws.publish(a(WWW, *FIRST))
    enactor_a = await stage.enactor(A)
    await stage.applied(1)
    return enactor_a, await stage.enactor(B)


async def go_on(stage: Daemons, stale: PlanId) -> None:
    """Plans 3, 4 and 5 come; B applies them; cleanup deletes the stale one."""
    for values in (THIRD, FOURTH, FIRST):
        plan = await stage.aws.publish(a(WWW, *values))
        await stage.reached(plan.generation)
    await stage.applied(plan.generation)
    cleaned = await stage.cleanup()
    assert cleaned.code == 0, cleaned.err
    with pytest.raises(PlanMissing):
        await stage.aws.archive.load(stale)


def newest_is_live(stage: Daemons) -> None:
    """The newest plan is complete in the zone, and answers."""
    assert stage.fence().token == FencingToken(5, 1)
    assert stage.fence().is_complete
    assert stage.answers[-1] == FIRST


async def test_an_enactor_that_stood_still_after_its_claim_changes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its claim was good when it was made; when it wakes up, Route 53 refuses what it sends."""
    async with daemons_stage(tmp_path, monkeypatch) as stage:
        enactor_a, _ = await begin(stage)
        async with stage.resolving():
            claim = Where(operation="UpdateItem", access_key=A, contains='"claimed"')
            withheld = stage.arm(WithholdReply(), claim)
            await stage.aws.publish(a(WWW, *STALE))
            stale = (await stage.aws.item()).head_id
            strike = await stage.struck(withheld)
            await strike.acted.wait()
            enactor_a.stop()
            assert (await stage.aws.item()).claimed == 2
            await go_on(stage, stale)
            enactor_a.go_on()
            strike.released.set()
            await stage.logged(enactor_a, "zone_in_sync", generation=5)
        newest_is_live(stage)
        assert STALE not in stage.answers
        first, *later = stage.batches(A)
        assert first == "ok"
        assert set(later) <= {"InvalidChangeBatch"}  # none at all: the claim's reply came too late
        dropped = [*enactor_a.events("zone_fenced"), *enactor_a.events("outcome_unknown")]
        assert len(dropped) == 1


async def test_a_batch_held_at_the_door_of_route_53_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However late it is let in, it names a fence that is gone."""
    async with daemons_stage(tmp_path, monkeypatch) as stage:
        enactor_a, _ = await begin(stage)
        async with stage.resolving():
            batch = Where(operation="ChangeResourceRecordSets", access_key=A)
            held = stage.arm(HoldRequest(), batch)
            await stage.aws.publish(a(WWW, *STALE))
            stale = (await stage.aws.item()).head_id
            strike = await stage.struck(held)
            await go_on(stage, stale)
            strike.released.set()
            await strike.done.wait()
            await stage.logged(enactor_a, "zone_in_sync", generation=5)
        newest_is_live(stage)
        assert STALE not in stage.answers
        assert strike.answer is not None
        assert strike.answer.error == "InvalidChangeBatch"
        assert b"_dnsplan.example.com." in strike.answer.body
        assert b"www.example.com." not in strike.answer.body
