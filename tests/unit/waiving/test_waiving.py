"""A waiver lifts one rule for one generation, for a while, with a name and a reason."""

from dataclasses import replace

import pytest
from msgspec import structs

from dnsplan.bounds import NAMES_CHANGED
from dnsplan.guardrails import FLOOR, VELOCITY
from dnsplan.plan import Generation, Waiver
from dnsplan.velocity import VelocityLimit
from dnsplan.waivers import Offer, encoded, offers, standing, waived
from planner.rules.health import Sight
from planner.rules.outcomes import Overtaken, Published, Unchanged
from runbooks.controls.outside import Mistaken, Operator, Refused, TableSide
from runbooks.waiving.command import _lines
from runbooks.waiving.waiving import Prepared, WaiveLost, Waiving
from tests.fakes.audit import FakeAudit
from tests.fakes.clock import SeededJitter
from tests.fakes.table import TableFault
from tests.unit.planner.cases import address, healthy, pool, sick, wish
from tests.unit.planner.world import StaleTable, World

NAMES = tuple("abcdefgh")
POOL = pool(*NAMES, panic_threshold=0.1)
WEB = wish(POOL)
EXPIRES_S = 600


def dead(*targets: str) -> Sight:
    """These targets are sick, the others healthy."""
    states = {("web", one): sick() if one in targets else healthy() for one in NAMES}
    return Sight(states, 0.0, 100.0)


ALL_GOOD = dead()
HALF_DEAD = dead("a", "b", "c", "d", "e")


class Place:
    """A zone of one pool of eight, half of which dies; velocity lets two go in a window."""

    def __init__(self) -> None:
        self.world = World()
        self.audit = FakeAudit()

    async def begin(self) -> None:
        """All eight answer, then the first two have gone."""
        await self.world.once(ALL_GOOD, WEB)
        await self.world.clock.sleep(400)
        await self.world.once(HALF_DEAD, WEB)
        assert len(await self.answers()) == 6

    def hand(self, who: str = "ann", because: str = "evacuation") -> Waiving:
        """An operator."""
        side = TableSide(
            table=self.world.table,
            archive=self.world.archive,
            audit=self.audit,
            clock=self.world.clock,
            jitter=SeededJitter(sum(who.encode())),
        )
        return Waiving(side, Operator(who, because))

    async def prepared(
        self, rule: str = VELOCITY, *, who: str = "ann", expected: int | None = None
    ) -> Prepared:
        """An offer that is not made yet."""
        until_s = int(self.world.clock.now_s()) + EXPIRES_S
        hand = self.hand(who)
        return await hand.prepare("shop", rule, WEB.limits, until_s=until_s, expected=expected)

    async def waive(self, rule: str = VELOCITY, who: str = "ann") -> None:
        """An offer that waits."""
        await self.hand(who).write(await self.prepared(rule, who=who))

    async def answers(self) -> set[str]:
        """What the newest plan answers."""
        return {value for one in (await self.world.head()).content for value in one.values}


@pytest.fixture
async def place() -> Place:
    """Five are sick, three of them still answer."""
    made = Place()
    await made.begin()
    return made


async def test_without_a_waiver_velocity_withholds_what_is_sick(place: Place) -> None:
    """The state that a waiver is for: nothing moves for the rest of the window."""
    assert (await place.world.once(HALF_DEAD, WEB)).outcome == Unchanged(Generation(2))


async def test_the_next_plan_takes_out_all_that_is_sick_and_names_who_allowed_it(
    place: Place,
) -> None:
    """At once, with the waiver and its reason in the plan; the offer is spent."""
    await place.waive()
    report = await place.world.once(HALF_DEAD, WEB)
    assert isinstance(report.outcome, Published)
    head = await place.world.head()
    assert await place.answers() == {address(one) for one in "fgh"}
    assert head.waivers == (Waiver(VELOCITY, "ann", "evacuation", 3),)
    assert head.reason.endswith("; velocity waived by ann: evacuation")
    assert [count for _, count in head.ledger[0].spent] == [2, 3]
    assert place.world.item.waivers is None


async def test_the_plan_after_that_keeps_to_the_rule_again(place: Place) -> None:
    """One generation: what dies a moment later waits for the window like any other."""
    await place.waive()
    await place.world.once(HALF_DEAD, WEB)
    assert (await place.world.once(dead(*"abcdefg"), WEB)).outcome == Unchanged(Generation(3))


