"""Last good answers, the control API's opinion, and the measure of a process."""

from hypothesis import given
from hypothesis import strategies as st

from dnsplan.names import Name, parse_name
from dnsplan.records import AliasTarget, RecordSet
from sentinel.rules.findings import Finding, Seen
from sentinel.rules.opinion import (
    Absent,
    Aliased,
    NotAsked,
    Stored,
    aliases_at,
    in_words,
    opinion,
    within_zone,
)
from sentinel.rules.remembering import RECENT_MAX, RECENT_S, LastGood, says_other
from sentinel.rules.remembering import remembered as remembered_by
from sentinel.rules.watched import Unwatched, scope
from tests.unit.sentinel.cases import API, LAWS, WWW, watched


def answer(*values: str, ttl_s: int = 30) -> Seen:
    """A good answer."""
    return Seen(Finding.ANSWERED, values, ttl_s)


def remembered(before: LastGood | None, seen: Seen, *, now_s: float) -> LastGood:
    """What the zone's own server answered."""
    return remembered_by(before, seen, now_s=now_s, from_cache=False)


def test_the_ttl_of_a_cached_answer_is_the_longest_that_was_told() -> None:
    """A cache counts down; an operator restores the whole, and no file is written for it."""
    first = remembered_by(None, answer("a", ttl_s=60), now_s=0.0, from_cache=True)
    later = remembered_by(first, answer("a", ttl_s=12), now_s=48.0, from_cache=True)
    other = remembered_by(later, answer("b", ttl_s=30), now_s=50.0, from_cache=True)
    assert (later.ttl_s, says_other(first, later), other.ttl_s) == (60, False, 30)


def test_a_weighted_name_is_remembered_with_all_its_recent_answers() -> None:
    """One target at a time is answered, and an operator restores them all."""
    first = remembered(None, answer("192.0.2.1"), now_s=100.0)
    second = remembered(first, answer("192.0.2.2"), now_s=105.0)
    assert second == LastGood(
        ("192.0.2.2",), 30, 105.0, (("192.0.2.1", 100.0), ("192.0.2.2", 105.0))
    )
    assert second.earlier == ("192.0.2.1",)


def test_what_is_answered_no_longer_is_forgotten() -> None:
    """A target that a plan took out minutes ago is not to be put back."""
    first = remembered(None, answer("192.0.2.1"), now_s=0.0)
    at_last = remembered(first, answer("192.0.2.2"), now_s=RECENT_S)
    later = remembered(first, answer("192.0.2.2"), now_s=RECENT_S + 0.1)
    assert at_last.earlier == ("192.0.2.1",)
    assert later.earlier == ()


def test_only_what_a_person_would_read_is_news() -> None:
    """Which of two targets came last is no reason to write a file; a new one or a TTL is."""
    both = remembered(remembered(None, answer("a"), now_s=0.0), answer("b"), now_s=1.0)
    assert says_other(None, both)
    assert not says_other(both, remembered(both, answer("a"), now_s=2.0))
    assert says_other(both, remembered(both, answer("c"), now_s=2.0))
    assert says_other(both, remembered(both, answer("a", ttl_s=31), now_s=2.0))


@LAWS
@given(st.lists(st.tuples(st.integers(0, 200).map(str), st.floats(0, 20)), min_size=1))
def test_memory_is_bounded_and_holds_the_newest(heard: list[tuple[str, float]]) -> None:
    """Whatever is answered over time: the newest answer is in it, and its size has a bound."""
    kept, now_s = None, 0.0
    for value, after_s in heard:
        now_s += after_s
        kept = remembered(kept, answer(value), now_s=now_s)
        assert kept.values == (value,)
        assert (value, now_s) in kept.recent
        assert len(kept.recent) <= RECENT_MAX
        assert all(now_s - at_s <= RECENT_S for _, at_s in kept.recent)


def stored(name: Name, *values: str, kind: str = "A") -> RecordSet:
    """A record set with values."""
    return RecordSet(name, kind, 60, values)


def alias(name: Name, target: Name, zone_id: str = "Z1") -> RecordSet:
    """An alias."""
    return RecordSet(name, "A", None, (), alias=AliasTarget(zone_id, target, False))


GONE = parse_name("gone.example.com")


def test_the_control_api_tells_absent_stored_and_dangling_apart() -> None:
    """An alias whose target this zone should hold, and does not, is the one that is missing."""
    assert Absent() == opinion([stored(WWW, "x", kind="TXT")], "A", zone_id="Z1", targets=[])
    assert Stored(("192.0.2.1", "192.0.2.2")) == opinion(
        [stored(WWW, "192.0.2.2"), stored(WWW, "192.0.2.1")], "A", zone_id="Z1", targets=[]
    )
    listed = [alias(WWW, GONE), alias(WWW, API), alias(WWW, parse_name("elb.example.net"), "Z9")]
    said = opinion(listed, "A", zone_id="Z1", targets=[stored(API, "192.0.2.1")])
    assert (
        Aliased(
            ("api.example.com.", "elb.example.net.", "gone.example.com."), ("gone.example.com.",)
        )
        == said
    )
    assert within_zone(aliases_at(listed, "A"), "Z1") == (API, GONE)


def test_an_alias_to_a_target_of_another_type_dangles() -> None:
    """An A alias is answered by A records alone."""
    said = opinion(
        [alias(WWW, API)], "A", zone_id="Z1", targets=[stored(API, "2001:db8::1", kind="AAAA")]
    )
    assert Aliased(("api.example.com.",), ("api.example.com.",)) == said


def test_opinions_in_words_cut_long_lists_and_count() -> None:
    """A name of four hundred values does not fill a page."""
    assert in_words(Stored(tuple(map(str, range(20))))).endswith("6, 7 and 12 more")
    assert in_words(NotAsked("denied")) == "the control API was not heard: denied"
    assert in_words(Aliased(("a.example.",), ())) == "an alias to a.example., which answers nothing"


def test_a_process_takes_the_first_names_and_tells_the_rest() -> None:
    """The same ones at every start, by label and name; what nobody can judge is told apart."""
    names = [watched(WWW), watched(API), watched(WWW, label="cafe")]
    unjudged = Unwatched(("shop", GONE), "A: by place")
    taken = scope(names, unjudged=[unjudged], names_max=2)
    assert [one.key for one in taken.names] == [("cafe", WWW), ("shop", API)]
    assert taken.beyond == (("shop", WWW),)
    assert taken.unjudged == (unjudged,)
