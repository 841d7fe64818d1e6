"""What real processes ask of AWS is what their roles allow, from a plan's birth to a thaw."""

import json
import os
import signal
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import boto3
import pytest

from dnsplan.plan import ERA
from dnsplan.vouch import PUBLIC, SECRET, key_text, public_of
from sandbox.aws.threaded import ThreadedStandIn, serve_in_thread
from tests.deploy.calls import listed_calls
from tests.deploy.policies import is_allowed
from tests.deploy.recorded import Recorded, read, recording
from tests.deploy.stacks import ROLES, Deployment, deploy_all, deployed
from tests.deploy.units import BIN

# The play takes a minute on a machine of its own.
pytestmark = [pytest.mark.system, pytest.mark.timeout(600)]

KEYS = {who: f"AKIA{who.upper():0<16}" for who in ROLES}
OWN_KEY = "AKIATESTTESTTESTTEST"  # of who only watches the play
CHANGES = "route53:ChangeResourceRecordSets"
NAMES = "route53:ChangeResourceRecordSetsNormalizedRecordNames"
WITHIN_S = 60.0
SECRETS = (bytes([1]) * 32, bytes([2]) * 32)
SECRET_KEYS = tuple(key_text(SECRET, one) for one in SECRETS)
PUBLIC_KEYS = tuple(key_text(PUBLIC, public_of(one)) for one in SECRETS)
SIGNING = f"""
signing:
  keys:
    planner-1: {{of: planner, public: "{PUBLIC_KEYS[0]}", secret: {{env: PLANNER_KEY}}}}
    change-1: {{of: operator, public: "{PUBLIC_KEYS[1]}", secret: {{env: CHANGE_KEY}}}}
  sign_with: {{planner: planner-1, operator: change-1}}
"""

# Made only after two wrote the same thing at once, a name was refused, for pages, for the count
# of a sentinel that sees, in other accounts, or for pools of load balancers.
NOT_MET_HERE = {
    ("dynamodb:GetItem", "plan#"),
    ("dynamodb:GetItem", "row#"),
    ("dynamodb:GetItem", "exc#"),
    ("dynamodb:PutItem", "exc#"),
    ("dynamodb:Query", "exc#"),
    ("sns:Publish", "PageTopicArn"),
    ("cloudwatch:PutMetricData", "one namespace"),
    ("sts:AssumeRole", "ZoneRoleArns"),
    ("elasticloadbalancing:DescribeLoadBalancers", "any"),
    ("elasticloadbalancing:DescribeTags", "any"),
    ("elasticloadbalancing:DescribeTargetGroups", "any"),
    ("elasticloadbalancing:DescribeTargetHealth", "any"),
}


class Cast:
    """Processes of the product, each signing as its role."""

    def __init__(self, aws: ThreadedStandIn, folder: Path) -> None:
        self._table = boto3.Session().client("dynamodb", endpoint_url=aws.endpoint_url)
        self._config = folder / "dns.yaml"
        self._environ = {
            **os.environ,
            **dict(zip(("PLANNER_KEY", "CHANGE_KEY"), SECRET_KEYS, strict=True)),
            "AWS_ENDPOINT_URL": aws.endpoint_url,
            "DNSPLAN_CONFIG": str(self._config),
        }

    def close(self) -> None:
        """Close the connections of the play's own eyes."""
        self._table.close()

    def configure(self, address: str) -> None:
        """One zone of two names, one of which has this address; plans grow old at once. All that
        is signed is signed, and a changed config goes out in waves."""
        self._config.write_text(
            "azs: [use1-az1]\n"
            "account_requests_per_s: 200\n"
            "cleanup: {keep: 1, min_age_s: 0, history: 0}\n"
            "enactor: {interval_s: 0.2}\n"
            # Nobody listens there, so that the sentinel asks the control API for its opinion.
            "sentinel: {name_servers: ['127.0.0.1:9'], alarms: [{log: {}}]}\n"
            "waves: {bake_s: 0, zones_per_window: 100, window_s: 1}\n"
            f"{SIGNING}"
            "zones:\n  shop:\n    name: example.com\n    names:\n"
            f"      www: {{records: [{{type: A, ttl_s: 60, values: [{address}]}}]}}\n"
            "      mail: {records: [{type: MX, ttl_s: 60, values: ['10 mx.example.net.']}]}\n"
            "  second:\n    name: example.net\n    names:\n"
            "      www: {records: [{type: A, ttl_s: 60, values: [192.0.2.9]}]}\n"
        )

    def keep(self, text: str) -> str:
        """A plan file that was exported."""
        file = self._config.with_name("shop.json")
        file.write_text(text)
        return str(file)

    def run(self, who: str, *command: str, code: int = 0) -> str:
        """Run to the end, and give what it printed."""
        found = subprocess.run(
            [BIN / command[0], *command[1:]],
            env=self._signing(who),
            capture_output=True,
            text=True,
            check=False,
            timeout=WITHIN_S,
        )
        told = f"{command}: {found.stdout}{found.stderr}"
        assert found.returncode == code, told
        return found.stdout

    @contextmanager
    def running(self, who: str, *command: str) -> Iterator[None]:
        """A daemon for as long as the block lasts."""
        process = subprocess.Popen(
            [BIN / command[0], *command[1:]], env=self._signing(who), stderr=subprocess.DEVNULL
        )
        try:
            yield
            process.send_signal(signal.SIGTERM)
            assert process.wait(WITHIN_S) == 0
        finally:
            process.kill()
            process.wait()

    def until_applied(self, generation: int) -> None:
        """Read the table until both zones hold what was published."""
        deadline_s = time.monotonic() + WITHIN_S
        while (found := self._applied()) != {"shop": generation, "second": 1}:
            assert time.monotonic() < deadline_s, f"applied {found}, not {generation}"
            time.sleep(0.1)

    def _applied(self) -> dict[str, int]:
        rows = {
            label: self._table.get_item(
                TableName="dnsplan", Key={"pk": {"S": f"gen#{label}"}, "sk": {"S": "item"}}
            ).get("Item")
            for label in ("shop", "second")
        }
        return {label: int(row["applied"]["N"]) for label, row in rows.items() if row}

    def _signing(self, who: str) -> Mapping[str, str]:
        return {**self._environ, "AWS_ACCESS_KEY_ID": KEYS[who]}


