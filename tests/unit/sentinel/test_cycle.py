"""The whole cycle in virtual time: how soon it pages, and when it never does."""

from functools import partial
from random import Random

import pytest

from dnsplan.names import Name
from sentinel.ports import NameServer, Question
from sentinel.rules.findings import Finding
from sentinel.rules.judging import Transport
from sentinel.rules.paging import NAMES_APART_MAX
from sentinel.rules.watched import Expected, WatchedName
from tests.unit.sentinel.virtual import in_virtual_time
from tests.unit.sentinel.world import (
    SERVERS,
    FakeFinder,
    FakeServers,
    Records,
    World,
    answering,
    gone,
    page_id,
    shop,
    world,
)

ONE_SERVER = FakeFinder(SERVERS[:1])
WARM_S = 30.0

BAD = [
    Finding.NODATA,
    Finding.NXDOMAIN,
    Finding.SERVFAIL,
    Finding.LAME,
    Finding.TIMEOUT,
]


@pytest.mark.parametrize("finding", BAD)
@pytest.mark.parametrize("finder", [FakeFinder(), ONE_SERVER], ids=["four", "one"])
def test_every_way_to_have_no_answers_pages_in_time(finding: Finding, finder: FakeFinder) -> None:
    """At whatever moment a name stops answering: found within the bound that the pace states."""
    chance = Random(f"{finding} {len(finder.servers)}")

    async def fault_at(at_s: float) -> float:
        made = world(finder=finder)
        victim = chance.randrange(len(made.names))
        await made.run(at_s + 25.0, (at_s, lambda: gone(made, victim, finding)), seed=int(at_s))
        assert [("page", page_id(made.names[victim].key))] == made.told()
        verdict = made.notices[0].facts["verdict"]
        assert verdict == [{"type": "A", "finding": str(finding), "partly": False}]
        assert made.paged_at_s(page_id(made.names[victim].key)) - at_s <= made.pace.found_within_s
        return made.paged_at_s(page_id(made.names[victim].key)) - at_s

    took_s = [in_virtual_time(lambda: fault_at(WARM_S + chance.uniform(0, 10))) for _ in range(12)]
    assert min(took_s) > 0.0


@pytest.mark.parametrize("page_within_s", [3.0, 30.0, 120.0])
def test_the_bound_follows_the_promise(page_within_s: float) -> None:
    """Whatever page_within_s is stated, a silent name (the slowest to confirm) pages in time."""

    async def run() -> None:
        made = world(page_within_s=page_within_s)
        at_s = page_within_s * 1.7
        await made.run(at_s + page_within_s, (at_s, lambda: gone(made, 3, Finding.TIMEOUT)))
        took_s = made.paged_at_s(page_id(made.names[3].key)) - at_s
        assert took_s + made.pace.sink_s <= page_within_s

    in_virtual_time(run)


def test_other_silent_names_do_not_make_a_page_late() -> None:
    """Passes that wait for time-outs all the while are part of the bound."""

    async def run() -> None:
        made = world(20)
        for at in range(8):  # silent from the start, each look at them takes all its time
            gone(made, at, Finding.TIMEOUT)
        at_s = 61.3
        await made.run(at_s + 25.0, (at_s, lambda: gone(made, 15, Finding.TIMEOUT)))
        took_s = made.paged_at_s(page_id(made.names[15].key)) - at_s
        assert took_s <= made.pace.found_within_s

    in_virtual_time(run)


def test_a_quiet_hour_with_lost_packets_pages_nobody() -> None:
    """One packet in a hundred is lost, each on its own: tens of suspicions, no page."""

    async def run() -> World:
        made = world(6)
        made.servers.lost_share = 0.01
        await made.run(3_600.0)
        return made

    made = in_virtual_time(run)
    assert made.told() == []
    assert made.servers.asked > 6 * 700


@pytest.mark.parametrize("finder", [FakeFinder(), ONE_SERVER], ids=["four", "one"])
def test_no_single_lost_packet_pages(finder: FakeFinder) -> None:
    """Whichever one packet of a run is lost, nobody is paged."""

    async def losing(position: int) -> list[tuple[str, str]]:
        made = world(2, finder=finder)
        counted = iter(range(10_000))

        def lose(server: NameServer, question: Question, transport: Transport) -> bool:
            return next(counted) == position

        made.servers.losing = lose
        await made.run(20.0)
        assert next(counted) > position
        return made.told()

    told = [in_virtual_time(partial(losing, position)) for position in range(8)]
    assert told == [[]] * 8


def test_a_hiccup_between_two_changes_pages_nobody() -> None:
    """A name that others delete and make again within a second was not empty for long enough."""

    async def run() -> None:
        made = world(3)
        delete = partial(gone, made, 1, Finding.NXDOMAIN)
        deleted = [(30.0 + 7.1 * at, delete) for at in range(20)]
        made_again = [(30.9 + 7.1 * at, made.servers.broken.clear) for at in range(20)]
        await made.run(200.0, *deleted, *made_again)
        assert made.told() == []

    in_virtual_time(run)


