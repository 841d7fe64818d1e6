"""The sentinel's page and metrics: what is heard, what is in doubt, what is paged, nothing more."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import structlog
from prometheus_client import CollectorRegistry

from dnsplan.names import Name
from dnsplan.records import Unit
from dnsplan.runtime.config.schema import ZoneEntry
from dnsplan.runtime.page.daemon_page import DaemonPage
from dnsplan.runtime.page.model import ZoneView
from dnsplan.runtime.paging.book import Manners
from dnsplan.runtime.paging.pager import Pager
from sentinel.page import SentinelPage
from sentinel.rules.findings import Finding
from sentinel.rules.resolving import Made, Word, Words
from sentinel.rules.watched import scope
from sentinel.rules.zone_faults import ZoneSeen, faults
from sentinel.settings import Watching
from tests.unit.sentinel.virtual import in_virtual_time
from tests.unit.sentinel.world import World, gone, page_id, world

WARM_S = 20.0


@dataclass
class Asked:
    """`sentinel.page.Resolving`: what resolvers said."""

    said: Mapping[str, Mapping[Unit, Words]] = field(default_factory=dict)

    def words(self) -> Mapping[str, Mapping[Unit, Words]]:
        """By zone."""
        return self.said


class Desk:
    """A sentinel and its page; to be made inside virtual time."""

    def __init__(self, made: World, asked: Asked | None = None) -> None:
        """The world's zones, as a config would state them."""
        structlog.reset_defaults()
        self.made = made
        labels = sorted({one.label for one in made.names})
        zones = {label: ZoneEntry(name=f"{label}.example") for label in labels}
        taken = scope(made.names, unjudged=[], names_max=made.names_max)
        page = DaemonPage("sentinel", made.clock)
        self.pager = Pager([], made.clock, Manners(repeat_s=14_400.0, calm_s=0.0), None)
        watching = Watching(taken, zones, {})
        self.page = SentinelPage(
            page, watching, made.cycle, made.recall, self.pager, asked or Asked()
        )
        self.registry: CollectorRegistry = page.registry
        self.opened: tuple[ZoneView, ...] = ()

    def zone(self) -> ZoneView:
        """The one zone."""
        ((zone,), more) = self.page.zones()
        assert more == 0
        return zone

    def names(self, state: str) -> float | None:
        """How many names are in a state."""
        return self.registry.get_sample_value("dnsplan_sentinel_names", {"state": state})


def test_before_the_first_look_nothing_is_claimed() -> None:
    """A name that was never seen is neither well nor ill."""

    async def play() -> tuple[str, float | None]:
        desk = Desk(world(3))
        return desk.zone().standing, desk.names("not_seen_yet")

    assert in_virtual_time(play) == ("not seen yet", 3)


def test_what_answers_is_shown_with_its_answer() -> None:
    """And counted."""

    async def play() -> None:
        desk = Desk(world(3))
        await desk.made.run(WARM_S)
        zone = desk.zone()
        assert (zone.standing, zone.holds, zone.head) == ("answers", (), None)
        assert [(one.name, one.answers, one.state) for one in zone.names] == [
            (f"n{at:04}.shop.example.", (f"192.0.2.{at + 1}",), "answers") for at in range(3)
        ]
        assert (desk.names("answers"), desk.names("no_answers")) == (3, 0)

    in_virtual_time(play)


def test_an_empty_name_stands_first_with_its_last_good_answers() -> None:
    """What to put back stands beside what is gone, and the page that is open with its command."""

    async def play() -> None:
        desk = Desk(world(3))
        await desk.made.run(WARM_S + 25.0, (WARM_S, lambda: gone(desk.made, 2, Finding.NODATA)))
        zone = desk.zone()
        assert zone.standing == "no answers"
        first, *others = zone.names
        assert (first.name, first.answers, first.is_ill) == ("n0002.shop.example.", (), True)
        assert first.state == "A nodata; last good: 192.0.2.3"
        assert [one.is_ill for one in others] == [False, False]
        (hold,) = zone.holds
        assert (hold.who, hold.command) == ("paged", "dns-runbook status shop")
        assert desk.made.told() == [("page", page_id(desk.made.names[2].key))]
        assert desk.names("no_answers") == 1
        kind = {"kind": "empty-name"}
        assert desk.registry.get_sample_value("dnsplan_sentinel_pages_open", kind) == 1

    in_virtual_time(play)


def test_what_is_paged_of_a_zone_as_a_whole_stands_there_too() -> None:
    """All its names answer, and one who looks sees what was told, and what to run."""

    async def play() -> None:
        desk = Desk(world(3))
        await desk.made.run(WARM_S)
        seen = ZoneSeen(negative_ttl_s=86_400)
        causes = faults("shop", Name("shop.example."), seen, negative_ttl_max_s=900)
        kind = {"kind": "long-negative-ttl"}
        assert desk.registry.get_sample_value("dnsplan_sentinel_pages_open", kind) == 0
        await desk.pager.tell(causes, is_unsure=lambda _: False)
        (hold,) = desk.zone().holds
        assert (hold.who, hold.rule) == ("paged", "long-negative-ttl")
        assert "remembered for 86400 s" in hold.text
        assert hold.command == "dns-sentinel check --zones shop"
        assert desk.registry.get_sample_value("dnsplan_sentinel_pages_open", kind) == 1
        await desk.pager.tell([], is_unsure=lambda _: False)
        assert desk.zone().holds == ()

    in_virtual_time(play)


def test_what_resolvers_make_of_a_name_stands_beside_it() -> None:
    """Who answers, and what the others say; each resolver's words are counted."""

    async def play() -> None:
        made = world(2)
        words = (Word("192.0.2.53", Made.ANSWERED), Word("198.51.100.53", Made.BOGUS))
        asked = Asked({"shop": {(made.names[1].name, "A"): words}})
        desk = Desk(made, asked)
        await made.run(WARM_S)
        assert [one.state for one in desk.zone().names] == [
            "answers",
            "answers; 1 of 2 resolvers answer, 198.51.100.53 bogus",
        ]
        counted = {
            (resolver, word): desk.registry.get_sample_value(
                "dnsplan_sentinel_resolver_names", {"resolver": resolver, "made": word}
            )
            for resolver in ("192.0.2.53", "198.51.100.53")
            for word in ("answered", "bogus")
        }
        assert counted == {
            ("192.0.2.53", "answered"): 1,
            ("192.0.2.53", "bogus"): 0,
            ("198.51.100.53", "answered"): 0,
            ("198.51.100.53", "bogus"): 1,
        }

    in_virtual_time(play)


def test_where_nobody_is_heard_nothing_is_said_of_names() -> None:
    """Neither that they answer, nor that they do not."""

    async def play() -> None:
        desk = Desk(world(3))

        def cut_off() -> None:
            desk.made.servers.silent_hosts.update(f"192.0.2.{at}" for at in range(1, 5))

        await desk.made.run(WARM_S + 40.0, (WARM_S, cut_off))
        zone = desk.zone()
        assert (zone.standing, {one.state for one in zone.names}) == ("unseen", {"unseen"})
        assert desk.page.source().failing == "no name server is heard from here"
        assert (desk.names("unseen"), desk.names("answers")) == (3, 0)

    in_virtual_time(play)


def test_names_beyond_the_measure_are_counted() -> None:
    """Nobody here watches them."""

    async def play() -> float | None:
        desk = Desk(world(3, names_max=2))
        return desk.registry.get_sample_value("dnsplan_sentinel_unwatched_names")

    assert in_virtual_time(play) == 1
