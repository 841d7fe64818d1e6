"""The audit as the daemons pace it: by one AZ, within its share, said once, never in the way."""

import pytest
from msgspec import structs
from structlog.testing import capture_logs
from structlog.typing import EventDict

from dnsplan.errors import ReadFailed
from enactor.daemon import EnactorDaemon
from enactor.ports import NoLine
from enactor.rules.auditing import page_every_s
from tests.fakes.world import PACE, a
from tests.unit.enactor.test_audit import many
from tests.unit.enactor.test_daemon import AZS, Trio
from tests.unit.enactor.test_room import FakeQuotas, outside

WWW = a("www.example.com", "192.0.2.1")
FOREIGN = a("www.example.com", "203.0.113.66")


def events(logs: list[EventDict], name: str) -> list[EventDict]:
    """The events of one name."""
    return [one for one in logs if one["event"] == name]


async def quiet(*names: str) -> Trio:
    """Three AZs over a zone that holds its plan and was looked through once."""
    trio = Trio()
    await trio.world.publish(WWW, *(a(name, "192.0.2.1") for name in names))
    await trio.run(200)
    for spent in trio.spent.values():
        spent.clear()
    return trio


async def test_a_zone_of_one_page_is_looked_at_by_one_az_instead_of_its_fence() -> None:
    """Half an hour of quiet costs the first AZ a request a minute, and the others none."""
    trio = await quiet()
    await trio.run(1800)
    first = trio.spent[trio.order[0]]
    assert first["list_page"] in range(28, 31)
    assert first["read_fence"] == 0
    assert [dict(trio.spent[az]) for az in trio.order[1:]] == [{}, {}]


async def test_an_emptied_name_of_a_small_zone_is_back_with_the_next_look() -> None:
    """Within one `fence_check_s` and the passes around it."""
    trio = await quiet("api.example.com")
    trio.world.route53.edit(trio.world.zone, ("DELETE", WWW))
    await trio.run(int(PACE.fence_check_s) + 6)
    assert WWW in trio.world.route53.content(trio.world.zone)


@pytest.mark.parametrize("pages", [2, 8, 34])
async def test_the_first_round_after_a_start_is_no_slower_than_any_other(pages: int) -> None:
    """Up to 10,000 records: the name that is listed last is mended within `audit_s` of a start."""
    names = [one.name for one in many(pages * 300 - 10)]
    trio = Trio()
    await trio.world.publish(*(a(name, "192.0.2.1") for name in names))
    await trio.run(100)
    trio.azs = {az: trio.daemon(az) for az in AZS}
    trio.world.route53.edit(trio.world.zone, ("DELETE", a(names[-1], "192.0.2.1")))
    await trio.run(int(PACE.audit_s + 2 * PACE.fence_check_s))
    assert len(trio.world.route53.content(trio.world.zone)) == len(names)


async def test_a_zone_that_holds_much_more_than_its_plan_is_paced_by_what_it_holds() -> None:
    """What Route 53 counts in the zone tells the first round how many pages there are."""
    trio = Trio()
    world, others = trio.world, many(2400)
    for first in range(0, len(others), 400):
        world.route53.edit(world.zone, *(("CREATE", one) for one in others[first : first + 400]))
    counting = outside(world, FakeQuotas(world, limit=10_000))
    daemon = EnactorDaemon(counting, trio.board, az="az1", azs=("az1",), pace=PACE)
    daemon.admit(world.task)
    trio.azs = {"az1": daemon}
    last = a("zzz.example.com", "192.0.2.1")
    await world.publish(last)
    await trio.run(20)
    assert last in world.route53.content(world.zone)
    world.route53.edit(world.zone, ("DELETE", last))
    await trio.run(int(PACE.audit_s + 2 * PACE.fence_check_s))
    assert last in world.route53.content(world.zone)


async def test_the_audit_goes_on_when_the_first_az_is_gone() -> None:
    """The next living AZ looks, from the zone's beginning; no lock is waited for."""
    trio = await quiet()
    trio.world.route53.edit(trio.world.zone, ("UPSERT", FOREIGN))
    await trio.run(3700, dead=(trio.order[0],))
    assert trio.world.route53.content(trio.world.zone) == (WWW,)
    assert trio.spent[trio.order[2]]["submit"] == 0


