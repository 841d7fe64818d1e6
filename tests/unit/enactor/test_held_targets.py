"""What the records of a held name lead to stays too: no hold leaves a name without its answer."""

import pytest
from msgspec import structs

from dnsplan.names import parse_name
from dnsplan.plan import Retirement
from dnsplan.records import AliasTarget, RecordSet, Weighted
from enactor.cycle import EnactCycle
from enactor.rules import packing
from enactor.rules.outcomes import Applied
from tests.fakes.world import World, a, cname
from tests.fakes.zone_records import Fault
from tests.unit.enactor.test_audit import audited
from tests.unit.enactor.test_cycle import applied_once

VALUES = a("t.example.com", "192.0.2.1")
VALUES_OF_X = a("x.example.com", "192.0.2.7")


def alias(world: World, name: str, target: str) -> RecordSet:
    """An alias to a name of the zone."""
    led = AliasTarget(world.zone.zone_id, parse_name(target), False)
    return RecordSet(parse_name(name), "A", None, (), alias=led)


def refused(name: str = "www.example.com") -> RecordSet:
    """What Route 53 refuses: a health check that is not there."""
    member = a(name, "192.0.2.9")
    return structs.replace(member, set_id="a", routing=Weighted(1), health_check_id="gone")


def ended(*names: str, generation: int = 2) -> tuple[Retirement, ...]:
    """An operator's word for each name."""
    return tuple(Retirement(parse_name(one), None, generation, "ops") for one in names)


async def held(world: World, cycle: EnactCycle) -> tuple[str, ...]:
    """One pass that goes through, and what it says of the names it held."""
    outcome = await world.enact(cycle)
    assert isinstance(outcome, Applied), outcome
    await world.settle(cycle)
    return outcome.notes


