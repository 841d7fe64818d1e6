"""An audit on demand: all of the zone, all of the differences, and not one write."""

import pytest

from dnsplan.fence import NoFence
from dnsplan.names import parse_name
from dnsplan.outcomes import Accepted
from dnsplan.plan import Generation
from dnsplan.records import RecordSet
from dnsplan.runtime.config.schema import ZoneEntry
from runbooks.auditing.looking import Audit, CannotAudit, Looking
from runbooks.auditing.show import audit_facts, audit_lines, what_next
from tests.fakes.world import World, a
from tests.fakes.zone_records import Fault
from tests.unit.enactor.test_audit import many
from tests.unit.enactor.test_cycle import applied_once

WWW = a("www.example.com", "192.0.2.1")
FOREIGN = a("www.example.com", "203.0.113.66")


async def look(world: World) -> tuple[Audit, list[tuple[int, int]]]:
    """An audit, and the progress that it told."""
    told: list[tuple[int, int]] = []
    outside = world.outside(99)
    audit = await Looking(outside).look(world.zone, lambda *at: told.append(at))
    return audit, told


async def test_no_drift_in_a_zone_that_holds_its_plan() -> None:
    """What nobody manages is looked at and is no drift."""
    world = World()
    await applied_once(world, WWW)
    world.route53.edit(world.zone, ("CREATE", a("x.example.com", "192.0.2.9")))
    audit, _ = await look(world)
    assert audit.drift == ()
    assert list(audit_lines("shop", audit)) == [
        "shop generation 1, 5 record sets looked at: no drift"
    ]


async def test_every_difference_of_a_long_zone_is_found_with_progress() -> None:
    """Seven pages in two windows: the first and the last name, and one that is gone."""
    world = World()
    content = many(2000)
    await applied_once(world, *content)
    changed = [a(content[n].name, "203.0.113.66") for n in (0, 1999)]
    world.route53.edit(world.zone, *(("UPSERT", one) for one in changed), ("DELETE", content[1000]))
    submits = world.route53.requests["submit"]
    audit, told = await look(world)
    assert [(one.name, one.standing) for one in audit.drift] == [
        (content[0].name, (changed[0],)),
        (content[1000].name, ()),
        (content[1999].name, (changed[1],)),
    ]
    assert told == [(0, 7), (5, 7)]
    assert world.route53.requests["submit"] == submits
    assert list(audit_lines("shop", audit)) == [
        "shop drift h0000.example.com. A: wanted A 60 192.0.2.1; standing A 60 203.0.113.66",
        "shop drift h1000.example.com. A: wanted A 60 192.0.2.1; standing nothing",
        "shop drift h1999.example.com. A: wanted A 60 192.0.2.1; standing A 60 203.0.113.66",
        "shop generation 1, 2002 record sets looked at: 3 of them drifted",
    ]


async def test_a_name_held_for_its_content_is_told_apart_from_drift() -> None:
    """It differs, it is known to, and the reason is Route 53's."""
    world = World()
    bad = RecordSet(parse_name("bad.example.com"), "MX", 60, ("99999 mail.example.com.",))
    await applied_once(world, WWW, bad)
    world.route53.edit(world.zone, ("UPSERT", FOREIGN))
    audit, _ = await look(world)
    facts = audit_facts("shop", audit)
    assert facts["drift"] == [
        {
            "name": "www.example.com.",
            "type": "A",
            "wanted": ["A 60 192.0.2.1"],
            "standing": ["A 60 203.0.113.66"],
            "held": False,
        }
    ]
    assert [one.name for one in audit.held] == [bad.name]


async def test_the_table_may_lose_its_item_but_not_the_plan() -> None:
    """The fence names the plan; without its body nothing is compared and nothing is claimed."""
    world = World()
    await applied_once(world, WWW)
    world.archive.bodies.clear()
    with pytest.raises(CannotAudit, match="plan 1 of shop cannot be read, so nothing is compared"):
        await look(world)


async def test_a_zone_without_a_fence_cannot_be_audited() -> None:
    """Absence is no plan of nothing."""
    world = World()
    assert await world.route53.read_fence(world.zone) is NoFence.MISSING
    with pytest.raises(CannotAudit, match="shop has no fence with a plan"):
        await look(world)


async def test_a_half_done_plan_is_waited_for_and_given_up_on() -> None:
    """Between two steps neither plan stands, so everything would look like drift."""
    world = World()
    await world.publish(*many(1200))
    world.route53.submit_faults.extend([Fault.LOSE_REPLY, Fault.LOSE_REQUEST])
    await world.enact(world.az())
    with pytest.raises(CannotAudit, match="a plan of shop is half done for 60 s; run it again"):
        await look(world)


async def test_a_plan_applied_meanwhile_is_the_one_that_counts_from_there_on() -> None:
    """The page read across it counts for nothing; the new plan's content is no drift."""
    world = World()
    old = many(400)
    new = [a(one.name, "192.0.2.2") for one in old]
    await applied_once(world, *old)
    await world.publish(*new)
    await world.enact(world.az())
    batch = world.route53.accepted[-1]
    world.route53.account.forget_last(world.zone.zone_id, 1)

    def overtaken() -> None:
        world.route53.after_page = None
        assert isinstance(world.route53.land(world.zone, batch), Accepted)

    world.route53.after_page = overtaken
    audit, _ = await look(world)
    assert audit.drift == ()
    assert audit.generation == Generation(2)


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        (ZoneEntry(name="example.com"), "within about 3600 s (enactor.audit_s)"),
        (ZoneEntry(name="example.com", drift="hold"), "put the records back by hand"),
        (ZoneEntry(name="example.com", mode="observe"), "nothing is mended"),
    ],
)
def test_it_says_who_mends_it_and_when(entry: ZoneEntry, said: str) -> None:
    """The command changes nothing, so it must say what happens next."""
    assert said in what_next("shop", entry, 3600.0)
