"""Two processes, sixteen writers, one fence: each of a hundred generations is won exactly once."""

import asyncio
import json
import sys
from pathlib import Path

import pytest

from dnsplan.fence import FenceRecord, SeenFence
from dnsplan.plan import Digest, Generation
from enactor.rules.packing import build
from tests.integration.aws_stage import aws_stage

ROUNDS = 100
WITHIN_S = 100.0
RACER = Path(__file__).with_name("fence_racer.py")
ROOT = RACER.parents[2]


async def test_each_generation_has_one_winner(monkeypatch: pytest.MonkeyPatch) -> None:
    """Real adapters in real processes; nobody waits for anybody."""
    async with aws_stage(monkeypatch) as stage:
        first = FenceRecord(
            generation=Generation(0),
            step=1,
            steps=1,
            base=Generation(0),
            held=0,
            owner="o" * 32,
            writer="start",
            nonce="start",
            digest=Digest("none"),
        )
        begin = build(None, first, (), zone=stage.zone.name, may_end=lambda _key: False)
        await stage.records.submit(stage.zone, begin)
        command = (sys.executable, str(RACER), stage.zone.zone_id, str(ROUNDS))
        racers = [
            await asyncio.create_subprocess_exec(*command, stdout=-1, stderr=-1, cwd=ROOT)
            for _ in range(2)
        ]
        async with asyncio.timeout(WITHIN_S):
            answers = [await racer.communicate() for racer in racers]
        assert [racer.returncode for racer in racers] == [0, 0], answers
        won = [generation for out, _ in answers for generation in json.loads(out)]
        assert sorted(won) == list(range(1, ROUNDS + 1))
        now = await stage.records.read_fence(stage.zone)
        assert isinstance(now, SeenFence)
        assert now.record.generation == ROUNDS
        refused = stage.stand_in.ledger.outcomes[
            "route53", "ChangeResourceRecordSets", "InvalidChangeBatch"
        ]
        assert refused > 0, "nobody raced"
