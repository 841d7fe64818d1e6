"""The day on which everything but Route 53 is gone, played with the product's own processes."""

import asyncio
import json
import os
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from dnsplan.codec import seal
from dnsplan.formats.planfile import plan_file, write_plan_file
from dnsplan.plan import ERA
from sandbox.aws.faults import HoldRequest, Refuse, Where
from sandbox.route53.model import Change
from sandbox.run.environment import child_environment
from tests.fakes.world import a
from tests.fakes.zone_records import to_stored
from tests.integration.daemons_stage import AZS, WWW, A, B, Daemons, Ended, daemons_stage
from tests.integration.terminal import on_a_terminal

THREE = (*AZS, "use1-az3")
C = f"enactor-{THREE[-1]}"
GOOD, BROKEN = a(WWW, "192.0.2.1"), a(WWW, "192.0.2.66")
API = a("api.example.com", "192.0.2.2")
AWAY = Refuse("ServiceUnavailable", "down", status=503)
FILE = Path("plans") / "shop" / "1.json"

SHOWN = """\
shop zone example.com. {zone_id}: fence at 1 1/1 by {az}; file of generation 1 with 2 record sets; restored as generation 1000000: changes 2 names
shop + api.example.com. A 192.0.2.2 ttl 60
shop - www.example.com. A 192.0.2.66 ttl 60
shop + www.example.com. A 192.0.2.1 ttl 60
shop 1 batch, each under the fence; about 6 requests to Route 53; names that the file does not state stay as they are
"""  # noqa: E501 - what a person reads, as it is


def config(stage: Daemons, *, www: str = "192.0.2.1") -> None:
    """Write dns.yaml, with a state folder that exists."""
    (stage.folder / "dns.yaml").write_text(
        f"azs: [{', '.join(THREE)}]\nstate_dir: {stage.folder}\naccount_requests_per_s: 900\n"
        "enactor: {interval_s: 0.1, fence_check_s: 0.5, stagger_s: 0.3}\n"
        "zones:\n  shop:\n    name: example.com\n    names:\n"
        f"      www: {{records: [{{type: A, values: [{www}]}}]}}\n"
        "      api: {records: [{type: A, values: [192.0.2.2]}]}\n"
    )


def break_by_hand(stage: Daemons) -> None:
    """Somebody is in the console: one name wrong, one gone."""
    changes = [
        Change("DELETE", to_stored(GOOD)),
        Change("CREATE", to_stored(BROKEN)),
        Change("DELETE", to_stored(API)),
    ]
    stage.aws.stand_in.route53.submit(stage.aws.zone.zone_id, changes)


async def plan(stage: Daemons, *words: str) -> Ended:
    """Run `dns-planner plan`."""
    return await stage.run("planner.main:run", "dns-planner", "plan", *words, key="planner")


async def kept(stage: Daemons) -> bool | None:
    """Whether an enactor has kept the first plan."""
    return True if (stage.folder / FILE).exists() else None


@pytest.fixture
async def stage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Daemons]:
    """Generation 1 is applied, and stands in the state folder of an enactor."""
    async with daemons_stage(tmp_path, monkeypatch) as made:
        config(made)
        published = await plan(made, "--publish")
        assert published.code == 0, published.err
        await made.enactor(A)
        await made.applied(1)
        await made.enactor(B)
        await made.eventually(lambda: kept(made), "a plan file")
        yield made


@pytest.fixture
async def quiet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Daemons]:
    """Generation 1 is applied and exported, and nothing runs."""
    async with daemons_stage(tmp_path, monkeypatch) as made:
        config(made)
        plan = await made.aws.publish(GOOD, API)
        cycle = made.aws.az()
        await made.aws.enact(cycle)
        await made.aws.settle(cycle)
        file = made.folder / FILE
        file.parent.mkdir(parents=True)
        file.write_text(write_plan_file(plan_file(plan, seal(plan).plan_id.digest)))
        yield made


async def test_with_only_route_53_left_the_zone_comes_back_and_automation_follows(
    stage: Daemons,
) -> None:
    """P13: no table, no planner, no enactor, no config; afterwards the table is reconciled, and the
    planner goes on with the next number."""
    for running in stage.running:
        await running.end()
    table = stage.arm(AWAY, Where(service="dynamodb", times=None))
    (stage.folder / "dns.yaml").unlink()
    break_by_hand(stage)
    dry = await stage.runbook("restore", str(FILE), "--dry-run")
    assert dry.code == 4, dry.err
    assert dry.out == SHOWN.format(zone_id=stage.aws.zone.zone_id, az=A.removeprefix("enactor-"))
    assert await stage.ask("api.example.com.", "A") == ()
    done = await stage.runbook("restore", str(FILE), "--save", "before.json")
    assert done.code == 0, done.err
    assert "shop: generation 1000000 step 1/1 accepted" in done.err
    assert "when the table is back: dns-runbook reconcile shop" in done.out
    assert "to undo it: dns-runbook restore before.json" in done.out
    assert await stage.ask(WWW, "A") == ("192.0.2.1",)
    assert await stage.ask("api.example.com.", "A") == ("192.0.2.2",)
    again = await stage.runbook("restore", str(FILE), "--json")
    assert (again.code, json.loads(again.out)["restored"]) == (0, True)
    assert stage.fence().generation == ERA

    stage.aws.stand_in.faults.disarm(table.id)
    config(stage)
    enactor = await stage.enactor(A)
    held = await stage.logged(enactor, "zone_held", rule="ahead")
    assert held["command"] == "dns-runbook reconcile shop"
    assert (await stage.aws.item()).ahead == ERA
    refused = await plan(stage, "--publish")
    assert "dns-runbook reconcile shop" in refused.out + refused.err
    shown = await stage.runbook("reconcile", "shop", "--dry-run")
    assert shown.code == 4, shown.err
    assert "shop in doubt: the fence is at generation 1000000, above head 1\n" in shown.out
    assert "generation 1000000 is a finished restore of 2 record sets: it keeps" in shown.out
    ended = await stage.runbook("reconcile", "shop")
    assert ended.code == 0, ended.err
    assert "shop: reconciled at generation 1000000, planner and enactors go on" in ended.out
    nothing = await stage.runbook("reconcile", "shop", "--json")
    assert (nothing.code, json.loads(nothing.out)["reconciled"]) == (0, None)

    config(stage, www="192.0.2.9")
    assert (await plan(stage, "--publish")).code == 0
    await stage.applied(ERA + 1)
    assert await stage.ask(WWW, "A") == ("192.0.2.9",)


