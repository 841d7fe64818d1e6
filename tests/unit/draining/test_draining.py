"""A drain sets targets aside for a while, within the floor and no faster than velocity allows."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from msgspec import structs

from dnsplan.drains import DRAINS_MAX, Drain, encoded, standing
from dnsplan.runtime.config import load
from dnsplan.velocity import VelocityLimit
from planner.rules.candidate import ZoneWish
from planner.rules.health import Sight
from planner.rules.notes import Fate
from planner.settings import planner_settings
from runbooks.controls.outside import Operator, Refused, TableSide
from runbooks.draining.command import lines
from runbooks.draining.draining import Draining, DrainLost, Prepared
from runbooks.draining.rules import Hit, hits, labels_hit, what_mistake
from tests.fakes.audit import FakeAudit
from tests.fakes.clock import SeededJitter
from tests.fakes.table import TableFault
from tests.unit.dnsplan.samples import ITEM
from tests.unit.planner.cases import NAME, address, healthy, member, pool, wish
from tests.unit.planner.world import World

NAMES = "abcd"
AZS = {"a": "use1-az1", "b": "use1-az1", "c": "use1-az2", "d": "use1-az2"}
FAST = VelocityLimit(min_targets=1, max_removed_share=1.0, window_s=60)
WELL = Sight({("web", one): healthy() for one in NAMES}, 0.0, 100.0)


def web(limit: VelocityLimit = FAST) -> ZoneWish:
    """A pool of two targets in each of two AZs."""
    return wish(pool(*(replace(member(one), az=AZS[one]) for one in NAMES), limit=limit))


class Place:
    """A zone of one pool, and operators."""

    def __init__(self) -> None:
        self.world = World()
        self.audit = FakeAudit()

    def hand(self, who: str = "ann") -> Draining:
        """An operator."""
        side = TableSide(
            table=self.world.table,
            archive=self.world.archive,
            audit=self.audit,
            clock=self.world.clock,
            jitter=SeededJitter(sum(who.encode())),
        )
        return Draining(side, Operator(who, "kernel update"))

    async def drain(self, what: str, *, for_s: int = 600, who: str = "ann") -> None:
        """Drain it."""
        until_s = int(self.world.clock.now_s()) + for_s
        await self.hand(who).write(await self.hand(who).prepare("shop", what, until_s=until_s))

    async def answers(self, zone: ZoneWish | None = None) -> str:
        """Who answers after one more pass."""
        await self.world.once(WELL, zone or web())
        there = {value for one in (await self.world.head()).content for value in one.values}
        return "".join(one for one in NAMES if address(one) in there)


@pytest.fixture
async def place() -> Place:
    """All four answer."""
    made = Place()
    assert await made.answers() == "abcd"
    return made


@pytest.mark.parametrize(
    ("what", "left"),
    [("web/b", "acd"), ("use1-az1", "cd"), ("web/z", "abcd"), ("web", "abcd"), ("other/a", "abcd")],
)
async def test_a_drained_target_answers_nobody(place: Place, what: str, left: str) -> None:
    """A target by pool and id, or all of an AZ, and nobody else."""
    await place.drain(what)
    assert await place.answers() == left


async def test_a_drain_ends_by_itself(place: Place) -> None:
    """At its end, without anybody's doing."""
    await place.drain("use1-az1", for_s=600)
    assert await place.answers() == "cd"
    place.world.clock.advance(599)
    assert await place.answers() == "cd"
    place.world.clock.advance(1)
    assert await place.answers() == "abcd"


async def test_undrain_ends_it_before(place: Place) -> None:
    """And no other one."""
    await place.drain("web/a")
    await place.drain("web/b")
    await place.hand().write(await place.hand().prepare_end("shop", "web/a"))
    assert await place.answers() == "acd"


async def test_the_floor_stays_whatever_is_drained(place: Place) -> None:
    """A name whose targets are all drained goes on answering."""
    await place.drain("use1-az1")
    await place.drain("use1-az2")
    limit = structs.replace(FAST, min_targets=2)
    for _ in range(5):
        place.world.clock.advance(61)
        assert len(await place.answers(web(limit))) >= 2


