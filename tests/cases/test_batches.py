"""Batches within Route 53's limits, as few as can be, and each name whole in one of them."""

import pytest
from msgspec import structs

from dnsplan.diff import diff
from dnsplan.errors import ConfigError
from dnsplan.names import parse_name
from dnsplan.records import RecordSet, Weighted
from enactor.cycle import EnactCycle
from enactor.daemon import EnactorDaemon
from enactor.rules.outcomes import Applied, Unknown
from enactor.rules.packing import ELEMENTS_MAX, batches_min
from enactor.sending import REFUSED_IN_A_ROW_MAX
from sandbox.aws.faults import Refuse, Where
from tests.cases.configs import records_config
from tests.cases.stages import CHANGE, House, Wire
from tests.fakes.notes import FakeBoard
from tests.fakes.world import PACE, a

EVERY_CHANGE = Where(operation=CHANGE, times=None)


def text(number: int, mark: str, length: int) -> RecordSet:
    """A TXT of one string of this length."""
    value = f'"{mark}{number:06d}{"x" * (length - 7)}"'
    return RecordSet(parse_name(f"t{number}.example.com"), "TXT", 60, (value,))


def only_daemon(wire: Wire) -> tuple[EnactorDaemon, FakeBoard]:
    """An AZ on its own."""
    board = FakeBoard()
    daemon = EnactorDaemon(wire.outside(77), board, az="az1", azs=("az1",), pace=PACE)
    daemon.admit(wire.task)
    return daemon, board


async def changes_sent(wire: Wire, daemon: EnactorDaemon, *, for_s: float) -> int:
    """Batches that a daemon sends in this time."""
    wire.spent()
    until_s = wire.clock.elapsed_s() + for_s
    while wire.clock.elapsed_s() < until_s:
        await daemon.run_once()
        await daemon.finish()
        wire.clock.advance(2.0)
    return wire.spent()[CHANGE]


async def sent_in_fewest(wire: Wire, before: list[RecordSet], after: list[RecordSet]) -> int:
    """Bring the zone from one content to another; the batches, all of them accepted."""
    if before:
        await wire.apply(*before)
    await wire.publish(*after)
    wire.spent()
    outcome = await wire.enact(wire.az())
    assert isinstance(outcome, Applied)
    assert (wire.refusals(), outcome.held, wire.content()) == (0, 0, set(after))
    assert wire.spent()[CHANGE] == outcome.batches
    assert outcome.batches <= batches_min(diff(before, after)) + 1
    return outcome.batches


async def test_b27_characters_of_values_cut_a_batch_as_well_as_its_elements(wire: Wire) -> None:
    """300 texts of 100 characters, changed: few elements, and more characters than one batch."""
    before, after = ([text(n, mark, 100) for n in range(300)] for mark in "ab")
    assert await sent_in_fewest(wire, before, after) == 2


async def test_b28_names_of_many_values_are_counted_by_their_values(wire: Wire) -> None:
    """159 names of sixteen addresses and as many texts: 5,088 values go in seven batches."""
    wanted = []
    for n in range(159):
        name = f"n{n}.example.com"
        wanted.append(a(name, *(f"192.0.{n}.{v}" for v in range(16))))
        marks = tuple(f'"{v:02d}"' for v in range(16))
        wanted.append(RecordSet(parse_name(name), "TXT", 60, marks))
    assert await sent_in_fewest(wire, [], wanted) in (6, 7)


async def test_b29_780_changed_records_are_1560_elements(wire: Wire) -> None:
    """A changed set costs its old and its new values, so 780 do not fit in one batch of 1,000."""
    before, after = ([a(f"h{n}.example.com", f"192.0.2.{v}") for n in range(780)] for v in (1, 2))
    assert await sent_in_fewest(wire, before, after) == 2


async def test_b30_a_large_import_of_long_values_is_cut_by_characters(wire: Wire) -> None:
    """1,500 new texts of 200 characters: 303,000 characters go in ten batches."""
    assert await sent_in_fewest(wire, [], [text(n, "a", 200) for n in range(1_500)]) in (10, 11)


