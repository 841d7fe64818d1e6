"""No daemon of a sandbox can reach a real AWS account."""

from hypothesis import given
from hypothesis import strategies as st

from sandbox.run.environment import child_environment

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