@pytest.fixture(params=[1_000, 4], ids=["one batch", "a name a batch"])
def world(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> World:
    """A world whose batches carry everything, or one name each."""
    monkeypatch.setattr(packing, "ELEMENTS_MAX", request.param)
    return World()


@pytest.mark.parametrize("kind", ["alias", "cname"])
async def test_the_target_of_a_refused_name_stays(world: World, kind: str) -> None:
    """P2: a name that keeps its old records keeps what they lead to, until it can be changed."""
    www = alias(world, "www.example.com", "t.example.com")
    if kind == "cname":
        www = cname("www.example.com", "t.example.com")
    await applied_once(world, www, VALUES)
    await world.publish(refused(), retired=ended("t.example.com"))
    notes = await held(world, world.az())
    assert set(world.route53.content(world.zone)) == {www, VALUES}
    assert [note.split(":")[0] for note in notes] == [
        "t.example.com. held",
        "www.example.com. held",
    ]
    assert "www.example.com." in notes[0].split(":", 1)[1]
    good = a("www.example.com", "192.0.2.9")
    await world.publish(good, retired=ended("t.example.com"))
    assert await held(world, world.az()) == ()
    assert world.route53.content(world.zone) == (good,)


async def test_a_target_that_stays_is_removed_once_its_name_can_be_changed(world: World) -> None:
    """A later plan that does not touch the target ends what was kept for the held name only."""
    await applied_once(world, alias(world, "www.example.com", "t.example.com"), VALUES)
    await world.publish(refused(), retired=ended("t.example.com"))
    await held(world, world.az())
    await world.publish(refused(), VALUES_OF_X, retired=ended("t.example.com"))
    assert len(await held(world, world.az())) == 2
    assert VALUES in world.route53.content(world.zone)


async def test_a_chain_of_targets_stays(world: World) -> None:
    """What a kept target leads to is kept as well, however the batches are cut."""
    chain = (
        cname("www.example.com", "t.example.com"),
        cname("t.example.com", "a.example.com"),
        a("a.example.com", "192.0.2.1"),
    )
    await applied_once(world, *chain)
    await world.publish(refused(), retired=ended("t.example.com", "a.example.com"))
    notes = await held(world, world.az())
    assert set(world.route53.content(world.zone)) == set(chain)
    assert len(notes) == 3


async def test_a_target_may_change_but_not_lose_the_type_that_is_led_to(world: World) -> None:
    """Other values and a lost member are no loss; an alias target that becomes a CNAME is."""
    member = structs.replace(VALUES, set_id="a", routing=Weighted(1))
    other = structs.replace(member, set_id="b", values=("192.0.2.2",))
    www = alias(world, "www.example.com", "t.example.com")
    await applied_once(world, www, member, other)
    await world.publish(refused(), other)
    assert len(await held(world, world.az())) == 1
    assert set(world.route53.content(world.zone)) == {www, other}
    await world.publish(
        refused(), cname("t.example.com", "y.example.com"), a("y.example.com", "192.0.2.3")
    )
    assert len(await held(world, world.az())) == 2
    assert {www, other} <= set(world.route53.content(world.zone))


async def test_the_target_of_a_foreign_name_stays(world: World) -> None:
    """A stranger's alias at a managed name keeps its answer as well."""
    await applied_once(world, VALUES)
    theirs = alias(world, "www.example.com", "t.example.com")
    world.route53.edit(world.zone, ("CREATE", theirs))
    await world.publish(a("www.example.com", "192.0.2.9"), retired=ended("t.example.com"))
    assert len(await held(world, world.az())) == 2
    assert set(world.route53.content(world.zone)) == {theirs, VALUES}


async def test_the_target_of_held_drift_stays(world: World) -> None:
    """Where drift is held, so is what the drifted records lead to."""
    world.task = structs.replace(world.task, repair_drift=False)
    await applied_once(world, a("www.example.com", "192.0.2.8"), VALUES)
    drifted = alias(world, "www.example.com", "t.example.com")
    world.route53.edit(
        world.zone, ("DELETE", a("www.example.com", "192.0.2.8")), ("CREATE", drifted)
    )
    await world.publish(a("www.example.com", "192.0.2.9"), retired=ended("t.example.com"))
    assert len(await held(world, world.az())) == 2
    assert set(world.route53.content(world.zone)) == {drifted, VALUES}


async def test_the_target_of_a_name_that_the_refusal_names_stays(world: World) -> None:
    """A refusal that says whom it means sets that name apart, and nothing goes ahead of it."""
    www = alias(world, "www.example.com", "t.example.com")
    await applied_once(world, www, VALUES)
    two = ("x.example.com.", "y.example.com.")
    bad = RecordSet(parse_name("www.example.com"), "CNAME", 300, two)
    await world.publish(bad, VALUES_OF_X, retired=ended("t.example.com"))
    assert len(await held(world, world.az())) == 2
    assert set(world.route53.content(world.zone)) == {www, VALUES, VALUES_OF_X}


async def test_of_names_that_end_those_that_lead_to_others_end_first(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """One that turns out to be held keeps its target, which is therefore not gone yet."""
    monkeypatch.setattr(packing, "ELEMENTS_MAX", 3)  # one record set a batch
    world = World()
    world.task = structs.replace(world.task, repair_drift=False)
    t, target = cname("t.example.com", "a.example.com"), a("a.example.com", "192.0.2.1")
    await applied_once(world, t, target, VALUES_OF_X)
    drifted = structs.replace(t, ttl_s=77)
    world.route53.edit(world.zone, ("UPSERT", drifted))
    await world.publish(VALUES_OF_X, retired=ended("t.example.com", "a.example.com"))
    assert len(await held(world, world.az())) == 2
    assert set(world.route53.content(world.zone)) == {drifted, target, VALUES_OF_X}


async def test_a_cname_does_not_come_to_lead_to_a_name_that_could_not_be_made(
    world: World,
) -> None:
    """The other way about: a held name without records is no answer, so what would lead to it
    keeps its own."""
    www = a("www.example.com", "192.0.2.8")
    await applied_once(world, www)
    await world.publish(cname("www.example.com", "t.example.com"), refused("t.example.com"))
    assert len(await held(world, world.az())) == 2
    assert world.route53.content(world.zone) == (www,)


async def test_two_names_that_change_places_never_lead_to_each_other(world: World) -> None:
    """One of them is refused: the other keeps its records too, or both would lead in a circle."""
    www, t = cname("www.example.com", "t.example.com"), VALUES
    await applied_once(world, www, t)
    await world.publish(refused(), cname("t.example.com", "www.example.com"))
    assert len(await held(world, world.az())) == 2
    assert set(world.route53.content(world.zone)) == {www, t}


async def test_a_circle_through_names_that_are_not_held_is_no_way_either(world: World) -> None:
    """What the plan states leads back to the held name's records by way of others."""
    old = (cname("www.example.com", "t.example.com"), VALUES, VALUES_OF_X)
    await applied_once(world, *old)
    await world.publish(
        refused(),
        cname("t.example.com", "x.example.com"),
        cname("x.example.com", "www.example.com"),
    )
    await held(world, world.az())
    content = {one.name: one for one in world.route53.content(world.zone)}
    name = parse_name("www.example.com")
    for _ in range(3):
        if content[name].type == "CNAME":
            name = parse_name(content[name].values[0])
    assert content[name].type == "A"


async def test_the_target_of_a_name_in_another_window_stays() -> None:
    """In a zone that is listed in windows what ends goes last, behind every name that led to it."""
    world = World()
    www, target = cname("www.example.com", "0.example.com"), a("0.example.com", "192.0.2.1")
    gone = a("1.example.com", "192.0.2.1")

    def plain(value: str) -> list[RecordSet]:
        return [a(f"{n:04d}.example.com", value) for n in range(1400)]

    await applied_once(world, www, target, gone, *plain("192.0.2.1"))
    retired = ended("0.example.com", "1.example.com")
    await world.publish(refused(), *plain("192.0.2.2"), retired=retired)
    world.route53.submit_faults.extend([Fault.LOSE_REPLY, Fault.LOSE_REQUEST])
    await world.enact(world.az("az1"))
    world.route53.after_page = lambda: world.clock.advance(6.0)
    outcome = await world.enact(world.az("az2"))
    assert isinstance(outcome, Applied)
    assert [note.split(":")[0] for note in outcome.notes] == [
        "0.example.com. held",
        "www.example.com. held",
    ]
    assert set(world.route53.content(world.zone)) == {www, target, *plain("192.0.2.2")}


async def test_what_was_kept_goes_when_the_held_name_is_put_right_by_hand(world: World) -> None:
    """The audit frees a held name that stands as planned, and with it what was kept for it."""
    www = alias(world, "www.example.com", "t.example.com")
    await applied_once(world, www, VALUES)
    await world.publish(refused(), retired=ended("t.example.com"))
    await held(world, world.az())
    world.route53.account.health_checks = {"gone"}
    world.route53.edit(world.zone, ("DELETE", www), ("CREATE", refused()))
    outcome = await audited(world, world.az())
    assert isinstance(outcome, Applied)
    assert (outcome.held, world.route53.content(world.zone)) == (0, (refused(),))


async def test_a_target_that_is_mended_frees_the_alias_refused_for_it(world: World) -> None:
    """P10: somebody deletes a target, an alias to it is refused meanwhile, and the audit mends the
    target: the alias follows, though the plan states what it stated before."""
    target, other = a("h0.example.com", "192.0.2.1"), a("www.example.com", "192.0.2.2")
    cycle = world.az()
    await world.publish(target, other)
    await world.enact(cycle)
    await world.settle(cycle)
    world.route53.edit(world.zone, ("DELETE", target))
    led = alias(world, "alias.example.com", "h0.example.com")
    await world.publish(led, target, other)
    assert any("alias.example.com. held" in note for note in await held(world, cycle))
    for _ in range(4):
        await audited(world, cycle)
        await world.settle(cycle)
    assert set(world.route53.content(world.zone)) == {led, target, other}