async def test_velocity_holds_for_a_drain(place: Place) -> None:
    """One of four a window, and the next when the window has passed."""
    slow = web(VelocityLimit(min_targets=1, max_removed_share=0.25, window_s=60))
    planner = place.world.planner(slow)
    await place.drain("use1-az1")
    counts = []
    for wait_s in (0, 1, 61, 1):
        place.world.clock.advance(wait_s)
        await planner.run_once(WELL, may_write=True)
        counts.append(len((await place.world.head()).content))
    assert counts == [3, 3, 2, 2]


async def test_a_pass_says_who_drained_what_and_why(place: Place) -> None:
    """With its end, at each name that it hits."""
    await place.drain("web/b")
    report = await place.world.once(WELL, web())
    assert report.candidate is not None
    (note,) = [one for one in report.candidate.notes if one.fate is Fate.SET_ASIDE]
    assert note.detail.startswith("web/b until 20")
    assert note.detail.endswith("by ann: kernel update")


async def test_what_cannot_be_read_is_no_drain(place: Place) -> None:
    """In doubt everybody answers."""
    items = place.world.table.items
    items["shop"] = structs.replace(items["shop"], drains='[["use1-az1"]]')
    assert await place.answers() == "abcd"


async def test_draining_again_sets_a_new_end(place: Place) -> None:
    """One drain a target: the last word counts."""
    await place.drain("web/b", for_s=600)
    await place.drain("web/b", for_s=60)
    now_s = int(place.world.clock.now_s())
    assert [(one.what, one.until_s - now_s) for one in standing(place.world.item, now_s=now_s)] == [
        ("web/b", 60)
    ]


async def test_of_two_operators_the_second_is_told(place: Place) -> None:
    """Nobody's drain is lost in silence."""
    slow = await place.hand("bob").prepare("shop", "web/c", until_s=2_000_000_000)
    await place.drain("web/b")
    with pytest.raises(
        Refused, match="shop's drains were changed meanwhile, nothing was written there"
    ):
        await place.hand("bob").write(slow)
    assert await place.answers() == "acd"


async def test_a_drain_passes_a_plan_that_is_published_meanwhile(place: Place) -> None:
    """It moves no plan, so it need not be typed again under load."""
    slow = await place.hand().prepare("shop", "web/c", until_s=2_000_000_000)
    await place.drain("web/b")
    await place.hand().write(await place.hand().prepare_end("shop", "web/b"))
    await place.world.once(WELL, wish(pool("a", "b", limit=FAST)))
    await place.hand().write(slow)
    assert place.world.item.drains is not None


async def test_a_write_without_an_answer_says_that_nothing_is_known(place: Place) -> None:
    """Running it again settles it."""
    place.world.table.write_faults.append(TableFault.LOSE_REPLY)
    with pytest.raises(DrainLost, match="run the same command again"):
        await place.drain("web/b")


async def test_everything_is_audited(place: Place) -> None:
    """Who drained and undrained what, until when."""
    await place.drain("web/b")
    await place.hand("bob").write(await place.hand("bob").prepare_end("shop", "web/b"))
    assert [(row.action, row.by, row.facts["what"]) for row in place.audit.rows] == [
        ("drain", "ann", "web/b"),
        ("undrain", "bob", "web/b"),
    ]


async def test_what_is_not_drained_cannot_be_undrained(place: Place) -> None:
    """It says what is."""
    await place.drain("web/b")
    with pytest.raises(Refused, match="no drain of web/a; there is web/b"):
        await place.hand().prepare_end("shop", "web/a")


