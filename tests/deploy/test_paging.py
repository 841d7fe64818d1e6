"""Who may page, and over what: the roles of the daemons that do, and one topic."""

from tests.deploy.policies import Request, is_allowed
from tests.deploy.stacks import Deployment

PAGES = {"planner", "enactor", "sentinel"}


def test_whoever_pages_does_so_over_one_topic(deployment: Deployment) -> None:
    """Planner, enactor and sentinel; nobody else, and no other topic."""
    topic = deployment.outputs["PageTopicArn"]
    may = {
        who
        for who, mine in deployment.policies.items()
        if is_allowed(mine, Request("sns:Publish", topic))
    }
    assert may == PAGES
    for mine in deployment.policies.values():
        assert not is_allowed(mine, Request("sns:Publish", f"{topic}-of-others"))
