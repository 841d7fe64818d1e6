"""`dns-runbook audit` as operators run it, and the enactor that mends what it shows."""

import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from sandbox.aws.faults import Refuse, Where
from sandbox.route53.model import Change, StoredRecordSet
from tests.fakes.world import a
from tests.integration.daemons_stage import CONFIG, WWW, A, Daemons, Ended, daemons_stage

FOREIGN = StoredRecordSet(WWW, "A", 60, ("203.0.113.66",))
LINE = f"shop drift {WWW} A: wanted A 60 192.0.2.1; standing A 60 203.0.113.66"


@pytest.fixture
async def stage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Daemons]:
    """A zone that holds plan 1."""
    async with daemons_stage(tmp_path, monkeypatch) as made:
        await made.aws.publish(a(WWW, "192.0.2.1"))
        cycle = made.aws.az()
        await made.aws.enact(cycle)
        await made.aws.settle(cycle)
        assert (await made.aws.item()).applied == 1
        yield made


def overwrite(stage: Daemons) -> None:
    """A foreign hand, beside the fence."""
    stage.aws.stand_in.route53.submit(stage.aws.zone.zone_id, [Change("UPSERT", FOREIGN)])


async def audit(stage: Daemons, *words: str) -> Ended:
    """Run the command."""
    return await stage.run("runbooks.main:run", "dns-runbook", "audit", "shop", *words, key="look")


async def test_it_shows_drift_and_changes_nothing(stage: Daemons) -> None:
    """No drift: 0. Drift: 1, each difference, who mends it; and not one write."""
    fine = await audit(stage)
    assert (fine.code, fine.err) == (0, "")
    assert fine.out == "shop generation 1, 4 record sets looked at: no drift\n"
    overwrite(stage)
    stage.aws.stand_in.ledger.reset()
    found = await audit(stage)
    assert found.code == 1
    assert found.out.splitlines()[0] == LINE
    assert "the enactors mend it under the fence" in found.err
    facts = json.loads((await audit(stage, "--json")).out)
    assert facts["drift"] == [
        {
            "name": WWW,
            "type": "A",
            "wanted": ["A 60 192.0.2.1"],
            "standing": ["A 60 203.0.113.66"],
            "held": False,
        }
    ]
    assert stage.aws.spent()["ChangeResourceRecordSets"] == 0


async def test_without_the_table_it_says_what_it_cannot_do(stage: Daemons) -> None:
    """Route 53 is read, the plan is not there: 1, and the reason."""
    down = Refuse("ServiceUnavailable", "down", status=503)
    stage.arm(down, Where(service="dynamodb", times=None))
    ended = await audit(stage)
    assert ended.code == 1
    assert "plan 1 of shop cannot be read, so nothing is compared" in ended.err


async def test_a_running_enactor_mends_it_by_itself(stage: Daemons) -> None:
    """Nobody publishes, nobody asks: the audit of a quiet zone finds it, says it, and mends it."""
    config = CONFIG.replace("fence_check_s: 60", "fence_check_s: 1, audit_s: 1")
    (stage.folder / "dns.yaml").write_text(config)
    enactor = await stage.enactor(A)
    await stage.logged(enactor, "zone_in_sync", generation=1)
    overwrite(stage)
    found = await stage.logged(enactor, "drift_found", name=WWW)
    assert (found["wanted"], found["standing"]) == ("A 60 192.0.2.1", "A 60 203.0.113.66")
    await stage.logged(enactor, "drift_ended", names=[f"{WWW} A"])
    assert await stage.ask(WWW, "A") == ("192.0.2.1",)
    assert (await audit(stage)).code == 0
