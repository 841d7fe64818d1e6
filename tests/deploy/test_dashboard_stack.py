"""The CloudWatch dashboard, as deployed: every panel asks for something that is there."""

import json
import re
from pathlib import Path
from typing import Any

import boto3
import pytest

from sentinel.adapters.cloudwatch import DIMENSION, METRIC
from tests.deploy.stacks import Deployment, default_of, template

ROOT = Path(__file__).parents[2]
# https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/metrics-dimensions.html
OF_A_TABLE = {
    "ConsumedReadCapacityUnits",
    "ConsumedWriteCapacityUnits",
    "ReadThrottleEvents",
    "WriteThrottleEvents",
}


@pytest.fixture(scope="module")
def widgets(deployment: Deployment) -> list[dict[str, Any]]:
    """What CloudWatch has after the stacks were made."""
    client = boto3.client("cloudwatch", "us-east-1", endpoint_url=deployment.aws.endpoint_url)
    body = client.get_dashboard(DashboardName="dnsplan")["DashboardBody"]
    client.close()
    found: list[dict[str, Any]] = json.loads(body)["widgets"]
    return found


def of_type(widgets: list[dict[str, Any]], kind: str) -> list[dict[str, Any]]:
    """The panels of one kind."""
    return [one["properties"] for one in widgets if one["type"] == kind]


def test_every_metric_is_one_that_somebody_counts(widgets: list[dict[str, Any]]) -> None:
    """The sentinel's under its own name and dimension, the table's, and the groups'."""
    asked = [metric for one in of_type(widgets, "metric") for metric in one["metrics"]]
    searches = [one[0]["expression"] for one in asked if isinstance(one[0], dict)]
    named = [one for one in asked if isinstance(one[0], str)]
    namespace, sentinel = (default_of("alarms", one) for one in ("MetricNamespace", "Sentinel"))
    assert [one for one in named if one[0] == namespace] == [
        [namespace, METRIC, DIMENSION, sentinel]
    ]
    table = default_of("table", "TableName")
    others = [one for one in named if one[0] != namespace]
    assert sorted(others) == [
        ["AWS/DynamoDB", name, "TableName", table] for name in sorted(OF_A_TABLE)
    ]
    [search] = searches
    [enabled] = template("az")["Resources"]["Group"]["Properties"]["MetricsCollection"]
    [counted] = re.findall(r'MetricName="(\w+)"', search)
    assert counted in enabled["Metrics"]


def test_every_log_that_is_searched_is_written(widgets: list[dict[str, Any]]) -> None:
    """The groups are the AZs', and each event and level is one that the code says."""
    source = "".join(
        path.read_text() for name in ("enactor", "planner") for path in (ROOT / name).rglob("*.py")
    )
    group = template("az")["Resources"]["Log"]["Properties"]["LogGroupName"]["Fn::Sub"]
    azs = default_of("dashboard", "Azs").split(",")
    queries = [one["query"] for one in of_type(widgets, "log")]
    assert len(queries) == 3
    for query in queries:
        assert re.findall(r"SOURCE '([^']+)'", query) == [group.replace("${Az}", az) for az in azs]
        for event in re.findall(r"event in \[([^\]]+)\]", query):
            words = json.loads(f"[{event}]")
            assert [word for word in words if f'"{word}"' not in source] == []


def test_the_alarm_is_the_stacks(widgets: list[dict[str, Any]], deployment: Deployment) -> None:
    """The one that stands in the account after the stacks were made."""
    client = boto3.client("cloudwatch", "us-east-1", endpoint_url=deployment.aws.endpoint_url)
    alarms = client.describe_alarms(AlarmNamePrefix="dnsplan-")["MetricAlarms"]
    client.close()
    [panel] = of_type(widgets, "alarm")
    assert panel["alarms"] == [one["AlarmArn"] for one in alarms]
    assert len(alarms) == 1


def test_panels_stand_side_by_side(widgets: list[dict[str, Any]]) -> None:
    """None covers another, none is wider than the screen, and each has a title."""
    places: set[tuple[int, int]] = set()
    for one in widgets:
        assert one["x"] + one["width"] <= 24
        assert one["properties"]["title"]
        covered = {
            (x, y)
            for x in range(one["x"], one["x"] + one["width"])
            for y in range(one["y"], one["y"] + one["height"])
        }
        assert not covered & places, one["properties"]["title"]
        places |= covered
