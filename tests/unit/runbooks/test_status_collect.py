"""The collector over strict fakes: it reads each part, and a part that fails hides no other."""

import asyncio
from collections.abc import Sequence

import msgspec

from dnsplan.codec import seal
from dnsplan.errors import ReadFailed
from dnsplan.fence import FenceRecord, NoFence, SeenFence, to_record_set
from dnsplan.generation import GenerationItem
from dnsplan.names import Name
from dnsplan.plan import Generation, Plan, managed_units
from dnsplan.ports import PlanRow, Presence, Zone, ZoneSighting
from dnsplan.records import RecordSet
from dnsplan.runtime.status.collect import READS_AT_ONCE, Collector, Sources, ZoneAsked
from dnsplan.runtime.status.model import NameStatus, Unread, ZoneStatus
from dnsplan.runtime.status.shape import HeldNames
from dnsplan.runtime.status.verdict import Standing, judge_report
from runbooks.status.lines import plain_lines
from tests.fakes.archive import FakeArchive
from tests.fakes.clock import FakeClock
from tests.fakes.table import FakeTable

AZS = ("use1-az1",)


class Fences:
    """Fences by zone id; counts how many reads run at once."""

    def __init__(self) -> None:
        self.held: dict[str, SeenFence] = {}
        self.reachable = True
        self.asked: list[str] = []
        self.running = 0
        self.running_max = 0

    async def read_fence(self, zone: Zone) -> SeenFence | NoFence:
        self.asked.append(zone.zone_id)
        self.running += 1
        self.running_max = max(self.running_max, self.running)
        await asyncio.sleep(0)
        self.running -= 1
        if not self.reachable:
            raise ReadFailed("Route 53 cannot be reached")
        return self.held.get(zone.zone_id, NoFence.MISSING)


class Board:
    """Signs of life."""

    def __init__(self) -> None:
        self.signs: list[Presence] = []
        self.reachable = True

    async def announce(self, presence: Presence) -> None:
        self.signs.append(presence)

    async def everyone(self) -> Sequence[Presence]:
        if not self.reachable:
            raise ReadFailed("the board cannot be reached")
        return self.signs


class Place:
    """A deployment of some zones, each applied and in sync."""

    def __init__(self, *labels: str) -> None:
        self.clock = FakeClock()
        self.table, self.archive, self.fences, self.board = (
            FakeTable(),
            FakeArchive(),
            Fences(),
            Board(),
        )
        self.labels = labels
        self.found: list[str] = []
        self.kept: HeldNames | None = {}

    async def settle(self) -> None:
        """Publish and apply generation 1 everywhere."""
        now_s = int(self.clock.now_s())
        for label in self.labels:
            envelope = seal(plan_of(label))
            await self.archive.store(envelope, row_of(envelope.plan_id))
            record = fence_of(label, envelope.plan_id.digest)
            listed = to_record_set(record, name_of(label))
            self.fences.held[f"Z{label}"] = SeenFence(record, listed)
            self.table.items[label] = GenerationItem(
                label=label,
                owner="o",
                incarnation="table-1",
                nonce="n",
                zone_id=f"Z{label}",
                head=Generation(1),
                head_digest=envelope.plan_id.digest,
                claimed=Generation(1),
                applied=Generation(1),
                applied_fence=listed.values[0],
                last_known_good=Generation(1),
            )
        sightings = tuple(
            ZoneSighting(label, Generation(1), 1, None, now_s) for label in self.labels
        )
        self.board.signs = [Presence("use1-az1", now_s, sightings)]

    async def find_zone_id(self, zone: ZoneAsked) -> str:
        self.found.append(zone.label)
        return f"Z{zone.label}"

    async def held_names(self, label: str, fence: FenceRecord) -> HeldNames:
        if self.kept is None:
            raise ReadFailed(f"{label}: the note of {fence.held} held names is gone")
        return self.kept

    def collector(self) -> Collector:
        sources = Sources(
            self.table,
            self.archive,
            self.fences,
            self.board,
            self.find_zone_id,
            self.held_names,
        )
        asked = [ZoneAsked(label, name_of(label), None) for label in self.labels]
        return Collector(asked, AZS, sources, self.clock)


