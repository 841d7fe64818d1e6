"""`dns-sandbox aws`: the first line says where everything is, and any AWS client can use it."""

import json
import os
import signal
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import boto3
import dns.message
import dns.query
import pytest
from botocore.config import Config
from botocore.exceptions import ClientError

from sandbox.run.environment import REGION
from sandbox.run.ports import free_port
from tests.integration.sandbox_process import BIN, run_to_end


@contextmanager
def serving(*arguments: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """The running command and its first line; ended by Ctrl-C, with exit code 0."""
    process = subprocess.Popen(
        [str(BIN / "dns-sandbox"), "aws", *arguments],
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        assert process.stdout is not None
        yield process, process.stdout.readline()
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=15) == 0
    finally:
        process.kill()
        process.wait()
        if process.stdout is not None:
            process.stdout.close()


@contextmanager
def route53(endpoint_url: str) -> Iterator[Any]:
    """boto3 with nothing but the endpoint and dummy keys, each request sent once."""
    client = boto3.client(
        "route53",
        region_name=REGION,
        endpoint_url=endpoint_url,
        aws_access_key_id="any",
        aws_secret_access_key="any",
        config=Config(retries={"total_max_attempts": 1}),
    )
    try:
        yield client
    finally:
        client.close()


def ask(address: str, name: str, kind: str) -> list[str]:
    """Answers of one DNS question."""
    host, _, port = address.rpartition(":")
    reply = dns.query.udp(dns.message.make_query(name, kind), host, port=int(port), timeout=5)
    return [rdata.to_text() for rrset in reply.answer for rdata in rrset]


def test_what_boto3_writes_is_what_dns_answers() -> None:
    """A zone by --zone, a record by the SDK, an answer at the printed port."""
    with serving("--json", "--zone", "example.com") as (_, line):
        ready = json.loads(line)
        assert {"endpoint_url", "dns", "dns_private"} <= ready.keys()
        with route53(ready["endpoint_url"]) as client:
            (zone,) = client.list_hosted_zones()["HostedZones"]
            assert zone["Name"] == "example.com."
            assert zone["Id"].endswith(ready["zones"]["example.com"])
            record = {
                "Name": "www.example.com",
                "Type": "A",
                "TTL": 60,
                "ResourceRecords": [{"Value": "192.0.2.7"}],
            }
            change = {"Changes": [{"Action": "CREATE", "ResourceRecordSet": record}]}
            client.change_resource_record_sets(HostedZoneId=zone["Id"], ChangeBatch=change)
        assert ask(ready["dns"], "www.example.com", "A") == ["192.0.2.7"]


def test_the_ports_are_the_ones_asked_for() -> None:
    """So that a tool's settings can be written down beforehand."""
    port, dns_port = free_port(0), free_port(0)
    with serving("--json", "--port", str(port), "--dns-port", str(dns_port)) as (_, line):
        ready = json.loads(line)
        assert ready["endpoint_url"] == f"http://127.0.0.1:{port}"
        assert ready["dns"] == f"127.0.0.1:{dns_port}"


def test_a_rate_throttles_as_aws_does() -> None:
    """Beyond the burst of five, Throttling; making the zones at start costs nothing of it."""
    zones = [word for number in range(8) for word in ("--zone", f"z{number}.example")]
    with (
        serving("--json", "--rate", "0.1", *zones) as (_, line),
        route53(json.loads(line)["endpoint_url"]) as client,
    ):
        assert len(client.list_hosted_zones()["HostedZones"]) == 8
        for _ in range(4):
            client.list_hosted_zones()
        with pytest.raises(ClientError, match="Throttling"):
            client.list_hosted_zones()


def test_a_person_gets_lines_to_copy() -> None:
    """The environment of boto3, awscli and octoDNS."""
    with serving() as (process, first):
        assert first.startswith("AWS stand-in   http://127.0.0.1:")
        assert process.stdout is not None
        lines = [process.stdout.readline() for _ in range(8)]
    text = "".join(lines)
    url = first.split()[-1]
    assert f"export AWS_ENDPOINT_URL={url}\n" in text
    assert "export AWS_ACCESS_KEY_ID=" in text
    assert "export AWS_DEFAULT_REGION=us-east-1\n" in text


def test_a_taken_port_is_one_sentence_and_exit_1() -> None:
    """No traceback for what a person can mend."""
    with socket.socket() as holder:
        holder.bind(("127.0.0.1", 0))
        holder.listen()
        done = run_to_end("aws", "--port", str(holder.getsockname()[1]))
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("cannot listen: ")
    assert len(done.stderr.splitlines()) == 1


def test_a_zone_that_is_no_name_is_exit_2() -> None:
    """Said before anything listens."""
    done = run_to_end("aws", "--zone", "a..b")
    assert (done.returncode, done.stdout) == (2, "")
    assert "--zone" in done.stderr


def test_nothing_of_the_persons_aws_is_used() -> None:
    """A profile that does not exist would fail any client that looked at it."""
    environment = {**os.environ, "AWS_PROFILE": "nobody-has-this", "AWS_CA_BUNDLE": "/nowhere"}
    process = subprocess.Popen(
        [str(BIN / "dns-sandbox"), "aws", "--json", "--zone", "example.com"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment,
    )
    assert process.stdout is not None
    line = process.stdout.readline()
    process.send_signal(signal.SIGTERM)
    _, errors = process.communicate(timeout=15)
    assert json.loads(line)["zones"], errors
    assert process.returncode == 0
