"""What can be drilled: each failure leads to a page, and is told by a name of its own."""

from pathlib import Path

import pytest

from runbooks.drilling.failures import FAILURES, Failure
from runbooks.drilling.stand import exports, lead

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
