"""The commands that look, and waive, as operators run them: processes and their exit codes."""

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from sandbox.aws.faults import Refuse, Where
from sandbox.route53.model import Change, StoredRecordSet
from tests.fakes.world import a
from tests.integration.daemons_stage import CONFIG, WWW, Daemons, Ended, daemons_stage

FOREIGN = StoredRecordSet(WWW, "A", 60, ("203.0.113.66",))


@pytest.fixture
async def stage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Daemons]:
    """A zone that holds plan 1; its servers are known, and look at what Route 53 holds."""
    async with daemons_stage(tmp_path, monkeypatch) as made:
        servers = f"sentinel: {{name_servers: ['{made.dns.host}:{made.dns.port}']}}\n"
        (tmp_path / "dns.yaml").write_text(CONFIG + servers)
        await made.aws.publish(a(WWW, "192.0.2.1"))
        cycle = made.aws.az()
        await made.aws.enact(cycle)
        await made.aws.settle(cycle)
        yield made


async def runbook(stage: Daemons, *words: str) -> Ended:
    """Run a command as whoever may only look."""
    ended = await stage.run("runbooks.main:run", "dns-runbook", *words, key="look")
    assert "\x1b" not in ended.out + ended.err
    return ended


async def test_while_all_is_well(stage: Daemons) -> None:
    """Exit 0 from each, the name is answered as planned by a server that was asked over UDP."""
    name = await runbook(stage, "explain", "www.example.com")
    assert name.code == 0, name.out + name.err
    host, port = stage.dns.host, stage.dns.port
    assert name.out.splitlines()[1:6] == [
        "shop www.example.com. A as planned",
        "shop www.example.com. A stated dns.yaml: records",
        "shop www.example.com. A planned A 60 192.0.2.1",
        "shop www.example.com. A standing A 60 192.0.2.1",
        f"shop www.example.com. A answered by {host}:{port}: 192.0.2.1 ttl 60",
    ]
    zone = await runbook(stage, "explain", "shop")
    assert zone.code == 1  # no enactor runs on this stage, and that is said
    assert "has never looked at the zone" in zone.out
    verified = await runbook(stage, "verify", "shop")
    assert (verified.code, verified.out) == (
        0,
        "shop generation 1, 1 name and type, 1 name server: in sync\n",
    )
    past = await runbook(stage, "history", "shop")
    assert past.code == 0
    assert "+1 -0 ~0 [head, live, applied, last known good] test" in past.out
    same = await runbook(stage, "diff", "shop")
    assert (same.code, same.out) == (0, "shop live and generation 1 hold the same\n")


async def test_a_foreign_hand_is_seen_by_each_of_them_and_none_of_them_writes(
    stage: Daemons,
) -> None:
    """Exit 1 from each that compares; --json is one document."""
    stage.aws.stand_in.route53.submit(stage.aws.zone.zone_id, [Change("UPSERT", FOREIGN)])
    stage.aws.stand_in.ledger.reset()
    name = await runbook(stage, "explain", "www.example.com", "--json")
    (zone,) = json.loads(name.out)["zones"]
    assert (name.code, zone["types"][0]["stands"], zone["as_planned"]) == (1, "drift", False)
    verified = await runbook(stage, "verify", "shop", "--json")
    (one,) = json.loads(verified.out)["names"]
    assert (verified.code, one["in_sync"]) == (1, False)
    assert one["standing"] == ["www.example.com. A 203.0.113.66 ttl 60"]
    assert one["answers"][0]["values"] == ["203.0.113.66"]
    differs = await runbook(stage, "diff", "shop")
    assert (differs.code, differs.out.splitlines()[:2]) == (
        1,
        [
            "shop - www.example.com. A 203.0.113.66 ttl 60",
            "shop + www.example.com. A 192.0.2.1 ttl 60",
        ],
    )
    written = {
        operation
        for (_, operation, _) in stage.aws.stand_in.ledger.requests
        if operation in ("ChangeResourceRecordSets", "UpdateItem", "PutItem", "DeleteItem")
    }
    assert written == set()


async def test_explain_without_the_table(stage: Daemons) -> None:
    """What Route 53 knows is shown; what is not known is said, in bounded time."""
    stage.arm(
        Refuse("ServiceUnavailable", "down", status=503), Where(service="dynamodb", times=None)
    )
    blind = await runbook(stage, "explain", "www.example.com")
    assert blind.code == 1
    assert "shop www.example.com. A standing A 60 192.0.2.1" in blind.out
    assert "A planned not known" in blind.out
    assert "shop unknown readable: the generation item could not be read" in blind.out


async def test_a_waiver_waits_in_the_real_table_and_is_ended(stage: Daemons) -> None:
    """--dry-run 4, not confirmed 2, another generation 3, done 0; explain shows it meanwhile."""
    words = ("waive", "shop", "velocity", "--because", "drill", "--by", "ann")
    dry = await runbook(stage, *words, "--dry-run")
    assert (dry.code, dry.out) == (4, "")
    assert "velocity is lifted for generation 2 alone" in dry.err
    asked = await runbook(stage, *words)
    assert (asked.code, (await stage.aws.item()).waivers) == (2, None)
    moved = await runbook(stage, *words, "--yes", "--expect-generation", "7")
    assert (moved.code, "shop is at generation 1, not 7" in moved.err) == (3, True)
    done = await runbook(stage, *words, "--yes", "--expect-generation", "1")
    assert done.code == 0, done.err
    assert done.out.endswith("to undo it: dns-runbook waive shop velocity --because TEXT --end\n")
    shown = await runbook(stage, "explain", "shop")
    assert "shop waived velocity for generation 2 until" in shown.out
    ended = await runbook(stage, *words, "--end", "--yes")
    assert (ended.code, (await stage.aws.item()).waivers) == (0, None)
    never = await runbook(stage, "waive", "shop", "never_empty", "--because", "x", "--yes")
    assert (never.code, "it cannot be waived" in never.err) == (2, True)


MISTAKES = (
    (("explain", "www.example.org"), "is no label and in no zone of the config"),
    (("history", "shpo"), "no zone shpo in the config; there are shop"),
    (("verify", "shop", "x.example.com"), "manages no x.example.com. in generation 1"),
    (("verify", "shop", "--name-server", "ns1"), "no IP address, as 127.0.0.1:5353"),
    (("diff", "shop", "newest"), "'newest' is no generation"),
    (("diff", "shop", "9"), "there is no generation 9; shop has generations 1 to 1"),
    (("waive", "shop", "velocity"), "Missing option '--because'"),
)


async def test_mistakes_say_what_was_found_and_what_is_allowed(stage: Daemons) -> None:
    """Exit 2, and nothing on standard output."""
    ended = await asyncio.gather(*(runbook(stage, *words) for words, _ in MISTAKES))
    for (words, text), one in zip(MISTAKES, ended, strict=True):
        assert (one.code, one.out) == (2, ""), words
        assert text in one.err
