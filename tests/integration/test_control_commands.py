"""What operators see of freeze, rollback, pin and unpin when not all goes well: exit code, words
that name the next command, and JSON for scripts."""

import json
import os
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from dnsplan.names import parse_name
from dnsplan.plan import NameLedger
from sandbox.aws.faults import Refuse, Where
from tests.fakes.world import a
from tests.integration.daemons_stage import CONFIG, WWW, Daemons, daemons_stage
from tests.integration.terminal import on_a_terminal

OLD, NEW = "192.0.2.1", "192.0.2.2"
GONE = """
  gone:
    name: gone.example
    names: {www: {records: [{type: A, values: [192.0.2.9]}]}}
"""
DOWN = Refuse("ServiceUnavailable", "down", status=503)


@pytest.fixture
async def stage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Daemons]:
    """Two plans are published, the second is head."""
    async with daemons_stage(tmp_path, monkeypatch) as made:
        await made.aws.publish(a(WWW, OLD))
        await made.aws.publish(a(WWW, NEW))
        yield made


async def test_freeze_reaches_the_table_when_route53_is_unreachable_from_the_start(
    stage: Daemons,
) -> None:
    """P9: nothing new is claimed; exit 1 says what is frozen and what is not, also as JSON."""
    away = stage.arm(DOWN, Where(service="route53", times=None))
    ended = await stage.runbook("freeze", "shop", "--json")
    frozen = (await stage.aws.item()).frozen
    assert (ended.code, frozen is None) == (1, False), ended
    assert f"shop: frozen in the table by {frozen}, in-flight batches not excluded: " in ended.err
    assert ended.err.rstrip().endswith("run dns-runbook freeze shop again")
    facts = json.loads(ended.out)
    assert (facts["label"], facts["frozen_in_table"]) == ("shop", frozen)
    stage.aws.stand_in.faults.disarm(away.id)
    again = await stage.runbook("freeze", "shop", "--json")
    assert again.code == 0, again.err
    assert json.loads(again.out)["frozen"] == frozen == stage.fence().frozen


async def test_a_zone_that_cannot_be_found_keeps_no_other_from_being_frozen(
    stage: Daemons,
) -> None:
    """All zones are asked for, one has neither plan nor hosted zone: the rest is frozen."""
    (stage.folder / "dns.yaml").write_text(CONFIG + GONE)
    ended = await stage.runbook("freeze")
    assert ended.code == 1, ended
    assert "gone: not known to be frozen: gone has no plan" in ended.err
    frozen = (await stage.aws.item()).frozen
    assert frozen is not None
    assert stage.fence().frozen == frozen
    assert f"to undo it: dns-runbook thaw shop {frozen}" in ended.out


def test_without_a_region_nothing_is_frozen_and_the_next_step_is_named(tmp_path: Path) -> None:
    """It says that nothing is frozen, and which setting is missing."""
    text, code = on_a_terminal("dns-runbook", "freeze", "--yes", environment=bare(tmp_path))
    assert code == 1
    assert "nothing was frozen: open a client for dynamodb" in text
    assert "set AWS_DEFAULT_REGION" in text
    assert "dns-sandbox run" in text


def test_ctrl_c_at_the_question_ends_at_once(tmp_path: Path) -> None:
    """Exit 1, and it says that nothing was changed; also where no table answers, which keeps
    nobody from the question."""
    away = {
        "AWS_ENDPOINT_URL": "http://127.0.0.1:1",
        "AWS_DEFAULT_REGION": "us-east-1",
        "AWS_ACCESS_KEY_ID": "freeze",
        "AWS_SECRET_ACCESS_KEY": "freeze",
    }
    text, code = on_a_terminal(
        "dns-runbook",
        "freeze",
        "shop",
        interrupt_at="to go on: ",
        environment={**bare(tmp_path), **away},
    )
    assert code == 1
    assert "what stands is not known" in text
    assert "stopped at the question; nothing was changed" in text


def bare(folder: Path) -> dict[str, str]:
    """An environment with a config and no AWS settings at all."""
    (folder / "dns.yaml").write_text(CONFIG)
    kept = {name: value for name, value in os.environ.items() if not name.startswith("AWS_")}
    nowhere = {"AWS_CONFIG_FILE": os.devnull, "AWS_SHARED_CREDENTIALS_FILE": os.devnull}
    return {**kept, **nowhere, "DNSPLAN_CONFIG": str(folder / "dns.yaml")}


