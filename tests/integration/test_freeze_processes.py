"""Operators' levers against real processes at the worst moment: a batch in flight, a plan half-way,
another operator doing the same."""

import json
from pathlib import Path

import pytest

from dnsplan.fence import FencingToken
from dnsplan.records import RecordSet
from sandbox.aws.faults import HoldRequest, Where
from tests.fakes.world import a
from tests.integration.daemons_stage import WWW, A, B, daemons_stage

OLD, NEW = ("192.0.2.11", "192.0.2.12"), ("192.0.2.21",)

# Each changed name costs a DELETE and a CREATE; with 1,000 elements a batch that makes two batches.
NAMES = 600


async def test_after_freeze_returned_a_batch_in_flight_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Freeze returns 0 only when the moved fence is in sync; what was held is then refused."""
    async with daemons_stage(tmp_path, monkeypatch) as stage:
        await stage.aws.publish(a(WWW, *OLD))
        enactor = await stage.enactor(A)
        await stage.applied(1)
        async with stage.resolving():
            batch = Where(operation="ChangeResourceRecordSets", access_key=A)
            held = stage.arm(HoldRequest(), batch)
            await stage.aws.publish(a(WWW, *NEW))
            strike = await stage.struck(held)
            stage.aws.stand_in.settings.route53.insync_after_s = 1.0
            frozen = await stage.runbook("freeze", "shop", "--json")
            stage.aws.stand_in.settings.route53.insync_after_s = 0.0
            assert frozen.code == 0, frozen.err
            assert "accepted, not yet on all name servers" in frozen.err
            freeze_id = json.loads(frozen.out)["frozen"]
            fence = stage.fence()
            assert (fence.token, fence.frozen) == (FencingToken(1, 1), freeze_id)
            assert strike.progress == "waiting"
            strike.released.set()
            await strike.done.wait()
            assert strike.answer is not None
            assert strike.answer.error == "InvalidChangeBatch"
            await stage.logged(enactor, "zone_held", rule="frozen")
            assert stage.fence() == fence
            assert set(stage.answers) == {OLD}
            assert stage.batches(A) == ["ok", "InvalidChangeBatch"]
            thawed = await stage.runbook("thaw", "shop", freeze_id)
            assert thawed.code == 0, thawed.err
            await stage.applied(2)
        assert stage.answers[-1] == NEW


def content(*, number: int) -> list[RecordSet]:
    """Many names, each with one answer that tells the plan."""
    names = (f"h{n:03d}.example.com." for n in range(NAMES))
    hosts = [a(name, f"10.{number}.{n // 250}.{n % 250}") for n, name in enumerate(names)]
    return [*hosts, a(WWW, *(OLD if number == 1 else NEW))]


async def test_a_rollback_in_the_middle_of_a_plan_wins_over_its_second_batch(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One batch of two has landed; the old content comes back whole, under a number of its own."""
    async with daemons_stage(tmp_path, monkeypatch) as stage:
        old = content(number=1)
        await stage.aws.publish(*old)
        await stage.enactor(A)
        await stage.applied(1)
        async with stage.resolving():
            second = Where(operation="ChangeResourceRecordSets", access_key=A, after=1)
            held = stage.arm(HoldRequest(), second)
            await stage.aws.publish(*content(number=2))
            strike = await stage.struck(held)
            assert (stage.fence().token, stage.fence().steps) == (FencingToken(2, 1), 2)
            rolled = await stage.runbook("rollback", "shop", "1", "--json")
            assert rolled.code == 0, rolled.err
            assert json.loads(rolled.out)["generation"] == 3
            await stage.enactor(B)
            await stage.applied(3)
            strike.released.set()
            await strike.done.wait()
        assert strike.answer is not None
        assert strike.answer.error == "InvalidChangeBatch"
        assert stage.fence().generation == 3
        assert stage.fence().is_complete
        zone = stage.aws.stand_in.route53.zone(stage.aws.zone.zone_id)
        live = {one.name: zone.sets_at(one.name)["A", ""].values for one in old}
        assert live == {one.name: one.values for one in old}


async def test_of_two_operators_one_wins_and_the_other_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both prepared the same number; one publishes it, the other ends with 1 and knows why."""
    async with daemons_stage(tmp_path, monkeypatch) as stage:
        for values in (OLD, NEW, ("192.0.2.31",)):
            await stage.aws.publish(a(WWW, *values))
        ended = await stage.at_once(
            Where(operation="UpdateItem", contains='"head_digest"'),
            stage.runbook("rollback", "shop", "1", key="kim"),
            stage.runbook("rollback", "shop", "2", key="lee"),
        )
        won, told = sorted(ended, key=lambda one: one.code)
        assert (won.code, told.code) == (0, 1), [won, told]
        assert "generation 4" in won.out
        assert told.out == ""
        assert "shop moved on from generation 3 meanwhile, nothing was published" in told.err
        assert "dns-runbook status shop" in told.err
        item = await stage.aws.item()
        head = await stage.aws.archive.load(item.head_id)
        assert item.head == 4
        by = {one.plan_id: one.author for one in await stage.aws.archive.rows("shop")}
        winner = ("kim", "lee")[ended.index(won)]
        assert by[head.plan_id] == f"operator {winner}"
