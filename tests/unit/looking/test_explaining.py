"""An explanation says what holds, rule by rule; what could not be read is never clear."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import pytest
from msgspec import structs

from dnsplan.fence import fence_name
from dnsplan.names import parse_name
from dnsplan.plan import Generation, NameLedger, Retirement
from dnsplan.ports import Presence, Zone, ZoneSighting
from dnsplan.records import RecordSet
from dnsplan.runtime.config.derived import PoolUnit
from dnsplan.runtime.status.model import Unread
from dnsplan.trace import trace_of
from runbooks.explaining.command import exit_code
from runbooks.explaining.facts import Gathering, Stated
from runbooks.explaining.findings import State
from runbooks.explaining.holds import findings
from runbooks.explaining.show import Explanation, explain_facts, explain_text
from runbooks.explaining.units import unit_reports
from tests.fakes.world import LIMITS, World, a
from tests.unit.looking.hands import FakeAsker, FakeBoard, applied, asking, eyes_on

WWW, TWO = a("www.example.com", "192.0.2.1"), a("www.example.com", "192.0.2.2")
UNIT = (WWW.name, "A")
HERE = "192.0.2.1"


def stated(**others: object) -> Stated:
    """A config that states www."""
    plain = Stated(
        apex=parse_name("example.com"),
        observe=False,
        driven={},
        static=frozenset({UNIT}),
        limits=LIMITS,
        azs=("az1",),
    )
    return replace(plain, **others)  # type: ignore[arg-type]  # tests name its fields


@dataclass
class Place:
    """A zone with one name, applied, seen by its one enactor, answered by one server."""

    world: World = field(default_factory=World)
    board: FakeBoard = field(default_factory=FakeBoard)
    asker: FakeAsker = field(default_factory=FakeAsker)
    config: Stated = field(default_factory=stated)
    find: Zone | None = None

    async def settle(self, *content: RecordSet, ledger: tuple[NameLedger, ...] = ()) -> None:
        """Publish and apply."""
        await self.world.publish(*(content or (WWW,)), ledger=ledger)
        await applied(self.world)
        self.asker.answers("s1", "www.example.com", "A", *(content or (WWW,))[0].values)
        self.sign()

    def sign(self, *, holding: str | None = None, drift: tuple[str, ...] = ()) -> None:
        """The enactor's sign of life, now."""
        now_s = int(self.world.clock.now_s())
        sighting = ZoneSighting("shop", Generation(1), 1, holding, now_s, None, drift)
        self.board.signs = [Presence("az1", now_s, (sighting,))]

    async def explain(self, name: str | None = None, *, blind: bool = False) -> Explanation:
        """The explanation."""
        eyes = eyes_on(self.world, self.board)
        if self.find is not None:
            found = self.find

            async def find(_label: str) -> Zone:
                return found

            eyes = replace(eyes, find_zone=find)
        gathering = Gathering(eyes, "shop", self.config)
        facts = await gathering.zone()
        if name is None:
            return Explanation(facts, findings(facts, name=None), None, ())
        servers = Unread("shop", "its name servers", "no resolver")
        who = servers if blind else asking(self.asker, "s1")
        named = await gathering.name(parse_name(name), facts, who)
        rules = findings(facts, name=named.owner)
        return Explanation(facts, rules, named, unit_reports(facts, named))


@pytest.fixture
async def place() -> Place:
    """All is well."""
    made = Place()
    await made.settle()
    return made


def lines(what: Explanation) -> list[str]:
    """As in a pipe."""
    return [text.plain for text in explain_text(what)]


def holding(what: Explanation) -> list[tuple[str, str]]:
    """Rules that hold, with the next command."""
    return [(one.rule, one.command) for one in what.findings if one.state is State.HOLDS]


