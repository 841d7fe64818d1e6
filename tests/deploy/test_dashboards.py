"""What watches the daemons from outside names what is there: metrics, labels' values, pages."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from enactor.rules.outcomes import HoldRule as EnactorRule
from planner.meters import REFUSED
from planner.rules.health import Phase
from planner.rules.outcomes import HoldRule as PlannerRule
from sentinel.page import WORST_FIRST
from sentinel.rules.resolving import Made
from tests.deploy.exported import names, registries

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "deploy" / "dashboards"
METRIC = re.compile(r"\bdnsplan_\w+")
MATCHER = re.compile(r'(\w+)(?:=~|!~|!=|=)"([^"]*)"')
SEVERITIES = {"page", "ticket"}


@pytest.fixture(scope="module")
def exported() -> frozenset[str]:
    """Every name that some daemon exports."""
    return frozenset().union(*map(names, registries().values()))


def alerts() -> list[dict[str, Any]]:
    """Every rule."""
    document = yaml.safe_load((FOLDER / "alerts.yaml").read_text())
    return [rule for group in document["groups"] for rule in group["rules"]]


def panels() -> list[dict[str, Any]]:
    """Every panel that asks something."""
    found = json.loads((FOLDER / "grafana.json").read_text())["panels"]
    return [one for one in found if one["type"] != "row"]


def expressions() -> Iterator[str]:
    """Everything that is asked of Prometheus."""
    yield from (rule["expr"] for rule in alerts())
    yield from (target["expr"] for panel in panels() for target in panel["targets"])


def test_every_metric_that_is_named_exists(exported: frozenset[str]) -> None:
    """A rule over a name that nobody exports never rings."""
    named = {name for text in expressions() for name in METRIC.findall(text)}
    assert len(named) > 25
    assert named - exported == set()


def test_every_metric_of_ours_is_looked_at(exported: frozenset[str]) -> None:
    """What nobody looks at costs and tells nothing."""
    ours = {re.sub(r"_(bucket|count|sum)$", "", one) for one in exported if METRIC.match(one)}
    named = {
        re.sub(r"_(bucket|count|sum)$", "", name)
        for text in expressions()
        for name in METRIC.findall(text)
    }
    assert ours - named == set()


def test_every_value_that_is_matched_can_be() -> None:
    """A rule over a state or rule that no daemon knows never rings either."""
    values = {
        "state": {one.replace(" ", "_") for one in WORST_FIRST} | {one.value for one in Phase},
        "rule": {*map(str, EnactorRule), *map(str, PlannerRule), REFUSED},
        "outcome": {"fenced"},
        "work": {"plan"},
        "component": {"planner"},
        "made": {one.value for one in Made},
    }
    for text in expressions():
        for label, pattern in MATCHER.findall(text):
            if label != "zone":  # a variable of the dashboard
                assert set(pattern.split("|")) <= values[label], text


def test_every_alert_names_a_page_and_a_command() -> None:
    """Whoever is woken reads what it is, what to type and where to read on."""
    for rule in alerts():
        notes = rule["annotations"]
        assert (rule["alert"], set(notes)) == (rule["alert"], {"summary", "command", "runbook"})
        assert (ROOT / notes["runbook"]).is_file(), rule["alert"]
        assert rule["labels"]["severity"] in SEVERITIES
        assert notes["command"].split()[0] in {
            "dns-runbook",
            "dns-planner",
            "dns-sentinel",
            "systemctl",
            "journalctl",
            "curl",
        }


def test_panels_stand_side_by_side() -> None:
    """None covers another, each has a title and says what it shows, and its source is chosen."""
    places: dict[tuple[int, int], str] = {}
    for panel in panels():
        at = panel["gridPos"]
        assert at["x"] + at["w"] <= 24
        assert panel["title"]
        assert panel["description"]
        assert panel["datasource"]["uid"] == "${datasource}"
        for x in range(at["x"], at["x"] + at["w"]):
            for y in range(at["y"], at["y"] + at["h"]):
                assert places.setdefault((x, y), panel["title"]) == panel["title"]
    ids = [panel["id"] for panel in panels()]
    assert len(ids) == len(set(ids))
