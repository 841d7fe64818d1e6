"""What a machine may do itself: become a daemon, and read what its boot needs, each by its name."""

import re

import pytest

from tests.deploy.calls import listed_calls
from tests.deploy.policies import Request, is_allowed, listed
from tests.deploy.stacks import (
    PLANNER_KEY,
    RELEASES,
    ROLES,
    SECRETS,
    SECRETS_KEY,
    ZONE,
    Deployment,
    deployed,
    template,
)

HEADING = "The machine's own calls"
OTHER = SECRETS.replace("/dnsplan", "/elsewhere/key")


def decrypts(
    key: str = SECRETS_KEY,
    parameter: str = PLANNER_KEY,
    via: str = "ssm.us-east-1.amazonaws.com",
) -> Request:
    """What Parameter Store asks KMS for in the name of whoever reads a parameter."""
    stated = {"kms:ViaService": via, "kms:EncryptionContext:PARAMETER_ARN": parameter}
    return Request("kms:Decrypt", key, {name: (text,) for name, text in stated.items() if text})


def reads(parameter: str = PLANNER_KEY, call: str = "GetParameter") -> Request:
    """A call of Parameter Store."""
    return Request(f"ssm:{call}", parameter)


FORBIDDEN = {
    "another path": reads(OTHER),
    "a name beside ours": reads(f"{PLANNER_KEY}-2"),
    "below ours": reads(f"{PLANNER_KEY}/old"),
    "the folder": reads(SECRETS),
    "all": reads("*"),
    "another Region": reads(PLANNER_KEY.replace("us-east-1", "us-east-2")),
    "another account": reads(PLANNER_KEY.replace("210000000012", "210000000013")),
    "several": reads(call="GetParameters"),
    "by path": reads(SECRETS, "GetParametersByPath"),
    "old values": reads(call="GetParameterHistory"),
    "writing": reads(call="PutParameter"),
    "deleting": reads(call="DeleteParameter"),
    "labels": reads(call="LabelParameterVersion"),
    "listing": reads("*", "DescribeParameters"),
    "decrypting by hand": decrypts(via=""),
    "by way of another service": decrypts(via="secretsmanager.us-east-1.amazonaws.com"),
    "in another Region": decrypts(via="ssm.us-east-2.amazonaws.com"),
    "another's parameter": decrypts(parameter=OTHER),
    "no parameter's": decrypts(parameter=""),
    "another key": decrypts(key=f"{SECRETS_KEY[:-1]}2"),
    "encrypting": Request("kms:Encrypt", SECRETS_KEY, decrypts().context),
    "another bucket": Request("s3:GetObject", "arn:aws:s3:::elsewhere/dnsplan/1.tar.gz"),
    "writing a release": Request("s3:PutObject", f"{RELEASES}/1.tar.gz"),
}


def boots(deployment: Deployment) -> dict[str, Request]:
    """A plain request for each row of the page."""
    account = deployment.table.split(":")[4]
    log = f"arn:aws:logs:us-east-1:{account}:log-group:/dnsplan/use1-az1:log-stream:i-1"
    role = f"arn:aws:iam::{account}:role/{ROLES['planner']}"
    return {
        "sts:AssumeRole": Request("sts:AssumeRole", role),
        "s3:GetObject": Request("s3:GetObject", f"{RELEASES}/1.tar.gz"),
        "ssm:GetParameter": reads(),
        "kms:Decrypt": decrypts(),
        **{
            f"logs:{one}": Request(f"logs:{one}", log)
            for one in ("CreateLogStream", "DescribeLogStreams", "PutLogEvents")
        },
    }


def test_the_machine_may_do_what_the_page_lists_and_nobody_else_may(
    deployment: Deployment,
) -> None:
    """Call by call; and it is granted no action that the page does not list."""
    requests = boots(deployment)
    rows = listed_calls(HEADING)
    assert [row.action for row in rows] == list(requests)
    for row in rows:
        may = {who for who in ROLES if is_allowed(deployment.policies[who], requests[row.action])}
        assert may == set(row.who) == {"machine"}, row
    granted = {
        action
        for policy in deployment.policies["machine"]
        for statement in policy["Statement"]
        for action in listed(statement["Action"])
    }
    assert granted == set(requests)


@pytest.mark.parametrize("name", FORBIDDEN)
def test_no_role_reads_or_writes_what_is_not_a_boots(deployment: Deployment, name: str) -> None:
    """Neither the machine nor a daemon nor an operator."""
    may = [who for who in ROLES if is_allowed(deployment.policies[who], FORBIDDEN[name])]
    assert may == []


def test_a_secret_is_granted_by_its_whole_name(deployment: Deployment) -> None:
    """No star in the statements, none through the parameters, and no key that has an alias only."""
    for policy in deployment.policies["machine"]:
        for statement in policy["Statement"]:
            if {"ssm:GetParameter", "kms:Decrypt"} & set(listed(statement["Action"])):
                assert not [one for one in listed(statement["Resource"]) if "*" in one]
    stated = template("roles")["Parameters"]
    for good, bad in {
        PLANNER_KEY: (f"{SECRETS}/*", "*", PLANNER_KEY.replace("2100", "*"), f"{SECRETS}/"),
        SECRETS_KEY: ("*", SECRETS_KEY.replace("key/0", "alias/0"), SECRETS_KEY[:-1] + "*"),
    }.items():
        pattern = stated["SecretArns" if good == PLANNER_KEY else "SecretsKeyArn"]["AllowedPattern"]
        assert re.fullmatch(pattern, good)
        assert [one for one in bad if re.fullmatch(pattern, one)] == []


@pytest.mark.parametrize("missing", ["SecretArns", "SecretsKeyArn"])
def test_without_a_key_of_its_own_nothing_is_granted(missing: str) -> None:
    """The account's key decrypts for everybody, so it is never enough."""
    with deployed(ZONE, **{missing: ""}) as made:
        for request in (reads(), decrypts()):
            assert not is_allowed(made.policies["machine"], request)


def test_what_the_stacks_say_names_no_secret() -> None:
    """No output, and no parameter whose value is one: they hold names only."""
    for name in ("roles", "az"):
        for output in template(name)["Outputs"].values():
            assert "Secret" not in str(output)
            assert "PlannerKey" not in str(output)
        assert "NoEcho" not in str(template(name)["Parameters"])
        assert "resolve:" not in str(template(name))
