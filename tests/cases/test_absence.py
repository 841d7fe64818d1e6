"""Empty or partial input is never an instruction: what is not seen stays as it was published."""

import pytest

from dnsplan.errors import ConfigError
from dnsplan.names import parse_name
from dnsplan.plan import Generation, Retirement
from dnsplan.records import AliasTarget, RecordSet
from enactor.rules.outcomes import Applied, Held, HoldRule
from planner.rules.notes import Fate
from planner.rules.outcomes import Held as PlannerHeld
from planner.rules.outcomes import HoldRule as PlannerHoldRule
from planner.rules.outcomes import Published, Unchanged
from sandbox.aws.faults import THROTTLE, LoseRequest, Where
from tests.cases.configs import pool_config, records_config
from tests.cases.stages import CHANGE, LIST, House, Wire
from tests.fakes.world import a

ONE = {"a": "192.0.2.1"}
FOUR = {key: f"192.0.2.{n}" for n, key in enumerate("abcd", 1)}
EIGHT = {key: f"192.0.2.{n}" for n, key in enumerate("abcdefgh", 1)}
FIRST = Generation(1)
WWW = "www.example.com"


async def test_b01_an_owner_without_addresses_removes_nothing(house: House) -> None:
    """A pool that is still there and has no answer now keeps the answer that was published."""
    house.configure(pool_config(ONE))
    await house.turn()
    house.prober.kill("192.0.2.1")
    for _ in range(5):
        assert isinstance((await house.turn()).outcome, Unchanged)
    with pytest.raises(ConfigError, match="an empty pool is never an instruction"):
        house.configure(pool_config({}))
    assert house.answers(WWW) == {"192.0.2.1"}
    assert house.spent()[CHANGE] == 1


async def test_b02_a_look_that_failed_may_add_and_never_removes(house: House) -> None:
    """What could not be asked for a while stays; what was seen to be new still comes in."""
    house.configure(pool_config(FOUR))
    await house.turn()
    house.prober.lose_sight("192.0.2.2")
    house.configure(pool_config({**FOUR, "e": "192.0.2.9"}))
    assert isinstance((await house.turn()).outcome, Published)
    assert house.answers(WWW) == {*FOUR.values(), "192.0.2.9"}


async def test_b03_a_name_never_ends_because_what_it_points_at_did(wire: Wire) -> None:
    """A derived plan that leaves a live name without its alias target's answers is refused."""
    alias = AliasTarget(wire.zone.zone_id, parse_name("nodes.example.com"), False)
    api = RecordSet(parse_name("api.example.com"), "A", None, (), alias=alias)
    nodes = a("nodes.example.com", "192.0.2.1")
    assert isinstance(await wire.apply(api, nodes), Applied)
    for emptied in ([api], [nodes]):
        await wire.publish(*emptied)
        held = await wire.enact(wire.az())
        assert isinstance(held, Held)
        assert (held.rule, "never_empty" in held.text) == (HoldRule.GUARDRAIL, True)
    assert wire.content() == {api, nodes}


async def test_b03_a_name_is_never_led_back_to_itself(house: House) -> None:
    """Addresses do not give way to CNAMEs that go round: both names keep them, others go on."""
    one = "{{records: [{{type: A, values: [{}]}}]}}"
    apart = f"v: {one.format('192.0.2.1')}, w: {one.format('192.0.2.2')}"
    house.configure(records_config(apart))
    await house.turn()
    to = "{{records: [{{type: CNAME, values: [{}.example.com.]}}]}}"
    for round_trip in (f"w: {to.format('w')}", f"v: {to.format('w')}, w: {to.format('v')}"):
        with pytest.raises(ConfigError, match="would lead back to itself"):
            house.configure(records_config(round_trip))
    house.configure(records_config(f"w: {to.format('v')}"))
    await house.turn()
    house.configure(records_config(f"v: {to.format('w')}, x: {one.format('192.0.2.3')}"))
    report = await house.turn()
    assert report.candidate is not None
    held = [note.unit[0] for note in report.candidate.notes if note.fate is Fate.MALFORMED]
    assert set(held) == {"v.example.com."}
    assert house.answers("v.example.com") == {"192.0.2.1"}
    assert house.answers("x.example.com") == {"192.0.2.3"}


async def test_b04_a_restart_into_throttling_removes_nothing(wire: Wire) -> None:
    """A listing that failed is no empty zone: nothing is sent until one whole listing was read."""
    names = [a(f"h{n:04d}.example.com", "192.0.2.1") for n in range(1_100)]
    await wire.publish(*names)
    wire.aws.faults.arm(LoseRequest(), Where(operation=CHANGE, after=1))
    await wire.enact(wire.az("az1"))
    half = wire.content()
    assert 0 < len(half) < len(names)
    throttled = wire.aws.faults.arm(THROTTLE, Where(operation=LIST, after=1, times=None))
    wire.spent()
    held = await wire.enact(wire.az("az2"))
    assert isinstance(held, Held)
    assert held.rule is HoldRule.READ_FAILED
    assert (wire.content(), wire.spent()[CHANGE]) == (half, 0)
    wire.aws.faults.disarm(throttled.id)
    assert isinstance(await wire.enact(wire.az("az2")), Applied)
    assert wire.content() == set(names)


