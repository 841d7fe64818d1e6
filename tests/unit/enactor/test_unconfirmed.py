"""A change that nobody can ask for: the plan stands, and it is said why it is not confirmed."""

import pytest

from dnsplan.errors import AccessDenied, ReadFailed
from dnsplan.ports import Zone
from enactor.cycle import EnactCycle
from enactor.ports import ChangeStatus
from enactor.rules.outcomes import Applied, Held, HoldRule, Outcome
from tests.fakes.world import PACE, World, a


async def unasked(world: World, monkeypatch: pytest.MonkeyPatch, error: ReadFailed) -> EnactCycle:
    """An AZ that sent plan 1, and for which every question about a change ends so."""

    async def fail(_zone: Zone, _change_id: str) -> ChangeStatus:
        raise error

    await world.publish(a("www.example.com", "192.0.2.1"))
    cycle = world.az()
    assert isinstance(await world.enact(cycle), Applied)
    monkeypatch.setattr(world.route53, "change_status", fail)
    return cycle


async def asked(world: World, cycle: EnactCycle, *, after_s: float) -> Outcome | None:
    """The outcome of the next question."""
    world.clock.advance(after_s)
    return await cycle.confirm(await world.item())


async def test_a_policy_without_get_change_is_said_at_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Nothing would ever be confirmed, so that cleanup and pace go by old news: somebody is told
    what denies it. When it is granted, the change is confirmed as if nothing had been."""
    world = World()
    denied = AccessDenied("status of /change/C1: AccessDenied: not authorized")
    cycle = await unasked(world, monkeypatch, denied)
    outcome = await asked(world, cycle, after_s=5.0)
    assert outcome == Held(
        HoldRule.DENIED, str(denied), "dns-runbook preflight shop --role enactor"
    )
    monkeypatch.undo()
    await world.settle(cycle)
    assert (await world.item()).applied == 1


async def test_a_question_that_fails_for_long_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    """A few failures are how a network is; ten minutes of them are somebody's to look at."""
    world = World()
    failed = ReadFailed("status of /change/C1: Throttling: rate exceeded")
    cycle = await unasked(world, monkeypatch, failed)
    assert isinstance(await asked(world, cycle, after_s=5.0), Applied)
    outcome = await asked(world, cycle, after_s=PACE.confirm_max_s)
    assert outcome == Held(HoldRule.READ_FAILED, str(failed), "dns-runbook status shop")
