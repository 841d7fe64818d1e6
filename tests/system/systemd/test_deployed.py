"""From an empty account to answers over DNS: stacks by the roll-out, machines by their user data,
daemons by their units, each with the role that the stacks made for it."""

import base64
import json
import re
from collections.abc import Iterator
from contextlib import AsyncExitStack, contextmanager
from pathlib import Path
from typing import Any

import boto3
import dns.message
import dns.query
import dns.rdatatype
import pytest

from deploy.rolling import Patience, Rollout
from deploy.stack_order import steps
from dnsplan.vouch import PUBLIC, SECRET, key_text, public_of
from sandbox.aws.threaded import ThreadedStandIn, serve_in_thread
from sandbox.dns.server import serve_dns
from tests.deploy.stacks import default_of, for_moto, template
from tests.integration.sandbox_process import eventually
from tests.system.systemd.machine import MACHINE_KEY, Machine, metadata_service, release

pytestmark = [pytest.mark.system, pytest.mark.timeout(240)]

AZS = ("use1-az1", "use1-az2", "use1-az3")
CONVERGES_WITHIN_S = 60.0
CONFIG = """
azs: [use1-az1, use1-az2, use1-az3]
state_dir: /var/lib/dnsplan
zones:
  shop:
    name: example.com
    id: {zone}
    names:
      www: {{pool: web, ttl_s: 30}}
pools:
  web:
    targets: [{{id: a, address: 192.0.2.1}}, {{id: b, address: 192.0.2.2}}]
sentinel:
  name_servers: ["{dns}"]
  metric: {{}}
  alarms: [{{log: {{}}}}, {{webhook: {{url: {{env: HOOK}}}}}}]
signing:
  keys:
    planner-1: {{of: planner, public: "{public}", secret: {{file: /etc/dnsplan/planner.key}}}}
  sign_with: {{planner: planner-1}}
"""
KEY = bytes(range(32))
SECRETS = {
    "/dnsplan/planner-key:1": key_text(SECRET, KEY),
    "/dnsplan/secrets:1": "HOOK=http://127.0.0.1:9/hook",
}


class Account:
    """An empty account with a DNS server beside it."""

    def __init__(self, aws: ThreadedStandIn, dns: str) -> None:
        self.aws = aws
        self.dns = dns

    @contextmanager
    def client(self, service: str) -> Iterator[Any]:
        """A client that is closed."""
        made = boto3.Session().client(service, endpoint_url=self.aws.endpoint_url)
        yield made
        made.close()

    def ask(self, name: str) -> list[str]:
        """What the name server answers."""
        host, _, port = self.dns.rpartition(":")
        reply = dns.query.udp(dns.message.make_query(name, "A"), host, port=int(port), timeout=5)
        return sorted(
            rdata.to_text()
            for rrset in reply.answer
            if rrset.rdtype == dns.rdatatype.A
            for rdata in rrset
        )

    def network(self) -> list[dict[str, str]]:
        """A subnet an AZ, as parameters."""
        with self.client("ec2") as ec2:
            vpc = ec2.create_vpc(CidrBlock="10.0.0.0/16")["Vpc"]["VpcId"]
            subnets = [
                ec2.create_subnet(VpcId=vpc, CidrBlock=f"10.0.{number}.0/24")["Subnet"]["SubnetId"]
                for number, _ in enumerate(AZS)
            ]
        return [
            {"Az": az, "Vpc": vpc, "Subnet": subnet}
            for az, subnet in zip(AZS, subnets, strict=True)
        ]

    def roll_out(self, zone: str, az: dict[str, str]) -> None:
        """All stacks. The sentinel that would count is started after it, so nothing is watched."""
        roles = {
            "ZoneArns": f"arn:aws:route53:::hostedzone/{zone}",
            "RecordTypes": default_of("roles", "RecordTypes"),
            "ZoneRoleArns": "",
            "ReleasesArn": "arn:aws:s3:::releases/dnsplan",
        }
        azs = [
            {**one, "RunsSentinel": "true" if one["Az"] == AZS[0] else "false"}
            for one in self.network()
        ]
        with self.client("cloudformation") as cloudformation, self.client("cloudwatch") as alarms:
            Rollout(
                cloudformation,
                alarms,
                Patience(0.0, 1.0, lambda: 0.0, lambda _: None),
                template=lambda name: json.dumps(for_moto(template(name))),
                watched="dnsplan-machine-",
                tell=lambda _: None,
            ).run(steps("dnsplan", {"roles": roles, "az": az}, azs))

    def user_data(self) -> dict[str, str]:
        """What each AZ's machine runs first, as EC2 has it after the roll-out."""
        with self.client("ec2") as ec2:
            found = ec2.describe_launch_templates()["LaunchTemplates"]
            texts = [
                ec2.describe_launch_template_versions(LaunchTemplateId=one["LaunchTemplateId"])[
                    "LaunchTemplateVersions"
                ][0]["LaunchTemplateData"]["UserData"]
                for one in found
            ]
        plain = [base64.b64decode(one).decode() for one in texts]
        return {re.findall(r" AZ=(\S+)", one)[0]: one for one in plain}


