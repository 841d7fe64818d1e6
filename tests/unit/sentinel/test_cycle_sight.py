"""What is seen, what cannot be seen, and that neither is taken for the other."""

from functools import partial

import pytest

from sentinel.charts import ROUNDS_MAX
from sentinel.ports import NameServer
from sentinel.rules.findings import Finding
from tests.unit.sentinel.virtual import in_virtual_time
from tests.unit.sentinel.world import (
    SERVERS,
    FakeFinder,
    FakeServers,
    World,
    answering,
    gone,
    page_id,
    shop,
    world,
)


@pytest.mark.parametrize("count", [1, 40, 10 * ROUNDS_MAX])
def test_a_network_that_is_down_is_one_page_and_no_names(count: int) -> None:
    """All silent: one page says so, in time; back again: one notice, and no name was paged."""

    async def run() -> None:
        made = world(count)
        hosts = {one.host for one in SERVERS}
        await made.run(
            160.0,
            (50.0, lambda: made.servers.silent_hosts.update(hosts)),
            (110.0, made.servers.silent_hosts.clear),
        )
        assert made.told() == [("page", "unseen"), ("recovery", "unseen")]
        assert made.paged_at_s("unseen") - 50.0 <= made.pace.found_within_s
        assert f"{count} {'name is' if count == 1 else 'names are'} unseen" in made.notices[0].text

    in_virtual_time(run)


def test_a_network_that_flickers_pages_no_names() -> None:
    """Half a minute down, seconds up, again and again: only sight is paged."""

    async def run() -> None:
        made = world(30)
        hosts = {one.host for one in SERVERS}
        silence = partial(made.servers.silent_hosts.update, hosts)
        down = [(40.0 + 37.0 * at, silence) for at in range(8)]
        up = [(70.0 + 37.0 * at, made.servers.silent_hosts.clear) for at in range(8)]
        await made.run(400.0, *down, *up)
        assert {one for _, one in made.told()} == {"unseen"}

    in_virtual_time(run)


def test_an_empty_name_stays_paged_while_nothing_is_seen() -> None:
    """Blindness neither recovers a page nor changes it."""

    async def run() -> None:
        made = world(6)
        hosts = {one.host for one in SERVERS}
        await made.run(
            200.0,
            (40.0, lambda: gone(made, 2, Finding.NXDOMAIN)),
            (80.0, lambda: made.servers.silent_hosts.update(hosts)),
            (140.0, made.servers.silent_hosts.clear),
        )
        key = page_id(made.names[2].key)
        assert made.told() == [("page", key), ("page", "unseen"), ("recovery", "unseen")]

    in_virtual_time(run)


def test_a_zone_whose_servers_are_silent_is_one_page_while_others_go_on() -> None:
    """Its names are unknown, not empty; an empty name elsewhere pages as ever."""

    async def run() -> None:
        names = [*shop(8), *shop(8, label="cafe")]
        own = tuple(NameServer(f"198.51.100.{at}", 53) for at in (1, 2))
        made = World(names, FakeServers(answering(names)), FakeFinder(by_label={"cafe": own}))
        await made.run(
            120.0,
            (40.0, lambda: made.servers.silent_hosts.update(one.host for one in own)),
            (70.0, lambda: gone(made, 3, Finding.NODATA)),
            (90.0, made.servers.silent_hosts.clear),
        )
        assert made.told() == [
            ("page", "unseen-zone/cafe"),
            ("page", page_id(names[3].key)),
            ("recovery", "unseen-zone/cafe"),
        ]

    in_virtual_time(run)


def test_many_zones_that_go_silent_together_are_one_page_and_so_is_their_return() -> None:
    """Fifty zones, one cable: neither its fault nor its repair is fifty pages."""

    async def run() -> None:
        names = [one for at in range(50) for one in shop(2, label=f"z{at:02}")]
        made = World(names, FakeServers(answering(names)))
        hosts = {one.host for one in SERVERS}
        await made.run(
            140.0,
            (50.0, partial(made.servers.silent_hosts.update, hosts)),
            (100.0, made.servers.silent_hosts.clear),
        )
        assert made.told() == [("page", "unseen"), ("recovery", "unseen")]
        assert made.paged_at_s("unseen") - 50.0 <= made.pace.found_within_s
        assert made.notices[1].at_s - made.notices[0].at_s <= 50.0

    in_virtual_time(run)


def test_where_nothing_is_heard_names_cost_a_look_and_no_rounds() -> None:
    """An outage of this host's network does not become a storm of questions at its end."""

    async def run() -> None:
        made = world(40)
        hosts = {one.host for one in SERVERS}
        made.servers.silent_hosts.update(hosts)
        await made.run(60.0)
        asked = made.servers.asked
        await made.run(60.0)
        looks = 40 * 60 / made.pace.interval_s
        assert made.servers.asked - asked <= looks * 1.1
        made.servers.silent_hosts.clear()
        asked = made.servers.asked
        await made.run(20.0)
        assert made.servers.asked - asked <= 40 * 20 / made.pace.interval_s * 1.1

    in_virtual_time(run)


def test_a_zone_that_was_unseen_before_a_blindness_is_paged_once() -> None:
    """Its page is not repeated because everything else went and came back in between."""

    async def run() -> None:
        names = [*shop(6), *shop(6, label="cafe")]
        own = tuple(NameServer(f"198.51.100.{at}", 53) for at in (1, 2))
        made = World(names, FakeServers(answering(names)), FakeFinder(by_label={"cafe": own}))
        of_cafe, others = {one.host for one in own}, {one.host for one in SERVERS}
        await made.run(
            200.0,
            (40.0, partial(made.servers.silent_hosts.update, of_cafe)),
            (80.0, partial(made.servers.silent_hosts.update, others)),
            (120.0, partial(made.servers.silent_hosts.difference_update, others)),
            (160.0, made.servers.silent_hosts.clear),
        )
        assert made.told() == [
            ("page", "unseen-zone/cafe"),
            ("page", "unseen"),
            ("recovery", "unseen"),
            ("recovery", "unseen-zone/cafe"),
        ]

    in_virtual_time(run)


def test_a_zone_that_is_silent_for_some_seconds_pages_nobody() -> None:
    """A failover of its servers is shorter than two rounds."""

    async def run() -> None:
        names = [*shop(6), *shop(6, label="cafe")]
        own = tuple(NameServer(f"198.51.100.{at}", 53) for at in (1, 2))
        made = World(names, FakeServers(answering(names)), FakeFinder(by_label={"cafe": own}))
        silence = partial(made.servers.silent_hosts.update, {one.host for one in own})
        down = [(40.0 + 11.3 * at, silence) for at in range(12)]
        up = [(44.4 + 11.3 * at, made.servers.silent_hosts.clear) for at in range(12)]
        await made.run(200.0, *down, *up)
        assert made.told() == []

    in_virtual_time(run)