async def test_one_target_of_each_name_stays_whatever_is_waived(place: Place) -> None:
    """P2: with both rules lifted and all of the pool but one drained or dead."""
    await place.waive(VELOCITY)
    await place.waive(FLOOR)
    await place.world.once(dead(*NAMES[:-1]), WEB)
    assert await place.answers() == {address("h")}
    assert len((await place.world.head()).waivers) == 2


async def test_a_floor_that_is_lifted_lets_go_what_min_targets_kept() -> None:
    """And velocity, which is not lifted, still counts."""
    limit = VelocityLimit(min_targets=7, max_removed_share=0.5, window_s=300)
    unit = pool(*NAMES, panic_threshold=0.1, limit=limit)
    place, kept = Place(), wish(unit)
    await place.world.once(ALL_GOOD, kept)
    await place.world.clock.sleep(400)
    await place.world.once(HALF_DEAD, kept)
    assert len(await place.answers()) == 7
    hand = place.hand()
    until_s = int(place.world.clock.now_s()) + EXPIRES_S
    found = await hand.prepare("shop", FLOOR, kept.limits, until_s=until_s, expected=None)
    assert [str(one) for one in found.allowed] == [
        "www.example.com. A: 7 answer, 3 healthy when planned; 0 may go now, 3 then"
    ]
    await hand.write(found)
    await place.world.once(HALF_DEAD, kept)
    assert len(await place.answers()) == 4


async def test_what_it_will_let_go_is_said_before_it_is_asked_for(place: Place) -> None:
    """From the newest ledger, with the numbers; nothing is written by looking."""
    writes = len(place.world.table.writes)
    found = await place.prepared()
    assert [str(one) for one in found.allowed] == [
        "www.example.com. A: 6 answer, 3 healthy when planned; 0 may go now, 5 then"
    ]
    assert len(place.world.table.writes) == writes
    assert place.audit.rows == []


async def test_it_waits_no_longer_than_it_was_given(place: Place) -> None:
    """After that the rule holds again, and the offer that is late does no harm."""
    await place.waive()
    await place.world.clock.sleep(EXPIRES_S)
    now_s = int(place.world.clock.now_s())
    assert waived(place.world.item, now_s=now_s - 1) != ()
    assert waived(place.world.item, now_s=now_s) == ()


async def test_it_is_for_one_number_and_any_plan_of_that_number_ends_it(place: Place) -> None:
    """An operator's own plan in between took the number: the waiver is for nothing any more."""
    await place.waive()
    await place.world.begin(3)
    assert place.world.item.waivers is None
    stale = structs.replace(place.world.item, waivers=encoded((Offer(word(3), 9_999_999_999),)))
    assert standing(stale, now_s=0) == ()


async def test_a_planner_that_read_before_it_does_not_pass_it_over(place: Place) -> None:
    """Its plan of the same number is refused; the next pass takes the waiver up."""
    seen = dict(place.world.table.items)
    await place.waive()
    stale = StaleTable(place.world.table, seen)
    (report,) = await place.world.planner(WEB, table=stale).run_once(ALL_GOOD, may_write=True)
    assert isinstance(report.outcome, Overtaken)
    assert place.world.item.head == 2
    await place.world.once(HALF_DEAD, WEB)
    assert (await place.world.head()).waivers != ()


async def test_of_two_operators_at_once_the_second_is_told(place: Place) -> None:
    """Neither overwrites the other; run again, both wait."""
    ann, bob = await place.prepared(), await place.prepared(FLOOR, who="bob")
    await place.hand().write(ann)
    with pytest.raises(Refused, match="moved on from generation 2 meanwhile"):
        await place.hand("bob").write(bob)
    await place.waive(FLOOR, "bob")
    assert [one.waiver.by for one in offers(place.world.item)] == ["bob", "ann"]


async def test_the_same_rule_again_takes_the_place_of_the_first(place: Place) -> None:
    """A longer wait, not two of them."""
    await place.waive()
    await place.world.clock.sleep(100)
    await place.waive()
    (one,) = offers(place.world.item)
    assert one.until_s == int(place.world.clock.now_s()) + EXPIRES_S


async def test_it_can_be_ended_before_anybody_took_it_up(place: Place) -> None:
    """The others stay; what does not wait cannot be ended, and it is said what does."""
    await place.waive(VELOCITY)
    await place.waive(FLOOR)
    hand = place.hand()
    await hand.write(await hand.prepare_end("shop", VELOCITY, expected=None))
    assert [one.waiver.rule for one in offers(place.world.item)] == [FLOOR]
    with pytest.raises(Refused, match="no waiver of velocity that waits; there is floor"):
        await hand.prepare_end("shop", VELOCITY, expected=None)
    assert [one.action for one in place.audit.rows] == ["waive", "waive", "end waiver"]