@pytest.fixture
def account(monkeypatch: pytest.MonkeyPatch) -> Iterator[Account]:
    """An empty one."""
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AKIATESTTESTTESTTEST")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "not-a-secret")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    with serve_in_thread() as aws:
        zones = aws.call(lambda stand_in: stand_in.route53.zones)
        opened = AsyncExitStack()
        server = aws.run(opened.enter_async_context(serve_dns(lambda: zones.values())))
        try:
            yield Account(aws, server.address)
        finally:
            aws.run(opened.aclose())


def test_an_empty_account_gets_to_answers_and_quiet_alarms(
    account: Account, tmp_path: Path
) -> None:
    """Every unit runs within its limits by its own role, with signed plans and the secrets of the
    config; the alarms stand, and what they listen to is counted."""
    with account.client("route53") as route53:
        made = route53.create_hosted_zone(Name="example.com", CallerReference="1")
    zone = made["HostedZone"]["Id"].rpartition("/")[2]
    bucket = tmp_path / "bucket"
    config = CONFIG.format(zone=zone, dns=account.dns, public=key_text(PUBLIC, public_of(KEY)))
    parameters = release(bucket, config)
    planner_key, secrets = SECRETS
    account.roll_out(zone, {**parameters, "PlannerKey": planner_key, "Secrets": secrets})
    (bucket / "dnsplan").mkdir()
    for name, value in SECRETS.items():
        Path(f"{bucket}{name}").write_text(f"SecureString\t{value}\n")
    with metadata_service() as metadata:
        surroundings = {
            "AWS_ENDPOINT_URL": account.aws.endpoint_url,
            "AWS_EC2_METADATA_SERVICE_ENDPOINT": metadata,
        }
        texts = account.user_data()
        assert sorted(texts) == list(AZS)
        machines = [Machine(az, tmp_path, surroundings) for az in AZS]
        try:
            for machine in machines:
                said = machine.boot(texts[machine.az], bucket)
                assert "cfn-signal -e 0" in said
                machine.start(f"dns-enactor@{machine.az}.service")
                machine.start(f"dns-planner@{machine.az}.service")
            machines[0].start("dns-sentinel.service")
            answers = eventually(
                lambda: account.ask("www.example.com") or None, "an answer", CONVERGES_WITHIN_S
            )
            assert answers == ["192.0.2.1", "192.0.2.2"]
            assert machines[0].run_once("dns-planner-cleanup.service") in {0, 3}
            look(account, machines)
            codes = [code for machine in machines for code in machine.stop().values()]
            assert codes == [0] * 7
        finally:
            for machine in machines:
                machine.kill()


def look(account: Account, machines: list[Machine]) -> None:
    """Alarms, counts, roles and limits, while all runs."""
    with account.client("cloudwatch") as cloudwatch:
        alarms = cloudwatch.describe_alarms(AlarmNamePrefix="dnsplan-")["MetricAlarms"]
        named = {one["AlarmName"]: one for one in alarms}
        assert set(named) == {"dnsplan-zero-records-main", *(f"dnsplan-machine-{az}" for az in AZS)}
        listened = named["dnsplan-zero-records-main"]

        def counted() -> Any:
            found = cloudwatch.list_metrics(
                Namespace=listened["Namespace"],
                MetricName=listened["MetricName"],
                Dimensions=listened["Dimensions"],
            )["Metrics"]
            return found or None

        eventually(counted, "a count of the sentinel", CONVERGES_WITHIN_S)
    requests = account.aws.call(lambda stand_in: dict(stand_in.ledger.requests))
    taken = {key for _, operation, key in requests if operation == "AssumeRole"}
    assert taken == {MACHINE_KEY}
    # No daemon asks by the machine's own right for anything else.
    assert {op for _, op, key in requests if key == MACHINE_KEY} == {"AssumeRole"}
    for machine in machines:
        for unit, process in machine.running.items():
            assert "signing_off" not in machine.log(unit)
            status = Path(f"/proc/{process.pid}/status").read_text()
            tasks = int(re.findall(r"Threads:\s+(\d+)", status)[0])
            peak_kb = int(re.findall(r"VmHWM:\s+(\d+) kB", status)[0])
            limits = Path(f"/proc/{process.pid}/limits").read_text()
            assert tasks <= 64, unit
            assert peak_kb <= 512 * 1024, unit
            assert re.search(r"Max open files\s+4096\s+4096", limits), unit
