"""Rollback is old content under a new number; one of several operators wins it."""

import pytest
from msgspec import structs

from dnsplan.codec import unseal
from dnsplan.generation import Transition
from dnsplan.names import parse_name
from dnsplan.outcomes import Unknown, WriteOutcome
from dnsplan.plan import Generation, NameLedger, Plan
from dnsplan.violation import Violation
from enactor.rules.outcomes import Applied
from runbooks.controls.outside import Mistaken, Operator, Outside, Refused
from runbooks.controls.returning import what_follows
from runbooks.controls.rolling_back import (
    Prepared,
    RollbackLost,
    RollbackRefused,
    RollbackUnpinned,
    RollingBack,
)
from runbooks.controls.waiving import way_on
from tests.fakes.audit import FakeAudit
from tests.fakes.clock import SeededJitter
from tests.fakes.table import FakeTable, TableFault
from tests.fakes.world import LIMITS, World, a, cname
from tests.unit.looking.test_history import rival

ONE, TWO = a("www.example.com", "192.0.2.1"), a("www.example.com", "192.0.2.2")
LATER = a("later.example.com", "192.0.2.9")


def operator(world: World, name: str = "ann", table: FakeTable | None = None) -> RollingBack:
    """An operator's hand on the world."""
    outside = Outside(
        table=table or world.table,
        archive=world.archive,
        records=world.route53,
        audit=FakeAudit(),
        clock=world.clock,
        jitter=SeededJitter(sum(name.encode())),
    )
    return RollingBack(outside, Operator(name, "bad deploy"))


class Forgetful(FakeTable):
    """A table that answers one write."""

    def __init__(self, there: FakeTable) -> None:
        """The same items."""
        super().__init__(there.id)
        self.items, self._written = there.items, 0

    async def write(self, transition: Transition) -> WriteOutcome:
        """Lose each but the first."""
        self._written += 1
        return await super().write(transition) if self._written == 1 else Unknown("timed out")


async def prepared(world: World, to: int, who: str = "ann", *waived: str) -> Prepared:
    """A prepared rollback."""
    hand = operator(world, who)
    return await hand.prepare(world.zone, Generation(to), LIMITS, tuple(waived))


async def newest(world: World) -> Plan:
    """The plan at head."""
    return unseal(await world.archive.load((await world.item()).head_id))


async def test_old_content_gets_a_new_number() -> None:
    """Generation 3 holds what 1 held; 1 is never applied again."""
    world = World()
    await world.publish(ONE)
    await world.publish(TWO)
    plan_id = await operator(world).publish(await prepared(world, 1), pinned=False)
    assert plan_id.generation == 3
    plan = await newest(world)
    assert (plan.content, plan.generation, plan.base) == ((ONE,), 3, 2)
    assert plan.reason == "rollback to 1: bad deploy"


async def test_names_that_came_later_are_carried_forward() -> None:
    """P2: only retire ends a name, a rollback does not."""
    world = World()
    await world.publish(ONE)
    await world.publish(TWO, LATER)
    found = await prepared(world, 1)
    assert found.carried == (LATER,)
    assert set(found.plan.content) == {ONE, LATER}
    assert found.violations == ()


async def test_a_type_that_came_later_gives_way() -> None:
    """A CNAME beside the old address could not stand; the name keeps an answer all the same."""
    world = World()
    await world.publish(ONE)
    await world.publish(cname("www.example.com", "api.example.net."))
    assert (await prepared(world, 1)).plan.content == (ONE,)
    await world.publish(ONE)
    assert (await prepared(world, 2)).plan.content == (
        cname("www.example.com", "api.example.net."),
    )


async def test_pinned_in_the_same_breath() -> None:
    """The planner may publish on; enactors work to the rollback until unpin."""
    world = World()
    await world.publish(ONE)
    await world.publish(TWO)
    await operator(world).publish(await prepared(world, 1), pinned=True)
    await world.publish(TWO)
    item = await world.item()
    assert (item.head, item.pin) == (4, 3)
    assert await world.enact(world.az()) == Applied(Generation(3), 1, 0, confirmed=False)
    assert world.route53.content(world.zone) == (ONE,)


async def test_what_is_published_and_not_pinned_is_not_called_unchanged() -> None:
    """The head moved and the pin got no answer: which of the two, and what to run."""
    world = World()
    await world.publish(ONE)
    await world.publish(TWO)
    found, hand = await prepared(world, 1), operator(world, table=Forgetful(world.table))
    with pytest.raises(RollbackUnpinned, match="run dns-runbook pin shop 3") as told:
        await hand.publish(found, pinned=True)
    assert not isinstance(told.value, Refused)
    assert (await world.item()).head == 3


