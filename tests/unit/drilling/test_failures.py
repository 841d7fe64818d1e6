"""What can be drilled: each failure leads to a page, and is told by a name of its own."""

from pathlib import Path

import pytest

from runbooks.drilling.failures import FAILURES, Failure
from runbooks.drilling.making import MAIL_IS, WEB_IS, put
from runbooks.drilling.opening import exports, lead
from runbooks.drilling.stand import NoSandbox
from sandbox.run.demo import example_text

PAGES = Path(__file__).parents[3] / "runbooks"


@pytest.mark.parametrize("failure", FAILURES, ids=lambda one: one.name)
def test_each_failure_has_a_page(failure: Failure) -> None:
    """Who is drilled reads what they would read at 3 a.m."""
    assert (PAGES / f"{failure.page}.md").exists()


def test_names_are_used_once() -> None:
    """And stand in order, as the list shows them."""
    names = [one.name for one in FAILURES]
    assert names == sorted(set(names))


def test_nothing_of_real_aws_is_left() -> None:
    """Profile, token and config of outside go; what the sandbox exports comes."""
    environ = {"AWS_PROFILE": "prod", "AWS_SESSION_TOKEN": "t", "DNSPLAN_CONFIG": "/etc", "A": "1"}
    lead(environ, exports("unset AWS_PROFILE\nexport AWS_REGION=us-east-1\nexport B='x y'\n"))
    assert environ == {"A": "1", "AWS_REGION": "us-east-1", "B": "x y"}


@pytest.mark.parametrize("stated", [MAIL_IS, WEB_IS])
def test_a_deploy_finds_what_it_changes(stated: str, tmp_path: Path) -> None:
    """The sandbox's own config states it once; where it does not, nothing is written."""
    file = tmp_path / "dns.yaml"
    file.write_text(example_text())
    put(file, stated, "x")
    deployed = file.read_text()
    assert deployed == example_text().replace(stated, "x") != example_text()
    with pytest.raises(NoSandbox, match="does not state"):
        put(file, stated, "y")
    assert file.read_text() == deployed
