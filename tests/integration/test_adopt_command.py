"""Moving in, as people do it: a zone is observed, adopted, planned on, and one name ends."""

import asyncio
import json
import os
from pathlib import Path

import pytest

from dnsplan.fence import FencingToken
from dnsplan.names import parse_name
from dnsplan.records import RecordSet
from sandbox.aws.faults import HoldRequest, Where
from sandbox.route53.model import Change
from sandbox.run.environment import child_environment
from tests.fakes.world import a
from tests.fakes.zone_records import from_stored, to_stored
from tests.integration.daemons_stage import AZS, A, B, Daemons, Ended, daemons_stage
from tests.integration.terminal import on_a_terminal

ZONE = """
    names:
      www: {records: [{type: A, values: [192.0.2.1]}]}
      api: {records: [{type: A, values: [192.0.2.2]}]}
"""
WWW, API = a("www.example.com", "192.0.2.1"), a("api.example.com", "192.0.2.9")
MAIL = RecordSet(parse_name("example.com"), "MX", 300, ("10 mail.example.net.",))
MARK = RecordSet(
    parse_name("a-www.example.com"),
    "TXT",
    300,
    ('"heritage=external-dns,external-dns/owner=prod,external-dns/resource=ingress/web/www"',),
)
OWNED = RecordSet(parse_name("_owner.a.api.example.com"), "TXT", 60, ('"*octodns*"',))
STANDING = (MAIL, MARK, OWNED, WWW, API)

DRY = """\
shop zone example.com. {zone_id}: 7 record sets listed; names and types to manage: 2 (1 equal, 1 different)
shop ~ api.example.com. A 192.0.2.9 ttl 60: planned: 192.0.2.2 ttl 60
shop = www.example.com. A 192.0.2.1 ttl 60: stays
shop not managed, never touched: 3: _owner.a.api.example.com. TXT, a-www.example.com. TXT, example.com. MX
shop external-dns (owner prod) marks www.example.com. by a-www.example.com. TXT: stop it for this zone, or both write the name
shop octoDNS marks api.example.com. by _owner.a.api.example.com. TXT: stop it for this zone, or both write the name
shop generation 1 is written from what stands; the one record that is written is _dnsplan.example.com. TXT
"""  # noqa: E501 - what a person reads, as it is


def config(stage: Daemons, *, mode: str = "enforce", names: str = ZONE) -> None:
    """Write dns.yaml."""
    (stage.folder / "dns.yaml").write_text(
        f"azs: [{AZS[0]}, {AZS[1]}]\naccount_requests_per_s: 900\n"
        "enactor: {interval_s: 0.1, fence_check_s: 60, stagger_s: 0.3}\n"
        f"zones:\n  shop:\n    name: example.com\n    mode: {mode}{names}"
    )


def stand(stage: Daemons, *record_sets: RecordSet) -> None:
    """A zone as others left it."""
    changes = [Change("CREATE", to_stored(one)) for one in record_sets]
    stage.aws.stand_in.route53.submit(stage.aws.zone.zone_id, changes)


def listed(stage: Daemons) -> set[RecordSet]:
    """All but the apex's NS and SOA, and the fence."""
    zone = stage.aws.stand_in.route53.zone(stage.aws.zone.zone_id)
    found = map(from_stored, zone.records())
    return {one for one in found if one.type not in ("NS", "SOA") and "_dnsplan" not in one.name}


def written(stage: Daemons) -> int:
    """Change batches that anybody sent."""
    return sum(
        count
        for (service, operation, _), count in stage.aws.stand_in.ledger.requests.items()
        if (service, operation) == ("route53", "ChangeResourceRecordSets")
    )


async def plan(stage: Daemons, *words: str) -> Ended:
    """Run `dns-planner plan`."""
    return await stage.run("planner.main:run", "dns-planner", "plan", *words, key="planner")


async def test_a_zone_of_others_is_observed_adopted_and_planned_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No record but the fence changes until the planner publishes what dns.yaml wants otherwise."""
    async with daemons_stage(tmp_path, monkeypatch) as stage:
        stand(stage, *STANDING)
        config(stage)
        dry = await stage.runbook("adopt", "shop", "--dry-run")
        assert dry.code == 4, dry.err
        assert dry.out == DRY.format(zone_id=stage.aws.zone.zone_id)
        assert (written(stage), await stage.aws.table.read(["shop"])) == (0, {})
        strange = await stage.runbook("adopt", "shop", "--expect-generation", "9")
        assert (strange.code, "is at generation 0, not 9" in strange.err) == (3, True), strange
        done = await stage.runbook("adopt", "shop")
        assert done.code == 0, done.err
        assert "shop: adopted at generation 1" in done.out
        assert (listed(stage), written(stage)) == (set(STANDING), 1)
        assert stage.fence().token == FencingToken(1, 1)
        again = await stage.runbook("adopt", "shop", "--json")
        assert (again.code, json.loads(again.out)) == (0, {"label": "shop", "adopted": None})
        assert "its fence stands at generation 1, step 1/1" in again.err
        assert (await plan(stage, "--publish")).code == 0
        await stage.enactor(A)
        await stage.applied(2)
        new = a("api.example.com", "192.0.2.2")
        assert listed(stage) == {MAIL, MARK, OWNED, WWW, new}


async def test_observe_writes_nothing_and_says_what_it_would_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Planner and two enactors beside an existing system: no change batch, no fence."""
    async with daemons_stage(tmp_path, monkeypatch) as stage:
        stand(stage, *STANDING)
        config(stage, mode="observe")
        assert (await plan(stage, "--publish")).code == 0
        first, second = await stage.enactor(A), await stage.enactor(B)
        await stage.logged(
            first, "would_change", name="api.example.com.", standing="A 60 192.0.2.9"
        )
        status = await stage.eventually(lambda: observed_status(stage), "status says it")
        reason = (
            "observing: would change 1 name and type to reach plan 1: api.example.com. A: wanted"
            " A 60 192.0.2.2; standing A 60 192.0.2.9; the zone must be adopted"
        )
        assert reason in status.out
        refused = await stage.runbook("adopt", "shop")
        assert (refused.code, "mode observe" in refused.err) == (3, True)
        stand(stage, a("more.example.com", "192.0.2.7"))
        await asyncio.gather(first.end(), second.end())
        names = [one["name"] for one in first.events("would_change")]
        assert names == ["api.example.com."]
        assert {one["name"] for one in second.events("would_change")} <= set(names)
        assert (written(stage), listed(stage) >= set(STANDING)) == (0, True)


