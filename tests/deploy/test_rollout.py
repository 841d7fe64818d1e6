"""One command makes all stacks on an empty account, an AZ at a time, and stops when it should."""

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from typing import Any

import boto3
import pytest
from moto.cloudformation.models import cloudformation_backends

from deploy.rolling import QUIET_WITHIN_S, WAYS_OUT, Patience, Rollout, Stopped
from deploy.rollout import EXIT_FAILED, EXIT_INTERRUPTED, EXIT_USAGE, main, stated
from deploy.stack_order import FIRST, Step, steps
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
BEGAN_S = 2_000_000_000.0
IMAGE = "/aws/service/ami-amazon-linux-latest/al2023-ami-kernel-default-arm64"


class Unchanging:
    """moto's CloudFormation, refusing as AWS does to update a stack by what made it."""

    def __init__(self, client: Any, sent: dict[str, object]) -> None:
        self._client = client
        self._sent = sent

    def __getattr__(self, name: str) -> Any:
        return getattr(self._client, name)

    def describe_stacks(self, **which: str) -> dict[str, Any]:
        """With the image's parameter as it was stated; moto shows what it leads to."""
        found: dict[str, Any] = self._client.describe_stacks(**which)
        for stack in found["Stacks"]:
            for one in stack["Parameters"]:
                if one["ParameterKey"] == "Image":
                    one["ParameterValue"] = IMAGE
        return found

    def create_stack(self, **request: Any) -> None:
        """Made, and kept in mind."""
        self._client.create_stack(**request)
        self._sent[request["StackName"]] = request

    def update_stack(self, **request: Any) -> None:
        """Only with something new."""
        if self._sent.get(request["StackName"]) == request:
            error = {"Code": "ValidationError", "Message": "No updates are to be performed."}
            raise self._client.exceptions.ClientError({"Error": error}, "UpdateStack")
        self._client.update_stack(**request)
        self._sent[request["StackName"]] = request