async def test_drift_is_logged_once_with_both_values_and_when_it_ended() -> None:
    """One event when it is found, one when it is over, and none in between."""
    trio = await quiet()
    trio.world.route53.edit(trio.world.zone, ("UPSERT", FOREIGN))
    with capture_logs() as logs:
        await trio.run(4000)
    (found,) = events(logs, "drift_found")
    assert found["log_level"] == "error"
    assert (found["name"], found["type"]) == ("www.example.com.", "A")
    assert (found["wanted"], found["standing"]) == ("A 60 192.0.2.1", "A 60 203.0.113.66")
    assert (found["fate"], found["command"]) == ("mended", "dns-runbook audit shop")
    (ended,) = events(logs, "drift_ended")
    assert ended["names"] == ["www.example.com. A"]
    assert trio.world.route53.content(trio.world.zone) == (WWW,)


async def test_held_drift_is_shown_on_the_board_and_not_said_again() -> None:
    """`drift: hold`: hours later it is still on the board, and was logged and sent once."""
    trio = await quiet()
    held = structs.replace(trio.world.task, repair_drift=False)
    for daemon in trio.azs.values():
        daemon.admit(held)
    trio.world.route53.edit(trio.world.zone, ("UPSERT", FOREIGN))
    with capture_logs() as logs:
        await trio.run(9000)
    assert len(events(logs, "drift_found")) == 1
    signs = {sign.az: sign.zones[0].drift for sign in await trio.board.everyone()}
    text = "www.example.com. A: wanted A 60 192.0.2.1; standing A 60 203.0.113.66"
    assert signs == {trio.order[0]: (text,), trio.order[1]: (), trio.order[2]: ()}
    assert sum(spent["submit"] for spent in trio.spent.values()) == 1
    assert trio.world.route53.content(trio.world.zone) == (FOREIGN,)


async def test_where_there_is_drift_the_next_page_is_looked_at_soon() -> None:
    """Half a zone overwritten, less than a page's worth on each page: mended within minutes."""
    names = [one.name for one in many(900)]
    trio = await quiet(*names)
    await trio.run(3600)
    drifted = [a(names[n], "203.0.113.66") for n in range(0, 900, 20)]
    trio.world.route53.edit(trio.world.zone, *(("UPSERT", one) for one in drifted))
    seen_s = None
    for second in range(0, 3600, 20):
        await trio.run(20)
        standing = set(trio.world.route53.content(trio.world.zone))
        left = sum(one in standing for one in drifted)
        if seen_s is None and left < len(drifted):
            seen_s = second
        if left == 0:
            assert seen_s is not None
            assert second - seen_s <= 120
            return
    pytest.fail("the zone was not mended within an hour")


class _Busy(NoLine):
    """Plans need every request that there is."""

    def has_spare(self) -> bool:
        return False


async def test_no_page_is_asked_for_while_there_is_nothing_to_spare() -> None:
    """The audit waits for as long as the bucket is needed; plans go on meanwhile."""
    trio = Trio()
    busy = EnactorDaemon(
        trio.world.outside(1),
        trio.board,
        az="az1",
        azs=("az1",),
        pace=PACE,
        line=_Busy(),
    )
    busy.admit(trio.world.task)
    trio.azs = {"az1": busy}
    await trio.world.publish(WWW)
    await trio.run(20)
    assert (await trio.world.item()).applied == 1
    trio.world.route53.requests.clear()
    await trio.run(4000)
    assert set(trio.world.route53.requests) == {"read_fence"}


@pytest.mark.parametrize(
    ("pages", "zones", "every_s"),
    [(1, 1, 60.0), (1, 60, 60.0), (34, 1, 600 / 34), (1000, 1, 12.0), (34, 60, 720.0)],
)
def test_a_round_takes_ten_minutes_until_a_tenth_of_the_share_is_spent(
    pages: int, zones: int, every_s: float
) -> None:
    """One page costs no more than the fence check that it replaces; 300,000 records, and many
    zones of several pages, take longer."""
    found = page_every_s(600.0, pages=pages, zones=zones, check_every_s=60.0, requests_per_s=5 / 3)
    assert found == pytest.approx(every_s)


async def test_a_page_that_could_not_be_read_is_asked_for_again_with_the_next_fence_check() -> None:
    """A failed read is no look: a zone of two pages does not wait five minutes for the next."""
    trio = await quiet(*(one.name for one in many(400)))
    world = trio.world
    failed_s: list[float] = []

    def cut_off() -> None:
        world.route53.after_page = None
        failed_s.append(world.clock.elapsed_s())
        raise ReadFailed("the answer was cut off")

    world.route53.after_page = cut_off
    while not failed_s:
        await trio.run(2)
        assert world.clock.elapsed_s() < 1000, "no page was looked at"
    looks = world.route53.requests["list_page"]
    await trio.run(130)
    assert world.route53.requests["list_page"] > looks