async def test_where_nothing_holds_every_rule_is_said_to_be_clear(place: Place) -> None:
    """Exit 0, for the zone and for the name."""
    found = await place.explain()
    assert exit_code(found) == 0
    assert lines(found) == [
        (
            "shop zone example.com.: generation 1 is live (step 1/1, written by az1), head is 1,"
            " applied 1"
        ),
        (
            "shop clear: readable no_plan frozen foreign_table ahead foreign_owner other_zone fence"
            " beyond_pin observing wave plan_unusable claim_refused guardrail held_names enactors"
            " progress"
        ),
    ]
    named = await place.explain("www.example.com")
    assert exit_code(named) == 0
    trace = trace_of(await place.world.digest_at(1))
    assert lines(named)[1:-1] == [
        "shop www.example.com. A as planned",
        "shop www.example.com. A stated dns.yaml: records",
        "shop www.example.com. A planned A 60 192.0.2.1",
        "shop www.example.com. A standing A 60 192.0.2.1",
        "shop www.example.com. A answered by s1: 192.0.2.1 ttl 60",
        (
            "shop www.example.com. last changed in generation 1 at 2025-10-09 08:53:20Z by test:"
            f" test; trace {trace}; earlier: dns-runbook history shop www.example.com."
        ),
    ]


async def test_a_name_that_no_kept_plan_states_never_changed(place: Place) -> None:
    """Where the oldest plans are gone nobody knows more; a name that ended did change."""
    first = await place.world.archive.rows("shop")
    await place.settle(a("www.example.com", "192.0.2.9"))
    await place.world.archive.bury(first[0], by="cleanup", now_s=9)
    found = await place.explain("never.example.com")
    assert lines(found)[-2] == (
        "shop never.example.com. was stated by no plan that is kept, since generation 2 (the plan"
        " before it: its content was deleted by cleanup)"
    )
    assert explain_facts(found)["last_change"] is None
    there = await place.explain("www.example.com")
    assert "last changed in or before generation 2" in lines(there)[-2]


def edit(place: Place, **fields: object) -> None:
    """A field of the generation item."""
    items = place.world.table.items
    items["shop"] = structs.replace(items["shop"], **fields)


def move_fence(place: Place, old: str, new: str) -> None:
    """Another text in the fence."""
    zone, route53 = place.world.zone, place.world.route53
    (fence,) = route53.standing(zone, fence_name(zone.name))
    moved = structs.replace(fence, values=(fence.values[0].replace(old, new),))
    route53.edit(zone, ("DELETE", fence), ("CREATE", moved))


def delete_fence(place: Place) -> None:
    """Somebody deletes the fence."""
    zone, route53 = place.world.zone, place.world.route53
    (fence,) = route53.standing(zone, fence_name(zone.name))
    route53.edit(zone, ("DELETE", fence))


def restore_table(place: Place) -> None:
    """Another table answers."""
    place.world.table.id = "table-2"


def another_zone(place: Place) -> None:
    """The zone was deleted and made again."""
    place.find = Zone("shop", "Z9", parse_name("example.com"))


def observe(place: Place) -> None:
    """Mode observe."""
    place.config = stated(observe=True)


def enactor_holds(place: Place) -> None:
    """A sign of life with a reason."""
    place.sign(holding="zone_full: no room")


HOLDS: dict[str, tuple[Callable[[Place], None], str, str]] = {
    "frozen": (lambda p: edit(p, frozen="f1"), "frozen", "dns-runbook thaw shop f1"),
    "frozen in the fence": (
        lambda p: move_fence(p, "held=0", "held=0 frozen=f2"),
        "frozen",
        "dns-runbook thaw shop f2",
    ),
    "restored table": (restore_table, "foreign_table", "dns-runbook reconcile shop"),
    "marked ahead": (lambda p: edit(p, ahead=9), "ahead", "dns-runbook reconcile shop"),
    "fence above head": (
        lambda p: move_fence(p, "generation=1 ", "generation=7 "),
        "ahead",
        "dns-runbook reconcile shop",
    ),
    "another content": (
        lambda p: move_fence(p, "digest=", "digest=0"),
        "ahead",
        "dns-runbook reconcile shop",
    ),
    "foreign owner": (
        lambda p: move_fence(p, "owner=0", "owner=f"),
        "foreign_owner",
        "dns-runbook reconcile shop",
    ),
    "another zone": (another_zone, "other_zone", "dns-runbook adopt shop"),
    "no fence": (delete_fence, "fence", "dns-runbook adopt shop"),
    "damaged fence": (
        lambda p: move_fence(p, "dnsplan/1", "dnsplan-x"),
        "fence",
        "dns-runbook adopt shop",
    ),
    "observing": (observe, "observing", "dns-runbook diff shop"),
    "claimed beyond": (lambda p: edit(p, claimed=5), "claim_refused", "dns-runbook history shop"),
    "floor above": (lambda p: edit(p, floor=5), "claim_refused", "dns-runbook history shop"),
    "enactor": (enactor_holds, "enactors", "dns-runbook status shop"),
}