async def test_drains_are_bounded(place: Place) -> None:
    """An item cannot grow for ever; those that ended count no more."""
    now_s = int(place.world.clock.now_s())
    many = [Drain(f"web/t{n}", now_s + 60, "ann", "") for n in range(DRAINS_MAX)]
    items = place.world.table.items
    items["shop"] = structs.replace(items["shop"], drains=encoded(many))
    with pytest.raises(Refused, match="has 100 drains already"):
        await place.hand().prepare("shop", "web/a", until_s=now_s + 60)
    place.world.clock.advance(61)
    await place.drain("web/a")


def without_plan(place: Place) -> None:
    place.world.table.items.clear()


def restored(place: Place) -> None:
    place.world.table.id = "table-2"


@pytest.mark.parametrize(("trouble", "why"), [(without_plan, "no plan"), (restored, "in doubt")])
async def test_a_zone_in_doubt_is_left_alone(
    place: Place, trouble: Callable[[Place], None], why: str
) -> None:
    """The next command is named."""
    trouble(place)
    with pytest.raises(Refused, match=why):
        await place.hand().prepare("shop", "web/a", until_s=2_000_000_000)


@pytest.mark.parametrize("moved", [{"incarnation": "table-2"}, {"owner": "another"}])
async def test_another_table_s_drain_is_refused_at_the_write(
    place: Place, moved: dict[str, str]
) -> None:
    """Also when the table was restored, or the zone taken over, after it was read."""
    slow = await place.hand().prepare("shop", "web/a", until_s=2_000_000_000)
    items = place.world.table.items
    items["shop"] = structs.replace(items["shop"], **moved)
    with pytest.raises(Refused):
        await place.hand().write(slow)
    assert items["shop"].drains is None


CONFIG = """
azs: [use1-az1, use1-az2]
zones:
  shop: {name: example.com, names: {www: {pool: web}}}
  mail: {name: example.net, names: {mx: {pool: mx}}}
pools:
  web: {targets: [{id: a, address: 192.0.2.1, az: use1-az1}, {id: b, address: 192.0.2.2}]}
  mx: {targets: [{id: m, address: 192.0.2.3, az: use1-az2}]}
"""


def test_a_mistyped_word_drains_nobody_in_silence(tmp_path: Path) -> None:
    """It says what there is."""
    path = tmp_path / "dns.yaml"
    path.write_text(CONFIG)
    settings = load(path, {}).settings
    wishes = planner_settings(settings).wishes
    said = {
        what: what_mistake(what, "", settings)
        for what in ("use1-az9", "web/x", "wep/a", "use1-az2", "web/b")
    }
    assert said == {
        "use1-az9": "use1-az9 is no AZ of the config and no POOL/TARGET; AZs: use1-az1, use1-az2",
        "web/x": "pool web has no target x; targets: a, b",
        "wep/a": "no pool wep; pools: mx, web",
        "use1-az2": None,
        "web/b": None,
    }
    assert "at most 200" in (what_mistake("web/a", "x" * 201, settings) or "")
    assert [labels_hit(what, wishes, settings) for what in ("use1-az1", "use1-az2", "mx/m")] == [
        ("shop",),
        ("mail",),
        ("mail",),
    ]


def test_a_drain_that_means_nobody_says_so_beside_others() -> None:
    """What an earlier drain took away is shown, and is not taken for this one's doing."""
    earlier = Drain("use1-az1", 9, "ann", "")
    told = {
        what: list(lines(Prepared(ITEM, what, one, (earlier, one)), web()))
        for what in ("use1-az9", "use1-az2")
        for one in [Drain(what, 9, "bob", "")]
    }
    assert "no target of the config is meant" in told["use1-az9"][-1]
    assert "no target of the config is meant" not in told["use1-az2"][-1]


def test_it_shows_what_a_drain_leaves() -> None:
    """And where the floor will keep some."""
    both = [Drain("use1-az1", 9, "ann", ""), Drain("use1-az2", 9, "ann", "")]
    assert hits(web(), both[:1]) == (Hit((NAME, "A"), targets=4, drained=2, floor=1),)
    assert [str(one) for one in hits(web(), both)] == [
        "www.example.com. A: 4 of 4 targets drained; nothing else could answer, so 1 stay"
    ]
