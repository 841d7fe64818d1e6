"""The planner as a daemon: targets die and come back, planners race and crash, AWS goes away."""

import asyncio
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from dnsplan.codec import unseal
from dnsplan.guardrails import answers
from dnsplan.plan import Plan
from dnsplan.ports import PlanRow
from dnsplan.runtime.archive import DynamoPlanArchive
from dnsplan.runtime.aws import AwsClients
from dnsplan.runtime.clock import SystemClock, SystemJitter
from dnsplan.runtime.retry import RetryBudget, Retrying
from dnsplan.runtime.table import DynamoGenerationTable
from tests.integration.planner_stage import (
    SEEN_WITHIN_S,
    Daemon,
    PlannerStage,
    Target,
    planner_stage,
)

HOSTS = ("127.0.0.1", "127.0.0.2", "127.0.0.3")


@pytest.fixture
def stage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[PlannerStage]:
    """A stand-in with the table."""
    with planner_stage(tmp_path) as made:
        monkeypatch.setenv("AWS_ENDPOINT_URL", made.stand_in.endpoint_url)
        yield made


@pytest.fixture
def targets() -> Iterator[list[Target]]:
    """Three hosts that listen on one port."""
    made = [Target(HOSTS[0])]
    made.extend(Target(host, made[0].port) for host in HOSTS[1:])
    yield made
    for target in made:
        target.close()


def configured(stage: PlannerStage, targets: list[Target], *, window_s: int = 300) -> None:
    """One pool-driven name over the targets, and the table."""
    listed = ", ".join(
        f"{{id: t{index}, address: {target.host}}}" for index, target in enumerate(targets)
    )
    stage.write(f"""
guardrails: {{window_s: {window_s}}}
zones:
  shop: {{name: example.com, names: {{www: {{pool: web}}}}}}
pools:
  web:
    targets: [{listed}]
    health:
      tcp: {{port: {targets[0].port}}}
      interval_s: 0.2
      timeout_s: 0.15
      probation_s: 0
""")
    assert stage.run("init").code == 0


async def newest() -> tuple[Plan | None, list[PlanRow]]:
    """The plan at head as an enactor reads it, and all rows."""
    retrying = Retrying(SystemClock(), SystemJitter(), budget=RetryBudget())
    async with AwsClients().open("dynamodb") as dynamodb:
        archive = DynamoPlanArchive(dynamodb, "dnsplan", retrying)
        items = await DynamoGenerationTable(dynamodb, "dnsplan", retrying).read(["shop"])
        rows = list(await archive.rows("shop"))
        item = items.get("shop")
        if item is None or item.head == 0:
            return None, rows
        return unseal(await archive.load(item.head_id)), rows


def head() -> Plan | None:
    """The plan at head."""
    return asyncio.run(newest())[0]


def wait_until(holds: Callable[[Plan], bool], what: str) -> Plan:
    """The plan at head, once it is as wanted."""
    until_s = time.monotonic() + SEEN_WITHIN_S
    while True:
        plan = head()
        if plan is not None and holds(plan):
            return plan
        assert time.monotonic() < until_s, f"{what}; head is {plan}"
        time.sleep(0.1)


def answering(*hosts: str) -> Callable[[Plan], bool]:
    """Whether exactly these hosts answer."""
    return lambda plan: answers(plan.content) == frozenset(hosts)


def test_a_host_that_dies_leaves_and_comes_back_when_it_lives(
    stage: PlannerStage, targets: list[Target]
) -> None:
    """A dead one of three is taken out by the next plan and put back after rise good probes."""
    configured(stage, targets)
    with stage.daemon("run", "--az", "use1-az1") as planner:
        first = wait_until(answering(*HOSTS), "no first plan")
        targets[1].close()
        second = wait_until(answering(HOSTS[0], HOSTS[2]), "the dead host stays")
        targets[1].open()
        third = wait_until(answering(*HOSTS), "the host does not come back")
        assert planner.stop() == 0
    assert [one.generation for one in (first, second, third)] == [1, 2, 3]
    assert second.author == "planner/use1-az1"
    assert second.reason == f"www.example.com. A -{HOSTS[1]}"


