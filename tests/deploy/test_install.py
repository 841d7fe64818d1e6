"""`deploy/install` puts each file where the units expect it; the machine's stack calls it so."""

import configparser
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from dnsplan.runtime.config import load
from tests.deploy.stacks import template
from tests.deploy.units import UNITS, parse_unit, read_unit, services

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
        ("aws", "0o640"),
        ("dns.yaml", "0o640"),
        ("environment", "0o640"),
    ]
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
    # systemd opens it before it would make a folder; nobody but root writes beside it.
    folder = (installed / file.lstrip("/")).parent
    assert oct(folder.stat().st_mode & 0o7777) == "0o750"
    assert "LogsDirectory" not in parse_unit(written)["Service"]


def test_only_wheels_of_the_release_are_installed(installed: Path, tmp_path: Path) -> None:
    """pip asks no index."""
    said = (tmp_path / "said").read_text().splitlines()
    [pip] = {one for one in said if "pip" in one}
    assert "--no-index --find-links ../wheels" in pip
    [venv] = {one for one in said if "venv" in one}
    start = read_unit("dns-enactor@.service")["Service"]["ExecStart"][0]
    assert start.startswith(venv.split()[-1].removeprefix(str(installed)))


def looked_for(
    tmp_path: Path, versions: dict[str, str], stated: dict[str, str], *, umask: int = 0o022
) -> tuple[int, str, str]:
    """Install with these interpreters and no others: exit code, the one that was used, errors."""
    path = tmp_path / "path"
    path.mkdir()
    for tool in ("bash", "cat", "chmod", "cp", "dirname", "install", "mv", "realpath", "rm", "sed"):
        (path / tool).symlink_to(str(shutil.which(tool)))
    for name, version in versions.items():
        code = f"import sys; sys.version_info = ({version.replace('.', ', ')}); $2"
        (path / name).write_text(
            f'#!/bin/sh\n[ "$1" != -c ] || exec {sys.executable} -c "{code}"\n'
            f'echo {name} >>"$SAID"\n'
            '/bin/mkdir -p "$3/bin"; /bin/ln -sf /bin/true "$3/bin/python"\n'
        )
        (path / name).chmod(0o755)
    said = tmp_path / "said"
    said.touch()
    done = subprocess.run(
        [DEPLOY / "install"],
        env={
            "PATH": str(path),
            "ROOT": str(tmp_path / "root"),
            "SAID": str(said),
            "AZ": "use1-az1",
            "ACCOUNT": "210000000012",
            "REGION": "eu-west-1",
            "CONFIG": str(UNITS / "dns.yaml.sample"),
            **stated,
        },
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
        umask=umask,
    )
    return done.returncode, said.read_text().strip(), done.stderr


@pytest.mark.parametrize(
    ("versions", "stated", "used"),
    [
        ({"python3": "3.9.20", "python3.11": "3.11.9"}, {}, "python3.11"),
        ({"python3": "3.9.20", "python3.11": "3.11.9", "python3.13": "3.13.1"}, {}, "python3.13"),
        ({"python3": "3.14.0"}, {}, "python3"),
        ({"python3.11": "3.11.9", "python3.13": "3.13.1"}, {"PYTHON": "python3.11"}, "python3.11"),
    ],
)
def test_the_release_runs_on_a_python_that_is_new_enough(
    tmp_path: Path, versions: dict[str, str], stated: dict[str, str], used: str
) -> None:
    """The one that is stated, or the newest; never a system's own python3 that is too old."""
    assert looked_for(tmp_path, versions, stated) == (0, used, "")


@pytest.mark.parametrize(
    ("region", "partition"),
    [("eu-west-1", "aws"), ("cn-north-1", "aws-cn"), ("us-gov-west-1", "aws-us-gov")],
)
def test_each_unit_takes_a_role_of_the_regions_partition(
    tmp_path: Path, region: str, partition: str
) -> None:
    """As the stack of roles names it there; another one is no role, and no unit would start."""
    assert looked_for(tmp_path, {"python3": "3.11.9"}, {"REGION": region}) == (0, "python3", "")
    profiles = configparser.ConfigParser()
    profiles.read(tmp_path / "root/etc/dnsplan/aws")
    arns = {profiles[one]["role_arn"].rpartition(":")[0] for one in profiles.sections()}
    assert arns == {f"arn:{partition}:iam::210000000012"}


