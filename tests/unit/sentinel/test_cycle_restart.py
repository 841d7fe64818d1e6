"""From one process to the next, and when disk, resolver or registry are gone."""

from collections.abc import MutableMapping

import structlog

from sentinel.rules.findings import Finding
from tests.unit.sentinel.virtual import in_virtual_time
from tests.unit.sentinel.world import (
    FakeFinder,
    FakeMemory,
    gone,
    page_id,
    world,
)


def test_a_restart_neither_repeats_a_page_nor_loses_its_recovery() -> None:
    """What was paged is known to the next process, with what to restore."""

    async def run() -> None:
        memory = FakeMemory()
        first = world(5, memory=memory)
        await first.run(60.0, (40.0, lambda: gone(first, 2, Finding.NXDOMAIN)))
        key = page_id(first.names[2].key)
        assert first.told() == [("page", key)]
        second = world(5, memory=memory)
        gone(second, 2, Finding.NXDOMAIN)
        await second.daemon.resume()
        await second.run(90.0, (50.0, second.servers.broken.clear))
        assert second.told() == [("recovery", key)]

    in_virtual_time(run)


def test_names_that_were_good_before_a_restart_page_as_quickly_after_it() -> None:
    """A sentinel that starts into an outage knows what the name answered."""

    async def run() -> None:
        memory = FakeMemory()
        first = world(5, memory=memory)
        await first.run(30.0)
        second = world(5, memory=memory)
        gone(second, 2, Finding.NXDOMAIN)
        await second.daemon.resume()
        began_s = second.clock.elapsed_s()
        await second.run(30.0)
        key = page_id(second.names[2].key)
        assert second.told() == [("page", key)]
        assert second.paged_at_s(key) - began_s <= second.pace.found_within_s
        assert "last good answers: A 192.0.2.3" in second.notices[0].text

    in_virtual_time(run)


def test_servers_known_before_a_restart_are_asked_when_none_can_be_found() -> None:
    """Resolver, registry and control API are gone; the sentinel still sees."""

    async def run() -> None:
        memory = FakeMemory()
        await world(3, memory=memory).run(10.0)
        second = world(3, memory=memory, finder=FakeFinder(failure="no resolver"))
        await second.daemon.resume()
        await second.run(60.0, (30.0, lambda: gone(second, 1, Finding.NODATA)))
        assert second.told() == [("page", page_id(second.names[1].key))]

    in_virtual_time(run)


def test_a_zone_without_known_servers_is_paged_as_unseen() -> None:
    """Nobody to ask is not a reason to be silent."""

    async def run() -> None:
        made = world(3, finder=FakeFinder(failure="look up NS of shop.example.: no answer"))
        await made.run(40.0)
        assert made.told() == [("page", "unseen")]
        assert "look up NS of shop.example.: no answer" in made.notices[0].text
        made.finder.failure = ""
        await made.run(40.0)
        assert made.told() == [("page", "unseen"), ("recovery", "unseen")]

    in_virtual_time(run)


def test_a_disk_that_fails_stops_no_page() -> None:
    """Memory is a help."""

    async def run() -> None:
        made = world(3, memory=FakeMemory(failing=True))
        await made.daemon.resume()
        await made.run(60.0, (40.0, lambda: gone(made, 1, Finding.NODATA)))
        assert made.told() == [("page", page_id(made.names[1].key))]

    in_virtual_time(run)


def test_that_all_names_answer_is_said_when_all_have_been_asked() -> None:
    """Once, by what this process has seen; and again after a fault."""

    async def run() -> list[float]:
        memory = FakeMemory()
        await world(8, memory=memory).run(20.0)
        made = world(8, memory=memory)
        await made.daemon.resume()
        began_s = made.clock.elapsed_s()
        said: list[float] = []

        def hear(_: object, __: str, event: MutableMapping[str, object]) -> dict[str, object]:
            if event["event"] == "all_names_answer":
                said.append(made.clock.elapsed_s() - began_s)
            raise structlog.DropEvent

        structlog.configure(processors=[hear], wrapper_class=structlog.BoundLogger)
        await made.run(
            120.0,
            (40.0, lambda: gone(made, 2, Finding.NODATA)),
            (80.0, made.servers.broken.clear),
        )
        return said

    first, again = in_virtual_time(run)
    assert 4.0 < first < 6.0
    assert 80.0 < again < 90.0
