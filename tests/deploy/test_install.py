"""`deploy/install` puts each file where the units expect it; the machine's stack calls it so."""

import configparser
import os
import re
import subprocess
from pathlib import Path

import pytest

from dnsplan.runtime.config import load
from tests.deploy.stacks import template
from tests.deploy.units import UNITS, read_unit, services

DEPLOY = UNITS.parent
# Stands for a Python that makes environments: what it is asked is written down.
PYTHON = """#!/bin/sh
echo "python $*" >> "$SAID"
[ "$2" = venv ] && mkdir -p "$3/bin" && cp "$0" "$3/bin/python"
exit 0
"""


@pytest.fixture
def installed(tmp_path: Path) -> Path:
    """A root with the release installed in it, beside an agent that is there."""
    python = tmp_path / "python3"
    python.write_text(PYTHON)
    python.chmod(0o755)
    root = tmp_path / "root"
    agent = root / "opt/aws/amazon-cloudwatch-agent"
    for folder in ("bin", "etc"):
        (agent / folder).mkdir(parents=True)
    control = agent / "bin/amazon-cloudwatch-agent-ctl"
    control.write_text("")
    control.chmod(0o755)
    environ = {
        **os.environ,
        "ROOT": str(root),
        "PYTHON": str(python),
        "SAID": str(tmp_path / "said"),
        "AZ": "use1-az1",
        "ACCOUNT": "210000000012",
        "REGION": "eu-west-1",
        "CONFIG": str(UNITS / "dns.yaml.sample"),
    }
    for _ in range(2):  # the second is an upgrade
        done = subprocess.run(
            [DEPLOY / "install"],
            env=environ,
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )
        assert (done.returncode, done.stdout + done.stderr) == (0, "")
    return root


def test_every_file_is_where_its_reader_looks(installed: Path, tmp_path: Path) -> None:
    """Units, config, roles, environment, logs; nothing of the config is for everybody's eyes."""
    units = {path.name for path in (installed / "etc/systemd/system").glob("dns*.*er*")}
    assert units >= {*services(), "dns-planner-cleanup.timer"}
    etc = installed / "etc/dnsplan"
    assert load(etc / "dns.yaml", {}).settings.table == "dnsplan"
    assert "AWS_DEFAULT_REGION=eu-west-1" in (etc / "environment").read_text()
    assert [(one.name, oct(one.stat().st_mode & 0o777)) for one in sorted(etc.iterdir())] == [
        ("aws", "0o640"), ("dns.yaml", "0o640"), ("environment", "0o640"),
    ]  # fmt: skip
    profiles = configparser.ConfigParser()
    profiles.read(etc / "aws")
    accounts = {profiles[one]["role_arn"].split(":")[4] for one in profiles.sections()}
    assert accounts == {"210000000012"}
    agent = (installed / "opt/aws/amazon-cloudwatch-agent/etc/dnsplan.json").read_text()
    assert '"log_group_name": "/dnsplan/use1-az1"' in agent
    written = (installed / "etc/systemd/system/dns-.service.d/log.conf").read_text()
    [file] = set(re.findall(r"append:(\S+)", written))
    assert f'"file_path": "{file}"' in agent
    assert file in (installed / "etc/logrotate.d/dnsplan").read_text()


def test_only_wheels_of_the_release_are_installed(installed: Path, tmp_path: Path) -> None:
    """pip asks no index."""
    said = (tmp_path / "said").read_text().splitlines()
    [pip] = {one for one in said if "pip" in one}
    assert "--no-index --find-links ../wheels" in pip
    [venv] = {one for one in said if "venv" in one}
    start = read_unit("dns-enactor@.service")["Service"]["ExecStart"][0]
    assert start.startswith(venv.split()[-1].removeprefix(str(installed)))


def test_the_machine_checks_what_it_fetched_before_it_runs_it() -> None:
    """Digests stand before unpacking; credentials are for the machine alone; it reports its end."""
    machine = template("az")["Resources"]["Machine"]["Properties"]["LaunchTemplateData"]
    script = machine["UserData"]["Fn::Base64"]["Fn::Sub"]
    order = [
        script.index(word) for word in ("trap ", "s3 cp", "sha256sum", "tar ", "deploy/install")
    ]
    assert order == sorted(order)
    assert script.startswith("#!/bin/bash\nset -euo pipefail\n")
    assert machine["MetadataOptions"] == {"HttpTokens": "required", "HttpPutResponseHopLimit": 1}
    filled = re.sub(r"\$\{[\w:]+\}", "x", script)
    done = subprocess.run(["bash", "-n"], input=filled, text=True, check=False, timeout=60)
    assert done.returncode == 0
    passed = set(re.findall(r"\b([A-Z]+)=", script.rpartition("--file")[2]))
    asked = set(re.findall(r"\$\{?:? ?\"?\$?\{?([A-Z]+):", (DEPLOY / "install").read_text()))
    assert {"AZ", "ACCOUNT", "REGION", "CONFIG"} <= asked & passed
