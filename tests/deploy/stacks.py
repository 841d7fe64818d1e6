"""The stacks as a test deploys them: in the documented order, each fed by the ones before it.

moto's CloudFormation knows no topic policies and subscriptions, and splits no default of a list; so
those resources are taken out before it sees them, and list parameters are stated. Alarms are taught
to it.
"""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import boto3
from cfnlint.decode import cfn_yaml

import tests.deploy.moto_alarms  # noqa: F401 - known to moto from here on
from sandbox.aws.threaded import ThreadedStandIn, serve_in_thread
from tests.deploy.policies import Json

STACKS = Path(__file__).parents[2] / "deploy" / "stacks"
ORDER = ("table", "alarms", "roles", "dashboard")
UNKNOWN_TO_MOTO = {"AWS::SNS::TopicPolicy", "AWS::SNS::Subscription"}

ZONE = "arn:aws:route53:::hostedzone/Z0000000000000000001"
SECOND_ZONE = "arn:aws:route53:::hostedzone/Z0000000000000000002"
OTHER_ZONE = "arn:aws:route53:::hostedzone/Z0000000000000000003"
ZONE_ROLE = "arn:aws:iam::210000000012:role/dns"
RELEASES = "arn:aws:s3:::releases/dnsplan"
SECRETS = "arn:aws:ssm:us-east-1:210000000012:parameter/dnsplan"
PLANNER_KEY = f"{SECRETS}/planner-key"
SECRETS_KEY = "arn:aws:kms:us-east-1:210000000012:key/00000000-0000-0000-0000-000000000001"

# What `dns-runbook names` prints for a zone of www, a wildcard and a pool, and one of an apex.
RECORD_NAMES = (
    "_dnsplan.example.com",
    "\\052.example.com",
    "www.example.com",
    "_dnsplan-shard-*.example.com",
    "_dnsplan.example.net",
    "example.net",
)

ROLES = {
    "planner": "dnsplan-planner",
    "enactor": "dnsplan-enactor",
    "cleanup": "dnsplan-cleanup",
    "sentinel": "dnsplan-sentinel",
    "look": "dnsplan-operator-look",
    "freeze": "dnsplan-operator-freeze",
    "change": "dnsplan-operator-change",
    "break-glass": "dnsplan-operator-break-glass",
    "machine": "dnsplan-machine",
}


def template(name: str) -> dict[str, Any]:
    """One template with the short forms of its functions written out."""
    plain: dict[str, Any] = json.loads(json.dumps(cfn_yaml.load(str(STACKS / f"{name}.yaml"))))
    return plain


def default_of(name: str, parameter: str) -> str:
    """A parameter's default."""
    return str(template(name)["Parameters"][parameter]["Default"])


def for_moto(body: dict[str, Any]) -> dict[str, Any]:
    """A template without what moto does not know; no output is about that."""
    resources = body["Resources"].items()
    body["Resources"] = {k: v for k, v in resources if v["Type"] not in UNKNOWN_TO_MOTO}
    return body


@dataclass(frozen=True, slots=True)
class Deployment:
    """Everything deployed on a stand-in."""

    aws: ThreadedStandIn
    outputs: Mapping[str, str]
    policies: Mapping[str, tuple[Json, ...]]
    trusts: Mapping[str, Json]

    @property
    def table(self) -> str:
        """The table's ARN."""
        return self.outputs["TableArn"]


class Deployer:
    """Makes stacks on one stand-in."""

    def __init__(self, aws: ThreadedStandIn) -> None:
        self._aws = aws

    def client(self, service: str) -> Any:
        """A client of the stand-in."""
        return boto3.Session().client(service, endpoint_url=self._aws.endpoint_url)

    def deploy(self, name: str, parameters: Mapping[str, str]) -> dict[str, str]:
        """Make one stack and give its outputs."""
        body = for_moto(template(name))
        stack = f"dnsplan-{name}"
        client = self.client("cloudformation")
        client.create_stack(
            StackName=stack,
            TemplateBody=json.dumps(body),
            Parameters=[
                {"ParameterKey": key, "ParameterValue": value} for key, value in parameters.items()
            ],
            Capabilities=["CAPABILITY_NAMED_IAM"],
        )
        [made] = client.describe_stacks(StackName=stack)["Stacks"]
        client.close()
        assert made["StackStatus"] == "CREATE_COMPLETE", made
        return {one["OutputKey"]: one["OutputValue"] for one in made["Outputs"]}

    def policies_of(self, role: str) -> tuple[Json, ...]:
        """The documents that stand behind a role."""
        client = self.client("iam")
        attached = client.list_attached_role_policies(RoleName=role)["AttachedPolicies"]
        documents = [
            client.get_policy_version(PolicyArn=one["PolicyArn"], VersionId="v1")["PolicyVersion"][
                "Document"
            ]
            for one in attached
        ]
        client.close()
        return tuple(documents)

    def trust_of(self, role: str) -> Json:
        """Who may take a role."""
        client = self.client("iam")
        found: Json = client.get_role(RoleName=role)["Role"]["AssumeRolePolicyDocument"]
        client.close()
        return found


def deploy_all(aws: ThreadedStandIn, zones: str, **parameters: str) -> Deployment:
    """All stacks in their order."""
    roles = {
        "ZoneArns": zones,
        "RecordTypes": default_of("roles", "RecordTypes"),
        "ZoneRoleArns": ZONE_ROLE,
        "ReleasesArn": RELEASES,
        "SecretArns": f"{PLANNER_KEY},{SECRETS}/secrets",
        "SecretsKeyArn": SECRETS_KEY,
        "RecordNames": default_of("roles", "RecordNames"),
        **parameters,
    }
    stated = {"roles": roles, "dashboard": {"Azs": default_of("dashboard", "Azs")}}
    deployer = Deployer(aws)
    outputs: dict[str, str] = {}
    for name in ORDER:
        outputs |= deployer.deploy(name, stated.get(name, {}))
    return Deployment(
        aws,
        outputs,
        {who: deployer.policies_of(role) for who, role in ROLES.items()},
        {who: deployer.trust_of(role) for who, role in ROLES.items()},
    )


@contextmanager
def deployed(zones: str = f"{ZONE},{SECOND_ZONE}", **parameters: str) -> Iterator[Deployment]:
    """All stacks on a stand-in of their own."""
    with serve_in_thread() as aws:
        yield deploy_all(aws, zones, **parameters)