def name_of(label: str) -> Name:
    return Name(f"{label}.example.")


def plan_of(label: str) -> Plan:
    apex = name_of(label)
    return Plan(
        schema=1,
        owner="o",
        label=label,
        zone=apex,
        generation=Generation(1),
        base=Generation(0),
        created_s=1,
        author="planner",
        reason="first",
        content=(RecordSet(apex, "A", 30, ("192.0.2.1", "192.0.2.2")),),
    )


def row_of(plan_id: object) -> PlanRow:
    return PlanRow(
        plan_id=plan_id,  # type: ignore[arg-type]  # the seal's own id
        created_s=1,
        author="planner",
        reason="first",
        base=Generation(0),
        chunks=1,
        record_sets=1,
    )


def fence_of(label: str, digest: object) -> FenceRecord:
    return FenceRecord(
        generation=Generation(1),
        step=1,
        steps=1,
        base=Generation(0),
        held=0,
        owner="o",
        writer="use1-az1",
        nonce=f"n{label}",
        digest=digest,  # type: ignore[arg-type]  # the seal's own digest
    )


async def test_a_settled_deployment_is_in_sync() -> None:
    """Everything read, in the config's order, with nothing unread."""
    place = Place("b", "a")
    await place.settle()
    report = await place.collector().report()
    assert [zone.label for zone in report.status.zones] == ["b", "a"]
    assert report.unread == ()
    expected = (NameStatus(name="b.example.", type="A", answers=2, targets=None, healthy=None),)
    assert expected == report.status.zones[0].names
    assert {Standing.IN_SYNC} == {one.standing for one in judge_report(report, azs=AZS)}


async def test_the_zones_id_comes_from_the_item_before_anybody_is_asked() -> None:
    """Route 53 is asked for an id only where neither config nor table knows one."""
    place = Place("a")
    await place.settle()
    await place.collector().report()
    assert place.fences.asked == ["Za"]
    assert place.found == []
    place.table.items.clear()
    report = await place.collector().report()
    assert place.found == ["a"]
    assert report.status.zones[0].zone_id == "Za"


async def test_an_unreachable_table_leaves_the_fence_readable() -> None:
    """What the table holds is null and said once; what Route 53 shows is shown."""
    place = Place("a", "b")
    await place.settle()
    place.table.reachable = False
    report = await place.collector().report()
    lost = Unread(None, "generation items", "the table cannot be reached")
    assert (lost,) == report.unread
    assert [zone.fence.generation for zone in report.status.zones if zone.fence] == [1, 1]
    assert [zone.head for zone in report.status.zones] == [None, None]
    assert [zone.names for zone in report.status.zones] == [None, None]


async def test_unreachable_route53_leaves_the_table_readable() -> None:
    """Each zone's fence is named as unread, and the rest is there."""
    place = Place("a", "b")
    await place.settle()
    place.fences.reachable = False
    report = await place.collector().report()
    assert [one.label for one in report.unread] == ["a", "b"]
    assert [zone.head for zone in report.status.zones] == [1, 1]
    assert {Standing.UNHEALTHY} == {one.standing for one in judge_report(report, azs=AZS)}


async def test_a_missing_body_hides_the_names_of_its_zone_alone() -> None:
    """The others' names are shown."""
    place = Place("a", "b")
    await place.settle()
    del place.archive.bodies[place.table.items["a"].head_id]
    report = await place.collector().report()

    def names(zone: ZoneStatus) -> int | None:
        return None if zone.names is None else len(zone.names)

    assert [names(zone) for zone in report.status.zones] == [None, 1]
    assert [one.label for one in report.unread] == ["a"]


async def test_a_silent_board_is_said_once() -> None:
    """Enactors are null everywhere, in one sentence."""
    place = Place("a", "b")
    await place.settle()
    place.board.reachable = False
    report = await place.collector().report()
    assert len(report.unread) == 1
    assert [zone.enactors for zone in report.status.zones] == [None, None]


async def test_a_body_is_loaded_once_while_its_plan_stands() -> None:
    """Bodies are immutable: a second look needs no second load, a new head does."""
    place = Place("a")
    await place.settle()
    collector = place.collector()
    await collector.report()
    place.archive.reachable = False
    again = await collector.report()
    assert again.unread == ()