async def test_a_pin_that_came_meanwhile_is_not_written_over() -> None:
    """It is another operator's word: what is published waits above it, and who asked is told."""
    world = World()
    await world.publish(ONE)
    await world.publish(TWO)
    found = await prepared(world, 1)
    world.table.items["shop"] = structs.replace(await world.item(), pin=Generation(2))
    with pytest.raises(RollbackUnpinned, match="shop is pinned to 2"):
        await operator(world).publish(found, pinned=True)
    item = await world.item()
    assert (item.head, item.pin) == (3, 2)


async def test_a_publication_without_an_answer_is_not_called_undone() -> None:
    """It stands here, and who runs it again finds nothing left to do."""
    world = World()
    await world.publish(ONE)
    await world.publish(TWO)
    world.table.write_faults.append(TableFault.LOSE_REPLY)
    with pytest.raises(RollbackLost, match="may be published"):
        await operator(world).publish(await prepared(world, 1), pinned=False)
    assert (await world.item()).head == 3
    assert not (await prepared(world, 1)).changes


async def test_who_runs_a_pinned_rollback_again_is_not_sent_to_unpin() -> None:
    """The reply was lost, and the zone is where it was to go: the pin is what keeps it there."""
    world = World()
    await world.publish(ONE)
    await world.publish(TWO)
    await operator(world).publish(await prepared(world, 1), pinned=True)
    again = await prepared(world, 1)
    assert (again.changes, again.item.pin) == ((), Generation(3))
    with pytest.raises(RollbackRefused, match="run dns-runbook unpin shop first"):
        await prepared(world, 2)


async def test_of_two_operators_one_wins_and_the_other_is_told() -> None:
    """Both prepared from the same head; the number is issued once."""
    world = World()
    await world.publish(ONE)
    await world.publish(TWO)
    ann, bob = await prepared(world, 1, "ann"), await prepared(world, 1, "bob")
    await operator(world, "ann").publish(ann, pinned=False)
    with pytest.raises(RollbackLost, match="moved on from generation 2"):
        await operator(world, "bob").publish(bob, pinned=False)
    assert (await newest(world)).author == "operator ann"


async def test_in_the_middle_of_a_plan_of_several_batches() -> None:
    """The half-done plan is overtaken from what the zone really holds."""
    from tests.fakes.zone_records import Fault

    world = World()
    old = [a(f"h{n:04d}.example.com", "192.0.2.1", "192.0.2.2") for n in range(1200)]
    await world.publish(*old)
    cycle = world.az()
    await world.enact(cycle)
    await world.settle(cycle)
    await world.publish(
        *[a(f"h{n:04d}.example.com", "192.0.2.3", "192.0.2.4") for n in range(1200)]
    )
    world.route53.submit_faults.extend([Fault.LOSE_REPLY, Fault.LOSE_REQUEST])
    await world.enact(world.az("az1"))
    await operator(world).publish(await prepared(world, 1), pinned=False)
    assert isinstance(await world.enact(world.az("az2")), Applied)
    assert set(world.route53.content(world.zone)) == set(old)


async def test_refused_under_a_pin_naming_unpin() -> None:
    """A pin is an operator's word; another operator ends it first."""
    world = World()
    await world.publish(ONE)
    await world.publish(TWO)
    world.table.items["shop"] = structs.replace(await world.item(), pin=Generation(2))
    with pytest.raises(RollbackRefused, match="dns-runbook unpin shop"):
        await prepared(world, 1)


async def test_refused_while_history_is_in_doubt() -> None:
    """P4: nothing is published from a table that lost history."""
    world = World()
    await world.publish(ONE)
    await world.publish(TWO)
    world.table.id = "table-2"
    with pytest.raises(RollbackRefused, match="dns-runbook reconcile shop"):
        await prepared(world, 1)


@pytest.mark.parametrize("to", [0, 3, 4])
async def test_only_to_an_older_generation(to: int) -> None:
    """Head itself and what was never published are no rollback; what there is, is listed."""
    world = World()
    for content in (ONE, TWO, ONE):
        await world.publish(content)
    with pytest.raises(RollbackRefused) as refused:
        await prepared(world, to)
    assert str(refused.value) == (
        f"shop is at generation 3 and has no older generation {to} to roll back to;"
        " older ones that are kept: 1 to 2"
    )


