"""Only a majority of fresh vantage points turns a target; nobody's trouble takes one out."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from planner.rules.health import (
    NEVER_SEEN,
    Asked,
    Hysteresis,
    Observation,
    Phase,
    Sight,
    TargetHealth,
    observed,
)
from planner.rules.vantage import FRESH_S, TOLD_AGAIN_S, Report, Voice, agreed, heard, in_order
from planner.vantage import VantagePoint
from tests.fakes.clock import FakeClock
from tests.fakes.vantage import FakeVantageBoard
from tests.unit.planner.cases import healthy, member, sick

WEB_A = ("web", "a")
ADDRESS = "192.0.2.1"
ASKED = {WEB_A: Asked(ADDRESS, gap_s=27.0, panic_threshold=0.0)}
GOOD, BAD, UNSEEN = Phase.HEALTHY, Phase.UNHEALTHY, Phase.UNKNOWN


def own(state: TargetHealth, *, now_s: float = 10.0) -> Sight:
    """One process's sight of one target."""
    return Sight({WEB_A: state}, 0.0, now_s, ASKED)


def voice(phase: Phase, *, is_well: bool | None = None, address: str = ADDRESS) -> Voice:
    """What another says; its newest look is as its phase unless stated."""
    shown = phase is GOOD if is_well is None and phase is not UNSEEN else is_well
    return Voice("web", "a", address, phase, shown)


def together(
    state: TargetHealth, *others: Phase | Voice, before: TargetHealth = NEVER_SEEN
) -> TargetHealth:
    """What is agreed of the target."""
    voices = [one if isinstance(one, Voice) else voice(one) for one in others]
    reports = [Report(f"az{at}", 0, (one,)) for at, one in enumerate(voices, 2)]
    return agreed(own(state), heard(reports, {}, ahead_s=0.0), {WEB_A: before}).states[WEB_A]


def test_one_alone_decides_by_itself() -> None:
    """Without other planners nothing is changed by agreeing with oneself."""
    for state in (NEVER_SEEN, healthy(5.0), sick(5.0)):
        assert together(state) == state


def test_one_broken_network_removes_nothing() -> None:
    """One of three is outvoted, whoever it is."""
    assert together(sick(), GOOD, GOOD).phase is GOOD
    assert together(healthy(), BAD, GOOD).phase is GOOD


def test_a_majority_turns_a_target() -> None:
    """Two of three find it sick, so it is, also for the one that still reaches it."""
    assert together(sick(), BAD, GOOD).phase is BAD
    assert together(healthy(), BAD, BAD).phase is BAD


def test_half_is_no_majority() -> None:
    """One of two, or two of four, leave it as it was."""
    assert together(sick(), GOOD, before=healthy()).phase is GOOD
    assert together(sick(), GOOD).phase is UNSEEN
    assert together(sick(), BAD, GOOD, GOOD, before=healthy()).phase is GOOD


def test_who_has_not_looked_has_to_be_outvoted() -> None:
    """A planner that started just now has no voice, and makes no majority smaller."""
    assert together(sick(), BAD, UNSEEN).phase is BAD
    assert together(sick(), UNSEEN, before=healthy()).phase is GOOD


def test_sickness_lasts_only_while_it_is_agreed() -> None:
    """When the majority is gone nothing is known: in stays in, out stays out."""
    assert together(sick(), GOOD, before=sick()).phase is UNSEEN
    assert together(NEVER_SEEN, before=sick()).phase is UNSEEN


def test_an_old_look_is_no_voice() -> None:
    """Staleness is not sickness: what was seen before the gap says nothing now."""
    late = own(sick(5.0), now_s=5.0 + 27.1)
    assert agreed(late, {}, {}).states[WEB_A].phase is UNSEEN
    in_time = own(sick(5.0), now_s=5.0 + 26.9)
    assert agreed(in_time, {}, {}).states[WEB_A].phase is BAD


def test_of_another_address_nothing_is_said() -> None:
    """While a config goes round, the same target may be two hosts."""
    elsewhere = voice(BAD, address="192.0.2.99")
    assert together(healthy(), elsewhere, elsewhere).phase is GOOD


def test_the_majority_s_newest_looks_count() -> None:
    """Panic looks at newest looks: those of most, not those of the one without a network."""
    alone = TargetHealth(GOOD, 1.0, 1, Observation(9.0, False, "no answer"))
    seen = together(alone, GOOD, GOOD)
    assert seen.last == Observation(9.0, True, "no answer; 0 of 3 vantage points find it unhealthy")
    most = together(alone, voice(GOOD, is_well=False), GOOD)
    assert most.last is not None
    assert not most.last.healthy


