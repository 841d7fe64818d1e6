"""What a zone costs in Route 53 requests, on real adapters: the cost follows the change."""

from collections.abc import AsyncIterator
from dataclasses import replace

import pytest

from dnsplan.fence import SeenFence
from dnsplan.outcomes import Accepted, SubmitOutcome
from dnsplan.plan import Generation
from dnsplan.records import RecordSet
from dnsplan.trace import trace_of
from enactor.cycle import EnactCycle
from enactor.rules.outcomes import Applied, InSync
from sandbox.aws.faults import LoseRequest, Where
from tests.fakes.world import PACE, a
from tests.integration.aws_stage import AwsStage, aws_stage

NAMES = 10_000
CHANGE, LIST, STATUS = "ChangeResourceRecordSets", "ListResourceRecordSets", "GetChange"


@pytest.fixture
async def stage(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[AwsStage]:
    """A stand-in of its own."""
    async with aws_stage(monkeypatch) as made:
        yield made


def content(changed: int = 0) -> list[RecordSet]:
    """Ten thousand names; the first `changed` of them differ from those of `content(0)`."""
    return [
        a(f"h{n:05d}.example.com", f"10.{int(n < changed)}.{n // 250}.{n % 250}")
        for n in range(NAMES)
    ]


async def test_ten_thousand_records(stage: AwsStage) -> None:
    """First plan in the minimum of batches plus 2 % at most; one record: 2 + 2; no change: none."""
    await stage.publish(*content())
    cycle = stage.az()
    outcome = await stage.enact(cycle)
    minimum = -(-NAMES // 998)
    assert isinstance(outcome, Applied)
    assert outcome.batches <= minimum * 1.02
    assert stage.spent()[CHANGE] == outcome.batches
    await stage.settle(cycle)
    assert (await stage.item()).applied == 1

    stage.stand_in.ledger.reset()
    await stage.publish(*content(changed=1))
    assert await stage.enact(cycle) == Applied(Generation(2), 1, 0, confirmed=False)
    assert stage.spent() == {LIST: 1, CHANGE: 1}
    await stage.settle(cycle)
    assert stage.spent() == {LIST: 2, CHANGE: 1, STATUS: 1}
    assert (await stage.item()).applied == 2

    stage.stand_in.ledger.reset()
    assert await stage.enact(stage.az("az2")) == InSync(Generation(2))
    assert stage.spent() == {LIST: 1}  # the fence check, and nothing else


async def test_route_53_keeps_the_trace_with_each_change(stage: AwsStage) -> None:
    """CloudTrail has a batch's comment, so the same word finds the change there."""
    heard: list[SubmitOutcome] = []
    outside = replace(stage.outside(1), heard=lambda _zone, _batch, answer: heard.append(answer))
    await stage.publish(a("www.example.com", "192.0.2.1"))
    await stage.enact(EnactCycle(outside, az="az1", pace=PACE))
    (accepted,) = heard
    assert isinstance(accepted, Accepted)
    change = stage.stand_in.route53.change(accepted.change_id.rpartition("/")[2])
    trace = trace_of(await stage.digest_at(1))
    assert change.comment == f"plan 1 step 1/1 trace {trace}"


async def test_a_crash_between_steps_is_finished_over_the_wire(stage: AwsStage) -> None:
    """Windows of a listing, cursors and exact deletes, as Route 53 really answers them."""
    await stage.publish(*content())
    where = Where(service="route53", operation=CHANGE, after=4)
    stage.stand_in.faults.arm(LoseRequest(), where)
    await stage.enact(stage.az("az1"))
    standing = stage.stand_in.route53.zone(stage.zone.zone_id)
    assert 4_000 - 8 <= len(standing) - 3 <= 4_000
    assert isinstance(await stage.enact(stage.az("az2")), Applied)
    assert len(standing) == NAMES + 3
    fence = await stage.records.read_fence(stage.zone)
    assert isinstance(fence, SeenFence)
    assert (fence.record.generation, fence.record.is_complete) == (1, True)