async def test_of_two_bodies_of_one_number_none_is_guessed() -> None:
    """Which of them was published is known of the applied plan alone."""
    world = World()
    for content in (ONE, TWO):
        await world.publish(content)
        cycle = world.az()
        await world.enact(cycle)
        await world.settle(cycle)
    await world.publish(ONE)
    await rival(world, 1)
    await rival(world, 2)
    assert (await prepared(world, 2)).plan.content == (TWO,)
    with pytest.raises(RollbackRefused, match=r"\(2 bodies of shop 1, one of them was published\)"):
        await prepared(world, 1)


async def test_from_the_first_generation_there_is_nothing_to_roll_back_to() -> None:
    """Nothing older is kept, and no range that holds nothing is offered."""
    world = World()
    await world.publish(ONE)
    with pytest.raises(RollbackRefused, match="at generation 1 and no older plan is kept"):
        await prepared(world, 1)


@pytest.mark.parametrize(
    ("rule", "why"),
    [
        ("speed", "there is no such rule"),
        ("never_empty", "it cannot be waived, a name ends only by dns-runbook retire"),
        ("hands_off", "it cannot be waived, what it guards belongs to others"),
    ],
)
async def test_only_rules_that_can_be_waived_are_taken(rule: str, why: str) -> None:
    """A waiver that would lift nothing is a mistake, told before anything is read or written."""
    with pytest.raises(Mistaken) as mistaken:
        await prepared(World(), 1, "ann", rule, "velocity")
    allowed = "allowed: floor, velocity, names_changed, ttl"
    assert str(mistaken.value) == f"--waive {rule}: {why}; {allowed}"


def test_every_rule_that_refuses_names_the_way_on() -> None:
    """P14: the waiver that lifts it, or that none can, and why; one line a rule."""
    broken = [
        Violation(rule, "shop", "www.example.com", "1", "2")
        for rule in ("velocity", "never_empty", "hands_off", "floor", "velocity")
    ]
    assert way_on(broken) == (
        "--waive floor lifts it for this generation alone",
        "hands_off cannot be waived: what it guards belongs to others",
        "never_empty cannot be waived: a name ends only by dns-runbook retire",
        "--waive velocity lifts it for this generation alone",
    )


async def test_what_velocity_withholds_from_the_way_back_is_said() -> None:
    """A rollback that brings targets in stands longer than until the planner's next pass."""
    world = World()
    many = a("www.example.com", *(f"192.0.2.{n}" for n in range(1, 9)))
    ledger = (NameLedger(parse_name("www.example.com"), "A", 8, 8, ()),)
    await world.publish(many, ledger=ledger)
    await world.publish(a("www.example.com", "192.0.2.1"), ledger=ledger)
    found = await prepared(world, 1)
    assert found.violations == ()
    assert what_follows("shop", found.withheld) == (
        "shop: the planner plans this away, but velocity withholds part of it:"
        " www.example.com. A (2 of 7 targets may go in 300 s); --pin keeps all of it"
    )


async def test_a_rollback_that_the_next_pass_undoes_says_so() -> None:
    """Nothing is withheld where the way back takes out no more than a window allows."""
    world = World()
    await world.publish(ONE)
    await world.publish(TWO)
    assert what_follows("shop", (await prepared(world, 1)).withheld) == (
        "shop: the planner plans this away at its next pass; --pin keeps it"
    )


async def test_velocity_is_waived_by_name_and_never_empty_is_not() -> None:
    """P7 has a waiver for one generation; P2 has none."""
    world = World()
    few = a("www.example.com", "192.0.2.1")
    many = a("www.example.com", *(f"192.0.2.{n}" for n in range(1, 9)))
    ledger = (NameLedger(parse_name("www.example.com"), "A", 8, 8, ()),)
    await world.publish(few, ledger=ledger)
    await world.publish(many, ledger=ledger)
    found = await prepared(world, 1)
    assert [violation.rule for violation in found.violations] == ["velocity"]
    with pytest.raises(RollbackRefused, match="velocity"):
        await operator(world).publish(found, pinned=False)
    with pytest.raises(RollbackRefused, match="--waive velocity lifts it"):
        await operator(world).publish(found, pinned=False)
    waived = await prepared(world, 1, "ann", "velocity")
    assert waived.violations == ()
    await operator(world).publish(waived, pinned=False)
    assert (await newest(world)).waivers[0].by == "ann"
    spent = (await newest(world)).ledger[0].spent
    assert [count for _, count in spent] == [7]
