"""No daemon of a sandbox can reach a real AWS account."""

import os
import subprocess
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from sandbox.run.environment import child_environment, write_exports

URL = "http://127.0.0.1:5000"


@given(st.dictionaries(st.from_regex(r"AWS_[A-Z_]{1,20}", fullmatch=True), st.text(max_size=9)))
def test_no_aws_setting_of_the_person_survives(outer: dict[str, str]) -> None:
    """Whatever profile, endpoint or key is set outside, a child sees the stand-in's alone."""
    expected = child_environment({}, endpoint_url=URL, access_key="planner")
    assert expected == child_environment(outer, endpoint_url=URL, access_key="planner")


def test_proxies_go_and_the_rest_stays() -> None:
    """A proxy would stand before loopback; PATH and a config's secrets are needed."""
    outer = {"HTTPS_PROXY": "http://p:1", "no_proxy": "x", "PATH": "/bin", "HOOK": "secret"}
    found = child_environment(outer, endpoint_url=URL, access_key="planner")
    assert {name: value for name, value in found.items() if not name.startswith("AWS_")} == {
        "PATH": "/bin",
        "HOOK": "secret",
    }


def test_each_daemon_is_known_by_its_own_key() -> None:
    """Faults and counters address a daemon by its access key id."""
    found = child_environment({}, endpoint_url=URL, access_key="enactor-use1-az1")
    assert (found["AWS_ACCESS_KEY_ID"], found["AWS_ENDPOINT_URL"]) == ("enactor-use1-az1", URL)


def test_a_shell_that_sources_the_exports_meets_the_stand_in_alone(tmp_path: Path) -> None:
    """What the file exports arrives as it is, and a profile of the person is gone."""
    wanted = {"AWS_ENDPOINT_URL": URL, "DNSPLAN_CONFIG": "/tmp/it's here/dns.yaml"}
    write_exports(tmp_path / "environment", wanted)
    said = subprocess.run(
        ["sh", "-c", ". ./environment; env -0"],
        cwd=tmp_path,
        env={"PATH": os.defpath, "AWS_PROFILE": "production", "AWS_SESSION_TOKEN": "x"},
        capture_output=True,
        text=True,
        check=True,
    )
    found = dict(one.split("=", 1) for one in said.stdout.split("\0") if one)
    assert {name: value for name, value in found.items() if name in wanted} == wanted
    assert found.keys().isdisjoint({"AWS_PROFILE", "AWS_SESSION_TOKEN"})