@pytest.mark.parametrize("case", sorted(HOLDS))
async def test_each_rule_that_holds_is_named_with_its_command(place: Place, case: str) -> None:
    """P14: rule, what was measured, what to type; exit 3."""
    make, rule, command = HOLDS[case]
    make(place)
    found = await place.explain()
    assert (rule, command) in holding(found)
    assert exit_code(found) == 3
    assert any(one.startswith(f"shop holds {rule}: ") for one in lines(found))


async def test_a_pin_below_head_holds_and_names_unpin(place: Place) -> None:
    """Both numbers are said."""
    await place.world.publish(TWO)
    edit(place, pin=Generation(1), pin_digest=await place.world.digest_at(1))
    found = await place.explain("www.example.com")
    assert holding(found) == [("beyond_pin", "dns-runbook unpin shop")]
    assert (
        "shop holds beyond_pin: pinned to generation 1, head is 2; next: dns-runbook unpin shop;"
        " page: runbooks/bad-plan.md" in (lines(found))
    )
    assert exit_code(found) == 0  # it is answered as the pinned plan states


async def test_a_plan_that_takes_out_too_many_is_told_with_its_numbers() -> None:
    """What an enactor refuses is said here with the measured number and the limit."""
    place = Place()
    many = a("www.example.com", *(f"192.0.2.{n}" for n in range(1, 9)))
    ledger = (NameLedger(WWW.name, "A", 8, 8, ()),)
    await place.settle(many, ledger=ledger)
    await place.world.publish(WWW, ledger=ledger)
    found = await place.explain()
    assert holding(found) == [("guardrail", "dns-runbook diff shop 1")]
    (line,) = [one for one in lines(found) if "guardrail" in one]
    assert "7 of 8 targets taken out in" in line
    assert "limit: 2 (0.25 a window of 300 s)" in line
    assert exit_code(found) == 3


async def test_what_is_only_on_its_way_is_behind_and_holds_nothing(place: Place) -> None:
    """Exit 1: it mends itself by waiting."""
    await place.world.publish(TWO)
    found = await place.explain()
    assert (holding(found), exit_code(found)) == ([], 1)
    assert "shop behind progress: generation 1 is live, 2 is to be applied" in "\n".join(
        lines(found)
    )
    named = await place.explain("www.example.com")
    assert named.units[0].stands == "as the plan before"
    assert exit_code(named) == 1


async def test_drift_is_told_from_a_plan_that_waits(place: Place) -> None:
    """A foreign hand: no plan states it, and the audit is named."""
    place.world.route53.edit(place.world.zone, ("UPSERT", TWO))
    found = await place.explain("www.example.com")
    assert found.units[0].stands == "drift"
    assert "shop www.example.com. A next: dns-runbook audit shop" in lines(found)
    assert exit_code(found) == 1


async def test_a_name_that_is_held_back_says_why() -> None:
    """The reason of the exceptions row, and the zone's line names the name."""
    place = Place()
    await place.settle()
    world = place.world
    world.route53.edit(world.zone, ("CREATE", a("new.example.com", "203.0.113.9")))
    await world.publish(WWW, a("new.example.com", "192.0.2.5"))
    await applied(world)
    found = await place.explain("new.example.com")
    assert found.units[0].stands == "held back"
    assert exit_code(found) == 3
    assert ("held_names", "dns-runbook explain new.example.com.") in holding(await place.explain())
    # The explanation of the name itself leads on, and not to itself.
    assert holding(found) == [("held_names", "dns-runbook adopt shop --dry-run")]
    assert holding(await place.explain("www.example.com")) == []


async def test_a_name_that_the_config_lost_is_carried_and_retire_is_named(place: Place) -> None:
    """It answers on: absence is no instruction."""
    place.config = stated(static=frozenset())
    found = await place.explain("www.example.com")
    assert any(
        one.endswith("to end it: dns-runbook retire shop www.example.com. --type A")
        for one in lines(found)
    )
    assert exit_code(found) == 0