def test_a_turn_is_dated_here_and_a_fall_is_counted_once() -> None:
    """By one's own row where it agrees, else by now; a tie in between is no second fall."""
    fallen = together(sick(4.0), BAD, before=healthy(1.0))
    assert (fallen.since_s, fallen.fell) == (4.0, (4.0,))
    told = together(healthy(2.0), BAD, BAD, before=healthy(1.0))
    assert (told.since_s, told.fell) == (10.0, (10.0,))
    tie = together(sick(4.0), GOOD, before=fallen)
    again = together(sick(4.0), BAD, before=tie)
    assert (tie.fell, again.fell) == ((4.0,), (4.0,))


def test_all_know_of_a_fall_that_one_has_met() -> None:
    """A target that one planner took out is on probation for all, once, and by no future fall."""
    state = healthy(9.0)
    told = Report("az2", 0, (Voice("web", "a", ADDRESS, GOOD, True, fell=(1005.0, 9_999.0)),))
    sight = agreed(
        own(state), heard([told], {}, ahead_s=1_000.0), {WEB_A: replace(state, fell=(3.0,))}
    )
    assert sight.states[WEB_A].fell == (3.0,)
    fresh = agreed(own(state), heard([told], {}, ahead_s=1_000.0), {WEB_A: state})
    assert fresh.states[WEB_A].fell == (5.0,)


def test_what_is_not_probed_here_stays_as_told() -> None:
    """Health that an API told is not voted on."""
    told = Sight({("lb", "x"): sick()}, 0.0, 10.0)
    others = heard([Report("az2", 0, (Voice("lb", "x", ADDRESS, GOOD, True),))], {}, ahead_s=0.0)
    assert agreed(told, others, {}) == told


@given(st.lists(st.lists(st.booleans(), min_size=3, max_size=3), max_size=30), st.integers(0, 2))
def test_one_liar_of_three_takes_nothing_out(looks: list[list[bool]], liar: int) -> None:
    """Whatever one vantage point says at any time, a target that the others always found well is
    never agreed to be unhealthy."""
    rule = Hysteresis(rise=2, fall=3, gap_s=27.0)
    states = [NEVER_SEEN, NEVER_SEEN, NEVER_SEEN]
    before: dict[tuple[str, str], TargetHealth] = {}
    for turn, row in enumerate(looks):
        for at, good in enumerate(row):
            seen = Observation(turn * 5.0, good if at == liar else True, "")
            states[at] = observed(states[at], seen, rule)
        reports = [
            Report(f"az{at}", 0, (Voice("web", "a", ADDRESS, one.phase, one.last.healthy),))
            for at, one in enumerate(states[1:], 1)
            if one.last is not None
        ]
        sight = agreed(own(states[0], now_s=turn * 5.0), heard(reports, {}, ahead_s=0.0), before)
        before = dict(sight.states)
        assert sight.states[WEB_A].phase is not BAD


class House:
    """Planners of some AZs around one board."""

    def __init__(self) -> None:
        """Nobody yet."""
        self.board, self.clock = FakeVantageBoard(), FakeClock()

    def point(self, az: str | None) -> VantagePoint:
        """A planner as after a start."""
        return VantagePoint(self.board, clock=self.clock, az=az)

    def seen(self, state: TargetHealth) -> Sight:
        """A look at this moment that found the target in a phase."""
        now_s = self.clock.elapsed_s()
        if state.last is not None:
            state = replace(state, last=replace(state.last, at_s=now_s))
        return own(state, now_s=now_s)

    async def phase(self, point: VantagePoint, state: TargetHealth) -> Phase:
        """What a planner that finds this goes by."""
        return (await point.look(self.seen(state))).of(member("a")).phase


async def test_planners_hear_each_other() -> None:
    """What the others' planners show decides with one's own."""
    house = House()
    one, two, three = house.point("az1"), house.point("az2"), house.point("az3")
    await house.phase(two, healthy())
    await house.phase(three, healthy())
    assert await house.phase(one, sick()) is GOOD
    await house.phase(two, sick())
    assert await house.phase(one, sick()) is BAD


async def test_an_old_truth_that_is_shown_again_is_no_news() -> None:
    """Whoever writes the table can put back what planners found once, signed by them; it is dated
    by what it says itself, as soon as that is further off than a clock that AWS still takes."""
    house = House()
    one, two, three = house.point("az1"), house.point("az2"), house.point("az3")
    for point in (two, three, one):
        await house.phase(point, healthy())
    for point in (two, three):
        await house.phase(point, sick())
    old = list(await house.board.everyone())
    for point in (two, three, one):
        await house.phase(point, healthy())
    house.clock.advance(3_600.0)
    for point in (two, three):
        await house.phase(point, healthy())
    assert await house.phase(one, healthy()) is GOOD
    for report in old:
        if report.az != "az1":
            await house.board.announce(report)
    assert await house.phase(one, healthy()) is GOOD