def test_servers_that_take_over_a_change_one_by_one_page_nobody() -> None:
    """A name that some servers answer is watched for some seconds before it pages."""

    async def run() -> None:
        made = world(3)
        name = made.names[1].name
        acts = [
            (40.0 + at, partial(made.servers.broken_at.update, {(one.host, name): Finding.NODATA}))
            for at, one in enumerate(SERVERS[:3])
        ]
        await made.run(80.0, *acts, (48.0, made.servers.broken_at.clear))
        assert made.told() == []

    in_virtual_time(run)


def test_a_name_that_one_server_denies_pages_as_partly_gone() -> None:
    """A quarter of the world gets nothing, and resolvers believe a denial."""

    async def run() -> None:
        made = world(3)
        name = made.names[1].name
        made.servers.broken_at[SERVERS[2].host, name] = Finding.NXDOMAIN
        await made.run(90.0, (70.0, made.servers.broken_at.clear))
        key = page_id(made.names[1].key)
        assert [("page", key), ("recovery", key)] == made.told()
        assert "is partly gone: A nxdomain at some servers" in made.notices[0].title

    in_virtual_time(run)


@pytest.mark.parametrize("finding", [Finding.SERVFAIL, Finding.LAME, Finding.TIMEOUT])
def test_a_server_that_fails_alone_pages_nobody(finding: Finding) -> None:
    """Resolvers ask the next one. It is passed over, so that it costs a trial an interval."""

    async def run() -> tuple[World, int]:
        made = world(12)
        for one in made.names:
            made.servers.broken_at[SERVERS[0].host, one.name] = finding
        await made.run(60.0)
        asked = made.servers.asked
        await made.run(60.0)
        return made, made.servers.asked - asked

    made, asked = in_virtual_time(run)
    assert made.told() == []
    looks, rounds = 12 * 12, 12
    assert asked <= looks + rounds * (2 * len(SERVERS) + len(SERVERS)) + 30


def test_recovery_is_told_once_every_server_answers() -> None:
    """The notice comes after the repair, and soon."""

    async def run() -> None:
        made = world()
        key = page_id(made.names[4].key)
        await made.run(
            120.0,
            (40.0, lambda: gone(made, 4, Finding.NXDOMAIN)),
            (80.0, made.servers.broken.clear),
        )
        assert [("page", key), ("recovery", key)] == made.told()
        recovered_s = made.notices[1].at_s - made.notices[0].at_s
        assert 80.0 - 40.0 - made.pace.found_within_s <= recovered_s <= 40.0 + 10.0

    in_virtual_time(run)


def test_a_changed_verdict_is_paged_again_and_the_same_one_is_not() -> None:
    """First gone, then there and empty: two pages under one id, however long each lasts."""

    async def run() -> None:
        made = world(4)
        await made.run(
            200.0,
            (40.0, lambda: gone(made, 2, Finding.NXDOMAIN)),
            (100.0, lambda: gone(made, 2, Finding.NODATA)),
        )
        key = page_id(made.names[2].key)
        assert [("page", key), ("change", key)] == made.told()

    in_virtual_time(run)


def test_the_page_holds_the_last_good_answers() -> None:
    """What an operator has to put back is what was answered before the fault."""

    async def run() -> None:
        made = world(4)
        good = made.servers.records[made.names[2].name, "A"]
        await made.run(60.0, (40.0, lambda: gone(made, 2, Finding.NXDOMAIN)))
        assert made.notices[0].facts["last_good"]["A"]["values"] == list(good)  # type: ignore[index]  # facts are JSON

    in_virtual_time(run)


def test_a_whole_zone_that_is_empty_is_a_page_for_its_cause_in_time() -> None:
    """Three hundred names vanish at once: within the bound one page is left, and no single one."""

    async def run() -> None:
        made = world(300)
        at_s = 40.0
        await made.run(at_s + 60.0, (at_s, made.servers.records.clear))
        assert ("page", "empty-zone/shop") in made.told()
        assert made.paged_at_s("empty-zone/shop") - at_s <= made.pace.found_within_s
        assert len(made.notices) <= 2 * NAMES_APART_MAX + 1
        told = made.told()
        opened = {one for change, one in told if change == "page"}
        assert opened - {one for change, one in told if change == "folded"} == {"empty-zone/shop"}

    in_virtual_time(run)


def test_a_name_that_is_only_being_made_pages_nobody() -> None:
    """A first plan takes its time; a name that still is not there after it pages."""

    async def run() -> None:
        made = world(4)
        late, never = made.names[1], made.names[2]
        good = dict(made.servers.records)
        for one in (late, never):
            del made.servers.records[one.name, "A"]
        back = {(late.name, "A"): good[late.name, "A"]}
        await made.run(60.0, (12.0, lambda: made.servers.records.update(back)))
        assert made.told() == [("page", page_id(never.key))]
        assert made.paged_at_s(page_id(never.key)) <= 30.0 + made.pace.interval_s
        assert "no A answer has been seen yet" in made.notices[0].text

    in_virtual_time(run)


