"""The stacks deploy in their order, fit the code, and say what moto cannot show."""

import re
import subprocess
import sys
from pathlib import Path

import boto3
import pytest

from deploy.stack_order import FIRST
from tests.deploy.stacks import ORDER, STACKS, Deployment, default_of, template

BIN = Path(sys.executable).parent
CONFIG = "azs: [use1-az1]\nzones: {shop: {name: example.com, names: {}}}\n"


def test_the_linter_finds_nothing() -> None:
    """cfn-lint has no error, warning or remark."""
    found = subprocess.run(
        [BIN / "cfn-lint", "--include-checks", "I", "--", *STACKS.glob("*.yaml")],
        capture_output=True,
        text=True,
        check=False,
        timeout=100,
    )
    assert (found.returncode, found.stdout) == (0, ""), found.stdout + found.stderr


def test_every_stack_is_in_the_documented_order() -> None:
    """No stack is forgotten, and the page names them in the order that works."""
    assert {path.stem for path in STACKS.glob("*.yaml")} == {*ORDER, "az"}
    assert list(ORDER) == list(FIRST)
    page = (STACKS.parent / "README.md").read_text()
    named = re.findall(r"--template-file stacks/(\w+)\.yaml", page)
    assert named == list(ORDER)


def test_each_stack_takes_only_what_an_earlier_one_gives(deployment: Deployment) -> None:
    """Deployed on an empty account, each import found its export."""
    for place, name in enumerate(ORDER):
        earlier = {
            one["Export"]["Name"]["Fn::Sub"].partition("-")[2]
            for before in ORDER[:place]
            for one in template(before)["Outputs"].values()
        }
        taken = re.findall(r"Stack\}-(\w+)", (STACKS / f"{name}.yaml").read_text())
        assert set(taken) <= earlier, name
    assert deployment.outputs["TableName"] == default_of("table", "TableName")


def test_every_output_is_exported_under_its_name() -> None:
    """A later stack finds it by stack and name, and no two collide."""
    for name in (*ORDER, "az"):
        for key, output in template(name)["Outputs"].items():
            exported = {"Name": {"Fn::Sub": f"${{AWS::StackName}}-{key}"}}
            assert output["Export"] == exported, f"{name} {key}"
            assert output["Description"]


def test_every_parameter_has_bounds() -> None:
    """A mistyped value is refused ahead; only what is yours to know has no default."""
    without_default = set()
    for name in (*ORDER, "az"):
        for key, parameter in template(name)["Parameters"].items():
            assert "AllowedPattern" in parameter or "AllowedValues" in parameter, key
            if "Default" not in parameter:
                without_default.add(key)
                continue
            pattern = parameter.get(
                "AllowedPattern", "|".join(map(str, parameter.get("AllowedValues", ())))
            )
            is_list = parameter["Type"] == "CommaDelimitedList"
            values = (
                str(parameter["Default"]).split(",") if is_list else [str(parameter["Default"])]
            )
            bad = [one for one in values if not re.fullmatch(pattern, one)]
            assert bad == [], key
    needed = {"Az", "Vpc", "Subnet", "Bundle", "BundleSha256", "Config", "ConfigSha256"}
    assert without_default == {"ZoneArns", *needed}


@pytest.mark.parametrize(
    "arn",
    [
        "*",
        "arn:aws:route53:::hostedzone/*",
        "arn:aws:route53:::hostedzone/Z1*",
        "Z0000000000000000001",
        "arn:aws:route53:::change/C1",
    ],
)
def test_a_zone_is_named_exactly(arn: str) -> None:
    """No wildcard reaches a policy through the parameter."""
    pattern = template("roles")["Parameters"]["ZoneArns"]["AllowedPattern"]
    assert re.fullmatch(pattern, "arn:aws:route53:::hostedzone/Z0000000000000000001")
    assert re.fullmatch(pattern, arn) is None