@dataclass(frozen=True, slots=True)
class Played:
    """The play's stacks, what its cast asked of AWS, and the names for RecordNames."""

    deployment: Deployment
    recorded: list[Recorded]
    names: str


def act(cast: Cast) -> str:
    """A zone is adopted, plans come and go; an operator freezes, rolls back, looks, waives,
    pins, restores from a file and reconciles. Gives what the policies could name."""
    az = ("--az", "use1-az1")
    cast.configure("192.0.2.1")
    cast.run("look", "dns-runbook", "status", "shop", code=1)  # nothing is published yet
    cast.run("change", "dns-runbook", "adopt", "second", "--yes")
    cast.run("planner", "dns-planner", "plan", "shop", "--publish")
    cast.run("enactor", "dns-enactor", "once", "shop")
    with cast.running("enactor", "dns-enactor", "run", *az):
        for generation in (1, 2, 3):
            cast.configure(f"192.0.2.{generation}")
            cast.run("planner", "dns-planner", "plan", "--publish")
            cast.until_applied(generation)
        assert "shop floor 2, 1 plans deleted" in cast.run("cleanup", "dns-planner", "cleanup")
        frozen = cast.run("freeze", "dns-runbook", "freeze", "shop", "--yes", "--json")
        cast.run("freeze", "dns-runbook", "thaw", "shop", json.loads(frozen)["frozen"], "--yes")
        cast.run("change", "dns-runbook", "rollback", "shop", "2", "--yes")
        cast.until_applied(4)
        cast.run("look", "dns-runbook", "export", "shop", "--generation", "2")
        for words in (["history"], ["diff"], ["verify", "--limit", "0"], ["audit"]):
            cast.run("look", "dns-runbook", words[0], "shop", *words[1:])
        # What was rolled back is in the config still, and waits for its turn.
        cast.run("look", "dns-runbook", "explain", "shop", code=1)
        waive = ("dns-runbook", "waive", "shop", "velocity", "--because", "a drill", "--yes")
        cast.run("change", *waive)
        cast.run("change", *waive, "--end")
        cast.run("change", "dns-runbook", "pin", "shop", "4", "--yes")
        cast.run("change", "dns-runbook", "unpin", "shop", "--yes")
        cast.run("look", "dns-runbook", "status")
        cast.run("look", "dns-runbook", "preflight", code=1)  # it warns of the defaults of AWS
        for role in KEYS:
            if role != "machine":
                cast.run(role, "dns-runbook", "preflight", "--role", role)
        cast.run("sentinel", "dns-sentinel", "check", code=1)
        with cast.running("planner", "dns-planner", "run", *az):
            cast.until_applied(5)
        file = cast.keep(cast.run("look", "dns-runbook", "export", "shop"))
        cast.run("break-glass", "dns-runbook", "restore", file, "--yes")
        cast.run("change", "dns-runbook", "reconcile", "shop", "--yes")
        cast.until_applied(ERA)
    return cast.run("look", "dns-runbook", "names").strip()


