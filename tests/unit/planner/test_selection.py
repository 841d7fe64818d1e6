"""Who answers: what health wants, what velocity and the floor allow, and what is never done."""

from dataclasses import replace

from dnsplan.plan import NameLedger
from dnsplan.velocity import VelocityLimit
from planner.rules.notes import Place, Why
from tests.unit.planner.cases import (
    LIMIT,
    NAME,
    NOW_S,
    address,
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


def ledger(targets: int, *spent: tuple[int, int]) -> NameLedger:
    """What the newest plan knows of the name."""
    return NameLedger(NAME, "A", targets, targets, spent)


def test_a_dead_host_of_two_is_taken_out() -> None:
    """With the default guardrails one dead target of two goes at once."""
    result = chosen(pool("a", "b"), sight(a=healthy(), b=sick()), multivalue("a", "b"))
    assert ids(result) == ["a"]


def test_a_dead_host_of_three_is_taken_out() -> None:
    """With the default guardrails one dead target of three goes at once."""
    view = sight(a=healthy(), b=sick(), c=healthy())
    assert ids(chosen(pool("a", "b", "c"), view, multivalue("a", "b", "c"))) == ["a", "c"]


def test_the_last_answer_is_never_taken_out() -> None:
    """A sick target stays when nothing else would answer, whatever the panic threshold."""
    unit = pool("a", panic_threshold=0.0)
    result = chosen(unit, sight(a=sick()), multivalue("a"))
    assert ids(result) == ["a"]
    assert why(result) == {"a": (Place.WITHHELD, Why.UNHEALTHY)}


def test_unknown_never_removes() -> None:
    """After a restart nothing is known, and every name stays as the newest plan has it."""
    result = chosen(pool("a", "b", "c"), sight(), multivalue("a", "b"))
    assert ids(result) == ["a", "b"]
    assert why(result)["c"] == (Place.OUT, Why.UNPROVEN)


def test_the_unknown_stay_while_others_are_proven_healthy() -> None:
    """Soon after a restart some are known; those that are not yet stay as they are."""
    view = sight(a=healthy(), b=healthy(), d=seen(False))
    result = chosen(pool("a", "b", "c", "d"), view, multivalue("a", "b", "c", "d"))
    assert (ids(result), result.is_panic) == (["a", "b", "c", "d"], False)


def test_one_good_probe_proves_nothing_where_the_name_answers_already() -> None:
    """A target that was out comes back only when proven healthy."""
    standing = multivalue("a", "b")
    unit = pool("a", "b", "c")
    assert ids(chosen(unit, sight(c=seen(True)), standing)) == ["a", "b"]
    assert ids(chosen(unit, sight(c=healthy()), standing)) == ["a", "b", "c"]


def test_the_longest_sick_goes_first() -> None:
    """When not all may go, the order is by how long a target is unhealthy, then by id."""
    standing = multivalue("a", "b", "c", "d")
    unit = pool("a", "b", "c", "d")
    first = chosen(unit, sight(a=sick(9.0), b=sick(3.0), c=healthy(), d=healthy()), standing)
    assert ids(first) == ["a", "c", "d"]
    second = chosen(unit, sight(a=sick(3.0), b=sick(3.0), c=healthy(), d=healthy()), standing)
    assert ids(second) == ["b", "c", "d"]


def test_what_was_spent_in_the_window_is_not_spent_again() -> None:
    """A target taken out 100 s ago leaves nothing of the window; 300 s ago leaves all of it."""
    view = sight(a=healthy(), b=healthy(), c=sick(), d=sick())
    unit, standing = pool("a", "b", "c", "d"), multivalue("a", "b", "c")
    held = chosen(unit, view, standing, ledger(4, (NOW_S - 100, 1)))
    assert ids(held) == ["a", "b", "c"]
    assert held.ledger.spent == ((NOW_S - 100, 1),)
    free = chosen(unit, view, standing, ledger(4, (NOW_S - 300, 1)))
    assert ids(free) == ["a", "b"]
    assert free.ledger.spent == ((NOW_S, 1),)


def test_a_withheld_target_goes_when_the_window_allows() -> None:
    """What was withheld is not forgotten: the next free window takes it out."""
    view = sight(a=healthy(), b=healthy(), c=sick(1.0), d=sick(2.0))
    unit = pool("a", "b", "c", "d")
    first = chosen(unit, view, multivalue("a", "b", "c", "d"))
    assert first.withheld == 1
    second = chosen(unit, view, multivalue(*ids(first)), first.ledger, now_s=NOW_S + 299)
    assert ids(second) == ["a", "b", "d"]
    third = chosen(unit, view, multivalue(*ids(second)), second.ledger, now_s=NOW_S + 300)
    assert ids(third) == ["a", "b"]


def test_a_target_removed_from_the_config_counts_as_taken_out() -> None:
    """Config cannot take out faster than health: the rest waits as leftovers."""
    standing = multivalue("a", "b", "c", "d")
    view = sight(a=healthy(), b=healthy())
    result = chosen(pool("a", "b"), view, standing)
    assert len(result.leftovers) == 1
    assert result.ledger.spent == ((NOW_S, 1),)
    assert {(None, Place.OUT), (None, Place.WITHHELD)} == {
        (note.target_id, note.place) for note in result.notes if note.why is Why.REMOVED
    }


def test_a_drain_counts_as_taking_out() -> None:
    """Draining two of four takes one now and withholds the other."""
    unit = pool("a", "b", member("c", capacity=0), member("d", capacity=0))
    view = sight(a=healthy(), b=healthy(), c=healthy(), d=healthy())
    result = chosen(unit, view, multivalue("a", "b", "c", "d"))
    assert ids(result) == ["a", "b", "d"]
    assert why(result)["d"] == (Place.WITHHELD, Why.DRAINED)


def test_the_only_answer_is_not_drained() -> None:
    """Drained means not answered while others answer."""
    result = chosen(pool(member("a", capacity=0)), sight(a=healthy()), multivalue("a"))
    assert ids(result) == ["a"]


def test_a_whole_pool_can_be_replaced_at_once_within_velocity() -> None:
    """Targets that come count before those that go: the only host is replaced in one plan."""
    result = chosen(pool("b"), sight(b=healthy()), multivalue("a"))
    assert (ids(result), result.leftovers) == (["b"], ())


def test_a_pool_is_never_replaced_by_hosts_that_nobody_saw_well() -> None:
    """What left the pool stays, and the dead that took its place in the config stay out."""
    view = sight(c=sick(), d=sick())
    result = chosen(pool("c", "d"), view, multivalue("a", "b"))
    assert (ids(result), result.leftovers) == ([], (address("a"), address("b")))
    assert why(result)["c"] == (Place.OUT, Why.UNHEALTHY)
    assert {note.why for note in result.notes if note.target_id is None} == {Why.SPARED}
    assert result.ledger.spent == ()


def test_a_pool_is_never_replaced_by_hosts_that_may_not_answer() -> None:
    """All drained, or all sick where health is believed whatever it says: what left the pool would
    go one by one until the floor's one carried everything."""
    standing = multivalue("a", "b", "c")
    drained = chosen(pool(member("d", capacity=0)), sight(d=healthy()), standing)
    sick_ones = chosen(pool("d", "e", panic_threshold=0.0), sight(d=sick(), e=sick()), standing)
    for result in (drained, sick_ones):
        assert len(result.leftovers) == 3
        assert {note.why for note in result.notes if note.target_id is None} == {Why.SPARED}


def test_what_left_the_pool_goes_when_enough_of_it_is_well() -> None:
    """One of four is too few to stand for all, and three are enough."""
    standing = multivalue("a", "b")
    unit = pool("c", "d", "e", "f")
    few = chosen(unit, sight(c=healthy(), d=sick(), e=sick(), f=sick()), standing)
    assert (ids(few), few.leftovers) == (["c"], (address("a"), address("b")))
    enough = chosen(unit, sight(c=healthy(), d=healthy(), e=healthy(), f=sick()), standing)
    assert (ids(enough), len(enough.leftovers)) == (["c", "d", "e"], 1)


def test_a_moved_target_answers_at_both_addresses_while_the_old_must_wait() -> None:
    """A new address under an old id comes in when proven; the old one goes as velocity allows."""
    standing = multivalue("a", "b")
    unit = pool(member("a", answer="198.51.100.1"), member("b", answer="198.51.100.2"))
    result = chosen(unit, sight(a=healthy(), b=healthy()), standing)
    assert ids(result) == ["a", "b"]
    assert len(result.leftovers) == 1


def test_a_floor_above_the_pool_never_wedges_it() -> None:
    """A pool of two under a floor of three can still let the removed third go."""
    limit = VelocityLimit(min_targets=3, max_removed_share=0.25, window_s=300)
    unit = pool("a", "b", limit=limit)
    result = chosen(unit, sight(a=healthy(), b=healthy()), multivalue("a", "b", "c"))
    assert (ids(result), result.leftovers) == (["a", "b"], ())


def test_the_floor_holds_against_health() -> None:
    """Under min_targets nobody goes, however sick."""
    limit = VelocityLimit(min_targets=2, max_removed_share=1.0, window_s=300)
    unit = pool("a", "b", "c", limit=limit, panic_threshold=0.0)
    view = sight(a=sick(1.0), b=sick(2.0), c=sick(3.0))
    assert ids(chosen(unit, view, multivalue("a", "b", "c"))) == ["b", "c"]


def test_a_raised_floor_is_filled_after_a_first_look() -> None:
    """With two answers demanded and one there, the second comes in once it was looked at."""
    limit = VelocityLimit(min_targets=2, max_removed_share=0.25, window_s=300)
    unit = pool("a", "b", limit=limit)
    standing = multivalue("a")
    assert ids(chosen(unit, sight(now_s=5.0, a=healthy()), standing)) == ["a"]
    late = chosen(unit, sight(now_s=5.0, a=healthy(), b=seen(False)), standing)
    assert ids(late) == ["a", "b"]


def test_the_ledger_counts_targets_and_the_healthy() -> None:
    """Drained targets are members, and only those believed healthy count as such."""
    unit = pool("a", "b", member("c", capacity=0))
    result = chosen(unit, sight(a=healthy(), b=sick(), c=healthy()), multivalue("a", "b"))
    assert (result.ledger.targets, result.ledger.healthy) == (3, 1)


def test_removal_order_does_not_depend_on_the_order_of_targets() -> None:
    """The same facts give the same answers, in whatever order they were written down."""
    view = sight(a=sick(), b=sick(), c=healthy(), d=healthy())
    standing = multivalue("a", "b", "c", "d")
    forward = chosen(pool("a", "b", "c", "d"), view, standing)
    backward = chosen(pool("d", "c", "b", "a"), view, tuple(reversed(standing)))
    assert forward == backward


def test_addresses_of_the_cases_differ() -> None:
    """The cases would prove nothing if two targets shared an address."""
    assert len({address(one) for one in "abcd"}) == 4
    assert LIMIT.max_removed_share == 0.25


def test_who_is_absent_stays_and_does_not_come() -> None:
    """Planners confirm an absence at different moments: one must not bring back what another let
    go, and what answers waits for its own confirmation."""
    absent = replace(member("c"), is_absent=True)
    unit = pool("a", "b", absent)
    view = sight(a=healthy(), b=healthy(), c=healthy())
    assert ids(chosen(unit, view, multivalue("a", "b"))) == ["a", "b"]
    assert ids(chosen(unit, view, multivalue("a", "b", "c"))) == ["a", "b", "c"]
    least = replace(unit, limit=VelocityLimit(3, 0.25, 300))
    assert ids(chosen(least, view, multivalue("a", "b"))) == ["a", "b", "c"]
