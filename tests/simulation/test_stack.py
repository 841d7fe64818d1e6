"""The promises over the whole stack: the product's adapters and AWS's SDK under the same schedules,
faults and judge as over fakes. Fewer seeds, since a request costs a hundred times as much."""

import os
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from dnsplan.runtime.aws import AwsClients
from sandbox.aws.call import Answer, Call
from sandbox.aws.gate import Gate
from tests.simulation import world
from tests.simulation.__main__ import played, replay
from tests.simulation.stack import ground
from tests.simulation.stack.clients import clients_of
from tests.simulation.world import run

pytestmark = [pytest.mark.simulation, pytest.mark.timeout(600)]

SEEDS = range(1, 21)
# What each of these worlds has at least a few of among all its seeds.
COMMON = ("lost request", "lost reply", "late delivery", "throttled", "server error")
# A guard that is gone shows within so many seeds, or the world is too poor.
TRIED_MAX = 12


def test_twenty_schedules_keep_every_promise() -> None:
    """Whatever befalls requests, processes and zones, no promise breaks and all comes right; faults
    of every common kind landed, and there were plans of several batches."""
    reports = list(played(SEEDS, jobs=os.cpu_count() or 1, stack=True))
    assert [f"{replay(one.seed, stack=True)}: {one.broken}" for one in reports if one.broken] == []
    landed = sum((report.landed for report in reports), Counter[str]())
    assert [kind for kind in COMMON if landed[kind] < 5] == []
    assert min(report.generations for report in reports) >= 1
    assert max(report.batches_max for report in reports) >= 3


@pytest.mark.parametrize("operation", ["GetItem", "Query"])
def test_a_forgotten_consistent_read_is_noticed(
    operation: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Reads that may be of the past break a promise: what DynamoDB calls eventual has no bound."""
    act = Gate.act

    def forgetful(gate: Gate, call: Call) -> Answer:
        if call.operation == operation:
            body = call.body.replace(b'"ConsistentRead": true', b'"ConsistentRead": false')
            assert body != call.body
            call = replace(call, body=body)
        return act(gate, call)

    monkeypatch.setattr(Gate, "act", forgetful)
    monkeypatch.setattr(ground, "STALE_S", ground.STALE_S[-1:])
    monkeypatch.setattr(world, "CALM_S", 120.0)
    assert _first_broken() == "P10"


@pytest.fixture
def _with_sdk_retries(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The SDK tries again by itself, as it does when nobody tells it not to."""
    stated = AwsClients._config

    def with_retries(clients: AwsClients, service: str) -> Any:
        from aiobotocore.config import AioConfig

        return stated(clients, service).merge(AioConfig(retries={"total_max_attempts": 3}))

    monkeypatch.setattr(AwsClients, "_config", with_retries)
    clients_of.cache_clear()
    yield
    clients_of.cache_clear()


@pytest.mark.usefixtures("_with_sdk_retries")
def test_a_hidden_second_try_is_noticed() -> None:
    """An SDK that sends a batch again by itself breaks P11: the fence is read first."""
    assert _first_broken() == "P11"


def _first_broken() -> str:
    """The promise that breaks first."""
    reports = (run(seed, stack=True) for seed in range(1, TRIED_MAX + 1))
    return next((report.promise for report in reports if report.broken), "")