async def test_no_more_than_the_bound_are_read_at_once() -> None:
    """Two hundred zones are read without a burst on the account's rate."""
    place = Place(*(f"z{number}" for number in range(5 * READS_AT_ONCE)))
    await place.settle()
    await place.collector().report()
    assert place.fences.running_max == READS_AT_ONCE


def seen_at_shop(place: Place, **fields: tuple[str, ...]) -> None:
    """What the enactors' signs of life say of the shop."""
    place.board.signs = [
        msgspec.structs.replace(
            sign,
            zones=tuple(
                msgspec.structs.replace(one, **fields) if one.label == "shop" else one
                for one in sign.zones
            ),
        )
        for sign in place.board.signs
    ]


async def test_drift_that_a_configured_az_saw_is_unhealthy_and_named() -> None:
    """What others changed is said with who saw it and the command to look further."""
    place = Place("shop", "other")
    await place.settle()
    text = "www.example.com. A: wanted A 60 192.0.2.1; standing nothing"
    seen_at_shop(place, drift=(text,))
    place.board.signs.append(
        Presence("gone-az9", 0, (ZoneSighting("other", Generation(1), 0, None, 0, drift=(text,)),))
    )
    report = await place.collector().report()
    shop, other = judge_report(report, azs=AZS)
    assert shop.standing is Standing.UNHEALTHY
    assert shop.reasons == (f"enactor use1-az1 saw drift: {text}; look at dns-runbook audit shop",)
    assert other.standing is Standing.IN_SYNC


async def test_what_enactors_note_is_shown_and_is_no_trouble() -> None:
    """A zone that fills up is in sync; the word stands beside it, and once."""
    place = Place("shop", "other")
    await place.settle()
    text = "shop holds 9500 of 10000 record sets, more than 90 %; ask AWS for a higher limit"
    seen_at_shop(place, notes=(text,))
    report = await place.collector().report()
    verdicts = judge_report(report, azs=AZS)
    assert [one.standing for one in verdicts] == [Standing.IN_SYNC] * 2
    lines = [line for line in plain_lines(report, verdicts) if " note " in line]
    assert lines == [f"shop note {text}"]


async def test_what_dns_yaml_states_no_more_is_named_with_what_ends_it() -> None:
    """It is no trouble: the zone is in sync, and a person may end the name."""
    place = Place("a")
    await place.settle()
    sources = Sources(
        place.table, place.archive, place.fences, place.board, place.find_zone_id, place.held_names
    )
    units = managed_units(plan_of("a"))
    for stated, told in ((frozenset(units), 0), (frozenset(), len(units)), (None, 0)):
        asked = [ZoneAsked("a", name_of("a"), None, stated)]
        report = await Collector(asked, AZS, sources, place.clock).report()
        (verdict,) = judge_report(report, azs=AZS)
        assert (verdict.standing, len(report.unlisted)) == (Standing.IN_SYNC, told)
        lines = [line for line in plain_lines(report, [verdict]) if " unlisted " in line]
        assert lines == [
            f"a unlisted {one.name} {one.type} is not in dns.yaml and is carried forward; to end"
            f" it: dns-runbook retire a {one.name} --type {one.type}"
            for one in report.unlisted
        ]


async def test_a_held_name_answers_what_it_keeps_and_not_what_the_plan_states() -> None:
    """Nothing, where a new name was refused; others' records are not counted; without the note the
    names are unread."""
    place = Place("a")
    await place.settle()
    seen = place.fences.held["Za"]
    record = msgspec.structs.replace(seen.record, held=1)
    place.fences.held["Za"] = SeenFence(record, to_record_set(record, name_of("a")))
    cname = RecordSet(name_of("a"), "CNAME", 60, ("b.example.",))
    for kept, told in (((), [("A", 0)]), ((cname,), [("CNAME", 1)]), (None, [("A", None)])):
        place.kept = {name_of("a"): kept}
        (zone,) = (await place.collector().report()).status.zones
        assert [(one.type, one.answers) for one in zone.names or ()] == told
    place.kept = None
    report = await place.collector().report()
    assert report.status.zones[0].names is None
    assert [one.what for one in report.unread] == ["the held names"]
