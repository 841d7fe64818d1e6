"""Names and types that an operator ended: what stands there afterwards is said, never touched."""

from structlog.testing import capture_logs

from dnsplan.names import parse_name
from dnsplan.plan import Generation, Retirement
from dnsplan.records import RecordSet
from enactor.daemon import EnactorDaemon
from enactor.rules.outcomes import Applied, Held, HoldRule, InSync
from runbooks.auditing.looking import Looking
from runbooks.auditing.show import audit_facts, audit_lines
from tests.fakes.notes import FakeBoard
from tests.fakes.world import PACE, World, a
from tests.unit.enactor.test_audit import audited
from tests.unit.enactor.test_cycle import applied_once

WWW = a("www.example.com", "192.0.2.1")
GONE = a("t.example.com", "192.0.2.9")
WORD = (Retirement(parse_name("t.example.com"), "A", 2, "ops"),)
THEIRS = a("t.example.com", "203.0.113.66")


async def ended(world: World) -> None:
    """A zone in which `t` was retired, noted and confirmed."""
    await applied_once(world, WWW, GONE)
    await world.publish(WWW, retired=WORD)
    cycle = world.az()
    await world.enact(cycle)
    await world.settle(cycle)


async def test_a_retired_name_that_still_stands_is_said_when_it_is_read_back() -> None:
    """B44, B46: INSYNC is no proof that a record is gone either; who made it is not known, so it is
    left alone (P6), and the plan itself stands."""
    world = World()
    await applied_once(world, WWW, GONE)
    await world.publish(WWW, retired=WORD)
    cycle = world.az()
    assert await world.enact(cycle) == Applied(Generation(2), 1, 0, confirmed=False)
    world.route53.edit(world.zone, ("CREATE", GONE))
    outcome = await world.settle(cycle)
    assert outcome == Held(
        HoldRule.DRIFT,
        "plan 2 is in sync, yet t.example.com. A: wanted nothing; standing A 60 192.0.2.9",
        "dns-runbook audit shop",
    )
    item = await world.item()
    assert (item.applied, item.last_known_good) == (2, 2)
    submits = world.route53.requests["submit"]
    assert await audited(world, cycle) == InSync(Generation(2))
    assert set(world.route53.content(world.zone)) == {WWW, GONE}
    assert world.route53.requests["submit"] == submits


async def test_what_comes_back_later_is_seen_by_the_audit_and_left_alone() -> None:
    """It may be somebody's new record: it is no drift, and no plan touches it."""
    world = World()
    await ended(world)
    world.route53.edit(world.zone, ("CREATE", THEIRS))
    cycle = world.az()
    assert await audited(world, cycle) == InSync(Generation(2))
    assert cycle.findings("shop").drift == ()
    assert [str(one) for one in cycle.findings("shop").returned] == [
        "t.example.com. A: wanted nothing; standing A 60 203.0.113.66"
    ]
    world.route53.edit(world.zone, ("DELETE", THEIRS))
    await audited(world, cycle)
    assert cycle.findings("shop").returned == ()


async def test_other_types_at_a_retired_name_are_nobodys_business() -> None:
    """The word was for one type: others may come to the name."""
    world = World()
    await ended(world)
    world.route53.edit(world.zone, ("CREATE", RecordSet(GONE.name, "TXT", 60, ('"v"',))))
    cycle = world.az()
    await audited(world, cycle)
    assert cycle.findings("shop").returned == ()


async def test_the_daemon_logs_once_what_came_back() -> None:
    """One event when it is seen, with what stands there and what to run."""
    world = World()
    await ended(world)
    world.route53.edit(world.zone, ("CREATE", THEIRS))
    board = FakeBoard()
    daemon = EnactorDaemon(world.outside(9), board, az="az1", azs=["az1"], pace=PACE)
    daemon.admit(world.task)
    with capture_logs() as logs:
        for _ in range(4):
            world.clock.advance(PACE.audit_s + PACE.fence_check_s)
            await daemon.run_once()
            await daemon.finish()
    seen = [one for one in logs if one["event"] == "retired_name_stands"]
    assert [(one["name"], one["type"], one["standing"]) for one in seen] == [
        ("t.example.com.", "A", "A 60 203.0.113.66")
    ]
    (note,) = board.signs["az1"].zones[0].notes
    assert note == (
        "t.example.com. A: wanted nothing; standing A 60 203.0.113.66; it was retired, and is left"
        " alone"
    )


async def test_the_audit_command_shows_what_came_back_apart_from_drift() -> None:
    """It is told, and it is no failure: nobody promised that others would not use the name."""
    world = World()
    await ended(world)
    world.route53.edit(world.zone, ("CREATE", THEIRS))
    audit = await Looking(world.outside(9)).look(world.zone, lambda *_: None)
    assert (audit.drift, len(audit.returned)) == ((), 1)
    assert next(audit_lines("shop", audit)) == (
        "shop retired t.example.com. A: stands again as A 60 203.0.113.66, left alone"
    )
    assert audit_facts("shop", audit)["returned"] == [
        {"name": "t.example.com.", "type": "A", "standing": ["A 60 203.0.113.66"]}
    ]
