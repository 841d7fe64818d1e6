"""Secrets come to a machine at its boot: to whom they belong, whole or not at all, and unseen."""

import re
from pathlib import Path

import boto3
import pytest

from dnsplan.runtime.config import load
from dnsplan.runtime.keys import signer_of
from dnsplan.vouch import PUBLIC, SECRET, Role, key_text, public_of
from tests.deploy.stacks import Deployment, template
from tests.deploy.units import UNITS, read_unit
from tests.system.systemd.machine import Machine, release

FETCH = UNITS.parent / "fetch-secret"
KEY = bytes(range(32))
KEY_TEXT = key_text(SECRET, KEY)
WHERE = "https://pager.example/hooks/0000?a=b;c#d"
HOOKS = f"# to whom pages go\nHOOK={WHERE}\n\nTOKEN=Bearer of a token"
PLANNER_KEY, SECRETS = "/dnsplan/planner-key:2", "/dnsplan/secrets:1"
FETCHED = "bundle.tar.gz: OK\ndns.yaml: OK\n"
LINE = "has no NAME=VALUE without quotes in line"
CONFIG = f"""
azs: [use1-az1]
zones: {{shop: {{name: example.com, names: {{}}}}}}
sentinel: {{alarms: [{{webhook: {{url: {{env: HOOK}}}}}}]}}
signing:
  keys:
    planner-1:
      {{of: planner, public: "{key_text(PUBLIC, public_of(KEY))}", secret: {{file: planner.key}}}}
  sign_with: {{planner: planner-1}}
"""


class Booting:
    """A machine whose stack names these secrets, and the store that has them."""

    def __init__(self, folder: Path) -> None:
        self.bucket = folder / "bucket"
        self.parameters = {
            **release(self.bucket, CONFIG),
            "PlannerKey": PLANNER_KEY,
            "Secrets": SECRETS,
            "RunsSentinel": "true",
        }
        self.machine = Machine("use1-az1", folder, {})
        self.etc = self.machine.root / "etc/dnsplan"
        self.keep(PLANNER_KEY, f"SecureString\t{KEY_TEXT}")
        self.keep(SECRETS, f"SecureString\t{HOOKS}")

    def keep(self, name: str, answer: str | None) -> None:
        """What the store answers with for a name, None when it has it not."""
        path = Path(f"{self.bucket}{name}")
        path.parent.mkdir(exist_ok=True)
        path.unlink(missing_ok=True)
        if answer is not None:
            path.write_text(f"{answer}\n")

    def user_data(self) -> str:
        """What the stack gives the machine to run."""
        data = template("az")["Resources"]["Machine"]["Properties"]["LaunchTemplateData"]
        filled = {
            **self.parameters,
            "Az": "use1-az1",
            "AWS::AccountId": "210000000012",
            "AWS::Region": "eu-west-1",
            "AWS::StackName": "dnsplan-use1-az1",
        }
        text: str = data["UserData"]["Fn::Base64"]["Fn::Sub"]
        return re.sub(r"\$\{([\w:]+)\}", lambda found: filled[found[1]], text)

    def boot(self, **more: str) -> tuple[int, str]:
        """Run it; the exit code, and all that it has shown."""
        done = self.machine.try_to_boot(self.user_data(), self.bucket, **more)
        return done.returncode, done.stdout + done.stderr

    def said(self) -> str:
        """What programs were asked, which is what others see of them."""
        return (self.machine.root / "said").read_text()

    def files(self) -> dict[str, tuple[str, str]]:
        """Every file beside the config, with its mode."""
        found = sorted(self.etc.iterdir()) if self.etc.exists() else []
        return {one.name: (oct(one.stat().st_mode & 0o7777), one.read_text()) for one in found}


@pytest.fixture
def booting(tmp_path: Path) -> Booting:
    """All is as it should be."""
    return Booting(tmp_path)


def test_each_secret_is_its_readers_alone(booting: Booting) -> None:
    """The key is the planner's user's, the others are root's, and nobody else can read either; each
    is as the stack names it, and the config takes both."""
    assert booting.boot() == (0, FETCHED)
    files = booting.files()
    assert files["planner.key"] == ("0o400", f"{KEY_TEXT}\n")
    assert files["secrets"] == ("0o400", f"{HOOKS}\n")
    assert set(files) == {"aws", "dns.yaml", "environment", "planner.key", "secrets"}
    [user] = read_unit("dns-planner@.service")["Service"]["User"]
    owners = re.findall(
        r"^chown (\S+) \S+/([\w.]+)\.new\.part (\d+)$", booting.said(), re.MULTILINE
    )
    assert owners == [(user, "planner.key", "600"), ("root", "secrets", "600")]
    environ = dict(line.split("=", 1) for line in HOOKS.splitlines() if "=" in line)
    settings = load(booting.etc / "dns.yaml", environ).settings
    signer = signer_of(settings.signing, Role.PLANNER, environ)
    assert signer is not None
    assert signer.key_id == "planner-1"


def test_each_is_asked_for_once_in_the_stacks_region(booting: Booting) -> None:
    """By name and version, and only it."""
    booting.boot()
    asked = re.findall(r"^aws ssm (\S+) --region (\S+) --name (\S+) ", booting.said(), re.MULTILINE)
    assert asked == [
        ("get-parameter", "eu-west-1", PLANNER_KEY),
        ("get-parameter", "eu-west-1", SECRETS),
    ]