def test_what_is_installed_is_for_the_units_whatever_roots_mask(tmp_path: Path) -> None:
    """On a hardened machine it keeps others out, and no unit could start its own program."""
    assert looked_for(tmp_path, {"python3": "3.11.9"}, {}, umask=0o077) == (0, "python3", "")
    modes = {
        str(one.relative_to(tmp_path / "root")): oct(one.stat().st_mode & 0o777)
        for one in (tmp_path / "root/opt", *(tmp_path / "root/opt").rglob("*"))
        if one.is_dir()
    }
    assert modes == dict.fromkeys(("opt", "opt/dnsplan", "opt/dnsplan/bin"), "0o755")
    config = tmp_path / "root/etc/dnsplan/dns.yaml"
    assert oct(config.stat().st_mode & 0o777) == "0o640"


@pytest.mark.parametrize("stated", [{}, {"PYTHON": "python3"}, {"PYTHON": "python3.12"}])
def test_without_a_new_python_nothing_is_installed(tmp_path: Path, stated: dict[str, str]) -> None:
    """It ends before it has changed the machine, and says what to install."""
    code, used, errors = looked_for(tmp_path, {"python3": "3.9.20"}, stated)
    assert (code, used) == (1, "")
    assert "no Python 3.11 or newer" in errors
    assert "dnf install python3.11" in errors
    assert not (tmp_path / "root").exists()


def test_the_machine_brings_the_python_that_it_installs_with() -> None:
    """The default image has 3.9 only."""
    machine = template("az")["Resources"]["Machine"]["Properties"]["LaunchTemplateData"]
    script = machine["UserData"]["Fn::Base64"]["Fn::Sub"]
    [packages] = re.findall(r"dnf install .*", script)
    [python] = re.findall(r"PYTHON=(\S+)", script)
    assert python in packages.split()


def test_the_documented_wheels_are_for_the_machine() -> None:
    """The page names the default machine's architecture and the Python that it installs."""
    page = (DEPLOY / "README.md").read_text()
    machine = template("az")["Resources"]["Machine"]["Properties"]["LaunchTemplateData"]
    script = machine["UserData"]["Fn::Base64"]["Fn::Sub"]
    [version] = re.findall(r"PYTHON=python(\S+)", script)
    assert re.findall(r"--python-version (\S+)", page) == [version]
    is_arm = template("az")["Parameters"]["Image"]["Default"].endswith("-arm64")
    first = re.findall(r"--platform manylinux2014_(\w+)", page)[0]
    assert first == ("aarch64" if is_arm else "x86_64")


def test_a_key_and_an_environment_of_the_image_stay(installed: Path) -> None:
    """An upgrade writes what comes with the release, and nothing that people put beside it."""
    etc = installed / "etc/dnsplan"
    (etc / "planner-1.key").write_text("a key")
    (etc / "environment").write_text("HOOK=a secret\n")
    (etc / "planner-1.key").chmod(0o640)
    done = subprocess.run(
        [DEPLOY / "install"],
        env={
            **os.environ,
            "ROOT": str(installed),
            "PYTHON": str(installed.parent / "python3"),
            "SAID": os.devnull,
            "AZ": "use1-az1",
            "ACCOUNT": "210000000012",
            "REGION": "eu-west-1",
            "CONFIG": str(UNITS / "dns.yaml.sample"),
        },
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert (done.returncode, done.stderr) == (0, "")
    kept = {one: (etc / one).read_text() for one in ("planner-1.key", "environment")}
    assert kept == {"planner-1.key": "a key", "environment": "HOOK=a secret\n"}


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
