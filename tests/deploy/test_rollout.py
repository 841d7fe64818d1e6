"""One command makes all stacks on an empty account, an AZ at a time, and stops when it should."""

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import boto3
import pytest

from deploy.rollout import FIRST, Patience, Rollout, Step, Stopped, steps
from sandbox.aws.threaded import ThreadedStandIn, serve_in_thread
from tests.deploy.stacks import STACKS, ZONE, ZONE_ROLE, default_of, for_moto, template

SHARED = {
    "roles": {
        "ZoneArns": ZONE,
        "RecordTypes": default_of("roles", "RecordTypes"),
        "ZoneRoleArns": ZONE_ROLE,
        "ReleasesArn": "arn:aws:s3:::releases/dnsplan",
    },
    "az": {
        "Bundle": "s3://releases/dnsplan/1.tar.gz",
        "BundleSha256": "0" * 64,
        "Config": "s3://releases/dnsplan/dns.yaml",
        "ConfigSha256": "1" * 64,
    },
}
BAKE_S = 1_800.0
IMAGE = "/aws/service/ami-amazon-linux-latest/al2023-ami-kernel-default-arm64"


@dataclass
class Account:
    """An account with a network, time that passes only by waiting, and what happens at a time."""

    stand_in: ThreadedStandIn
    now_s: float = 0.0
    happens: list[tuple[float, Callable[[], None]]] = field(default_factory=list)
    told: list[str] = field(default_factory=list)
    _open: list[Any] = field(default_factory=list)

    def client(self, service: str) -> Any:
        """A client, closed at the end."""
        made = boto3.Session().client(service, endpoint_url=self.stand_in.endpoint_url)
        self._open.append(made)
        return made

    def close(self) -> None:
        """Close the clients."""
        for one in self._open:
            one.close()

    def sleep(self, seconds: float) -> None:
        """Let time pass, and what is due happen."""
        self.now_s += seconds
        for due in [one for one in self.happens if one[0] <= self.now_s]:
            self.happens.remove(due)
            due[1]()

    def ring(self, state: str, name: str = "dnsplan-zero-records-main") -> None:
        """Set an alarm's state."""
        client = self.client("cloudwatch")
        client.put_metric_alarm(
            AlarmName=name, MetricName="m", Namespace="n", Period=10, EvaluationPeriods=1,
            Threshold=0.0, ComparisonOperator="GreaterThanThreshold", Statistic="Maximum",
        )  # fmt: skip
        client.set_alarm_state(AlarmName=name, StateValue=state, StateReason="a test")

    def rollout(self, watched: str = "dnsplan-") -> Rollout:
        """A run on this account."""
        return Rollout(
            self.client("cloudformation"),
            self.client("cloudwatch"),
            Patience(BAKE_S, 15.0, lambda: self.now_s, self.sleep),
            template=lambda name: json.dumps(for_moto(template(name))),
            watched=watched,
            tell=self.told.append,
        )

    def wanted(self) -> list[Step]:
        """The steps for two AZs in a network of this account."""
        ec2 = self.client("ec2")
        vpc = ec2.create_vpc(CidrBlock="10.0.0.0/16")["Vpc"]["VpcId"]
        azs = []
        for number in (1, 2):
            made = ec2.create_subnet(VpcId=vpc, CidrBlock=f"10.0.{number}.0/24")
            subnet = made["Subnet"]["SubnetId"]
            azs.append({"Az": f"use1-az{number}", "Vpc": vpc, "Subnet": subnet})
        return list(steps("dnsplan", SHARED, azs))

    def stacks(self) -> list[str]:
        """The stacks that stand, in the order in which they were made."""
        found = self.client("cloudformation").describe_stacks()["Stacks"]
        return [one["StackName"] for one in sorted(found, key=lambda one: one["CreationTime"])]


@pytest.fixture
def account(monkeypatch: pytest.MonkeyPatch) -> Iterator[Account]:
    """An empty one."""
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AKIATESTTESTTESTTEST")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "not-a-secret")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    with serve_in_thread() as aws:
        made = Account(aws)
        yield made
        made.close()


ALL = [
    "dnsplan-table", "dnsplan-alarms", "dnsplan-roles", "dnsplan-dashboard",
    "dnsplan-use1-az1", "dnsplan-use1-az2",
]  # fmt: skip


def test_an_empty_account_gets_all_of_it_and_a_second_run_changes_nothing(account: Account) -> None:
    """In the documented order; each AZ bakes, the first one's alarm may ring until it counts."""
    account.ring("ALARM")
    account.happens.append((600.0, lambda: account.ring("OK")))
    wanted = account.wanted()
    account.rollout().run(wanted)
    assert account.stacks() == ALL
    assert account.now_s == 2 * BAKE_S
    groups = account.client("autoscaling").describe_auto_scaling_groups()["AutoScalingGroups"]
    assert [(one["MinSize"], one["MaxSize"]) for one in groups] == [(1, 1), (1, 1)]
    logs = account.client("logs").describe_log_groups()["logGroups"]
    kept = {one["logGroupName"]: one["retentionInDays"] for one in logs}
    assert kept == {"/dnsplan/use1-az1": 30, "/dnsplan/use1-az2": 30}
    shown = account.client("cloudwatch").get_dashboard(DashboardName="dnsplan")["DashboardBody"]
    assert set(re.findall(r"SOURCE '([^']+)'", shown)) == set(kept)


