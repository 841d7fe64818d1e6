"""Hundreds of zones, each in an account of its own: found at the rate, apart."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from dnsplan.errors import ReadFailed
from dnsplan.runtime.aws import AwsClients
from dnsplan.runtime.bucket import TokenBucket, share_of_account
from dnsplan.runtime.config.schema import ZoneEntry
from dnsplan.runtime.retry import RetryBudget, Retrying
from dnsplan.runtime.zones import FoundZones, ZoneFinder
from enactor.daemon import EnactorDaemon
from enactor.roster import Roster
from sandbox.aws.faults import Refuse, Where
from sandbox.aws.server import StandIn, serve
from tests.cases.stages import AZS, Wire, wire
from tests.fakes.clock import FakeClock, SeededJitter
from tests.fakes.notes import FakeBoard
from tests.fakes.world import PACE
from tests.unit.dnsplan.config.texts import loaded

__all__ = ["wire"]

ZONES = 300
SHARE = share_of_account(5.0, len(AZS))


class Account:
    """A client of its own, as a role's is; notes when it is asked, and what is worked on then."""

    def __init__(self, wire: Wire, daemon: EnactorDaemon, asked: list[tuple[float, int]]) -> None:
        """Nothing is asked yet."""
        self._wire, self._daemon, self._asked = wire, daemon, asked

    async def get_hosted_zone(self, **request: Any) -> Any:
        """The zone of that id, as Route 53 shows it; its name begins as its id does."""
        self._asked.append((self._wire.clock.elapsed_s(), len(self._daemon.tasks)))
        name = f"{request['Id'].lower()}.example.net."
        shown = {"Id": f"/hostedzone/{request['Id']}", "Name": name}
        return {"HostedZone": {**shown, "Config": {"PrivateZone": False}}}


async def test_a_start_with_three_hundred_accounts_keeps_to_the_share(
    wire: Wire, tmp_path: Path
) -> None:
    """One request a zone, never more in ten seconds than burst and rate allow, and the first zones
    are worked on while the last are still looked for."""
    text = "azs: [az1, az2, az3]\nzones:\n" + "".join(
        f"  z{n}: {{name: z{n}.example.net, id: Z{n}, "
        f"role_arn: 'arn:aws:iam::{210000000000 + n}:role/dns', names: {{}}}}\n"
        for n in range(ZONES)
    )
    settings = loaded(tmp_path, text).settings
    asked: list[tuple[float, int]] = []
    daemon = EnactorDaemon(wire.outside(1), FakeBoard(), az="az1", azs=list(AZS), pace=PACE)
    clients: dict[str, Any] = {label: Account(wire, daemon, asked) for label in settings.zones}
    finder = ZoneFinder(clients, wire.retrying(TokenBucket(wire.clock, SHARE)))
    await Roster(settings, finder, daemon).run_once()
    assert len(daemon.tasks) == ZONES
    assert [tasks for _, tasks in asked] == list(range(ZONES))
    times = [at_s for at_s, _ in asked]
    busiest = max(sum(begin <= one < begin + 10.0 for one in times) for begin in times)
    assert busiest <= SHARE.burst + 10.0 * SHARE.per_s + 1


ROLES = {label: f"arn:aws:iam::21000000001{label[1:]}:role/dns" for label in ("z1", "z2", "z3")}


@pytest.fixture
async def stand_in(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[StandIn]:
    """With a zone for each label."""
    async with serve() as made:
        monkeypatch.setenv("AWS_ENDPOINT_URL", made.endpoint_url)
        async with AwsClients().open("route53") as client:
            for label in ROLES:
                await client.create_hosted_zone(Name=f"{label}.test", CallerReference=label)
        yield made


async def find_as(clients: Any) -> FoundZones:
    """Find the zones of all labels."""
    retrying = Retrying(FakeClock(), SeededJitter(), budget=RetryBudget())
    entries = {label: ZoneEntry(name=f"{label}.test") for label in ROLES}
    return await ZoneFinder(clients, retrying).find_all(entries)


async def test_a_role_that_may_not_be_taken_holds_its_own_zones_alone(stand_in: StandIn) -> None:
    """The others are found; what STS said is told. Where none can be taken, the read failed."""
    refused = Refuse("AccessDenied", "is not authorized to perform sts:AssumeRole", 403)
    stand_in.faults.arm(refused, Where(service="sts", times=1))
    async with AwsClients().open_by_label("route53", ROLES) as clients:
        found = await find_as(clients)
    assert set(found.zones) == {"z2", "z3"}
    [problem] = found.problems
    assert (problem.label, problem.key) == ("z1", "role_arn")
    assert "sts:AssumeRole" in problem.found
    stand_in.faults.arm(refused, Where(service="sts", times=None))
    async with AwsClients().open_by_label("route53", ROLES) as clients:
        with pytest.raises(ReadFailed, match="sts:AssumeRole"):
            await find_as(clients)


async def test_roles_share_what_describes_aws(stand_in: StandIn) -> None:
    """Each is taken once, when it is first needed, and none reads the descriptions again: they are
    some nine megabytes each, and a process has hundreds of roles within one gigabyte."""
    opening = AwsClients()
    stand_in.ledger.reset()
    async with opening.open_by_label("route53", ROLES) as clients:
        assert stand_in.ledger.total == 0
        for _ in range(2):
            assert set((await find_as(clients)).zones) == set(ROLES)
    taken = [n for (_, op, _), n in stand_in.ledger.requests.items() if op == "AssumeRole"]
    assert taken == [len(ROLES)]
    sessions = [await opening._session(role) for role in (None, *ROLES.values())]
    assert len({id(one.get_component("data_loader")) for one in sessions}) == 1


async def test_opening_many_roles_gives_way_between_two(monkeypatch: pytest.MonkeyPatch) -> None:
    """A client takes milliseconds to make: whatever else runs in the process has its turn after
    each, and only the first session sets up what all share."""
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    opening, loop = AwsClients(), asyncio.get_running_loop()
    turns: list[asyncio.Handle] = []

    def take_turn() -> None:
        turns.append(loop.call_soon(take_turn))

    take_turn()
    async with opening.open_by_label("route53", ROLES):
        assert len(turns) > len(ROLES)
    turns[-1].cancel()
    sessions = [await opening._session(role) for role in (None, *ROLES.values())]
    assert len({id(one.get_component("event_emitter")._emitter) for one in sessions}) == 1
