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
    """What the file exports arrives as it is. A profile of the person is gone, and an endpoint of
    one service, which would go before ours, as well; proxies stay, and are gone around."""
    wanted = {"AWS_ENDPOINT_URL": URL, "DNSPLAN_CONFIG": "/tmp/it's here/dns.yaml"}
    outer = {
        "AWS_PROFILE": "production",
        "AWS_SESSION_TOKEN": "x",
        "AWS_ENDPOINT_URL_ROUTE_53": "https://route53.amazonaws.com",
        "AWS_IGNORE_CONFIGURED_ENDPOINT_URLS": "true",
        "HTTP_PROXY": "http://proxy.example:3128",
        "no_proxy": "intern.example",
    }
    write_exports(tmp_path / "environment", wanted)
    said = subprocess.run(
        ["sh", "-c", ". ./environment; env -0"],
        cwd=tmp_path,
        env={"PATH": os.defpath, **outer},
        capture_output=True,
        text=True,
        check=True,
    )
    found = dict(one.split("=", 1) for one in said.stdout.split("\0") if one)
    assert {name: value for name, value in found.items() if name in wanted} == wanted
    assert {name for name in found if name.startswith("AWS_")} == {"AWS_ENDPOINT_URL"}
    assert found["HTTP_PROXY"] == outer["HTTP_PROXY"]
    assert found["no_proxy"] == "127.0.0.1,localhost,intern.example"
    assert found["NO_PROXY"] == "127.0.0.1,localhost"