def test_init_finds_the_table_and_finds_that_it_fits(
    deployment: Deployment, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`dns-planner init` against the stack: there already, and nothing to do."""
    config = tmp_path / "dns.yaml"
    config.write_text(CONFIG)
    monkeypatch.setenv("AWS_ENDPOINT_URL", deployment.aws.endpoint_url)
    client = boto3.client("dynamodb")
    table_id = client.describe_table(TableName="dnsplan")["Table"]["TableId"]
    found = subprocess.run(
        [BIN / "dns-planner", "init", "--config", config],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    client.close()
    expected = (0, f"table dnsplan is there already (id {table_id})\n")
    assert (found.returncode, found.stdout) == expected, found.stderr


def test_the_table_outlives_mistakes(deployment: Deployment) -> None:
    """Restorable, protected, encrypted, paid by request, and kept when its stack goes."""
    table = template("table")["Resources"]["Table"]
    assert {key: table[key] for key in ("DeletionPolicy", "UpdateReplacePolicy")} == {
        "DeletionPolicy": "Retain",
        "UpdateReplacePolicy": "Retain",
    }
    properties = table["Properties"]
    assert properties["PointInTimeRecoverySpecification"] == {"PointInTimeRecoveryEnabled": True}
    assert properties["SSESpecification"] == {"SSEEnabled": True}
    client = boto3.client("dynamodb", endpoint_url=deployment.aws.endpoint_url)
    made = client.describe_table(TableName="dnsplan")["Table"]
    client.close()
    assert made["DeletionProtectionEnabled"] is True
    assert made["BillingModeSummary"]["BillingMode"] == "PAY_PER_REQUEST"
    # What deletes without asking the floor, or admits claims elsewhere, is not there.
    assert {"TimeToLiveSpecification", "StreamSpecification", "Replicas"} & set(properties) == set()


def test_the_alarm_rings_for_an_empty_name_and_for_silence() -> None:
    """One name, once, in 30 s at most; a missing count is bad news too; and it ends by itself."""
    resources = template("alarms")["Resources"]
    alarm = resources["ZeroRecordAlarm"]["Properties"]
    rule = {
        key: alarm[key]
        for key in (
            "MetricName",
            "Statistic",
            "Threshold",
            "ComparisonOperator",
            "DatapointsToAlarm",
            "TreatMissingData",
            "Dimensions",
        )
    }
    assert rule == {
        "MetricName": "NamesWithoutAnswers",
        "Statistic": "Maximum",
        "Threshold": 0,
        "ComparisonOperator": "GreaterThanThreshold",
        "DatapointsToAlarm": 1,
        "TreatMissingData": "breaching",
        "Dimensions": [{"Name": "Sentinel", "Value": {"Ref": "Sentinel"}}],
    }
    assert alarm["Period"] * alarm["EvaluationPeriods"] <= 30
    assert alarm["AlarmActions"] == alarm["OKActions"] == [{"Ref": "PageTopic"}]


def test_only_alarms_of_this_account_may_page() -> None:
    """The topic takes words from CloudWatch, and from no other account's."""
    [statement] = template("alarms")["Resources"]["PageTopicPolicy"]["Properties"][
        "PolicyDocument"
    ]["Statement"]
    assert statement["Principal"] == {"Service": "cloudwatch.amazonaws.com"}
    assert statement["Condition"] == {
        "StringEquals": {"aws:SourceAccount": {"Ref": "AWS::AccountId"}}
    }


def test_a_machine_reaches_targets_of_ipv6_too() -> None:
    """A group that states its ways out has no others; every AAAA target would be found dead."""
    [group] = [
        one["Properties"]
        for one in template("az")["Resources"].values()
        if one["Type"] == "AWS::EC2::SecurityGroup"
    ]
    out = group["SecurityGroupEgress"]
    reached = {(one["IpProtocol"], one.get("CidrIp") or one["CidrIpv6"]) for one in out}
    assert reached == {("-1", "0.0.0.0/0"), ("-1", "::/0")}
    assert "SecurityGroupIngress" not in group


def test_the_topic_that_pages_go_to_is_there(deployment: Deployment) -> None:
    """The output names a topic that exists."""
    client = boto3.client("sns", endpoint_url=deployment.aws.endpoint_url)
    topics = [one["TopicArn"] for one in client.list_topics()["Topics"]]
    client.close()
    assert topics == [deployment.outputs["PageTopicArn"]]
