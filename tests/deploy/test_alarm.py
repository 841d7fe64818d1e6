"""The zero-record alarm of the stack listens to exactly what the sentinel counts."""

from datetime import UTC, datetime, timedelta
from typing import Any

import boto3
import pytest

from dnsplan.runtime.aws import AwsClients
from dnsplan.runtime.config.alarms import MetricSection
from dnsplan.runtime.paging.ports import Delivered, Undelivered
from sandbox.aws.threaded import serve_in_thread
from sentinel.adapters.cloudwatch import CloudWatchMeter
from sentinel.daemon import COUNT_EVERY_S
from tests.deploy.stacks import default_of, template

KEY = "AKIATESTTESTTESTTEST"


@pytest.fixture
def _keys(monkeypatch: pytest.MonkeyPatch) -> None:
    """A Region and keys of nobody."""
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", KEY)
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "not-a-secret")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")


def meter(section: MetricSection) -> CloudWatchMeter:
    """As the sentinel opens it."""
    return CloudWatchMeter(
        AwsClients(), namespace=section.namespace, sentinel=section.sentinel, timeout_s=30.0
    )


def alarm() -> dict[str, Any]:
    """The alarm's properties with the parameters' defaults."""
    properties: dict[str, Any] = template("alarms")["Resources"]["ZeroRecordAlarm"]["Properties"]
    [dimension] = properties["Dimensions"]
    value = default_of("alarms", dimension["Value"]["Ref"])
    namespace = default_of("alarms", properties["Namespace"]["Ref"])
    return {
        **properties,
        "Namespace": namespace,
        "Dimensions": [{"Name": dimension["Name"], "Value": value}],
    }


@pytest.mark.usefixtures("_keys")
async def test_what_the_sentinel_counts_is_what_the_alarm_looks_at(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Namespace, name, dimension, unit and period of the stack's alarm find the two counts."""
    with serve_in_thread() as aws:
        monkeypatch.setenv("AWS_ENDPOINT_URL", aws.endpoint_url)
        counting = meter(MetricSection())
        try:
            assert [await counting.publish(names) for names in (0, 3)] == [Delivered()] * 2
        finally:
            await counting.close()
        client = boto3.client("cloudwatch", endpoint_url=aws.endpoint_url)
        wanted = alarm()
        now = datetime.now(UTC)
        found = client.get_metric_statistics(
            Namespace=wanted["Namespace"],
            MetricName=wanted["MetricName"],
            Dimensions=wanted["Dimensions"],
            Unit=wanted["Unit"],
            Statistics=[wanted["Statistic"]],
            Period=3_600,
            StartTime=now - timedelta(hours=1),
            EndTime=now + timedelta(hours=1),
        )
        client.close()
    assert max(point["Maximum"] for point in found["Datapoints"]) == 3.0
    assert wanted["Period"] == COUNT_EVERY_S
    assert 3.0 > wanted["Threshold"] >= 0.0


def test_the_config_takes_the_names_that_the_stack_takes() -> None:
    """The defaults are the same, so that a config that says only `metric: {}` feeds the stack."""
    section = MetricSection()
    stated = (default_of("alarms", "MetricNamespace"), default_of("alarms", "Sentinel"))
    assert (section.namespace, section.sentinel) == stated


@pytest.mark.usefixtures("_keys")
async def test_a_meter_that_cannot_reach_aws_says_where(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is a reason in the log and no end of the process."""
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:1")
    counting = meter(MetricSection())
    gone = await counting.publish(1)
    assert isinstance(gone, Undelivered)
    assert "http://127.0.0.1:1" in gone.reason
    await counting.close()


async def test_a_meter_without_a_region_says_what_is_missing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It is no end of the process."""
    for name in ("AWS_DEFAULT_REGION", "AWS_REGION", "AWS_ENDPOINT_URL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_CONFIG_FILE", "/dev/null")
    counting = meter(MetricSection())
    gone = await counting.publish(1)
    await counting.close()
    assert isinstance(gone, Undelivered)
    assert "set AWS_DEFAULT_REGION" in gone.reason