async def test_a_dry_run_of_a_rollback_prints_json(stage: Daemons) -> None:
    """What would change, name by name; exit 4 and nothing published."""
    ended = await stage.runbook("rollback", "shop", "1", "--dry-run", "--json")
    assert ended.code == 4, ended.err
    facts = json.loads(ended.out)
    assert (facts["generation"], facts["published"], facts["violations"]) == (3, False, [])
    assert facts["changes"] == [
        {"name": WWW, "before": [f"{WWW} A {NEW} ttl 60"], "after": [f"{WWW} A {OLD} ttl 60"]}
    ]
    assert "generation 3: changes 1 name\n" in ended.err
    assert (await stage.aws.item()).head == 2


async def test_a_rollback_that_changes_nothing_says_so_and_publishes_only_a_pin(
    stage: Daemons,
) -> None:
    """Exit 0 with and without --dry-run; --pin is a wish of its own."""
    await stage.aws.publish(a(WWW, OLD))
    for more in ((), ("--dry-run",)):
        ended = await stage.runbook("rollback", "shop", "1", *more)
        assert ended.code == 0, ended.err
        assert "shop: no record would change, head 3 holds the same" in ended.err
        assert (await stage.aws.item()).head == 3
    pinned = await stage.runbook("rollback", "shop", "1", "--pin")
    assert pinned.code == 0, pinned.err
    for more in ((), ("--pin",)):
        again = await stage.runbook("rollback", "shop", "1", *more)
        assert again.code == 0, again.err
        assert "head 4 holds the same and is pinned; nothing is published" in again.err
    item = await stage.aws.item()
    assert (item.head, item.pin) == (4, 4)


async def test_a_refused_rollback_prints_json_and_names_the_way_on(stage: Daemons) -> None:
    """P14: rule, number, limit and the waiver, which then lifts it."""
    ledger = (NameLedger(parse_name(WWW), "A", 8, 8, ()),)
    many = a(WWW, *(f"192.0.2.{n}" for n in range(1, 9)))
    await stage.aws.publish(many, ledger=ledger)
    ended = await stage.runbook("rollback", "shop", "1", "--json")
    assert ended.code == 3, ended
    assert "--waive velocity lifts it for this generation alone" in ended.err
    facts = json.loads(ended.out)
    assert [(one["rule"], one["waivable"]) for one in facts["violations"]] == [("velocity", True)]
    waived = await stage.runbook("rollback", "shop", "1", "--waive", "velocity")
    assert waived.code == 0, waived.err


async def test_a_rollback_that_cannot_be_is_refused_with_what_there_is(stage: Daemons) -> None:
    """Exit 3, a JSON object, and the generations that are kept; a wrong waiver is exit 2."""
    ended = await stage.runbook("rollback", "shop", "7", "--json")
    assert ended.code == 3, ended
    why, page = ended.err.splitlines()
    assert (json.loads(ended.out)["refused"], page) == (why, "page: runbooks/bad-plan.md")
    assert "no older generation 7 to roll back to; older ones that are kept: 1" in ended.err
    mistaken = await stage.runbook("rollback", "shop", "1", "--waive", "never_empty")
    assert (mistaken.code, mistaken.out) == (2, "")
    assert "allowed: floor, velocity" in mistaken.err


async def test_what_would_be_done_is_shown_and_a_script_is_held_to_what_it_saw(
    stage: Daemons,
) -> None:
    """--dry-run is exit 4, another generation than expected exit 3; both change nothing."""
    before = await stage.aws.item()
    for words in (("pin", "shop", "2"), ("freeze", "shop")):
        strange = await stage.runbook(*words, "--expect-generation", "9")
        assert strange.code == 3, strange
    dry = await stage.runbook("pin", "shop", "2", "--dry-run", "--expect-generation", "2")
    assert (dry.code, dry.err.splitlines()) == (
        4,
        [
            "shop: no generation stands yet, enactors go on to 2: changes 1 name",
            f"  + {WWW} A {NEW} ttl 60",
            "shop: enactors will work to generation 2 until unpin",
        ],
    )
    frozen = await stage.runbook("freeze", "--dry-run", "--json", "--expect-generation", "2")
    assert (frozen.code, json.loads(frozen.out)["frozen"]) == (4, None), frozen
    assert await stage.aws.item() == before
    assert (await stage.runbook("pin", "shop", "2", "--expect-generation", "2")).code == 0
    unpin = await stage.runbook("unpin", "shop", "--dry-run")
    assert (unpin.code, "pin 2 ends" in unpin.err) == (4, True)
    assert (await stage.aws.item()).pin == 2
