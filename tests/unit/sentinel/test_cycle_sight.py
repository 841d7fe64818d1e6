"""What is seen, what cannot be seen, and that neither is taken for the other."""

from functools import partial

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


def test_a_network_that_is_down_is_one_page_and_no_names() -> None:
    """All silent: one page says so, in time; back again: one notice, and no name was paged."""

    async def run() -> None:
        made = world(40)
        hosts = {one.host for one in SERVERS}
        await made.run(
            160.0,
            (50.0, lambda: made.servers.silent_hosts.update(hosts)),
            (110.0, made.servers.silent_hosts.clear),
        )
        assert made.told() == [("page", "unseen"), ("recovery", "unseen")]
        assert made.paged_at_s("unseen") - 50.0 <= made.pace.found_within_s
        assert "40 names are unseen" in made.notices[0].text

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
