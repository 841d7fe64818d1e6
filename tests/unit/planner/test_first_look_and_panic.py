"""Where a new name begins, and when health is not believed: doubt never takes an answer away."""

from dnsplan.velocity import VelocityLimit
from planner.rules.health import Observation, Phase, TargetHealth
from planner.rules.notes import Fate, Place, Why
from planner.rules.selection import LeftOut, select
from tests.unit.planner.cases import (
    NOW_S,
    chosen,
    healthy,
    ids,
    member,
    multivalue,
    pool,
    seen,
    sick,
    sight,
    why,
)

UNLIMITED = VelocityLimit(min_targets=1, max_removed_share=1.0, window_s=300)


def test_a_new_name_waits_for_its_first_probe_round() -> None:
    """A name that answers nothing yet is left out until every target was looked at once."""
    unit = pool("a", "b")
    result = select(unit, (), None, sight(now_s=9.0, a=healthy()), now_s=NOW_S)
    assert LeftOut(Fate.FIRST_LOOK) == result


def test_a_new_name_waits_no_longer_than_its_time() -> None:
    """When the time for the first look is over, what was seen decides."""
    result = chosen(pool("a", "b"), sight(now_s=10.0, a=healthy()))
    assert ids(result) == ["a"]


def test_a_new_name_begins_with_those_seen_well() -> None:
    """In a first round one good probe is enough, and one bad one keeps a target out."""
    view = sight(a=seen(True), b=seen(False), c=seen(True))
    result = chosen(pool("a", "b", "c"), view)
    assert ids(result) == ["a", "c"]
    assert why(result)["a"] == (Place.ANSWERS, Why.FIRST_LOOK)


def test_a_new_name_of_which_too_few_look_well_begins_with_all() -> None:
    """If the first round shows less than the panic threshold, looking is more likely broken."""
    view = sight(a=seen(True), b=seen(False), c=seen(False))
    result = chosen(pool("a", "b", "c"), view)
    assert ids(result) == ["a", "b", "c"]
    assert result.is_panic


def test_a_new_name_nobody_could_look_at_begins_with_all() -> None:
    """No observation at all is no reason to leave a name empty."""
    assert ids(chosen(pool("a", "b"), sight(now_s=10.0))) == ["a", "b"]


def test_a_new_name_begins_at_its_floor() -> None:
    """min_targets is filled up from those not seen well, in a stated order."""
    limit = VelocityLimit(min_targets=2, max_removed_share=0.25, window_s=300)
    unit = pool("a", "b", "c", limit=limit, panic_threshold=0.1)
    result = chosen(unit, sight(a=seen(True), b=seen(False), c=seen(False)))
    assert ids(result) == ["a", "b"]
    assert why(result)["b"] == (Place.ANSWERS, Why.FLOOR)


def test_a_new_name_whose_targets_are_all_drained_is_left_out() -> None:
    """Drained means answered to nobody, also where that leaves a new name without answers."""
    result = select(pool(member("a", capacity=0)), (), None, sight(), now_s=NOW_S)
    assert LeftOut(Fate.DRAINED) == result


def test_targets_without_a_probe_always_answer() -> None:
    """No health section means always healthy."""
    result = chosen(pool(member("a", probed=False), member("b", probed=False)), sight(now_s=0.0))
    assert ids(result) == ["a", "b"]


def test_in_panic_nobody_goes() -> None:
    """When most of the pool looks dead, what answered goes on answering."""
    standing = multivalue("a", "b", "c", "d")
    view = sight(a=healthy(), b=sick(), c=sick(), d=sick())
    result = chosen(pool("a", "b", "c", "d", limit=UNLIMITED), view, standing)
    assert ids(result) == ["a", "b", "c", "d"]
    assert result.is_panic
    assert why(result)["b"] == (Place.ANSWERS, Why.PANIC)


def test_looks_that_turn_bad_together_take_nobody_out() -> None:
    """When this machine loses its network, the first row that is complete removes nothing: the
    others' newest looks are bad as well."""
    standing = multivalue("a", "b", "c")
    wavering = TargetHealth(Phase.HEALTHY, 1.0, 1, Observation(9.0, False, "no answer"))
    view = sight(a=sick(), b=wavering, c=wavering)
    result = chosen(pool("a", "b", "c"), view, standing)
    assert (ids(result), result.is_panic, result.ledger.healthy) == (["a", "b", "c"], True, 2)
    steady = chosen(pool("a", "b", "c"), sight(a=sick(), b=healthy(), c=wavering), standing)
    assert (ids(steady), steady.is_panic) == (["a", "b", "c"], True)


def test_one_bad_look_alone_is_no_panic() -> None:
    """A healthy target whose newest look was bad stays, and a dead one of four still goes."""
    wavering = TargetHealth(Phase.HEALTHY, 1.0, 1, Observation(9.0, False, "no answer"))
    view = sight(a=sick(), b=wavering, c=healthy(), d=healthy())
    result = chosen(pool("a", "b", "c", "d"), view, multivalue("a", "b", "c", "d"))
    assert ids(result) == ["b", "c", "d"]


def test_in_panic_who_is_proven_healthy_still_comes() -> None:
    """The only live target is answered although the rest of the pool looks dead."""
    view = sight(a=healthy(), b=sick(), c=sick())
    result = chosen(pool("a", "b", "c"), view, multivalue("b"))
    assert ids(result) == ["a", "b"]


def test_in_panic_the_sick_that_are_out_stay_out() -> None:
    """Panic brings no sick target back."""
    view = sight(a=sick(), b=sick(), c=sick())
    assert ids(chosen(pool("a", "b", "c"), view, multivalue("a"))) == ["a"]


def test_half_of_the_pool_dead_is_no_panic() -> None:
    """At the threshold health is believed, and velocity spreads the removals."""
    view = sight(a=healthy(), b=healthy(), c=sick(1.0), d=sick(2.0))
    result = chosen(pool("a", "b", "c", "d"), view, multivalue("a", "b", "c", "d"))
    assert not result.is_panic
    assert {key: value for key, value in why(result).items() if key in ("c", "d")} == {
        "c": (Place.OUT, Why.UNHEALTHY),
        "d": (Place.WITHHELD, Why.UNHEALTHY),
    }


def test_a_pool_that_comes_back_loses_nobody() -> None:
    """Once half of it is proven well again, who was seen well but once still answers."""
    back = TargetHealth(Phase.UNHEALTHY, 1.0, 1, Observation(90.0, True, "ok"))
    unit = pool("a", "b", "c", "d", limit=UNLIMITED)
    view = sight(a=healthy(), b=healthy(), c=back, d=back)
    result = chosen(unit, view, multivalue("a", "b", "c", "d"))
    assert ids(result) == ["a", "b", "c", "d"]
    assert ids(chosen(unit, view, multivalue("a", "b"))) == ["a", "b"]
