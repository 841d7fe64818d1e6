"""One bad name, record or reply: it is set aside by name, and everything else goes on."""

import pytest
from msgspec import structs

from dnsplan.errors import ConfigError
from dnsplan.names import parse_name
from dnsplan.records import AliasTarget, RecordSet
from enactor.rules.drift import FOREIGN
from enactor.rules.outcomes import Applied, InSync
from sandbox.aws.faults import LoseRequest, Where
from tests.cases.configs import records_config
from tests.cases.stages import CHANGE, House, Wire
from tests.fakes.notes import FakeBoard
from tests.fakes.world import a, cname

KEEP = a("b.example.com", "192.0.2.9")
NEW, TARGET = "new.example.com", "target.example.com"
GOOD = [a(f"h{n}.example.com", "192.0.2.1") for n in range(20)]


async def test_b23_one_invalid_name_stops_no_other(wire: Wire) -> None:
    """Twenty good names land whole; the one that Route 53 refuses is held with its words."""
    await wire.apply(*GOOD)
    bad = RecordSet(parse_name("bad.example.com"), "SRV", 60, ("0 0 99999 b.example.com.",))
    after = [structs.replace(one, values=("192.0.2.2",)) for one in GOOD]
    outcome = await wire.apply(*after, bad)
    assert isinstance(outcome, Applied)
    assert (outcome.held, wire.content()) == (1, set(after))
    assert outcome.notes[0].startswith("bad.example.com. held: ")


@pytest.mark.parametrize("key", [".example.com.", "a..b", "x" * 64])
async def test_b23_an_impossible_name_is_a_mistake_of_the_config(house: House, key: str) -> None:
    """It is found before anything is planned, and said with its key."""
    stated = "records: [{type: A, values: [192.0.2.1]}]"
    with pytest.raises(ConfigError, match=r"zones\.shop\.names") as caught:
        house.configure(records_config(f'ok: {{{stated}}}, "{key}": {{{stated}}}'))
    assert len(caught.value.problems) == 1


async def test_b24_a_cname_in_the_way_blocks_its_own_name_only(wire: Wire) -> None:
    """A hand-made CNAME stays and is named; the other names go on, pass after pass."""
    await wire.apply(KEEP)
    theirs = cname(NEW, "elsewhere.example.net.")
    wire.by_hand(("CREATE", theirs))
    for number in range(1, 4):
        keep = a("b.example.com", f"192.0.2.{number}")
        outcome = await wire.apply(keep, a(NEW, "192.0.2.1"))
        assert isinstance(outcome, Applied)
        assert outcome.notes == (f"{NEW}. held: {FOREIGN}",)
        assert wire.content() == {keep, theirs}
    assert (await wire.item()).last_known_good == 1


async def test_b24_a_strangers_record_is_safe_from_later_plans_too(wire: Wire) -> None:
    """A plan that once stated a name makes nothing ours of what stood in its way all the time:
    neither a CNAME nor an address."""
    await wire.apply(KEEP)
    theirs = {cname(NEW, "elsewhere.example.net."), a(TARGET, "203.0.113.7")}
    wire.by_hand(*(("CREATE", one) for one in theirs))
    await wire.apply(KEEP, a(NEW, "192.0.2.1"), a(TARGET, "192.0.2.1"))
    for number in (2, 3):
        outcome = await wire.apply(
            KEEP, a(NEW, f"192.0.2.{number}"), a(TARGET, f"192.0.2.{number}")
        )
        assert isinstance(outcome, Applied)
        assert outcome.notes == (f"{NEW}. held: {FOREIGN}", f"{TARGET}. held: {FOREIGN}")
        assert wire.content() == {KEEP, *theirs}


async def test_b24_a_strangers_record_is_safe_from_a_plan_left_half_done(wire: Wire) -> None:
    """Whoever takes over a plan half-way knows what was held before it, though its fence does not
    count that yet."""
    await wire.apply(KEEP)
    theirs = {cname(NEW, "elsewhere.example.net."), a(TARGET, "203.0.113.7")}
    wire.by_hand(*(("CREATE", one) for one in theirs))
    await wire.apply(KEEP, a(NEW, "192.0.2.1"), a(TARGET, "192.0.2.1"))
    more = [a(f"m{n:04d}.example.com", "192.0.2.1") for n in range(1_100)]
    await wire.publish(KEEP, a(NEW, "192.0.2.9"), a(TARGET, "192.0.2.9"), *more)
    wire.aws.faults.arm(LoseRequest(), Where(operation=CHANGE, after=2))
    await wire.enact(wire.az("az1"))
    for _ in range(2):
        assert isinstance(await wire.enact_and_settle(wire.az("az2")), Applied | InSync)
    assert wire.content() == {KEEP, *theirs, *more}


async def test_b24_a_name_is_taken_up_once_nothing_stands_in_its_way(wire: Wire) -> None:
    """When the stranger's CNAME is gone, the next plan brings the name, unchanged as it is stated;
    until then no later plan asks Route 53 for it again."""
    await wire.apply(KEEP)
    theirs = cname(NEW, "elsewhere.example.net.")
    wire.by_hand(("CREATE", theirs))
    await wire.apply(KEEP, a(NEW, "192.0.2.1"))
    wire.aws.ledger.reset()
    await wire.apply(a("b.example.com", "192.0.2.7"), a(NEW, "192.0.2.1"))
    assert (wire.refusals(), (await wire.fence()).held) == (0, 1)
    wire.by_hand(("DELETE", theirs))
    outcome = await wire.apply(KEEP, a(NEW, "192.0.2.1"))
    assert isinstance(outcome, Applied)
    assert (outcome.held, wire.content()) == (0, {KEEP, a(NEW, "192.0.2.1")})


async def test_b113_what_was_blocked_by_the_zone_is_tried_again_when_the_zone_moves(
    wire: Wire,
) -> None:
    """An alias before its target is held; the plan that brings the target brings the alias."""
    await wire.apply(KEEP)
    to = AliasTarget(wire.zone.zone_id, parse_name(TARGET), False)
    alias = RecordSet(parse_name(NEW), "A", None, (), alias=to)
    outcome = await wire.apply(KEEP, alias)
    assert isinstance(outcome, Applied)
    assert outcome.held == 1
    outcome = await wire.apply(KEEP, alias, a(TARGET, "192.0.2.1"))
    assert isinstance(outcome, Applied)
    assert (outcome.held, wire.content()) == (0, {KEEP, alias, a(TARGET, "192.0.2.1")})


@pytest.mark.parametrize("odd", ["%s%d%n", "{0.__class__}", "\\\\000\\\\377", "%!d(string=x)"])
async def test_b111_odd_names_in_a_zone_end_no_process(wire: Wire, odd: str) -> None:
    """A daemon lists, repairs and logs over names that look like formats, and goes on."""
    name = parse_name("".join(f"\\{ord(c):03o}" for c in odd) + ".example.com")
    theirs = RecordSet(name, "TXT", 60, ('"%s {0}"',))
    wire.by_hand(("CREATE", theirs))
    daemon = wire.daemon("az1", FakeBoard())
    ours = structs.replace(theirs, name=parse_name(f"x.{name}"))
    await wire.publish(KEEP, ours)
    for _ in range(10):
        await daemon.run_once()
        await daemon.finish()
        wire.clock.advance(10)
    assert (await wire.item()).applied == 1
    assert wire.content() == {theirs, KEEP, ours}