def test_an_az_counts_what_the_alarm_listens_to_unless_told_otherwise() -> None:
    """The documented command states nothing of sentinels; without one the alarm is never quiet."""
    assert default_of("az", "RunsSentinel") == "true"
    page = (STACKS.parent / "README.md").read_text()
    [command] = re.findall(r"^python3 rollout.py .*?^```", page, re.MULTILINE | re.DOTALL)
    assert "RunsSentinel" not in command
    assert "--set az.RunsSentinel=false" in page


@pytest.mark.parametrize("name", [*FIRST, "az"])
def test_a_stack_takes_from_its_own_prefix_only(name: str) -> None:
    """Beside production, staging is granted staging's table; and what is stated goes before."""
    found = {one.template: one.parameters for one in steps("staging", {}, [{"Az": "use1-az1"}])}
    named = {key for key in template(name)["Parameters"] if key.endswith("Stack")}
    expected = {key: f"staging-{key.removesuffix('Stack').lower()}" for key in named}
    assert {key: found[name].get(key) for key in named} == expected
    stated = {"roles": {"TableStack": "elsewhere"}}
    [roles] = [one for one in steps("staging", stated, []) if one.template == "roles"]
    expected = {"TableStack": "elsewhere", "AlarmsStack": "staging-alarms"}
    assert roles.parameters == expected


def test_an_alarm_that_rings_while_an_az_bakes_stops_before_the_next(account: Account) -> None:
    """The second AZ is not reached; the same command goes on once it is quiet."""
    account.ring("OK")
    account.happens.append((BAKE_S, lambda: account.ring("ALARM")))
    wanted = account.wanted()
    with pytest.raises(Stopped, match="after use1-az1: dnsplan-zero-records-main not OK"):
        account.rollout().run(wanted)
    assert account.stacks() == ALL[:5]
    account.ring("OK")
    account.rollout().run(wanted)
    assert account.stacks() == ALL


def test_silence_is_no_quiet(account: Account) -> None:
    """An alarm without data stops it too, and so does an account without alarms."""
    wanted = account.wanted()
    with pytest.raises(Stopped, match="no alarm elsewhere-"):
        account.rollout(watched="elsewhere-").run(wanted)
    with pytest.raises(Stopped, match="dnsplan-zero-records-main not OK"):
        account.rollout().run(wanted)
    assert account.stacks() == ALL[:5]


def test_what_cloudformation_refuses_stops_the_rollout(account: Account) -> None:
    """Here a roles stack whose table is not there: nothing after it is made."""
    account.ring("OK")
    wanted = [one for one in account.wanted() if one.template != "table"]
    with pytest.raises(Stopped, match="No export named dnsplan-table-TableArn"):
        account.rollout().run(wanted)
    assert "dnsplan-use1-az1" not in account.stacks()


class Failing:
    """A CloudFormation whose stack goes back; moto's never does."""

    exceptions = boto3.client("cloudformation", "us-east-1").exceptions

    def __init__(self, statuses: list[str]) -> None:
        self._statuses = statuses

    def describe_stacks(self, StackName: str) -> dict[str, Any]:  # noqa: N803 - the SDK's name
        """The next status; the last one stays."""
        status = self._statuses.pop(0) if len(self._statuses) > 1 else self._statuses[0]
        return {"Stacks": [{"StackName": StackName, "StackStatus": status}]}

    def update_stack(self, **_: object) -> None:
        """Taken."""

    def describe_stack_events(self, **_: object) -> dict[str, Any]:
        """Newest first, as AWS lists them."""
        cancelled = {"LogicalResourceId": "Log", "ResourceStatus": "UPDATE_FAILED"}
        group = {
            "LogicalResourceId": "Group",
            "ResourceStatus": "UPDATE_FAILED",
            "ResourceStatusReason": "Received 1 FAILURE signal",
        }
        return {"StackEvents": [{"ResourceStatus": "UPDATE_ROLLBACK_COMPLETE"}, cancelled, group]}


@pytest.mark.parametrize(
    ("statuses", "text"),
    [
        (["UPDATE_COMPLETE", "UPDATE_ROLLBACK_COMPLETE"], "Group: Received 1 FAILURE signal"),
        (["UPDATE_COMPLETE", "UPDATE_IN_PROGRESS"], "UPDATE_IN_PROGRESS after 2400 s"),
    ],
)
def test_a_machine_whose_units_do_not_start_stops_with_its_reason(
    statuses: list[str], text: str
) -> None:
    """A stack that went back names what failed first; one that never ends is not waited for."""
    passed = [0.0]

    def sleep(seconds: float) -> None:
        passed[0] += seconds

    rollout = Rollout(
        Failing(statuses), None, Patience(BAKE_S, 15.0, lambda: passed[0], sleep),
        template=lambda name: name, watched="dnsplan-", tell=lambda _: None,
    )  # fmt: skip
    with pytest.raises(Stopped, match=text):
        rollout.run([Step("dnsplan-use1-az1", "az", {}, "use1-az1")])