async def test_a_retired_name_says_who_ended_it(place: Place) -> None:
    """And that nothing is planned there any more."""
    await place.world.publish(
        a("other.example.com", HERE), retired=(Retirement(WWW.name, "A", 2, "ann"),)
    )
    await applied(place.world)
    place.config = stated(static=frozenset())
    place.asker.answers("s1", "www.example.com", "A")
    found = await place.explain("www.example.com")
    assert found.units[0].stated == "retired by ann in generation 2"
    assert found.units[0].stands == "not managed"


async def test_what_nobody_planned_is_not_managed(place: Place) -> None:
    """A stranger's record, and a name at which nothing is."""
    place.world.route53.edit(place.world.zone, ("CREATE", a("x.example.com", HERE)))
    stranger = await place.explain("x.example.com")
    assert stranger.units[0].stands == "not managed"
    nothing = await place.explain("y.example.com")
    assert "shop y.example.com.: nothing stands and nothing is planned" in "\n".join(lines(nothing))
    assert (exit_code(stranger), exit_code(nothing)) == (1, 1)
    mistyped = await place.explain("wwww.example.com")
    assert "shop names like it: www.example.com." in lines(mistyped)


async def test_what_others_made_beside_a_name_does_not_keep_it_from_being_as_planned(
    place: Place,
) -> None:
    """As NS and SOA at the apex; it is shown. What the config states and no plan has does."""
    text = RecordSet(name=WWW.name, type="TXT", ttl_s=60, values=('"others"',))
    place.world.route53.edit(place.world.zone, ("CREATE", text))
    found = await place.explain("www.example.com")
    assert [str(one.stands) for one in found.units] == ["as planned", "not managed"]
    place.config = stated(static=frozenset({UNIT, (WWW.name, "TXT")}))
    wanted = await place.explain("www.example.com")
    assert (exit_code(found), exit_code(wanted)) == (0, 1)


async def test_a_pool_shows_its_ledger_and_what_velocity_withholds() -> None:
    """Counts, the window, when more may go, and the waiver that would lift it."""
    place = Place()
    pool = PoolUnit(WWW.name, "A", "web", "multivalue", 30, ())
    place.config = stated(driven={UNIT: pool}, static=frozenset())
    now_s = int(place.world.clock.now_s())
    eight = a("www.example.com", *(f"192.0.2.{n}" for n in range(1, 7)))
    await place.settle(eight, ledger=(NameLedger(WWW.name, "A", 8, 3, ((now_s - 100, 2),)),))
    found = await place.explain("www.example.com")
    waited_s = int(place.world.clock.now_s()) - now_s
    text = "\n".join(lines(found))
    assert "A stated dns.yaml: pool web, multivalue, ttl 30" in text
    assert (
        "pool web: 8 targets, 3 healthy when planned, 6 answer; 2 of 2 taken out in 300 s,"
        f" 0 may go now, more in {200 - waited_s} s; min_targets 1"
    ) in text
    assert (
        "velocity lets no more go now; who waits: dns-planner plan shop;"
        " next: dns-runbook waive shop velocity --because TEXT"
    ) in text


async def test_without_the_table_what_stands_and_answers_is_shown_and_the_rest_is_unknown(
    place: Place,
) -> None:
    """Nothing that could not be read is taken for clear; exit 1."""
    place.world.table.reachable = place.world.archive.reachable = place.board.reachable = False
    found = await place.explain("www.example.com")
    assert found.units[0].stands == "unknown"
    text = "\n".join(lines(found))
    assert "generation 1 is live (step 1/1, written by az1), what is planned is not known" in text
    assert "A planned not known" in text
    assert "A standing A 60 192.0.2.1" in text
    assert "A answered by s1: 192.0.2.1 ttl 60" in text
    assert "the generation item could not be read: the table cannot be reached" in text
    assert lines(found)[-2:] == [
        (
            "shop unknown: no_plan frozen foreign_table ahead foreign_owner other_zone beyond_pin"
            " wave plan_unusable claim_refused guardrail enactors progress"
        ),
        "shop clear: fence observing held_names",
    ]
    assert exit_code(found) == 1
    facts = explain_facts(found)
    assert (facts["head"], facts["live"], facts["as_planned"]) == (None, 1, False)


