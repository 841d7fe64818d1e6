"""A listing may show a record set twice, where its pages overlap: that ends nobody's answer."""

from dnsplan.diff import diff
from dnsplan.records import RecordSet, Weighted
from tests.fakes.world import World, a
from tests.fakes.zone_records import Fault

NAMES = [f"h{number:03}.example.com" for number in range(700)]


def member(set_id: str, address: str) -> RecordSet:
    """One of a weighted group."""
    return RecordSet(a("www.example.com", address).name, "A", 60, (address,), set_id, Weighted(1))


def test_what_is_listed_twice_and_stated_stays() -> None:
    """P2: the second sight of a record set is nothing that nobody states."""
    one, two = member("a", "192.0.2.1"), member("b", "192.0.2.2")
    assert diff((one, two, one, two), (one, two)) == ()
    (change,) = diff((one, two, one, two), (one,))
    assert (change.before, change.after, change.kept) == ((two,), (), 1)
    new = member("a", "192.0.2.9")
    (change,) = diff((one, two, one), (new, two))
    assert (change.before, change.after, change.kept) == ((one,), (new,), 1)


async def test_an_enactor_that_must_list_takes_nothing_out_of_overlapping_pages() -> None:
    """A plan overtaken half done is finished from a listing; no batch deletes without a create."""
    world = World()
    world.route53.pages_overlap = True
    await world.publish(*(a(name, "192.0.2.1") for name in NAMES))
    first = world.az()
    await world.enact(first)
    await world.settle(first)
    await world.publish(*(a(name, "192.0.2.2") for name in NAMES))

    def lose_the_second() -> None:
        world.route53.before_submit = lambda: world.route53.submit_faults.append(Fault.LOSE_REQUEST)

    world.route53.before_submit = lose_the_second
    await world.enact(world.az())
    world.route53.before_submit = None
    world.route53.submit_faults.clear()
    sent = len(world.route53.accepted)
    second = world.az()
    await world.enact(second)
    await world.settle(second)
    assert len(world.route53.content(world.zone)) == len(NAMES)
    for batch in world.route53.accepted[sent:]:
        gone = {one.record_set.name for one in batch.changes if one.action == "DELETE"}
        come = {one.record_set.name for one in batch.changes if one.action == "CREATE"}
        assert gone <= come
