"""Throttled, busy, denied or slow: a writer waits, asks less, and goes on by itself."""

from collections.abc import Awaitable, Callable

import pytest

from dnsplan.names import parse_name
from dnsplan.plan import Generation
from dnsplan.runtime.config.schema import ZoneEntry
from dnsplan.runtime.retry import RetryPolicy
from enactor.rules.outcomes import Applied, Held, HoldRule, InSync, Unknown
from sandbox.aws.faults import PRIOR_REQUEST, THROTTLE, Refuse, Where
from tests.cases.stages import AZS, CHANGE, LIST, STATUS, Wire
from tests.fakes.notes import FakeBoard
from tests.fakes.world import a

WWW = "www.example.com"
EVERYTHING = Where(service="route53", times=None)


async def run(wire: Wire, seconds: float, *azs: str) -> None:
    """Let enactors pass every two seconds over the zone, each a process of its own."""
    board = FakeBoard()
    daemons = [wire.daemon(az, board) for az in azs or AZS]
    for _ in range(int(seconds / 2)):
        for daemon in daemons:
            await daemon.run_once()
            await daemon.finish()
        wire.clock.advance(2)


async def test_b10_throttled_writers_stay_up_and_wait(wire: Wire) -> None:
    """Ten minutes in which every request is throttled end no process and write nothing."""
    await wire.apply(a(WWW, "192.0.2.1"))
    await wire.publish(a(WWW, "192.0.2.2"))
    throttled = wire.aws.faults.arm(THROTTLE, EVERYTHING)
    await run(wire, 600)
    assert wire.content() == {a(WWW, "192.0.2.1")}
    wire.aws.faults.disarm(throttled.id)
    await run(wire, 60)
    assert (wire.content(), (await wire.item()).applied) == ({a(WWW, "192.0.2.2")}, 2)


async def test_b91_a_quiet_zone_is_not_read_again_and_again(wire: Wire) -> None:
    """Three enactors over 3,000 records: ten quiet minutes cost one look at each of 11 pages, with
    the fence behind it, by one of them."""
    await wire.apply(*(a(f"h{n:04d}.example.com", "192.0.2.1") for n in range(3_000)))
    await run(wire, 30)
    wire.spent()
    await run(wire, 600)
    spent = wire.spent()
    assert set(spent) == {LIST}
    assert spent[LIST] <= 2 * 12


async def test_b91_one_changed_record_of_thousands_costs_four_requests(wire: Wire) -> None:
    """Fence and batch, then status and the changed name: what the plans say is not read again."""
    names = [a(f"h{n:04d}.example.com", "192.0.2.1") for n in range(3_000)]
    await wire.apply(*names)
    wire.spent()
    await wire.apply(a("h0000.example.com", "192.0.2.2"), *names[1:])
    assert wire.spent() == {LIST: 2, CHANGE: 1, STATUS: 1}


async def test_b91_an_account_at_its_rate_is_shared_without_a_failure(wire: Wire) -> None:
    """Eight writers who share five requests a second all get through; a throttle ends nobody."""
    wire.aws.settings.route53.rate_per_s = 5.0
    adapters = [wire.adapter(per_s=5.0 / 8, seed=n) for n in range(8)]
    for generation in range(1, 6):
        await wire.publish(a(WWW, f"192.0.2.{generation}"))
        for adapter in adapters:
            wire.records = adapter
            assert isinstance(await wire.enact_and_settle(), Applied | InSync)
    assert (await wire.item()).applied == 5
    assert wire.aws.ledger.outcomes["route53", LIST, "Throttling"] <= 8


async def test_b93_hundreds_of_zones_are_found_at_the_rate_of_the_account(wire: Wire) -> None:
    """514 zones and five requests a second: no retry runs out, since they are listed by pages."""
    entries = {"shop": ZoneEntry(name="example.com")}
    for n in range(513):
        await wire.make_zone(f"z{n}", f"z{n}.example.net.")
        entries[f"z{n}"] = ZoneEntry(name=f"z{n}.example.net")
    wire.aws.settings.route53.rate_per_s = 5.0
    wire.spent()
    found = await wire.finder(*entries).find_all(entries)
    assert (len(found.zones), found.problems) == (514, ())
    assert sum(wire.spent().values()) <= 8


async def test_b94_waits_have_jitter_and_an_end(wire: Wire) -> None:
    """A throttled read is tried a few times at scattered moments, and then the pass ends."""
    await wire.apply(a(WWW, "192.0.2.1"))
    await wire.publish(a(WWW, "192.0.2.2"))
    wire.aws.faults.arm(THROTTLE, EVERYTHING)
    waited = set()
    for seed in range(5):
        wire.records = wire.adapter(per_s=10_000.0, seed=seed)
        wire.spent()
        began_s = wire.clock.elapsed_s()
        held = await wire.enact(wire.az())
        assert isinstance(held, Held)
        assert held.rule is HoldRule.READ_FAILED
        assert wire.spent()[LIST] <= RetryPolicy().tries_max
        waited.add(wire.clock.elapsed_s() - began_s)
    assert len(waited) == 5
    assert max(waited) < RetryPolicy().elapsed_s_max