async def test_enactors_that_fight_it_lose_and_wait_for_reconcile(stage: Daemons) -> None:
    """Three enactors and a planner are alive and publish otherwise, one of them with a batch in
    flight; the file's content stands, all three hold, and after reconcile automation goes on."""
    await stage.enactor(C)
    file = json.loads((stage.folder / FILE).read_text())
    file["records"][1]["values"] = ["192.0.2.77"]
    (stage.folder / "edited.json").write_text(json.dumps(file))
    batch = Where(operation="ChangeResourceRecordSets", access_key=A)
    held = stage.arm(HoldRequest(), batch)
    config(stage, www="192.0.2.9")
    assert (await plan(stage, "--publish")).code == 0
    strike = await stage.struck(held)
    async with stage.resolving():
        done = await stage.runbook("restore", "edited.json", "--expect-generation", "1")
        assert done.code == 0, done.err
        strike.released.set()
        await strike.done.wait()
        assert strike.answer is not None
        assert strike.answer.error == "InvalidChangeBatch"
        for enactor in stage.running:
            await stage.logged(enactor, "zone_held", rule="ahead")
        assert await stage.ask(WWW, "A") == ("192.0.2.77",)
        assert (await stage.runbook("reconcile", "shop")).code == 0
        assert (await plan(stage, "--publish")).code == 0
        await stage.applied(ERA + 1)
    assert await stage.ask(WWW, "A") == ("192.0.2.9",)


async def test_of_two_restores_at_once_one_wins(quiet: Daemons) -> None:
    """Both stand at Route 53's door with files of their own; the loser is told and ends with 1."""
    for number in ("10", "20"):
        file = json.loads((quiet.folder / FILE).read_text())
        file["records"][1]["values"] = [f"192.0.2.{number}"]
        (quiet.folder / f"{number}.json").write_text(json.dumps(file))
    ended = await quiet.at_once(
        Where(operation="ChangeResourceRecordSets"),
        quiet.runbook("restore", "10.json", key="kim"),
        quiet.runbook("restore", "20.json", key="lee"),
    )
    won, told = sorted(ended, key=lambda one: one.code)
    assert (won.code, told.code) == (0, 1), [won, told]
    assert "generation 1000000 by somebody else's move" in told.err
    values = ("192.0.2.10",) if won is ended[0] else ("192.0.2.20",)
    assert await quiet.ask(WWW, "A") == values


async def test_mistakes_and_refusals_say_what_is_allowed(quiet: Daemons) -> None:
    """Exit 2 for what was typed, 3 for what the zone forbids; nothing is sent."""
    before = quiet.fence()
    (quiet.folder / "bad.json").write_text('{"format": "dnsplan plan file 1", "records": []}')
    bad = await quiet.runbook("restore", "bad.json")
    assert bad.code == 2
    assert "bad.json: records: an empty list; allowed: at least one" in bad.err
    elsewhere = await quiet.runbook("restore", str(FILE), "--zone-id", "Z0000000000000NONE")
    assert elsewhere.code == 2
    assert "no hosted zone Z0000000000000NONE" in elsewhere.err
    moved = await quiet.runbook("restore", str(FILE), "--expect-generation", "140")
    assert moved.code == 3
    assert "fence is at generation 1, not 140; nothing was changed" in moved.err
    label = await quiet.runbook("reconcile", "shpo")
    assert label.code == 2
    assert "there are shop" in label.err
    assert quiet.fence() == before


@pytest.mark.parametrize("command", [("restore", str(FILE)), ("reconcile", "shop")])
async def test_at_the_question_nothing_is_changed(quiet: Daemons, command: tuple[str, ...]) -> None:
    """A wrong label typed is no, and Ctrl-C ends it at once; the table is shown before."""
    break_by_hand(quiet)
    if command[0] == "reconcile":
        assert (await quiet.runbook("restore", str(FILE))).code == 0
    before = quiet.fence()
    outer = child_environment(
        os.environ, endpoint_url=quiet.aws.stand_in.endpoint_url, access_key="operator"
    )
    environment = {**outer, "DNSPLAN_CONFIG": str(quiet.folder / "dns.yaml")}
    words = [str(quiet.folder / word) if word == str(FILE) else word for word in command]
    text, code = await asyncio.to_thread(
        lambda: on_a_terminal("dns-runbook", *words, types="shpo\n", environment=environment)
    )
    assert code == 2, text
    assert "nothing was changed" in text
    assert "example.com." in text
    text, code = await asyncio.to_thread(
        lambda: on_a_terminal(
            "dns-runbook", *words, interrupt_at="to go on: ", environment=environment
        )
    )
    assert code == 1, text
    assert "stopped at the question; nothing was changed" in text
    assert quiet.fence() == before