@dataclass
class Account:
    """An account with a network, time that passes only by waiting, and what happens at a time."""

    stand_in: ThreadedStandIn
    now_s: float = 0.0
    happens: list[tuple[float, Callable[[], None]]] = field(default_factory=list)
    told: list[str] = field(default_factory=list)
    _open: list[Any] = field(default_factory=list)
    _sent: dict[str, object] = field(default_factory=dict)

    def client(self, service: str) -> Any:
        """A client, closed at the end."""
        made = boto3.Session().client(service, endpoint_url=self.stand_in.endpoint_url)
        self._open.append(made)
        return made

    def close(self) -> None:
        """Close the clients."""
        for one in self._open:
            one.close()

    def utc(self) -> datetime:
        """Now, as moto writes it into stacks and events."""
        return datetime.fromtimestamp(BEGAN_S + self.now_s, UTC).replace(tzinfo=None)

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
            AlarmName=name,
            MetricName="m",
            Namespace="n",
            Period=10,
            EvaluationPeriods=1,
            Threshold=0.0,
            ComparisonOperator="GreaterThanThreshold",
            Statistic="Maximum",
        )
        client.set_alarm_state(AlarmName=name, StateValue=state, StateReason="a test")

    def rollout(
        self, watched: str = "dnsplan-", tell: Callable[[str], None] | None = None
    ) -> Rollout:
        """A run on this account."""
        return Rollout(
            Unchanging(self.client("cloudformation"), self._sent),
            self.client("cloudwatch"),
            Patience(BAKE_S, 15.0, lambda: BEGAN_S + self.now_s, self.sleep),
            template=lambda name: json.dumps(for_moto(template(name))),
            watched=watched,
            tell=tell or self.told.append,
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

    def standing(self, name: str) -> Any:
        """moto's own stack, to put it into a state."""
        regions = [of for account in cloudformation_backends.values() for of in account.values()]
        [found] = [one for of in regions for one in of.stacks.values() if one.name == name]
        return found

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
        monkeypatch.setattr("moto.cloudformation.models.utcnow", made.utc)
        yield made
        made.close()


ALL = [
    "dnsplan-table",
    "dnsplan-alarms",
    "dnsplan-roles",
    "dnsplan-dashboard",
    "dnsplan-use1-az1",
    "dnsplan-use1-az2",
]


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
    chosen = {"roles": {"TableStack": "elsewhere"}}
    [roles] = [one for one in steps("staging", chosen, []) if one.template == "roles"]
    expected = {"TableStack": "elsewhere", "AlarmsStack": "staging-alarms"}
    assert roles.parameters == expected


def test_an_alarm_that_rings_while_an_az_bakes_stops_before_the_next(account: Account) -> None:
    """The second AZ is not reached; the same command goes on once it is quiet."""
    account.happens += [
        (15.0, lambda: account.ring("OK")),
        (BAKE_S, lambda: account.ring("ALARM")),
    ]
    wanted = account.wanted()
    with pytest.raises(Stopped, match="while use1-az1 bakes: dnsplan-zero-records-main not OK"):
        account.rollout().run(wanted)
    assert account.stacks() == ALL[:5]
    account.ring("OK")
    account.rollout().run(wanted)
    assert account.stacks() == ALL


def changed(wanted: list[Step]) -> list[Step]:
    """The same with a new config."""
    new = {"ConfigSha256": "2" * 64}
    return [replace(one, parameters={**one.parameters, **new}) if one.az else one for one in wanted]


def test_a_ring_that_is_over_before_the_end_of_the_first_bake_stops(account: Account) -> None:
    """It is looked at all through, also in the first AZ, once it was quiet there."""
    for at_s, state in ((300.0, "OK"), (900.0, "ALARM"), (960.0, "OK")):
        account.happens.append((at_s, partial(account.ring, state)))
    with pytest.raises(Stopped, match="while use1-az1 bakes: dnsplan-zero-records-main not OK"):
        account.rollout().run(account.wanted())
    assert account.now_s < BAKE_S
    assert account.stacks() == ALL[:5]


def test_a_new_deployment_that_never_gets_quiet_stops(account: Account) -> None:
    """It is waited for, and not for ever."""
    account.ring("ALARM")
    account.happens.append((0.0, lambda: account.ring("ALARM")))
    with pytest.raises(Stopped, match="after use1-az1: dnsplan-zero-records-main not OK"):
        account.rollout().run(account.wanted())
    assert account.now_s == QUIET_WITHIN_S
    assert account.stacks() == ALL[:5]


def test_an_upgrade_does_not_begin_while_an_alarm_rings_unless_it_mends_that(
    account: Account,
) -> None:
    """No AZ is changed, the first neither; stated, it goes on, and still waits for quiet."""
    account.happens.append((15.0, lambda: account.ring("OK")))
    wanted = account.wanted()
    account.rollout().run(wanted)
    account.ring("ALARM")
    account.told.clear()
    with pytest.raises(Stopped, match="before use1-az1: dnsplan-zero-records-main not OK"):
        account.rollout().run(changed(wanted))
    assert "dnsplan-use1-az1: done" not in account.told
    account.happens.append((account.now_s + 60.0, lambda: account.ring("OK")))
    account.rollout().run(changed(wanted), mends=True)
    assert {f"dnsplan-use1-az{one}: done" for one in (1, 2)} <= set(account.told)


def test_what_an_interrupted_bake_did_not_watch_is_made_up(account: Account) -> None:
    """The next run finds nothing to change, and waits for the rest before the next AZ."""

    def interrupt() -> None:
        raise KeyboardInterrupt

    account.happens += [(15.0, lambda: account.ring("OK")), (300.0, interrupt)]
    wanted = account.wanted()
    with pytest.raises(KeyboardInterrupt):
        account.rollout().run(wanted)
    assert account.stacks() == ALL[:5]
    account.rollout().run(wanted)
    assert account.now_s == 2 * BAKE_S
    account.rollout().run(wanted)
    assert account.now_s == 2 * BAKE_S


@pytest.mark.parametrize("state", ["INSUFFICIENT_DATA", "ALARM"])
def test_the_alarm_of_a_new_machine_may_have_no_data_yet(account: Account, state: str) -> None:
    """It is waited for; a ring is not."""
    account.happens.append((15.0, lambda: account.ring("OK")))
    wanted = account.wanted()
    account.rollout().run(wanted[:-1])

    def tell(line: str) -> None:
        if line == "dnsplan-use1-az2: done":
            account.ring(state, "dnsplan-machine-use1-az2")
            quiet = partial(account.ring, "OK", "dnsplan-machine-use1-az2")
            account.happens.append((account.now_s + 120.0, quiet))

    rollout = account.rollout(tell=tell)
    if state == "ALARM":
        with pytest.raises(Stopped, match="after use1-az2: dnsplan-machine-use1-az2 not OK"):
            rollout.run(wanted)
    else:
        rollout.run(wanted)
        assert account.happens == []


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

    def __init__(self, statuses: list[str], events: list[dict[str, Any]] | None = None) -> None:
        self._statuses = statuses
        self._events = events or LISTED
        self.sent: list[str] = []

    def describe_stacks(self, StackName: str) -> dict[str, Any]:  # noqa: N803 - the SDK's name
        """The next status; the last one stays."""
        status = self._statuses.pop(0) if len(self._statuses) > 1 else self._statuses[0]
        return {"Stacks": [{"StackName": StackName, "StackStatus": status}]}

    def update_stack(self, StackName: str, **_: object) -> None:  # noqa: N803 - the SDK's name
        """Taken."""
        self.sent.append(StackName)

    def get_template_summary(self, **_: object) -> dict[str, Any]:
        """Without parameters."""
        return {"Parameters": []}

    def get_paginator(self, name: str) -> "Failing":
        """Of the events, a few a page."""
        assert name == "describe_stack_events"
        return self

    def paginate(self, **_: object) -> Iterator[dict[str, Any]]:
        """Newest first, as AWS lists them."""
        yield {"StackEvents": self._events[:2]}
        yield {"StackEvents": self._events[2:]}


def event(where: str, status: str, why: str = "") -> dict[str, Any]:
    """One of a stack."""
    said = {"ResourceStatusReason": why} if why else {}
    return {"LogicalResourceId": where, "ResourceStatus": status, **said}


LISTED = [
    event("dnsplan-use1-az1", "UPDATE_ROLLBACK_COMPLETE"),
    event("Log", "UPDATE_FAILED"),
    event("Group", "UPDATE_FAILED", "Received 1 FAILURE signal"),
    event("dnsplan-use1-az1", "UPDATE_IN_PROGRESS"),
    event("Machine", "UPDATE_FAILED", "last week's matter"),
]


def of_statuses(statuses: list[str], told: list[str] | None = None) -> Rollout:
    """A run on such a CloudFormation, in time that passes only by waiting."""
    passed = [0.0]

    def sleep(seconds: float) -> None:
        passed[0] += seconds

    return Rollout(
        Failing(statuses),
        None,
        Patience(BAKE_S, 15.0, lambda: passed[0], sleep),
        template=lambda name: name,
        watched="dnsplan-",
        tell=(told if told is not None else []).append,
    )


@pytest.mark.parametrize(
    ("statuses", "text"),
    [
        (
            3 * ["UPDATE_COMPLETE"] + ["UPDATE_ROLLBACK_COMPLETE"],
            "Group: Received 1 FAILURE signal",
        ),
        (3 * ["UPDATE_COMPLETE"] + ["UPDATE_IN_PROGRESS"], "UPDATE_IN_PROGRESS after 2400 s"),
    ],
)
def test_a_machine_whose_units_do_not_start_stops_with_its_reason(
    statuses: list[str], text: str
) -> None:
    """A stack that went back names what failed first, this time and not before; one that never
    ends is not waited for."""
    with pytest.raises(Stopped, match=text):
        of_statuses(statuses).run([Step("dnsplan-use1-az1", "az")])


@pytest.mark.parametrize("status", list(WAYS_OUT))
def test_a_stack_that_takes_no_update_is_told_with_the_way_out(status: str) -> None:
    """Before anything is changed: CloudFormation's own refusal says no more than the state."""
    wanted = [Step("dnsplan-table", "table"), Step("dnsplan-use1-az1", "az", az="use1-az1")]
    told: list[str] = []
    rollout = of_statuses(["UPDATE_COMPLETE", status], told)
    with pytest.raises(Stopped, match=f"dnsplan-use1-az1 is {status}, and takes no update; first:"):
        rollout.run(wanted)
    assert told == []


def test_a_first_machine_that_does_not_come_up_is_told_with_the_way_out() -> None:
    """The stack stays behind as a husk, and the same command would be refused for ever."""
    told: list[str] = []
    rollout = of_statuses(["CREATE_IN_PROGRESS", "CREATE_IN_PROGRESS", "ROLLBACK_COMPLETE"], told)
    way = "is ROLLBACK_COMPLETE: .*; then: .*delete-stack --stack-name dnsplan-use1-az1"
    with pytest.raises(Stopped, match=way):
        rollout.run([Step("dnsplan-use1-az1", "az", az="use1-az1")])
    assert told == ["dnsplan-use1-az1: waiting for what is under way, CREATE_IN_PROGRESS"]


def test_what_an_interrupted_run_left_under_way_is_waited_for(account: Account) -> None:
    """The same command goes on: CloudFormation refuses to update what is not done."""
    account.happens.append((15.0, lambda: account.ring("OK")))
    wanted = account.wanted()
    account.rollout().run(wanted[:-1])
    first = account.standing("dnsplan-use1-az1")
    first.status = "CREATE_IN_PROGRESS"
    account.ring("ALARM")

    def end() -> None:
        first.status = "CREATE_COMPLETE"

    account.happens += [
        (account.now_s + 60.0, end),
        (account.now_s + 90.0, lambda: account.ring("OK")),
    ]
    account.told.clear()
    account.rollout().run(wanted)
    assert account.told[4] == "dnsplan-use1-az1: waiting for what is under way, CREATE_IN_PROGRESS"
    assert account.stacks() == ALL


def parameter(account: Account, stack: str, key: str) -> str:
    """What stands."""
    [found] = account.client("cloudformation").describe_stacks(StackName=stack)["Stacks"]
    [value] = [one["ParameterValue"] for one in found["Parameters"] if one["ParameterKey"] == key]
    return str(value)


def test_what_was_stated_once_stays_until_something_else_is_stated(account: Account) -> None:
    """Left out, the address that is paged would be gone, and every name might be written."""
    account.happens.append((15.0, lambda: account.ring("OK")))
    wanted = account.wanted()
    paged = [Step("dnsplan-alarms", "alarms", {"PageEmail": "oncall@example.com"})]
    account.rollout().run(paged)
    account.rollout().run(wanted)
    assert parameter(account, "dnsplan-alarms", "PageEmail") == "oncall@example.com"
    said = [one for one in account.told if "not stated" in one]
    assert said == ["dnsplan-alarms: PageEmail not stated, and stays as it was"]
    account.rollout().run([Step("dnsplan-alarms", "alarms", {"PageEmail": ""})])
    assert parameter(account, "dnsplan-alarms", "PageEmail") == ""


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["--set", "role.ZoneArns=x"], "no template role; there are table, alarms, roles,"),
        (["--set", "roles.ZoneArn=x"], "roles.yaml has no ZoneArn; it has Deployment,"),
        (["--set", "roles.ZoneArns"], "write it as TEMPLATE.PARAMETER=VALUE"),
        (["--set", "ZoneArns=x"], "write it as TEMPLATE.PARAMETER=VALUE"),
        (["--az", "use1-az1"], "write it as AZ=SUBNET"),
        (["--az", "use1-az1="], "write it as AZ=SUBNET"),
        (["--az", "a=subnet-1", "--az", "a=subnet-2"], "a is stated twice"),
        (["--bake-min", "nan"], "nan is no length of time"),
        (["--look-every-s", "-1"], "-1 is no length of time"),
    ],
)
def test_a_mistyped_option_ends_it_before_anything_is_asked(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    text: str,
) -> None:
    """By the exit code for usage; a parameter that is dropped would be a stack other than meant."""
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:1")
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert ended.value.code == EXIT_USAGE
    assert text in capsys.readouterr().err