async def observed_status(stage: Daemons) -> Ended | None:
    """`dns-runbook status`, once an enactor's word is in it."""
    found = await stage.run("runbooks.main:run", "dns-runbook", "status", key="look")
    return found if "observing:" in found.out else None


async def test_the_label_is_typed_before_anything_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a terminal a table is shown and the label asked for; anything else changes nothing."""
    async with daemons_stage(tmp_path, monkeypatch) as stage:
        stand(stage, *STANDING)
        config(stage)
        url = stage.aws.stand_in.endpoint_url
        environment = child_environment(os.environ, endpoint_url=url, access_key="kim")
        where = ("--config", str(tmp_path / "dns.yaml"))

        def typed(text: str) -> tuple[str, int]:
            adopt = ("dns-runbook", "adopt", "shop", *where)
            return on_a_terminal(*adopt, types=f"{text}\n", environment=environment)

        shown, code = await asyncio.to_thread(typed, "shops")
        assert (code, written(stage)) == (2, 0)
        assert 'Type "shop" to go on: ' in shown
        assert "nothing was changed" in shown
        shown, code = await asyncio.to_thread(typed, "shop")
        assert (code, written(stage)) == (0, 1)
        assert "shop: adopted at generation 1" in shown


async def test_of_two_operators_one_adopts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both stand at the door of head; one goes in, the other is told; one fence, one content."""
    async with daemons_stage(tmp_path, monkeypatch) as stage:
        stand(stage, *STANDING)
        config(stage)
        await stage.aws.item_or_new()
        ended = await stage.at_once(
            Where(operation="UpdateItem", contains='"head_digest"'),
            *(stage.runbook("adopt", "shop", key=key) for key in ("kim", "lee")),
        )
        won, told = sorted(ended, key=lambda one: one.code)
        assert (won.code, told.code) == (0, 1), [won, told]
        assert "run it again" in told.err
        assert stage.fence().writer == f"operator.{('kim', 'lee')[ended.index(won)]}"
        assert (listed(stage), (await stage.aws.item()).head) == (set(STANDING), 1)


async def test_a_killed_operator_leaves_what_the_next_run_finishes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Killed with the fence's batch at the door of Route 53: the next run adopts all the same."""
    async with daemons_stage(tmp_path, monkeypatch) as stage:
        stand(stage, *STANDING)
        config(stage)
        batch = Where(operation="ChangeResourceRecordSets", access_key="kim")
        held = stage.arm(HoldRequest(), batch)
        killed = asyncio.create_task(stage.runbook("adopt", "shop", key="kim"))
        strike = await stage.struck(held)
        killed.cancel()
        await asyncio.gather(killed, return_exceptions=True)
        done = await stage.runbook("adopt", "shop", key="lee")
        assert done.code == 0, done.err
        strike.released.set()
        await strike.done.wait()
        fence, item = stage.fence(), await stage.aws.item()
        assert (fence.writer, fence.generation, item.head) == ("operator.lee", 2, 2)
        assert (item.applied, listed(stage)) == (2, set(STANDING))


async def test_a_name_ends_by_retire_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Out of dns.yaml and its records files it stays and is shown; retired, it is gone, and what
    others made stays."""
    async with daemons_stage(tmp_path, monkeypatch) as stage:
        stand(stage, MAIL)
        (stage.folder / "api.zone").write_text("api 60 A 192.0.2.2\n")
        config(stage, names="\n    records_from: api.zone\n")
        new = a("api.example.com", "192.0.2.2")
        await stage.aws.publish(WWW, new)
        await stage.enactor(A)
        await stage.applied(1)
        status = await stage.run("runbooks.main:run", "dns-runbook", "status", key="look")
        assert "dns-runbook retire shop www.example.com. --type A" in status.out
        dry, refused, wrong = await asyncio.gather(
            stage.runbook("retire", "shop", "www", "--dry-run"),
            stage.runbook("retire", "shop", "api"),
            stage.runbook("retire", "shop", "wwww"),
        )
        done = await stage.runbook("retire", "shop", "www", "--type", "a", "--json")
        assert (dry.code, "  - www.example.com. A 192.0.2.1 ttl 60" in dry.err) == (4, True)
        assert (refused.code, "take it out there first" in refused.err) == (3, True)
        assert (wrong.code, "nearest:" in wrong.err) == (2, True)
        assert done.code == 0, done.err
        assert json.loads(done.out) == {
            "label": "shop",
            "name": "www.example.com.",
            "types": ["A"],
            "generation": 2,
            "undo": "state www.example.com. in dns.yaml again",
        }
        await stage.applied(2)
        assert listed(stage) == {MAIL, new}