async def test_b31_just_below_a_thousand_values_may_be_too_many_characters(wire: Wire) -> None:
    """976 new sets of 999 values are within the elements and cut by the characters."""
    wanted = [text(n, "a", 40) for n in range(953)]
    wanted += [a(f"h{n}.example.com", "192.0.2.1", "192.0.2.2") for n in range(23)]
    assert sum(len(one.values) for one in wanted) == 999
    assert await sent_in_fewest(wire, [], wanted) == 2


async def test_b32_a_permanent_refusal_is_not_sent_again_unchanged(wire: Wire) -> None:
    """Refused once, a name is held by its content: later plans that state the same leave it be."""
    good = a("h.example.com", "192.0.2.1")
    bad = RecordSet(parse_name("bad.example.com"), "MX", 60, ("99999 mail.example.com.",))
    await wire.apply(good)
    assert isinstance(await wire.apply(good, bad), Applied)
    assert wire.refusals() > 0
    wire.spent()
    for n in range(3):
        outcome = await wire.apply(a("h.example.com", f"192.0.2.{n + 2}"), bad)
        assert isinstance(outcome, Applied)
        assert outcome.held == 1
    assert (wire.refusals(), wire.spent()[CHANGE]) == (0, 3)
    mended = RecordSet(bad.name, "MX", 60, ("10 mail.example.com.",))
    assert isinstance(await wire.apply(a("h.example.com", "192.0.2.4"), mended), Applied)
    assert mended in wire.content()


async def test_b32_a_route_53_that_refuses_everything_is_asked_ever_less(wire: Wire) -> None:
    """No name is to blame when the fence alone is refused as well: the zone is held with Route 53's
    words and the numbers, for ten minutes at a time in the end; when it gives way all lands."""
    before = [a(f"h{n}.example.com", "192.0.2.1") for n in range(50)]
    await wire.apply(*before)
    arm = wire.aws.faults.arm(Refuse("InvalidChangeBatch", "[locked]"), EVERY_CHANGE)
    await wire.publish(*[a(f"h{n}.example.com", "192.0.2.2") for n in range(50)])
    daemon, board = only_daemon(wire)
    spent = [await changes_sent(wire, daemon, for_s=1_200) for _ in range(3)]
    assert spent[0] <= 120
    assert max(spent[1:]) <= 40
    (sign,) = await board.everyone()
    assert sign.zones[0].holding == (
        "Route 53 refuses the fence alone as well, after 0 accepted and 9 refused batches of shop's"
        " generation 2: [locked]"
    )
    wire.aws.faults.disarm(arm.id)
    await changes_sent(wire, daemon, for_s=700)
    assert wire.content() == {a(f"h{n}.example.com", "192.0.2.2") for n in range(50)}


async def test_b32_some_refusals_that_blame_nobody_cost_a_fence_and_hold_no_good_name(
    wire: Wire,
) -> None:
    """Eight in a row, and then the fence alone lands: halving goes on to the end in one cycle."""
    await wire.apply(*[a(f"h{n}.example.com", "192.0.2.1") for n in range(600)])
    after = [a(f"h{n}.example.com", "192.0.2.2") for n in range(600)]
    where = Where(operation=CHANGE, times=REFUSED_IN_A_ROW_MAX)
    wire.aws.faults.arm(Refuse("InvalidChangeBatch", "[odd]"), where)
    await wire.publish(*after)
    outcome = await wire.enact(wire.az())
    assert isinstance(outcome, Applied)
    assert (outcome.held, wire.content()) == (0, set(after))


async def test_b32_a_cycle_that_had_to_stop_says_how_far_it_came_and_why(wire: Wire) -> None:
    """P14: numbers, Route 53's words and the command."""
    await wire.apply(*[a(f"h{n}.example.com", "192.0.2.1") for n in range(50)])
    wire.aws.faults.arm(Refuse("InvalidChangeBatch", "[odd]"), EVERY_CHANGE)
    await wire.publish(*[a(f"h{n}.example.com", "192.0.2.2") for n in range(50)])
    hasty = EnactCycle(wire.outside(77), az="az1", pace=structs.replace(PACE, rounds_max=3))
    assert await wire.enact(hasty) == Unknown(
        "4 batches of generation 2 were refused in one cycle, 0 accepted, 0 names held; the rest is"
        " tried in the next; Route 53 said last: [odd]; next: dns-runbook explain shop"
    )


