"""Reading a source again and again: who comes comes at once, who goes goes when confirmed."""

from hypothesis import given
from hypothesis import strategies as st

from planner.rules.roll import NEVER_S, NOT_READ, Departure, Found, Listing, Roll, heard

HOLD_S = 60.0


def found(target_id: str, address: str | None = None, *, capacity: int = 100) -> Found:
    """A target with an address of its own."""
    text = address or f"192.0.2.{ord(target_id[0])}"
    return Found(id=target_id, address=text, alias=None, types=("A",), capacity=capacity)


def names(*ids: str, problem: str | None = None) -> Listing:
    """A read that names these."""
    return Listing(tuple(found(one) for one in ids), problem)


def read(*reads: tuple[float, Listing], hold_s: float = HOLD_S) -> Roll:
    """What is known after these reads."""
    roll = NOT_READ
    for at_s, listing in reads:
        roll = heard(roll, listing, hold_s=hold_s, now_s=at_s)
    return roll


def ids(roll: Roll) -> list[str]:
    """Who is not gone."""
    return [one.id for one in roll.found]


def test_what_is_named_is_known_at_once() -> None:
    """Adding waits for nothing."""
    assert ids(read((0.0, names("a")), (1.0, names("a", "b")))) == ["a", "b"]


def test_what_a_read_lacks_stays_for_the_hold_down() -> None:
    """However often it is read in that time."""
    missing = [(float(second), names("a")) for second in range(10, 69, 5)]
    roll = read((0.0, names("a", "b")), *missing)
    assert (ids(roll), roll.absent) == (["a", "b"], ("b",))


def test_what_stays_away_and_is_confirmed_is_gone() -> None:
    """A second complete read after the hold-down is the proof."""
    roll = read((0.0, names("a", "b")), (10.0, names("a")), (70.0, names("a")))
    assert ids(roll) == ["a"]
    assert roll.departed == {found("b").answer: Departure(10.0, 70.0)}


def test_one_complete_read_never_proves_an_absence() -> None:
    """However long ago the read before was, and without any hold-down."""
    assert ids(read((0.0, names("a", "b")), (9999.0, names("a")), hold_s=0.0)) == ["a", "b"]


def test_an_incomplete_read_takes_nothing_away() -> None:
    """Not even what was absent before and long enough."""
    roll = read((0.0, names("a", "b")), (10.0, names("a")), (500.0, names("a", problem="cut off")))
    assert (ids(roll), roll.problem) == (["a", "b"], "cut off")


def test_an_incomplete_read_adds_and_changes() -> None:
    """What it does say is believed."""
    changed = Listing((found("a", "192.0.2.1"), found("c")), "cut off")
    roll = read((0.0, names("a", "b")), (10.0, changed))
    assert [one.answer for one in roll.found] == ["192.0.2.1", found("b").answer, found("c").answer]


def test_an_incomplete_read_gives_nobody_the_address_of_another() -> None:
    """Both would answer as one: a name would lose an answer. A complete read may say so."""
    moved = (found("a", "192.0.2.98"),)  # where b is
    roll = read((0.0, names("a", "b")), (1.0, Listing(moved, "half of it")))
    assert [one.answer for one in roll.found] == ["192.0.2.97", "192.0.2.98"]
    swapped = (*moved, found("b", "192.0.2.97"))
    roll = read((0.0, names("a", "b")), (1.0, Listing(swapped, "half of it")))
    assert [one.answer for one in roll.found] == ["192.0.2.98", "192.0.2.97"]
    roll = read((0.0, names("a", "b")), (1.0, Listing(moved)))
    assert [one.answer for one in roll.found] == ["192.0.2.98", "192.0.2.98"]


def test_what_an_incomplete_read_names_is_not_absent() -> None:
    """Its hold-down begins anew when it is missed again."""
    roll = read(
        (0.0, names("a", "b")),
        (10.0, names("a")),
        (40.0, names("b", problem="cut off")),
        (80.0, names("a")),
    )
    assert ids(roll) == ["a", "b"]


def test_an_empty_read_is_no_instruction() -> None:
    """However often and long it is repeated."""
    empty = [(float(second), names()) for second in range(10, 5000, 50)]
    roll = read((0.0, names("a", "b")), *empty)
    assert (ids(roll), roll.absent, roll.problem) == (["a", "b"], (), "it named no target")


def test_a_target_is_its_id() -> None:
    """A new address is a change of the same target; the old one is given up without a hold-down."""
    moved = Listing((found("a", "192.0.2.1"),))
    roll = read((0.0, names("a")), (10.0, moved))
    assert [one.answer for one in roll.found] == ["192.0.2.1"]
    assert roll.departed == {found("a").answer: Departure(NEVER_S, 10.0)}


def test_what_departed_is_forgotten_again() -> None:
    """What another planner brings back later gets a hold-down of its own."""
    roll = read((0.0, names("a", "b")), (10.0, names("a")), (70.0, names("a")), (300.0, names("a")))
    assert roll.departed == {}


READS = st.lists(
    st.tuples(
        st.floats(0.1, 40.0),
        st.frozensets(st.sampled_from("abcdef")),
        st.sampled_from([None, None, "cut off"]),
    ),
    max_size=25,
)


@given(READS)
def test_nobody_goes_without_two_complete_reads_a_hold_down_apart(
    reads: list[tuple[float, frozenset[str], str | None]],
) -> None:
    """Judged from the story itself: since the last read that named it, the first and the last
    complete one lie a hold-down apart, and both named somebody."""
    roll, now_s = NOT_READ, 0.0
    unnamed: dict[str, list[float]] = {}
    for wait_s, named, problem in reads:
        now_s += wait_s
        listing = names(*sorted(named), problem=problem)
        roll = heard(roll, listing, hold_s=HOLD_S, now_s=now_s)
        for one in named:
            unnamed[one] = []
        if named and problem is None:
            for one in unnamed.keys() - named:
                unnamed[one].append(now_s)
        must_stay = {
            one
            for one, missed in unnamed.items()
            if len(missed) < 2 or missed[-1] - missed[0] < HOLD_S
        }
        assert must_stay <= set(ids(roll))
        assert set(ids(roll)) <= unnamed.keys()