@pytest.mark.parametrize("name", [*FIRST, "az"])
def test_every_parameter_of_a_template_can_be_stated(name: str) -> None:
    """Also empty; and none that it has not."""
    expected = dict.fromkeys(template(name)["Parameters"], "")
    assert stated([f"{name}.{key}=" for key in expected]) == {name: expected}


@pytest.mark.parametrize(
    ("missing", "text"),
    [
        ("AWS_DEFAULT_REGION", "specify a region"),
        ("AWS_ACCESS_KEY_ID", "locate credentials"),
        ("", "Could not connect to the endpoint"),
    ],
)
def test_without_aws_it_says_what_is_missing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], missing: str, text: str
) -> None:
    """In a line, by the exit code for failures."""
    for name in ("AWS_REGION", "AWS_PROFILE", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.delenv(name, raising=False)
    for name in ("AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE"):
        monkeypatch.setenv(name, "/dev/null")
    given = {
        "AWS_DEFAULT_REGION": "us-east-1",
        "AWS_ACCESS_KEY_ID": "AKIATESTTESTTESTTEST",
        "AWS_ENDPOINT_URL": "http://127.0.0.1:1",
        "AWS_EC2_METADATA_DISABLED": "true",
        "AWS_MAX_ATTEMPTS": "1",
    }
    for name, value in given.items():
        monkeypatch.setenv(name, value)
    if missing:
        monkeypatch.delenv(missing)
    if missing != "AWS_ACCESS_KEY_ID":
        monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "not-a-secret")
    monkeypatch.setattr("boto3.DEFAULT_SESSION", None)
    assert main([]) == EXIT_FAILED
    said = capsys.readouterr().err
    assert said.startswith("failed: ")
    assert text in said


def test_an_interruption_says_what_goes_on(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """In a line, by the exit code of interruptions: a stack under way is nobody's trouble."""

    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    monkeypatch.setattr(Rollout, "run", interrupt)
    assert main([]) == EXIT_INTERRUPTED
    assert capsys.readouterr().err.startswith("interrupted: ")


def test_credentials_that_end_on_the_way_are_no_stack_that_failed(account: Account) -> None:
    """They end in an hour, and a roll-out takes longer: refused by AWS, not stopped by a stack."""
    client = account.client("cloudformation")

    class Expired(Unchanging):
        def describe_stacks(self, **_: str) -> dict[str, Any]:
            error = {"Code": "ExpiredToken", "Message": "The security token is expired"}
            raise client.exceptions.ClientError({"Error": error}, "DescribeStacks")

    rollout = account.rollout()
    rollout._stacks = Expired(client, {})
    with pytest.raises(client.exceptions.ClientError, match="ExpiredToken"):
        rollout.run(account.wanted())