async def test_the_audit_has_who_why_rule_and_number(place: Place) -> None:
    """One row a waiver."""
    await place.waive()
    (row,) = place.audit.rows
    assert (row.action, row.by, row.because) == ("waive", "ann", "evacuation")
    until_s = int(place.world.clock.now_s()) + EXPIRES_S
    assert row.facts == {"rule": VELOCITY, "generation": 3, "until_s": until_s}


@pytest.mark.parametrize(
    ("rule", "why"),
    [
        ("never_empty", "it cannot be waived, a name ends only by dns-runbook retire"),
        ("hands_off", "it cannot be waived, what it guards belongs to others"),
        ("speed", "there is no such rule"),
    ],
)
async def test_two_rules_are_nobodys_to_lift(place: Place, rule: str, why: str) -> None:
    """A mistake, told before anything is read."""
    with pytest.raises(Mistaken) as mistaken:
        await place.prepared(rule)
    allowed = "allowed: floor, velocity, names_changed, ttl, wave"
    assert str(mistaken.value) == f"waive {rule}: {why}; {allowed}"


async def test_a_waiver_of_wave_says_what_goes_out_with_it(place: Place) -> None:
    """It lets go a changed config; how many answers may go is another rule's."""
    prepared = await place.prepared("wave")
    assert (prepared.rule, prepared.allowed) == ("wave", ())
    assert "what the config changed goes out with it" in "\n".join(_lines(prepared))
    await place.waive("wave")
    await place.world.once(HALF_DEAD, WEB)
    assert place.world.item.head == 2


async def test_a_waiver_of_what_cannot_be_waived_lifts_nothing(place: Place) -> None:
    """Also when somebody wrote it into the item by hand."""
    forged = Offer(Waiver("never_empty", "eve", "x", 3), 9_999_999_999)
    items = place.world.table.items
    items["shop"] = structs.replace(items["shop"], waivers=encoded((forged,)))
    await place.world.clock.sleep(400)
    await place.world.once(dead(*NAMES), replace(WEB, driven=(replace(POOL, panic_threshold=0.0),)))
    assert len(await place.answers()) >= 1


async def test_what_cannot_be_read_is_no_waiver(place: Place) -> None:
    """The rule holds, and the planner goes on."""
    items = place.world.table.items
    items["shop"] = structs.replace(items["shop"], waivers="velocity please")
    assert (await place.world.once(HALF_DEAD, WEB)).outcome == Unchanged(Generation(2))


@pytest.mark.parametrize(
    ("fields", "text"),
    [
        ({"ahead": Generation(9)}, "dns-runbook reconcile shop first"),
        ({"incarnation": "table-0"}, "dns-runbook reconcile shop first"),
    ],
)
async def test_refused_while_history_is_in_doubt(
    place: Place, fields: dict[str, object], text: str
) -> None:
    """Nothing is promised to a number that may be somebody else's."""
    items = place.world.table.items
    items["shop"] = structs.replace(items["shop"], **fields)
    with pytest.raises(Refused, match=text):
        await place.prepared()


async def test_refused_when_the_generation_moved(place: Place) -> None:
    """--expect-generation, and a zone that has no plan yet."""
    with pytest.raises(Refused, match="shop is at generation 2, not 1; nothing was changed"):
        await place.prepared(expected=1)
    assert (await place.prepared(expected=2)).offer is not None
    with pytest.raises(Refused, match="no plan yet"):
        await Place().prepared()


async def test_a_write_without_an_answer_is_not_known_to_stand(place: Place) -> None:
    """It may be used up already, by the plan that it was for: another would lift the next one."""
    found = await place.prepared()
    place.world.table.write_faults.append(TableFault.LOSE_REPLY)
    with pytest.raises(WaiveLost, match="look at dns-runbook explain shop and run it again"):
        await place.hand().write(found)
    await place.waive()
    assert len(offers(place.world.item)) == 1


def word(number: int) -> Waiver:
    """A waiver of velocity."""
    return Waiver(VELOCITY, "ann", "x", number)


async def test_a_waiver_of_a_bound_says_that_the_config_goes_out(place: Place) -> None:
    """It is about no target, and says where to read the change first."""
    said = list(_lines(await place.prepared(NAMES_CHANGED)))
    look = "in however many names: look at dns-planner plan first"
    assert said[1] == f"  what the config changed goes out with it, {look}"