async def test_without_route_53_what_is_planned_and_answered_is_shown(place: Place) -> None:
    """The other way round."""
    place.world.route53.read_failures = 100
    found = await place.explain("www.example.com")
    text = "\n".join(lines(found))
    assert "what is live is not known, head is 1, applied 1" in text
    assert "A planned A 60 192.0.2.1" in text
    assert "A standing not known" in text
    assert lines(found)[-2:] == [
        "shop unknown: frozen ahead foreign_owner fence beyond_pin guardrail held_names progress",
        (
            "shop clear: no_plan foreign_table other_zone observing wave plan_unusable"
            " claim_refused enactors"
        ),
    ]
    assert exit_code(found) == 1


async def test_without_name_servers_the_answers_are_said_to_be_unknown(place: Place) -> None:
    """Plan and zone agree, so it is as planned as far as anybody was asked."""
    found = await place.explain("www.example.com", blind=True)
    assert any("nobody was asked" in one for one in lines(found))
    assert exit_code(found) == 0


async def test_an_empty_answer_is_not_as_planned(place: Place) -> None:
    """October 2025: the zone says one thing and a server nothing."""
    place.asker.answers("s1", "www.example.com", "A")
    assert exit_code(await place.explain("www.example.com")) == 1


@pytest.mark.parametrize("age_s", [61, None])
async def test_a_silent_enactor_is_told(place: Place, age_s: int | None) -> None:
    """One that was seen too long ago, and one that never was."""
    if age_s is None:
        place.board.signs = []
    else:
        await place.world.clock.sleep(age_s)
    found = await place.explain()
    (line,) = [one for one in lines(found) if "enactors" in one and "clear" not in one]
    wanted = "has never looked" if age_s is None else f"was last seen {age_s} s ago"
    assert wanted in line
    assert exit_code(found) == 1


async def test_a_plan_that_cannot_be_loaded_holds(place: Place) -> None:
    """Its body is gone."""
    item = await place.world.item()
    del place.world.archive.bodies[item.head_id]
    found = await place.explain()
    assert ("plan_unusable", "dns-runbook reconcile shop") in holding(found)


async def test_before_the_first_plan_the_planner_is_named() -> None:
    """A zone that nobody planned."""
    found = await Place().explain()
    assert ("no_plan", "dns-planner plan shop") in holding(found)


async def test_a_name_that_only_a_wildcard_answers_is_explained_by_the_wildcard() -> None:
    """Asked by the name itself, judged by what is planned at the wildcard, and fine with exit 0."""
    any_shop = a("*.shops.example.com", "192.0.2.7")
    place = Place(config=stated(static=frozenset({UNIT, (any_shop.name, "A")})))
    await place.settle(WWW, any_shop)
    place.asker.answers("s1", "kyiv.shops.example.com", "A", "192.0.2.7")
    found = await place.explain("kyiv.shops.example.com")
    assert lines(found)[1:6] == [
        ("shop kyiv.shops.example.com.: nothing stands there; *.shops.example.com. answers for it"),
        "shop *.shops.example.com. A as planned",
        "shop *.shops.example.com. A stated dns.yaml: records",
        "shop *.shops.example.com. A planned A 60 192.0.2.7",
        "shop *.shops.example.com. A standing A 60 192.0.2.7",
    ]
    assert "answered by s1: 192.0.2.7" in lines(found)[6]
    assert exit_code(found) == 0
    facts = explain_facts(found)
    assert (facts["name"], facts["owner"]) == ("kyiv.shops.example.com.", any_shop.name)


@pytest.mark.parametrize("name", ["a.www.example.com", "b.deep.example.com", "deep.example.com"])
async def test_a_name_that_exists_shuts_a_wildcard_out(name: str) -> None:
    """RFC 4592: www and deep exist, the latter for a name below it."""
    await (place := Place()).settle(WWW, a("*.example.com", "192.0.2.7"), a("x.deep.example.com"))
    said = f"shop {name}.: nothing stands and nothing is planned; dns.yaml does not state it"
    assert said in lines(await place.explain(name))


async def test_a_name_below_a_delegation_is_answered_elsewhere(place: Place) -> None:
    """Nothing stands in this zone, and nothing is wrong with it here."""
    place.config = stated(static=frozenset({UNIT, (parse_name("shops.example.com"), "NS")}))
    said = (
        "shop a.shops.example.com.: lies below shops.example.com. NS, whose servers answer for it"
    )
    assert said in lines(await place.explain("a.shops.example.com"))
    assert said not in lines(await place.explain("a.example.com"))