async def test_b95_a_read_that_broke_off_makes_no_view(wire: Wire) -> None:
    """The second page of a listing fails: nothing is concluded from the first one."""
    names = [a(f"h{n:04d}.example.com", "192.0.2.1") for n in range(500)]
    await wire.apply(*names)
    fence = await wire.records.list_name(wire.zone, parse_name("_dnsplan.example.com"))
    wire.by_hand(("DELETE", fence[0]))
    await wire.publish(*(a(f"h{n:04d}.example.com", "192.0.2.2") for n in range(500)))
    broken = wire.aws.faults.arm(THROTTLE, Where(operation=LIST, after=2, times=None))
    wire.spent()
    held = await wire.enact(wire.az())
    assert isinstance(held, Held)
    assert (held.rule, wire.spent()[CHANGE]) == (HoldRule.READ_FAILED, 0)
    wire.aws.faults.disarm(broken.id)
    assert isinstance(await wire.enact(wire.az()), Applied)


async def read_fence(wire: Wire) -> None:
    """The fence."""
    await wire.records.read_fence(wire.zone)


async def list_page(wire: Wire) -> None:
    """One page."""
    await wire.records.list_page(wire.zone, None)


async def list_name(wire: Wire) -> None:
    """One name."""
    await wire.records.list_name(wire.zone, parse_name(WWW))


async def get_zone(wire: Wire) -> None:
    """A zone by its id."""
    await wire.finder("shop").find("shop", ZoneEntry(name="example.com", id=wire.zone.zone_id))


async def find_zone(wire: Wire) -> None:
    """A zone by its name."""
    await wire.finder("shop").find("shop", ZoneEntry(name="example.com"))


async def list_zones(wire: Wire) -> None:
    """All zones of the account."""
    entries = {f"z{n}": ZoneEntry(name="example.com") for n in range(5)}
    await wire.finder(*entries).find_all(entries)


@pytest.mark.parametrize(
    "read", [read_fence, list_page, list_name, get_zone, find_zone, list_zones]
)
async def test_b96_every_read_is_asked_again_when_throttled(
    wire: Wire, read: Callable[[Wire], Awaitable[None]]
) -> None:
    """The retry layer is ours and covers each call, not those that a table of flags names."""
    wire.aws.faults.arm(THROTTLE, Where(service="route53", times=2))
    wire.spent()
    await read(wire)
    assert sum(wire.spent().values()) == 3


async def test_b96_the_state_of_a_change_is_asked_again_when_throttled(wire: Wire) -> None:
    """GetChange is a read like the others."""
    await wire.publish(a(WWW, "192.0.2.1"))
    cycle = wire.az()
    await wire.enact(cycle)
    wire.aws.faults.arm(THROTTLE, Where(operation=STATUS, times=2))
    await wire.settle(cycle)
    assert (await wire.item()).applied == 1


async def test_b97_a_busy_zone_is_waited_for(wire: Wire) -> None:
    """PriorRequestNotComplete is no error of the plan: the zone is read, and asked again later."""
    wire.aws.settings.route53.change_duration_s = 5.0
    await wire.publish(a(WWW, "192.0.2.1"))
    await wire.enact(wire.az("az1"))
    await wire.publish(a(WWW, "192.0.2.2"))
    busy = await wire.enact(wire.az("az2"))
    assert isinstance(busy, Unknown)
    assert "PriorRequestNotComplete" in busy.reason
    await run(wire, 30, "az2")
    assert ((await wire.item()).applied, wire.content()) == (2, {a(WWW, "192.0.2.2")})


async def test_b98_no_clock_of_ours_gives_a_busy_zone_up(wire: Wire) -> None:
    """After twenty busy minutes the change still goes out, sent once each time it was tried."""
    await wire.apply(a(WWW, "192.0.2.1"))
    await wire.publish(a(WWW, "192.0.2.2"))
    busy = wire.aws.faults.arm(PRIOR_REQUEST, Where(operation=CHANGE, times=None))
    wire.spent()
    await wire.enact(wire.az())
    assert wire.spent()[CHANGE] == 1
    await run(wire, 1_200)
    assert wire.spent()[CHANGE] <= 150
    wire.aws.faults.disarm(busy.id)
    await run(wire, 130)
    assert (await wire.item()).applied == 2


async def test_b99_waiting_for_sync_is_bounded_cheap_and_in_nobodys_way(wire: Wire) -> None:
    """Five minutes to be in sync cost few polls, and the next plan does not wait for them."""
    wire.aws.settings.route53.insync_after_s = 300.0
    await wire.publish(a(WWW, "192.0.2.1"))
    wire.spent()
    await run(wire, 200, "az1")
    assert 3 <= wire.spent()[STATUS] <= 15
    await wire.publish(a(WWW, "192.0.2.2"))
    await run(wire, 30)
    assert wire.content() == {a(WWW, "192.0.2.2")}
    await run(wire, 400)
    assert (await wire.item()).applied == 2


async def test_b112_a_bad_credential_is_said_and_keeps_the_answers(wire: Wire) -> None:
    """An expired token ends no process: the hold says what to look at, and it heals by itself."""
    await wire.apply(a(WWW, "192.0.2.1"))
    await wire.publish(a(WWW, "192.0.2.2"))
    expired = Refuse("ExpiredToken", "The security token included in the request is expired", 403)
    armed = wire.aws.faults.arm(expired, EVERYTHING)
    held = await wire.enact(wire.az())
    assert isinstance(held, Held)
    assert held.rule is HoldRule.DENIED
    assert "check the credentials" in held.text
    await run(wire, 120)
    assert wire.content() == {a(WWW, "192.0.2.1")}
    wire.aws.faults.disarm(armed.id)
    await run(wire, 130)
    assert (await wire.item()).applied == Generation(2)