async def test_a_planner_that_starts_hears_of_falls() -> None:
    """What it has not seen itself holds a target on probation all the same, at the same time."""
    house = House()
    one, two = house.point("az1"), house.point("az2")
    house.clock.advance(10.0)
    for state in (healthy(), sick(3.0), sick(3.0)):
        await house.phase(one, state)
        await house.phase(two, state)
    fell = (await one.look(house.seen(healthy()))).of(member("a")).fell
    await one.look(house.seen(healthy()))
    late = await house.point("az3").look(house.seen(healthy()))
    assert (len(fell), late.of(member("a")).fell) == (1, fell)


async def test_a_target_that_answers_elsewhere_since_was_never_seen() -> None:
    """The health that was agreed of one address brings another one in unseen, and whoever answered
    may go for it. What is asked for the same address stays as it was agreed."""
    house = House()
    one = house.point("az1")
    assert await house.phase(one, healthy()) is GOOD
    assert await house.phase(one, NEVER_SEEN) is GOOD
    moved = {WEB_A: replace(ASKED[WEB_A], address="192.0.2.2")}
    sight = await one.look(replace(house.seen(NEVER_SEEN), asked=moved))
    assert sight.states[WEB_A].phase is UNSEEN


async def test_a_planner_that_is_gone_has_no_voice_after_a_while() -> None:
    """A report that no longer changes counts until it is stale, and then for nothing."""
    house = House()
    one, two, three = house.point("az1"), house.point("az2"), house.point("az3")
    for point in (two, three):
        await house.phase(point, healthy())
    await house.phase(one, sick())
    house.clock.advance(FRESH_S)
    assert await house.phase(one, sick()) is not BAD
    house.clock.advance(1.0)
    assert await house.phase(one, sick()) is BAD


async def test_an_old_report_met_at_a_start_has_no_voice() -> None:
    """A planner that starts takes no report of last week for a living AZ, and gives that AZ the
    time to speak before it decides alone."""
    house = House()
    await house.phase(house.point("az2"), healthy())
    house.clock.advance(FRESH_S + 1.0)
    one = house.point("az1")
    assert await house.phase(one, sick()) is UNSEEN
    house.clock.advance(FRESH_S + 1.0)
    assert await house.phase(one, sick()) is BAD


async def test_nobody_decides_alone_just_after_an_outage() -> None:
    """While the table was away nobody could speak: silence is no sign of death before each had the
    time to speak again."""
    house = House()
    one, two = house.point("az1"), house.point("az2")
    await house.phase(two, healthy())
    await house.phase(one, healthy())
    house.board.fails = True
    house.clock.advance(FRESH_S + 1.0)
    await house.phase(one, sick())
    house.board.fails = False
    assert await house.phase(one, sick()) is GOOD
    house.clock.advance(FRESH_S + 1.0)
    assert await house.phase(one, sick()) is BAD


async def test_news_is_shown_at_once_and_the_rest_in_time() -> None:
    """Each change is written by the pass that sees it; without any, one report in ten seconds."""
    house = House()
    point = house.point("az1")
    written: list[int] = []
    for state in (healthy(), healthy(), healthy(), sick(), sick()):
        before = house.board.reports.get("az1")
        await house.phase(point, state)
        written.append(house.board.reports["az1"] is not before)
        house.clock.advance(TOLD_AGAIN_S / 2)
    assert written == [True, False, True, True, False]


async def test_without_a_table_everybody_goes_by_his_own_sight() -> None:
    """The others' voices last until they are stale, and then nobody is known to be gone; nothing
    is raised. Without a table nobody plans."""
    house = House()
    one = house.point("az1")
    for point in (house.point("az2"), house.point("az3")):
        await house.phase(point, healthy())
    assert await house.phase(one, sick()) is GOOD
    house.board.fails = True
    house.clock.advance(FRESH_S / 2)
    assert await house.phase(one, sick()) is GOOD
    house.clock.advance(FRESH_S)
    assert await house.phase(one, sick()) is GOOD


async def test_a_planner_without_an_az_listens_only() -> None:
    """It shows nothing, since it has no place to show it under."""
    house = House()
    await house.phase(house.point("az2"), healthy())
    assert await house.phase(house.point(None), sick()) is not BAD
    assert list(house.board.reports) == ["az2"]


async def test_each_zone_has_its_own_first_planner() -> None:
    """All agree on the order; the first waits for nobody, and the dead are not waited for."""
    house = House()
    points = {az: house.point(az) for az in ("az1", "az2", "az3")}
    for point in points.values():
        await house.phase(point, healthy())
    for point in points.values():
        await house.phase(point, healthy())
    first, second, third = in_order("shop", points)
    waits = {az: point.wait_s("shop", stagger_s=5.0) for az, point in points.items()}
    assert waits == {first: 0.0, second: 5.0, third: 10.0}
    assert len({in_order(f"zone{at}", points)[0] for at in range(20)}) == 3
    house.clock.advance(FRESH_S + 1.0)
    await house.phase(points[third], healthy())
    assert points[third].wait_s("shop", stagger_s=5.0) == 0.0