async def test_b33_no_upsert_is_sent_and_a_switch_is_one_request(wire: Wire) -> None:
    """A changed record costs once out and once in, like an UPSERT, and Route 53 checks our view."""
    www = "www.example.com"
    await wire.apply(a(www, "192.0.2.1"), a("b.example.com", "192.0.2.1"))
    tap = wire.tap()
    switched = RecordSet(parse_name(www), "CNAME", 60, ("b.example.com.",))
    await wire.apply(switched, a("b.example.com", "192.0.2.2"))
    (batch,) = tap.changes()
    assert {action for action, _, _ in batch} == {"DELETE", "CREATE"}
    assert wire.content() == {switched, a("b.example.com", "192.0.2.2")}


async def test_b34_a_name_too_big_for_a_batch_is_held_whole_and_alone(wire: Wire) -> None:
    """Its sets are never spread over batches nor cut short; its neighbours go on."""
    name = parse_name("many.example.com")
    sets = [
        RecordSet(name, "A", 60, tuple(f"10.{n}.0.{v}" for v in range(20)), f"s{n}", Weighted(1))
        for n in range(60)
    ]
    good = a("h.example.com", "192.0.2.1")
    outcome = await wire.apply(good, *sets)
    assert isinstance(outcome, Applied)
    assert outcome.notes == ("many.example.com. held: more than a change batch can carry",)
    assert wire.content() == {good}


async def test_b34_a_change_that_no_batch_can_carry_is_said_and_taken_in_two_steps(
    house: House,
) -> None:
    """What goes counts like what comes: the name keeps what it has, the others go on."""

    def config(first: int, second: int, host: int) -> str:
        sets = (
            f"{{type: A, set_id: s{part}, weight: 1, values: [{listed}]}}"
            for part, block in enumerate((first, second))
            for listed in [", ".join(f"10.{block}.{n // 250}.{n % 250}" for n in range(300))]
        )
        h = f"h: {{records: [{{type: A, values: [192.0.2.{host}]}}]}}"
        return records_config(f"many: {{records: [{', '.join(sets)}]}}, {h}")

    house.configure(config(1, 2, host=1))
    await house.turn()
    before = set(house.at("many.example.com"))
    house.configure(config(3, 4, host=2))
    report = await house.turn()
    assert report.candidate is not None
    (note,) = report.candidate.notes
    assert "600 values would give way to 600 others, 1200 in one change" in note.detail
    assert (house.answers("h.example.com"), house.refusals()) == ({"192.0.2.2"}, 0)
    assert set(house.at("many.example.com")) == before
    for step in (config(3, 2, host=2), config(3, 4, host=2)):
        house.configure(step)
        await house.turn()
    assert {value.split(".")[1] for value in house.answers("many.example.com")} == {"3", "4"}


async def test_b34_a_name_that_no_batch_can_carry_is_a_mistake_of_the_config(house: House) -> None:
    """It is told with both numbers before anything is planned, one value above what fits."""
    addresses = [f"10.0.{n // 250}.{n % 250}" for n in range(400)]
    marks = [f"m{n:03d}" for n in range(199)]

    def config(texts: list[str]) -> str:
        sixes = [f'"2001:db8::{n:x}"' for n in range(1, 400)]
        stated = {"A": addresses, "AAAA": sixes, "TXT": texts}
        listed = (f"{{type: {kind}, values: [{', '.join(v)}]}}" for kind, v in stated.items())
        return records_config(f"many: {{records: [{', '.join(listed)}]}}")

    with pytest.raises(ConfigError, match=rf"{ELEMENTS_MAX - 1} values at one name; allowed: at"):
        house.configure(config([*marks, "one-more"]))
    house.configure(config(marks))
    await house.turn()
    assert {len(one.values) for one in house.at("many.example.com")} == {400, 399, 199}


@pytest.mark.parametrize("count", [1, 200])
async def test_b92_many_changed_names_cost_as_many_requests_as_one(wire: Wire, count: int) -> None:
    """Two hundred services that change together are one batch."""
    before, after = ([a(f"h{n}.example.com", f"192.0.2.{v}") for n in range(count)] for v in (1, 2))
    assert await sent_in_fewest(wire, before, after) == 1