def test_when_most_hosts_look_dead_nothing_goes(stage: PlannerStage, targets: list[Target]) -> None:
    """Panic keeps the answers, is logged once, and ends when the hosts are back."""
    configured(stage, targets)
    with stage.daemon("run") as planner:
        wait_until(answering(*HOSTS), "no first plan")
        for target in targets:
            target.close()
        told = wait_for_fact(planner, "panic")
        assert told == ["www.example.com. A"]
        time.sleep(1.0)  # several more cycles and probe rounds
        plan = head()
        assert plan is not None
        assert answers(plan.content) == frozenset(HOSTS)
        for target in targets:
            target.open()
        assert planner.stop() == 0


def wait_for_fact(planner: Daemon, fact: str) -> object:
    """The value of a field, once some event of the zone has it."""
    until_s = time.monotonic() + SEEN_WITHIN_S
    while time.monotonic() < until_s:
        for event in planner.events("zone_planned") + planner.events("plan_published"):
            if fact in event:
                return event[fact]
        time.sleep(0.05)
    raise AssertionError(f"no event says {fact}:\n{planner.log.read_text()}")


def test_two_planners_publish_one_line_of_plans(stage: PlannerStage, targets: list[Target]) -> None:
    """Side by side through deaths and returns: numbers count by one, one content each, and both
    planners end in the same place."""
    configured(stage, targets, window_s=1)
    with (
        stage.daemon("run", "--az", "use1-az1", log="one.log") as one,
        stage.daemon("run", "--az", "use1-az2", log="two.log") as two,
    ):
        wait_until(answering(*HOSTS), "no first plan")
        for target in targets[:2]:
            target.close()
            gone = frozenset(HOSTS) - {target.host}
            wait_until(answering(*gone), "the dead host stays")
            target.open()
            wait_until(answering(*HOSTS), "the host does not come back")
        assert (one.stop(), two.stop()) == (0, 0)
    published = [
        (event["generation"], event["digest"])
        for planner in (one, two)
        for event in planner.events("plan_published")
    ]
    generations = [generation for generation, _ in published]
    assert sorted(generations) == list(range(1, len(generations) + 1))


def test_a_planner_killed_at_any_time_loses_nothing(
    stage: PlannerStage, targets: list[Target]
) -> None:
    """SIGKILL, restart with all health forgotten: the answers stay, then the dead host goes."""
    configured(stage, targets)
    with stage.daemon("run") as planner:
        wait_until(answering(*HOSTS), "no first plan")
        planner.kill()
    targets[2].close()
    with stage.daemon("run") as planner:
        wait_until(answering(HOSTS[0], HOSTS[1]), "the dead host stays")
        planner.kill()
    targets[2].open()
    with stage.daemon("run") as planner:
        planner.wait_for("daemon_started")
        wait_until(answering(*HOSTS), "the host does not come back")
        assert planner.stop() == 0
    _, rows = asyncio.run(newest())
    assert [row.plan_id.generation for row in rows] == [1, 2, 3]


def test_a_planner_outlives_aws(stage: PlannerStage, targets: list[Target]) -> None:
    """While the table is gone it holds and says so, and plans again when it is back."""
    configured(stage, targets)
    with stage.daemon("run") as planner:
        wait_until(answering(*HOSTS), "no first plan")
        stage.stand_in.run(stage.stand_in.call(lambda one: one.go_away()))
        targets[0].close()
        (held, *_) = planner.wait_for("zone_held")
        assert held["rule"] == "read_failed"
        stage.stand_in.run(stage.stand_in.call(lambda one: one.come_back()))
        wait_until(answering(HOSTS[1], HOSTS[2]), "the dead host stays")
        assert planner.stop() == 0


def test_a_planner_without_a_table_waits_for_one(
    stage: PlannerStage, targets: list[Target]
) -> None:
    """Started before init it holds with the command that makes the table, then goes on."""
    configured(stage, targets)
    stage.write("table: later\n" + (stage.folder / "dns.yaml").read_text().split("\n", 4)[4])
    with stage.daemon("run") as planner:
        (held, *_) = planner.wait_for("zone_held")
        assert held["command"] == "dns-planner init"
        assert stage.run("init").code == 0
        planner.wait_for("plan_published")
        assert planner.stop() == 0