def test_an_observed_zone_pages_only_for_what_was_there() -> None:
    """What the config states for a zone that is not written need not exist."""

    async def run() -> None:
        names = shop(3, enforced=False)
        made = World(names, FakeServers(answering(names[:2])))
        await made.run(90.0, (50.0, lambda: gone(made, 0, Finding.NXDOMAIN)))
        assert made.told() == [("page", page_id(names[0].key))]

    in_virtual_time(run)


def test_names_beyond_names_max_are_paged_at_once_and_not_asked() -> None:
    """The page counts them and names them."""

    async def run() -> None:
        made = world(5, names_max=3)
        await made.run(20.0)
        assert made.told() == [("page", "unwatched-names")]
        assert made.notices[0].title == "2 names are not watched: names_max is 3"
        assert "shop n0004.shop.example." in made.notices[0].text

    in_virtual_time(run)


def test_a_process_that_was_stopped_says_that_it_was_late() -> None:
    """A minute without a look is told, and that looks are in time again."""

    async def run() -> None:
        made = world(5)
        await made.run(30.0)
        await made.clock.sleep(60.0)
        await made.run(30.0)
        assert made.told() == [("page", "behind"), ("recovery", "behind")]

    in_virtual_time(run)


def test_looks_are_spread_evenly() -> None:
    """No second of an interval has much more than its share of the questions."""

    async def run() -> None:
        made = world(100)
        seconds: dict[int, int] = {}

        def count(server: NameServer, question: Question, transport: Transport) -> bool:
            second = int(made.clock.elapsed_s())
            seconds[second] = seconds.get(second, 0) + 1
            return False

        made.servers.losing = count
        await made.run(100.0)
        steady = [seconds.get(second, 0) for second in range(10, 100)]
        assert sum(steady) == pytest.approx(100 / 5 * 90, rel=0.05)
        assert max(steady) <= 2 * 100 / 5

    in_virtual_time(run)


def test_looks_do_not_come_in_bursts() -> None:
    """What is due at one tick is spread until the next: a burst would lose packets."""

    async def run() -> None:
        made = world(2_000)
        moments: dict[int, int] = {}

        def count(server: NameServer, question: Question, transport: Transport) -> bool:
            moment = int(made.clock.elapsed_s() * 100)
            moments[moment] = moments.get(moment, 0) + 1
            return False

        made.servers.losing = count
        await made.run(12.0)
        steady = {at: number for at, number in moments.items() if at >= 200}
        assert sum(steady.values()) == pytest.approx(2_000 / 5 * 10, rel=0.05)
        assert max(steady.values()) <= 16

    in_virtual_time(run)


def test_a_question_that_fails_by_our_fault_is_asked_again() -> None:
    """The pass says so and the name is asked at its next place: no name is lost from sight."""

    async def run() -> None:
        made = world(4)
        made.servers.failing = 4
        await made.run(70.0, (40.0, lambda: gone(made, 2, Finding.NODATA)))
        assert made.told() == [("page", page_id(made.names[2].key))]
        assert made.servers.asked > 4 * 10

    in_virtual_time(run)


BOTH = (Expected("A", ("A",)), Expected("AAAA", ("AAAA",)))


def test_types_of_one_name_are_one_page() -> None:
    """The AAAA goes: a page for it; then the A as well: the same page, changed; one recovery."""

    async def run() -> None:
        zone = Name("shop.example.")
        both = WatchedName("shop", zone, Name(f"www.{zone}"), BOTH)
        four, six = (both.name, "A"), (both.name, "AAAA")
        records: Records = {four: ("192.0.2.1",), six: ("2001:db8::1",)}
        made = World([both], FakeServers(dict(records)))
        await made.run(
            130.0,
            (40.0, lambda: made.servers.records.pop(six)),
            (70.0, lambda: made.servers.records.pop(four)),
            (100.0, lambda: made.servers.records.update(records)),
        )
        key = page_id(both.key)
        assert made.told() == [("page", key), ("change", key), ("recovery", key)]
        assert [one.facts["verdict"] for one in made.notices[:2]] == [
            [{"type": "AAAA", "finding": "nodata", "partly": False}],
            [
                {"type": "A", "finding": "nxdomain", "partly": False},
                {"type": "AAAA", "finding": "nxdomain", "partly": False},
            ],
        ]

    in_virtual_time(run)


def test_names_of_many_zones_that_vanish_are_paged_in_time_and_not_as_late() -> None:
    """A hundred zones with three names each: some pages, one for all the rest, none about pace."""

    async def run() -> None:
        names = [one for at in range(100) for one in shop(3, label=f"z{at:03}")]
        made = World(names, FakeServers(answering(names)))
        good = dict(made.servers.records)
        await made.run(
            160.0,
            (40.0, made.servers.records.clear),
            (90.0, lambda: made.servers.records.update(good)),
        )
        assert made.paged_at_s("empty-names") - 40.0 <= made.pace.found_within_s
        assert len(made.notices) <= 2 * 40
        opened = {one for change, one in made.told() if change == "page"}
        ended = {one for change, one in made.told() if change in ("recovery", "folded")}
        assert opened == ended
        assert "behind" not in opened

    in_virtual_time(run)
