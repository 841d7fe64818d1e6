"""Answers without a target: after a restart, between planners, when a source names nobody."""

from dataclasses import replace

from dnsplan.plan import NO_GENERATION, Generation
from planner.rules.absence import NOTHING_NOTICED, Noticed, with_absences
from planner.rules.candidate import ZoneWish, build
from planner.rules.health import Sight
from planner.rules.notes import Fate
from planner.rules.pools import Member
from planner.rules.roll import (
    NEVER_S,
    NOT_READ,
    Attendance,
    Departure,
    Listing,
    attendance,
    heard,
)
from tests.unit.planner.cases import (
    NOW_S,
    address,
    healthy,
    multivalue,
    pool,
    sight,
    standing,
    wish,
)

ABC = standing(*multivalue("a", "b", "c"))
WELL = sight(a=healthy(), b=healthy(), c=healthy())


def attended(
    *members: Member | str,
    complete_s: tuple[float, float] = (NEVER_S, NEVER_S),
    departed: dict[str, Departure] | None = None,
    is_read: bool = True,
) -> ZoneWish:
    """A zone whose pool a source names, with these members."""
    seen = Attendance(hold_s=60.0, complete_s=complete_s, departed=departed or {}, is_read=is_read)
    return wish(replace(pool(*members), attendance=seen))


def answers(one: ZoneWish, view: Sight = WELL) -> list[str]:
    """The answers of the next plan."""
    candidate = build(one, ABC, view, now_s=NOW_S, applied=Generation(7))
    return sorted(value for sets in candidate.units.values() for s in sets for value in s.values)


def kept(one: ZoneWish, before: Noticed = NOTHING_NOTICED, *, now_s: float) -> ZoneWish:
    """The wish as the cycle plans it."""
    return with_absences(one, ABC, before, now_s=now_s)[0]


def test_a_restart_takes_nothing_away() -> None:
    """One complete read that lacks a target is no proof that it is gone."""
    after = kept(attended("a", "b", complete_s=(NEVER_S, 5.0)), now_s=5.0)
    assert answers(after) == sorted(map(address, "abc"))


def test_a_source_that_cannot_be_read_takes_nothing_away() -> None:
    """However long: what answers goes on answering."""
    _, noticed = with_absences(attended(is_read=False), ABC, NOTHING_NOTICED, now_s=0.0)
    later = kept(attended(), noticed, now_s=1e6)
    assert answers(later) == sorted(map(address, "abc"))


def test_two_complete_reads_a_hold_down_apart_are_proof() -> None:
    """Counted from when the answer was first seen without a target."""
    _, noticed = with_absences(attended("a", "b"), ABC, NOTHING_NOTICED, now_s=10.0)
    early = kept(attended("a", "b", complete_s=(20.0, 69.0)), noticed, now_s=69.0)
    assert answers(early) == sorted(map(address, "abc"))
    late = kept(attended("a", "b", complete_s=(20.0, 71.0)), noticed, now_s=71.0)
    assert answers(late) == sorted(map(address, "ab"))


def test_a_read_from_before_it_was_noticed_proves_nothing() -> None:
    """Another planner may have learnt of the target since."""
    _, noticed = with_absences(attended("a", "b"), ABC, NOTHING_NOTICED, now_s=10.0)
    one_read = kept(attended("a", "b", complete_s=(9.0, 100.0)), noticed, now_s=100.0)
    assert answers(one_read) == sorted(map(address, "abc"))


def test_what_the_source_has_seen_go_needs_no_second_hold_down() -> None:
    """Its absence was confirmed here already."""
    gone = attended(
        "a", "b", complete_s=(70.0, 80.0), departed={address("c"): Departure(10.0, 80.0)}
    )
    assert answers(kept(gone, now_s=80.0)) == sorted(map(address, "ab"))


def test_a_pool_without_any_target_takes_nothing_away() -> None:
    """An empty pool is no instruction, even when every read was complete."""
    empty = attended(
        complete_s=(1e6, 2e6), departed={address(one): Departure(NEVER_S, 2e6) for one in "abc"}
    )
    assert answers(kept(empty, now_s=3e6)) == sorted(map(address, "abc"))


def test_velocity_holds_for_what_is_gone_as_for_any_other() -> None:
    """Two of three that vanished go one at a time."""
    gone = {address(one): Departure(10.0, 80.0) for one in "bc"}
    after = kept(attended("a", complete_s=(70.0, 80.0), departed=gone), now_s=80.0)
    assert len(answers(after)) == 2


def test_the_config_s_own_word_needs_no_confirmation() -> None:
    """A pool without sources is what the config says."""
    assert answers(kept(wish(pool("a", "b")), now_s=0.0)) == sorted(map(address, "ab"))


def test_a_new_name_waits_for_its_sources() -> None:
    """Half a list is no first answer; after the time to wait it is better than none."""
    nothing = standing()
    waiting = build(attended("a", is_read=False), nothing, WELL, now_s=NOW_S, applied=NO_GENERATION)
    assert ([note.fate for note in waiting.notes], waiting.is_waiting) == ([Fate.FIRST_READ], True)
    without = build(attended(), nothing, WELL, now_s=NOW_S, applied=NO_GENERATION)
    assert [note.fate for note in without.notes] == [Fate.NO_TARGETS]
    assert not without.is_waiting


def test_what_waits_for_a_source_says_why_it_was_not_read() -> None:
    """In the source's own words, each once; what was read has none."""
    refused = [heard(NOT_READ, Listing((), "status 403"), hold_s=60.0, now_s=1.0)] * 2
    seen = attendance([*refused, NOT_READ], hold_s=60.0)
    one = wish(replace(pool("a"), attendance=seen))
    (note,) = build(one, standing(), WELL, now_s=NOW_S, applied=NO_GENERATION).notes
    assert (note.fate, note.detail) == (Fate.FIRST_READ, "not read yet; status 403")
    known = [replace(NOT_READ, is_awaited=False)]
    assert attendance(known, hold_s=60.0).unread == ""
