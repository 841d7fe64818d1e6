"""Plans that are passed over leave no trap: whatever they would have done on the way, the newest
plan can be made true from what stands."""

import pytest

from dnsplan.names import parse_name
from dnsplan.plan import Retirement
from dnsplan.records import RecordSet
from enactor.rules.outcomes import Applied
from tests.fakes.world import World, a, cname
from tests.unit.enactor.test_cycle import applied_once

VALUES, LINK = a("www.example.com", "192.0.2.1"), cname("www.example.com", "t.example.com")
OTHER = a("x.example.com", "192.0.2.7")
TARGET = a("t.example.com", "192.0.2.3")


@pytest.mark.parametrize(("stood", "passed_over"), [(VALUES, LINK), (LINK, VALUES)])
async def test_a_name_retired_after_a_change_of_type_ends_though_the_change_never_came(
    stood: RecordSet, passed_over: RecordSet
) -> None:
    """The word was given for the type that the plan before stated; the zone still holds the one
    before that. Held, it would hold the whole zone for ever."""
    world = World()
    await applied_once(world, stood, TARGET, OTHER)
    await world.publish(passed_over, TARGET, OTHER)
    word = Retirement(parse_name("www.example.com"), passed_over.type, 3, "ops")
    await world.publish(TARGET, OTHER, retired=(word,))
    outcome = await world.enact(world.az())
    assert isinstance(outcome, Applied), outcome
    assert set(world.route53.content(world.zone)) == {TARGET, OTHER}


async def test_the_word_about_one_type_is_no_word_about_another() -> None:
    """Types that stand side by side end each by its own word."""
    world = World()
    text = RecordSet(parse_name("www.example.com"), "TXT", 60, ('"text"',))
    await applied_once(world, VALUES, text, OTHER)
    word = Retirement(parse_name("www.example.com"), "TXT", 2, "ops")
    await world.publish(OTHER, retired=(word,))
    outcome = await world.enact(world.az())
    assert not isinstance(outcome, Applied), outcome
    assert set(world.route53.content(world.zone)) == {VALUES, text, OTHER}