def test_a_secret_is_seen_nowhere(booting: Booting, tmp_path: Path) -> None:
    """Not in the user data, in what is shown, in an argument or in an environment; nor where every
    line of every script is written down."""
    traces = tmp_path / "traces"
    traces.write_text("set -x\n")
    code, shown = booting.boot(BASH_ENV=str(traces))
    assert code == 0
    assert "+ ./fetch-secret key eu-west-1 /dnsplan/planner-key:2" in shown
    environment = (booting.machine.root / "said.environment").read_text()
    places = {"shown": shown, "asked": booting.said(), "environment": environment}
    places["user data"] = booting.user_data()
    for place, text in places.items():
        for secret in (KEY_TEXT.removeprefix(SECRET), WHERE, "Bearer of a token"):
            assert secret not in text, place
    left = [one for one in booting.machine.root.rglob("*") if one.is_file()]
    holding = [one.name for one in left if KEY_TEXT.encode() in one.read_bytes()]
    assert holding == ["planner.key"]


def test_what_is_not_named_is_not_asked_for(booting: Booting) -> None:
    """A deployment without secrets, and one whose files came otherwise."""
    booting.parameters |= {"PlannerKey": "", "Secrets": ""}
    assert booting.boot() == (0, FETCHED)
    assert "ssm" not in booting.said()
    assert set(booting.files()) == {"aws", "dns.yaml", "environment"}


REFUSED = {
    "missing": (PLANNER_KEY, None, "cannot be read; SecretArns and SecretsKeyArn"),
    "missing too": (SECRETS, None, "cannot be read; SecretArns and SecretsKeyArn"),
    "in plain": (PLANNER_KEY, f"String\t{KEY_TEXT}", "is no SecureString"),
    "nothing at all": (SECRETS, "", "is no SecureString"),
    "empty": (SECRETS, "SecureString\t  ", "is empty"),
    "a public key": (PLANNER_KEY, f"SecureString\t{key_text(PUBLIC, KEY)}", "is no key"),
    "two keys": (PLANNER_KEY, f"SecureString\t{KEY_TEXT}\n{KEY_TEXT}", "is no key"),
    "no name": (
        SECRETS,
        f"SecureString\t{WHERE} {KEY_TEXT}",
        f"{LINE} 1",
    ),
    "no value": (SECRETS, "SecureString\tA=b\nHOOK=", f"{LINE} 2"),
    "quotes": (SECRETS, 'SecureString\tHOOK="b"', f"{LINE} 1"),
    "a backslash": (SECRETS, "SecureString\tHOOK=b\\", f"{LINE} 1"),
    "a blank end": (SECRETS, "SecureString\tHOOK=b ", f"{LINE} 1"),
    "a comment that goes on": (SECRETS, "SecureString\tA=b\n# c \\\nHOOK=d", f"{LINE} 2"),
    **{
        f"{setting} is no secret": (
            SECRETS,
            f"SecureString\tHOOK=b\n{setting}=x",
            "has a setting of the daemon in line 2",
        )
        for setting in ("AWS_PROFILE", "LD_PRELOAD", "PYTHONPATH", "PATH", "DNSPLAN_LOG_LEVEL")
    },
}


@pytest.mark.parametrize("name", REFUSED)
def test_where_a_secret_is_wanting_nothing_is_changed_or_started(
    booting: Booting, name: str
) -> None:
    """The stack is told, the line says which, no part of a value is shown, and what was there stays
    as it was."""
    parameter, answer, text = REFUSED[name]
    booting.keep(parameter, answer)
    booting.etc.mkdir(parents=True)
    (booting.etc / "planner.key").write_text("another")
    before = booting.files()
    code, shown = booting.boot()
    assert code == 1
    assert f"install: the secret {parameter} {text}" in shown
    assert "No unit is started." in shown
    assert KEY_TEXT.removeprefix(SECRET) not in shown
    assert WHERE not in shown
    assert booting.said().splitlines()[-1].startswith("cfn-signal -e 1 ")
    assert booting.files() == before
    assert not list((booting.machine.root / "etc/systemd/system").iterdir())


def test_the_store_answers_what_is_asked(deployment: Deployment) -> None:
    """On moto: a version by its number, whole, and a type that tells a secret from plain text."""
    [query] = re.findall(r"--query '\[([^']+)\]'", FETCH.read_text())
    fields = [one.removeprefix("Parameter.") for one in query.split(", ")]
    client = boto3.client("ssm", endpoint_url=deployment.aws.endpoint_url)
    try:
        for value in (KEY_TEXT, "another"):
            client.put_parameter(Name="/asked", Value=value, Type="SecureString", Overwrite=True)
        client.put_parameter(Name="/plain", Value="text", Type="String")
        found = [
            [
                client.get_parameter(Name=name, WithDecryption=True)["Parameter"][one]
                for one in fields
            ]
            for name in ("/asked:1", "/asked:2", "/plain:1")
        ]
    finally:
        client.close()
    assert found == [["SecureString", KEY_TEXT], ["SecureString", "another"], ["String", "text"]]


@pytest.mark.parametrize("parameter", ["PlannerKey", "Secrets"])
def test_a_secret_is_named_with_its_version(parameter: str) -> None:
    """So a new value reaches no machine before its stack says so; and no name runs anything."""
    stated = template("az")["Parameters"][parameter]
    assert stated["Default"] == ""
    for good in ("", "/dnsplan/planner-key:1", "/a:120"):
        assert re.fullmatch(stated["AllowedPattern"], good)
    for bad in (
        "/dnsplan/planner-key",
        "/a:0",
        "/a:latest",
        "/a*:1",
        "/a:1; id",
        "/$(id):1",
        "a:1",
    ):
        assert re.fullmatch(stated["AllowedPattern"], bad) is None
