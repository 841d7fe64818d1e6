"""Every example config runs: copied to free ports, with local servers for what it probes."""

import json
from pathlib import Path
from typing import Any

import pytest

from dnsplan.runtime.config import load
from tests.integration.sandbox_process import (
    EXAMPLES,
    RunningSandbox,
    eventually,
    free_copy,
    run_to_end,
)

ALL = sorted([*EXAMPLES.glob("*.yaml"), *EXAMPLES.glob("*/dns.yaml")])
MANY_WITHIN_S = 120.0


def names_of(status: dict[str, Any]) -> dict[tuple[str, str, str], int]:
    """Answers by label, name and type."""
    return {
        (zone["label"], name["name"], name["type"]): name["answers"]
        for zone in status["zones"]
        for name in zone["names"]
    }


def until_converged(config: Path, timeout_s: float = 60) -> dict[str, Any]:
    """The status object of a run until converged."""
    done = run_to_end(
        *("run", "--config", str(config), "--backends"),
        *("--until-converged", "--json", "--timeout-s", str(timeout_s)),
    )
    assert done.returncode == 0, done.stderr
    status: dict[str, Any] = json.loads(done.stdout)
    return status


@pytest.mark.parametrize("path", ALL, ids=lambda path: path.parent.name + "/" + path.name)
def test_an_example_is_a_config_without_mistakes(path: Path) -> None:
    """Each one loads as it stands, and says in its first lines how to run it."""
    load(path, {})
    shown = "docs/examples/" + str(path.relative_to(EXAMPLES))
    text = path.read_text()
    assert f"--config {shown}" in text or "dns-sandbox run" in text


def test_the_shop_answers_and_loses_a_dead_host_of_two(tmp_path: Path) -> None:
    """The bare domain has addresses, MX and TXT side by side; health moves addresses alone."""
    shop = RunningSandbox("--backends", config=free_copy(EXAMPLES / "shop.yaml", tmp_path))
    try:
        shop.converged()
        assert shop.ask("shop.example") == ["127.0.1.11", "127.0.1.12"]
        shop.switch("stop", "host-2")
        eventually(
            lambda: shop.ask("shop.example") == ["127.0.1.11"] or None, "the dead host is out", 30
        )
        assert shop.ask("shop.example", "MX") == ["10 mx1.mail.example.", "20 mx2.mail.example."]
        assert shop.ask("shop.example", "TXT") == ['"v=spf1 mx -all"']
        assert shop.ask("www.shop.example", "CNAME") == ["shop.example."]
    finally:
        assert shop.stop() == 0


def test_three_azs_answer_by_weight_and_the_private_zone_apart(tmp_path: Path) -> None:
    """Two zones of one name: the public view never shows what is inside, and the other way."""
    running = RunningSandbox("--backends", config=free_copy(EXAMPLES / "three-azs.yaml", tmp_path))
    try:
        status = running.converged()
        public = {f"127.0.2.{last}" for last in (11, 12, 13)}
        heard = {one for _ in range(60) for one in running.ask("api.service.example")}
        assert heard == public
        inside = running.ask("api.service.example", private=True)
        assert inside
        assert not public & set(inside)
        assert running.ask("db.service.example", private=True) == ["10.0.0.50"]
        assert running.ask("db.service.example") == []
        srv = running.ask("_postgres._tcp.service.example", "SRV", private=True)
        assert srv == ["0 0 5432 db.service.example."]
        ids = [zone["zone_id"] for zone in status["zones"]]
        assert len(set(ids)) == 2
    finally:
        assert running.stop() == 0


@pytest.mark.system
def test_two_hundred_zones_converge(tmp_path: Path) -> None:
    """Every zone of every included file stands, each with its own fence."""
    config = free_copy(EXAMPLES / "many-zones" / "dns.yaml", tmp_path)
    status = until_converged(config, MANY_WITHIN_S)
    expected = set(load(config, {}).settings.zones)
    assert len(expected) == 200
    assert expected == {zone["label"] for zone in status["zones"]}
    assert {3} == {answers for (_, _, kind), answers in names_of(status).items() if kind == "A"}
    assert len({zone["fence"]["nonce"] for zone in status["zones"]}) == 200
