"""What planner and enactor page themselves, made for real: to a receiver, and over again."""

import asyncio
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import boto3
import pytest

from dnsplan.fence import fence_name
from tests.integration.daemons_stage import LABEL, A, Daemons, daemons_stage
from tests.integration.planner_stage import Target
from tests.integration.sentinel_process import Heard, record, webhook

pytestmark = pytest.mark.system

HOSTS = ("127.0.0.41", "127.0.0.42")
WAIT_S = 60.0
STRANGER = "5" * 32
CONFIG = """
azs: [{az}]
state_dir: {folder}
account_requests_per_s: 900
planner: {{interval_s: 0.2}}
enactor: {{interval_s: 0.1, fence_check_s: 1, stagger_s: 0.3}}
paging: {{held_s: 1, calm_s: 0, alarms: [{{webhook: {{url: "{hook}"}}}}]}}
zones:
  shop: {{name: example.com, names: {{www: {{pool: web}}}}}}
pools:
  web:
    targets: [{{id: a, address: {a}}}, {{id: b, address: {b}}}]
    health: {{tcp: {{port: {port}}}, interval_s: 0.5, timeout_s: 0.4}}
"""


@contextmanager
def backends() -> Iterator[list[Target]]:
    """Two that listen on one port."""
    with ExitStack() as stack:
        first = Target(HOSTS[0])
        both = [first, Target(HOSTS[1], first.port)]
        for one in both:
            stack.callback(one.close)
        yield both


async def paged(heard: Heard, page_id: str, runbook: str) -> None:
    """It arrives, and says where to read on."""
    _, page = await heard.until_told("page", page_id, WAIT_S)
    assert page["runbook"] == runbook
    assert f"runbooks/{runbook}.md" in page["text"]


async def over(heard: Heard, page_id: str) -> None:
    """Its end arrives."""
    await heard.until_told("recovery", page_id, WAIT_S)


async def move_fence(stage: Daemons, text: str) -> None:
    """As somebody with the right to the zone and none to its fence."""
    apex = stage.aws.zone.name
    upsert = {
        "Action": "UPSERT",
        "ResourceRecordSet": record(fence_name(apex), text, kind="TXT", ttl_s=60),
    }
    client = boto3.client("route53", endpoint_url=stage.aws.stand_in.endpoint_url)
    await asyncio.to_thread(
        client.change_resource_record_sets,
        HostedZoneId=stage.aws.zone.zone_id,
        ChangeBatch={"Changes": [upsert]},
    )


async def test_planner_and_enactor_page_and_tell_the_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A stranger at the fence, a pool that looks dead, a table that is away: each is one page, with
    its runbook, and one recovery; nothing else is told."""
    with backends() as targets:
        async with webhook() as (heard, hook):
            config = CONFIG.format(
                az=A.removeprefix("enactor-"),
                folder=tmp_path,
                hook=hook,
                a=HOSTS[0],
                b=HOSTS[1],
                port=targets[0].port,
            )
            async with daemons_stage(tmp_path, monkeypatch, config=config) as stage:
                planner = await stage.planner()
                await stage.logged(planner, "plan_published")
                await stage.enactor(A)
                await stage.applied(1)
                assert heard.told() == []

                sets = stage.aws.stand_in.route53.zone(stage.aws.zone.zone_id)
                ours = sets.sets_at(fence_name(stage.aws.zone.name))["TXT", ""].values[0]
                await move_fence(stage, ours.replace(stage.fence().owner, STRANGER))
                for one in targets:
                    one.close()
                await paged(heard, f"held-zone/{LABEL}", "fenced-out")
                await paged(heard, f"pool-panic/{LABEL}", "velocity-hold")
                await move_fence(stage, ours)
                for one in targets:
                    one.open()
                await over(heard, f"held-zone/{LABEL}")
                await over(heard, f"pool-panic/{LABEL}")

                both = ("planner-unread", f"unread-table/{A.removeprefix('enactor-')}")
                await stage.aws.stand_in.go_away()
                for page_id in both:
                    await paged(heard, page_id, "table-unreachable")
                await stage.aws.stand_in.come_back()
                for page_id in both:
                    await over(heard, page_id)
            ids = [f"held-zone/{LABEL}", f"pool-panic/{LABEL}", *both]
            told = [(change, one) for one in ids for change in ("page", "recovery")]
            assert sorted(heard.told()) == sorted(told)
