"""Whose word against a target is doubted: never that of one who finds the rest of the pool well."""

from dataclasses import replace

import pytest

from planner.rules.aftermath import Aftermath
from planner.rules.health import Asked, Phase, Sight, TargetHealth
from planner.rules.notes import Place, Why
from planner.rules.vantage import FRESH_S, Report, Voice, agreed, heard, voices_of
from planner.vantage import VantagePoint
from tests.fakes.clock import FakeClock
from tests.fakes.vantage import FakeVantageBoard
from tests.unit.planner.cases import chosen, healthy, ids, multivalue, pool, sick, sight, why

GAP_S = 27.0
LASTS_S = FRESH_S + GAP_S
NAMES = ("a", "b", "c", "d")


def looked(now_s: float, *ill: str, threshold: float = 0.5) -> Sight:
    """What one process has just found of the four, of which these look dead."""
    states = {one: sick(now_s) if one in ill else healthy(now_s) for one in NAMES}
    asked = {("web", one): Asked("192.0.2.1", GAP_S, threshold) for one in NAMES}
    return replace(sight(now_s, **states), asked=asked)


def report(az: str, seen: Sight) -> Report:
    """What it shows of that."""
    return Report(az, 0, voices_of(seen, {}, wall_s=seen.now_s))


def together(
    aftermath: Aftermath, own: Sight, *others: tuple[str, Sight], before: Sight | None = None
) -> Sight:
    """What is agreed."""
    reports = [report(az, seen) for az, seen in others]
    doubts = aftermath.doubts(own, reports, az="az1")
    known = {} if before is None else before.states
    return agreed(own, heard(reports, doubts, ahead_s=0.0), known, doubted=doubts.get("az1", ()))


def test_nobody_is_doubted_who_finds_enough_of_the_pool_well() -> None:
    """One dead target of four is one, whoever says so."""
    seen = together(Aftermath(), looked(1.0, "a"), ("az2", looked(1.0, "a")))
    assert (_state(seen, "a").phase, seen.doubtful) == (Phase.UNHEALTHY, frozenset())


def test_a_majority_with_one_in_panic_is_doubted() -> None:
    """Two find it dead, and one of them finds all dead: that is the word of one."""
    seen = together(Aftermath(), looked(1.0, "a"), ("az2", looked(1.0, *NAMES)))
    assert (_state(seen, "a").phase, seen.doubtful) == (Phase.UNHEALTHY, frozenset({("web", "a")}))
    unit, there = pool(*NAMES), multivalue(*NAMES)
    result = chosen(unit, seen, there)
    assert ids(result) == list(NAMES)
    assert why(result)["a"] == (Place.ANSWERS, Why.DOUBTED)
    assert ids(chosen(unit, seen, multivalue("b", "c", "d"))) == ["b", "c", "d"]


def test_a_majority_without_those_in_panic_is_believed() -> None:
    """Two of three are enough, whatever befell the third."""
    others = (("az2", looked(1.0, "a")), ("az3", looked(1.0, *NAMES)))
    assert together(Aftermath(), looked(1.0, "a"), *others).doubtful == frozenset()


def test_who_was_in_panic_is_doubted_until_all_was_seen_again() -> None:
    """Half of the pool looks well again, and the rest by what was seen without a network."""
    aftermath = Aftermath()
    together(aftermath, looked(100.0, *NAMES))
    back = looked(100.0 + LASTS_S - 0.1, "a", "b")
    assert together(aftermath, back).doubtful == {("web", "a"), ("web", "b")}
    assert together(aftermath, looked(100.0 + LASTS_S, "a", "b")).doubtful == frozenset()


def test_another_s_panic_is_remembered_too() -> None:
    """Also of one whose newest report finds enough well, or that has no report any more."""
    aftermath = Aftermath()
    together(aftermath, looked(100.0, "a"), ("az2", looked(100.0, *NAMES)))
    later = ("az2", looked(110.0, "a"))
    assert together(aftermath, looked(110.0, "a"), later).doubtful == {("web", "a")}
    assert together(aftermath, looked(100.0 + LASTS_S, "a"), later).doubtful == frozenset()


def test_a_threshold_of_zero_doubts_nobody() -> None:
    """An operator can switch panic off."""
    seen = together(Aftermath(), looked(1.0, *NAMES, threshold=0.0))
    assert seen.doubtful == frozenset()


def test_a_pool_is_doubted_for_itself() -> None:
    """Panic about one pool says nothing of another."""
    own = looked(1.0, "a")
    other = Report("az2", 0, (Voice("api", "x", "192.0.2.9", Phase.UNHEALTHY, False),))
    assert Aftermath().doubts(own, [other], az="az1") == {}


async def test_a_network_that_comes_back_takes_nobody_out(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """The whole vantage point: while it goes by what it saw without a network it says so, once."""
    clock = FakeClock()
    point = VantagePoint(FakeVantageBoard(), clock=clock, az="az1")

    async def at(now_s: float, *ill: str) -> Sight:
        clock.advance(now_s - clock.elapsed_s())
        return await point.look(looked(clock.elapsed_s(), *ill))

    assert (await at(1.0)).doubtful == frozenset()
    await at(20.0, *NAMES)
    assert (await at(25.0, "a", "b")).doubtful == {("web", "a"), ("web", "b")}
    assert (await at(20.0 + LASTS_S)).doubtful == frozenset()
    said = capsys.readouterr().out
    assert said.count("vantage_doubted") == 1
    assert said.count("vantage_trusted") == 1


def test_what_is_doubted_and_not_probed_here_is_nobody_s_business() -> None:
    """A planner that probes nothing doubts nobody."""
    nothing = Sight({}, 0.0, 1.0)
    assert Aftermath().doubts(nothing, [report("az2", looked(1.0, *NAMES))], az="") == {}


def test_a_doubted_target_counts_as_sick() -> None:
    """It stays, and the pool as a whole is judged as if it did not."""
    seen = replace(looked(1.0, "a", "b", "c"), doubtful=frozenset({("web", "a")}))
    result = chosen(pool(*NAMES), seen, multivalue(*NAMES))
    assert (result.is_panic, result.ledger.healthy) == (True, 1)


def _state(seen: Sight, target_id: str) -> TargetHealth:
    return seen.states["web", target_id]
