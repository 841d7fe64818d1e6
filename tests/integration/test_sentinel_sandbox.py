"""The sentinel in a running sandbox: well when all is, and the one that says when a name is not."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import boto3
import pytest

from tests.integration.sandbox_process import DEMO, RunningSandbox, free_copy

PAGED_WITHIN_S = 30.0
ZONE = "    name: example.test\n"
PAGE_ID = "empty-name/demo/mail.example.test."


@pytest.fixture
def sandbox(tmp_path: Path) -> Iterator[RunningSandbox]:
    """A sandbox on the demo's config; nothing of it is left behind.

    Drift is held in it: an enactor that audits the zone within seconds mends the name, and then
    there is nothing to page; which of the two comes first is chance.
    """
    config = free_copy(DEMO, tmp_path)
    config.write_text(config.read_text().replace(ZONE, f"{ZONE}    drift: hold\n"))
    assert "drift: hold" in config.read_text()
    running = RunningSandbox("--backends", config=config)
    try:
        yield running
        assert running.stop() == 0
    finally:
        running.kill()


def test_a_name_that_a_stranger_deletes_is_paged_and_its_return_is_told(
    sandbox: RunningSandbox,
) -> None:
    """All names answer first; then one page with what to restore, and a notice after the repair."""
    sandbox.converged()
    sandbox.wait_for(lambda line: line["event"] == "all_names_answer", "all names answer")
    environment = sandbox.environment()
    client = boto3.client(
        "route53",
        endpoint_url=sandbox.ready["endpoint_url"],
        aws_access_key_id=environment["AWS_ACCESS_KEY_ID"],
        aws_secret_access_key=environment["AWS_SECRET_ACCESS_KEY"],
    )
    zone_id = client.list_hosted_zones()["HostedZones"][0]["Id"]
    record = {
        "Name": "mail.example.test.",
        "Type": "A",
        "TTL": 300,
        "ResourceRecords": [{"Value": "192.0.2.25"}],
    }

    def change(action: str) -> None:
        client.change_resource_record_sets(
            HostedZoneId=zone_id,
            ChangeBatch={"Changes": [{"Action": action, "ResourceRecordSet": record}]},
        )

    change("DELETE")
    page = sandbox.wait_for(_told("page"), "a page", PAGED_WITHIN_S)
    assert page["level"] == "error"
    assert '"values":["192.0.2.25"]' in page["facts"]["last_good"]
    change("CREATE")
    sandbox.wait_for(_told("recovery"), "its end", PAGED_WITHIN_S)
    # An enactor that comes by in between pages the drift; that is its own word.
    pages = [one for one in sandbox.lines if one["event"] == "page" and one["who"] == "sentinel"]
    assert [line["facts"]["id"] for line in pages] == [PAGE_ID, PAGE_ID]


def _told(change: str) -> Any:  # a predicate over a JSON object
    return lambda line: (
        line["event"] == "page"
        and (line["facts"]["change"], line["facts"]["id"]) == (change, PAGE_ID)
    )