async def test_b05_what_a_list_leaves_out_is_kept(house: House) -> None:
    """A name that one reading of the config lacks is carried forward, shown, and not deleted."""
    www, api = (f"records: [{{type: A, values: [192.0.2.{n}]}}]" for n in (1, 2))
    both = f"www: {{{www}}}, api: {{{api}}}"
    house.configure(records_config(both))
    await house.turn()
    house.configure(records_config(f"www: {{{www}}}"))
    report = await house.turn()
    assert report.candidate is not None
    shown = {note.unit[0] for note in report.candidate.notes if note.fate is Fate.UNLISTED}
    assert (report.outcome, shown) == (Unchanged(FIRST), {parse_name("api.example.com")})
    assert house.answers("api.example.com") == {"192.0.2.2"}
    house.configure(records_config(both))
    assert (await house.turn()).outcome == Unchanged(FIRST)


async def test_b07_a_rolling_update_never_takes_all(house: House) -> None:
    """When targets die one after another a name keeps its answers above the panic threshold."""
    house.configure(pool_config(EIGHT))
    await house.turn()
    fewest = 8
    for address in EIGHT.values():
        house.prober.kill(address)
        before = house.answers(WWW)
        await house.turn()
        after = house.answers(WWW)
        assert len(before - after) <= 2
        fewest = min(fewest, len(after))
        house.clock.advance(600)
    for _ in range(10):
        await house.turn()
        house.clock.advance(600)
        fewest = min(fewest, len(house.answers(WWW)))
    assert fewest == 4


async def test_b08_a_name_that_ended_comes_back_over_what_its_writer_left(wire: Wire) -> None:
    """Our own bookkeeping never stands in the way: the fence is swapped, not created again."""
    keep, www = a("b.example.com", "192.0.2.9"), a(WWW, "192.0.2.1")
    await wire.apply(keep, www)
    ended = Retirement(parse_name(WWW), None, 2, "ann")
    assert isinstance(await wire.apply(keep, retired=(ended,)), Applied)
    assert wire.content() == {keep}
    assert isinstance(await wire.apply(keep, www), Applied)
    assert (wire.content(), wire.refusals()) == ({keep, www}, 0)


async def test_b09_a_name_ends_by_a_word_and_not_by_an_absence(wire: Wire) -> None:
    """A plan without the name is refused; the same plan with its retirement ends it."""
    keep, www = a("b.example.com", "192.0.2.9"), a(WWW, "192.0.2.1")
    await wire.apply(keep, www)
    await wire.publish(keep)
    assert isinstance(await wire.enact(wire.az()), Held)
    assert wire.content() == {keep, www}
    await wire.publish(keep, retired=(Retirement(parse_name(WWW), None, 3, "ann"),))
    assert isinstance(await wire.enact(wire.az()), Applied)
    assert wire.content() == {keep}


@pytest.mark.parametrize("panic_threshold", [0, 0.5])
async def test_b20_losing_sight_of_everything_leaves_the_last_plan(
    house: House, panic_threshold: float
) -> None:
    """A planner that can ask nobody computes no smaller answer, also as its first act."""
    house.configure(pool_config(FOUR, more=f", panic_threshold: {panic_threshold}"))
    await house.turn()
    for address in FOUR.values():
        house.prober.lose_sight(address)
    house.restart_planner()
    for _ in range(5):
        assert (await house.turn()).outcome == Unchanged(FIRST)
        house.clock.advance(600)
    house.table.reachable = False
    unread = (await house.plan()).outcome
    assert isinstance(unread, PlannerHeld)
    assert unread.rule is PlannerHoldRule.READ_FAILED
    assert house.answers(WWW) == set(FOUR.values())
    assert house.spent()[CHANGE] == 1


async def test_b59_health_takes_a_member_only_while_another_remains(house: House) -> None:
    """The sick one of four goes; when all four are sick, the name is not emptied."""
    house.configure(pool_config(FOUR))
    await house.turn()
    house.prober.kill("192.0.2.3")
    await house.turn()
    assert house.answers(WWW) == {"192.0.2.1", "192.0.2.2", "192.0.2.4"}
    for address in FOUR.values():
        house.prober.kill(address)
    for _ in range(10):
        house.clock.advance(600)
        await house.turn()
        assert len(house.answers(WWW)) >= 2


async def test_b60_a_target_goes_only_after_a_row_of_bad_looks(house: House) -> None:
    """How long health may be bad is a setting, and a pool without a probe reacts to none."""
    config = pool_config(FOUR)
    house.configure(config)
    await house.turn()
    house.prober.kill("192.0.2.1")
    assert (await house.turn(rounds=2)).outcome == Unchanged(FIRST)
    assert isinstance((await house.turn(rounds=1)).outcome, Published)
    assert house.answers(WWW) == {"192.0.2.2", "192.0.2.3", "192.0.2.4"}
    house.configure(config.replace(", health: {tcp: {port: 443}}", ""))
    await house.turn()
    assert house.answers(WWW) == set(FOUR.values())