def stands_already(client: Any, zone_id: str) -> None:
    """The second zone's name, as people made it before."""
    name = {"Name": "www.example.net", "Type": "A", "TTL": 60}
    record_set = {**name, "ResourceRecords": [{"Value": "192.0.2.9"}]}
    change = {"Action": "CREATE", "ResourceRecordSet": record_set}
    client.change_resource_record_sets(HostedZoneId=zone_id, ChangeBatch={"Changes": [change]})


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Played]:
    """The play, once, on stacks that name its own zones."""
    with pytest.MonkeyPatch.context() as patch, serve_in_thread() as aws:
        for name in [name for name in os.environ if name.startswith("AWS_")]:
            patch.delenv(name)
        patch.setenv("AWS_ACCESS_KEY_ID", OWN_KEY)
        patch.setenv("AWS_SECRET_ACCESS_KEY", "not-a-secret")
        patch.setenv("AWS_DEFAULT_REGION", "us-east-1")
        patch.setenv("AWS_CONFIG_FILE", os.devnull)
        patch.setenv("AWS_SHARED_CREDENTIALS_FILE", os.devnull)
        client = boto3.Session().client("route53", endpoint_url=aws.endpoint_url)
        made = [
            client.create_hosted_zone(Name=name, CallerReference=name)["HostedZone"]["Id"]
            for name in ("example.com", "example.net")
        ]
        stands_already(client, made[1])
        client.close()
        deployment = deploy_all(
            aws, ",".join(f"arn:aws:route53:::{one.strip('/')}" for one in made)
        )
        with recording(aws) as calls:
            cast = Cast(aws, tmp_path_factory.mktemp("play"))
            names = act(cast)
            cast.close()
        account = deployment.table.split(":")[4]
        played = [call for call in calls if call.access_key != OWN_KEY]
        recorded = [one for call in played if (one := read(call, account=account))]
        yield Played(deployment, recorded, names)


def refused(deployment: Deployment, recorded: list[Recorded]) -> set[tuple[str, ...]]:
    """What its sender may not ask; each came from one of the cast."""
    who_by_key = {key: who for who, key in KEYS.items()}
    return {
        (who, one.request.action, one.request.resource, str(one.request.context))
        for one in recorded
        for who in [who_by_key[one.access_key]]
        if not is_allowed(deployment.policies[who], one.request)
    }


def test_every_recorded_request_is_allowed_to_its_sender(played: Played) -> None:
    """By the policies as they are by default."""
    assert refused(played.deployment, played.recorded) == set()


@pytest.mark.parametrize("missing", ["", "www.example.com", "_dnsplan.example.com"])
def test_the_names_that_the_command_prints_are_those_that_are_asked_for(
    played: Played, missing: str
) -> None:
    """With them in the policies every change batch is allowed as well; without one, none of those
    that hold it, and all others."""
    changes = [one for one in played.recorded if one.request.action == CHANGES]
    zones = sorted({one.request.resource for one in changes})
    listed = [one for one in played.names.split(",") if one != missing]
    with deployed(",".join(zones), RecordNames=",".join(listed)) as named:
        found = refused(named, changes)
    contexts = [one.request.context for one in changes]
    assert {one[3] for one in found} == {str(one) for one in contexts if missing in one[NAMES]}


def test_every_listed_call_was_met(played: Played) -> None:
    """By each role of the play that the page names, so that no permission is there for nothing."""
    recorded = played.recorded
    who_by_key = {key: who for who, key in KEYS.items()}
    met = {
        (who_by_key[one.access_key], one.request.action, key)
        for one in recorded
        for key in one.request.context.get("dynamodb:LeadingKeys", ("",))
    }
    missing = [
        f"{who}: {row.action} on {row.on}"
        for row in listed_calls("Calls")
        for who in row.who
        if (row.action, row.on) not in NOT_MET_HERE
        if not any(
            (who_met, action) == (who, row.action) and (not key or key.startswith(row.on))
            for who_met, action, key in met
        )
    ]
    assert missing == []


def test_others_may_not_send_what_the_enactor_sent(played: Played) -> None:
    """Its record batches, with the other roles' policies: refused, but for break-glass."""
    batches = [
        one.request
        for one in played.recorded
        if one.access_key == KEYS["enactor"]
        and one.request.action == CHANGES
        and "A" in one.request.context["route53:ChangeResourceRecordSetsRecordTypes"]
    ]
    assert len(batches) >= 5  # as many as plans were applied
    policies = played.deployment.policies
    may = {who for who in ROLES for batch in batches if is_allowed(policies[who], batch)}
    assert may == {"enactor", "break-glass"}
