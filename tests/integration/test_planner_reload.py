"""Sources and configs that change under a running planner, and a config tried before it is live."""

import json
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.integration.planner_stage import SEEN_WITHIN_S, Daemon, PlannerStage, planner_stage
from tests.integration.sandbox_process import eventually

ZONE = "zones:\n  shop: {name: example.com, names: {www: {pool: web, ttl_s: 30}}}\n"
FILE = """pools:
  web:
    sources: [{file: {path: targets.json}, interval_s: 0.2, hold_s: 1}]
guardrails: {max_removed_share: 1.0, window_s: 1}
"""
STATED = "pools: {web: {targets: [{id: a, address: 192.0.2.10}, {id: b, address: 192.0.2.11}]}}\n"


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[PlannerStage]:
    """A stand-in with the table."""
    with planner_stage(tmp_path) as made:
        made.write(ZONE + STATED)
        assert made.run("init").code == 0
        yield made


def put(stage: PlannerStage, name: str, text: str) -> None:
    """Replace a file whole."""
    fresh = stage.folder / f"{name}.new"
    fresh.write_text(text)
    fresh.replace(stage.folder / name)


def page(daemon: Daemon) -> dict[str, Any]:
    """What its page shows."""
    (served,) = daemon.wait_for("page_served")
    with urllib.request.urlopen(f"{served['url']}state", timeout=5) as answer:
        found: dict[str, Any] = json.load(answer)
    return found


def headed(daemon: Daemon) -> list[str]:
    """The zones on its page that have a plan."""
    return [zone["label"] for zone in page(daemon)["zones"] if zone["head"]]


def listed(**targets: str) -> str:
    """The document of a source."""
    return json.dumps({"targets": [{"id": k, "address": v} for k, v in targets.items()]})


def test_a_file_s_targets_follow_it(stage: PlannerStage) -> None:
    """Added at once, gone after the hold-down, kept while the file is broken or empty; and known to
    a planner that starts when the file is gone."""
    put(stage, "targets.json", listed(a="192.0.2.10", b="192.0.2.11"))
    stage.write(f"{ZONE}{FILE}state_dir: {stage.folder}\n")
    with stage.daemon("run") as daemon:
        daemon.wait_for("plan_published")
        put(stage, "targets.json", listed(a="192.0.2.10", b="192.0.2.11", c="192.0.2.12"))
        daemon.wait_for("plan_published", count=2)
        put(stage, "targets.json", '{"targets": []}')
        daemon.wait_for("source_incomplete")
        put(stage, "targets.json", '{"targets": [{"id": "a"')
        daemon.wait_for("source_incomplete", count=2)
        put(stage, "targets.json", listed(a="192.0.2.10", b="192.0.2.11"))
        daemon.wait_for("plan_published", count=3)
        assert daemon.stop() == 0
        told = [one["absent"] for one in daemon.events("source_complete")]
        plans = len(daemon.events("plan_published"))
    assert (plans, ["c"] in told) == (3, True)
    said = "shop example.com. nothing to do: generation 3 says it all\n"
    ended = stage.run("plan")
    assert (ended.code, ended.out) == (0, said)
    (stage.folder / "targets.json").unlink()
    ended = stage.run("plan")
    assert (ended.code, ended.out) == (0, said)
    assert "no such file or directory; known from the read of" in ended.err


def test_a_restart_without_the_file_takes_nothing_away(stage: PlannerStage) -> None:
    """The newest plan stands, and what is wrong is said."""
    put(stage, "targets.json", listed(a="192.0.2.10", b="192.0.2.11"))
    stage.write(ZONE + FILE)
    assert stage.run("plan", "--publish").code == 0
    (stage.folder / "targets.json").unlink()
    ended = stage.run("plan")
    assert ended.code == 0
    assert "no such file or directory" in ended.err
    missing = "not named by its source: stays until that is confirmed"
    assert ended.out.splitlines()[1:] == [
        f"shop = www.example.com. A 192.0.2.10: {missing}",
        f"shop = www.example.com. A 192.0.2.11: {missing}",
    ]


def test_a_config_is_taken_up_while_running(stage: PlannerStage) -> None:
    """A broken one is said and changes nothing; the next sound one counts, on the page too."""
    shown = ("run", "--http", "127.0.0.1:0", "--state-dir", str(stage.folder))
    with stage.daemon(*shown) as daemon:
        daemon.wait_for("plan_published")
        stage.write(ZONE.replace("web", "wep") + STATED)
        (refused,) = daemon.wait_for("config_refused")
        eventually(lambda: headed(daemon) == ["shop"] or None, "the zone", SEEN_WITHIN_S)
        more = "  new: {name: example.org, names: {www: {pool: web}}}\n"
        stage.write(ZONE + more + STATED.replace("192.0.2.11", "192.0.2.12"))
        daemon.wait_for("config_reloaded")
        daemon.wait_for("plan_published", count=3)
        eventually(lambda: headed(daemon) == ["shop", "new"] or None, "both zones", SEEN_WITHIN_S)
        assert daemon.stop() == 0
    assert "wep, a pool that does not exist" in refused["problems"][0]


def test_a_config_is_tried_before_it_is_live(stage: PlannerStage) -> None:
    """It shows the change with exit 4, publishes nothing, and leaves the live config alone."""
    assert stage.run("plan", "--publish").code == 0
    put(stage, "next.yaml", (stage.folder / "dns.yaml").read_text().replace("2.11", "2.12"))
    tried = stage.run("plan", "--against", "next.yaml")
    assert tried.code == 4
    assert [line for line in tried.out.splitlines() if line.startswith(("shop +", "shop -"))] == [
        "shop - www.example.com. A 192.0.2.11: no longer in the pool",
        "shop + www.example.com. A 192.0.2.12 (b): no health check",
    ]
    live = stage.run("plan")
    assert (live.code, "nothing to do" in live.out) == (0, True)
