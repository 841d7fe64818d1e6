"""Which pages are open: one a root cause, repeated only on change, and a notice when it is over."""

from collections.abc import Mapping

from hypothesis import given
from hypothesis import strategies as st

from dnsplan.names import Name
from dnsplan.notices import Change
from sentinel.rules.findings import Finding
from sentinel.rules.judging import Ailment, Ailments
from sentinel.rules.paging import (
    NAMES_APART_MAX,
    ZONES_APART_MAX,
    Kind,
    Page,
    Situation,
    Subject,
    Turn,
    name_subject,
    revise,
)
from sentinel.rules.sight import Sight
from sentinel.rules.watched import NameKey
from tests.unit.sentinel.cases import API, LAWS, WWW

GONE = (Ailment("A", Finding.NXDOMAIN),)
EMPTY = (Ailment("A", Finding.NODATA),)
LABELS = frozenset({"shop", "cafe"})
ABOUT_NAMES = {Kind.NAME, Kind.ZONE, Kind.MANY}

Pages = Mapping[Subject, Page]


def situation(
    *keys: NameKey, unseen: frozenset[str] = frozenset(), ailments: Ailments = GONE
) -> Situation:
    """These names ill, these zones unseen."""
    is_blind = unseen == LABELS
    return Situation(
        dict.fromkeys(keys, ailments), Sight(frozenset() if is_blind else unseen, is_blind=is_blind)
    )


def told(turns: tuple[Turn, ...]) -> list[tuple[str, str]]:
    """What was said, as change and id."""
    return [(turn.change, turn.page.subject.page_id) for turn in turns]


def key(at: int, label: str = "shop") -> NameKey:
    """The name of a number."""
    return (label, Name(f"n{at:04}.example.com."))


def test_an_ill_name_pages_once_and_tells_when_it_is_well() -> None:
    """However many passes go by, there are two notices."""
    ill, well = situation(("shop", WWW)), situation()
    pages, said = revise({}, ill, now_s=1.0)
    for now_s in (2.0, 3.0, 4.0):
        pages, again = revise(pages, ill, now_s=now_s)
        assert again == ()
    pages, after = revise(pages, well, now_s=5.0)
    assert told(said) == [("page", "empty-name/shop/www.example.com.")]
    assert told(after) == [("recovery", "empty-name/shop/www.example.com.")]
    assert after[0].page.opened_s == 1.0
    assert pages == {}


def test_another_verdict_pages_again_under_the_same_id() -> None:
    """A receiver folds both into one incident."""
    pages, _ = revise({}, situation(("shop", WWW)), now_s=1.0)
    _, said = revise(pages, situation(("shop", WWW), ailments=EMPTY), now_s=2.0)
    assert told(said) == [("change", "empty-name/shop/www.example.com.")]


def test_many_names_of_a_zone_are_one_cause() -> None:
    """One page says what a hundred would hide."""
    keys = [key(at) for at in range(NAMES_APART_MAX + 1)]
    pages, said = revise({}, situation(*keys), now_s=1.0)
    assert told(said) == [("page", "empty-zone/shop")]
    assert tuple(keys) == said[0].page.covered
    pages, more = revise(pages, situation(*keys, key(100), key(101)), now_s=2.0)
    assert more == ()
    pages, fewer = revise(pages, situation(keys[0]), now_s=3.0)
    assert fewer == ()
    _, none = revise(pages, situation(), now_s=4.0)
    assert told(none) == [("recovery", "empty-zone/shop")]


def test_the_page_of_a_zone_takes_the_place_of_its_names_pages() -> None:
    """Names found one after the other are one cause in the end: a page is open for it alone."""
    first = [key(at) for at in range(3)]
    others = [key(at) for at in range(3, NAMES_APART_MAX + 1)]
    pages, _ = revise({}, situation(*first), now_s=1.0)
    pages, said = revise(pages, situation(*first, *others), now_s=2.0)
    folded = [("folded", name_subject(one).page_id) for one in first]
    assert told(said) == [("page", "empty-zone/shop"), *folded]
    assert (*first, *others) == said[0].page.covered
    assert {turn.into for turn in said[1:]} == {Subject(Kind.ZONE, "shop")}
    pages, fewer = revise(pages, situation(first[0]), now_s=3.0)
    assert fewer == ()
    _, ended = revise(pages, situation(), now_s=4.0)
    assert told(ended) == [("recovery", "empty-zone/shop")]


def test_the_page_of_many_zones_takes_the_place_of_names_pages() -> None:
    """The same, where each zone has few of them; a name that is well by then is told as well."""
    pages, _ = revise({}, situation(key(0, "z000"), key(1, "z000")), now_s=1.0)
    ill = {key(0, f"z{at:03}"): GONE for at in range(ZONES_APART_MAX + 1)}
    _, said = revise(pages, Situation(ill), now_s=2.0)
    assert told(said) == [
        ("page", "empty-names"),
        ("folded", "empty-name/z000/n0000.example.com."),
        ("recovery", "empty-name/z000/n0001.example.com."),
    ]
    assert said[1].into == Subject(Kind.MANY)


def test_names_of_many_zones_are_one_cause() -> None:
    """A hundred zones with a few names each page once."""
    labels = [f"z{at:03}" for at in range(ZONES_APART_MAX + 1)]
    ill = {key(at, label): GONE for label in labels for at in range(2)}
    _, said = revise({}, Situation(ill), now_s=1.0)
    assert told(said) == [("page", "empty-names")]
    assert len(said[0].page.covered) == len(ill)


def test_when_nothing_can_be_seen_one_page_says_so_and_no_name_is_judged() -> None:
    """A network that is down neither empties names nor makes them well."""
    pages, _ = revise({}, situation(("shop", WWW)), now_s=1.0)
    blind, said = revise(pages, situation(("shop", API), unseen=LABELS), now_s=2.0)
    assert told(said) == [("page", "unseen")]
    assert {Kind.NAME, Kind.UNSEEN} == {subject.kind for subject in blind}
    _, again = revise(blind, situation(("shop", WWW)), now_s=3.0)
    assert told(again) == [("recovery", "unseen")]


def test_a_zone_that_cannot_be_seen_is_one_page_and_the_others_go_on() -> None:
    """Its own names are kept as they were; another zone's name pages as ever."""
    pages, _ = revise({}, situation(("shop", WWW)), now_s=1.0)
    unseen = situation(("shop", API), ("cafe", WWW), unseen=frozenset({"shop"}))
    pages, said = revise(pages, unseen, now_s=2.0)
    assert told(said) == [
        ("page", "empty-name/cafe/www.example.com."),
        ("page", "unseen-zone/shop"),
    ]
    assert name_subject(("shop", WWW)) in pages


def test_names_beyond_the_measure_and_late_looks_are_pages() -> None:
    """What is not watched in time is said as loudly as what is empty."""
    late = Situation(beyond=(key(1), key(2)), is_behind=True)
    pages, said = revise({}, late, now_s=1.0)
    assert sorted(told(said)) == [("page", "behind"), ("page", "unwatched-names")]
    _, after = revise(pages, Situation(), now_s=2.0)
    assert sorted(told(after)) == [("recovery", "behind"), ("recovery", "unwatched-names")]


def test_a_page_about_many_zones_does_not_end_because_one_of_them_is_hidden() -> None:
    """What it stands for may still be empty there."""
    labels = [f"z{at:03}" for at in range(ZONES_APART_MAX + 1)]
    pages, _ = revise({}, Situation({key(0, label): GONE for label in labels}), now_s=1.0)
    last = {key(0, labels[0]): GONE}
    hidden = Situation(last, Sight(frozenset({labels[0]})))
    pages, said = revise(pages, hidden, now_s=2.0)
    assert told(said) == [("page", f"unseen-zone/{labels[0]}")]
    _, ended = revise(pages, Situation(), now_s=3.0)
    assert ("recovery", "empty-names") in told(ended)


keys = st.builds(key, st.integers(0, 14), st.sampled_from(sorted(LABELS)))
situations = st.builds(
    Situation,
    st.dictionaries(keys, st.sampled_from([GONE, EMPTY]), max_size=30),
    st.builds(
        Sight,
        st.sets(st.sampled_from(sorted(LABELS))).map(frozenset),
        st.sets(st.sampled_from(sorted(LABELS))).map(frozenset),
        st.booleans(),
    ),
)


@LAWS
@given(st.lists(situations, max_size=12))
def test_pages_and_recoveries_take_turns(history: list[Situation]) -> None:
    """Over any history: a subject is paged, perhaps changed, and recovered, in this order; when all
    is well nothing is open; and each visible ill name is covered by an open page."""
    pages: Pages = {}
    open_ids: set[str] = set()
    for at, now in enumerate([*history, Situation()]):
        pages, turns = revise(pages, now, now_s=float(at))
        for turn in turns:
            page_id = turn.page.subject.page_id
            assert (page_id in open_ids) == (turn.change is not Change.PAGE)
            if turn.change in (Change.RECOVERY, Change.FOLDED):
                open_ids.discard(page_id)
            else:
                open_ids.add(page_id)
        assert {subject.page_id for subject in pages} == open_ids
        assert {turn.into for turn in turns} - {None} <= pages.keys()
        for name in now.ill:
            if not now.sight.hides(name[0]):
                covering = {name_subject(name), Subject(Kind.ZONE, name[0]), Subject(Kind.MANY)}
                assert covering & pages.keys()
    assert open_ids == set()


@LAWS
@given(st.lists(situations, max_size=12))
def test_the_same_situation_twice_says_nothing(history: list[Situation]) -> None:
    """Pages follow from what is, so that seeing it again is no news."""
    pages: Pages = {}
    for at, now in enumerate(history):
        pages, _ = revise(pages, now, now_s=float(at))
        pages, again = revise(pages, now, now_s=float(at) + 0.5)
        assert again == ()


@LAWS
@given(st.lists(situations, max_size=12))
def test_where_nothing_is_seen_nothing_about_names_is_said(history: list[Situation]) -> None:
    """Neither a page nor a recovery of a name comes out of a zone that nobody hears."""
    pages: Pages = {}
    for at, now in enumerate(history):
        pages, turns = revise(pages, now, now_s=float(at))
        about = {turn.page.subject for turn in turns if turn.page.subject.kind in ABOUT_NAMES}
        assert not [subject for subject in about if now.sight.hides(subject.label)]


@LAWS
@given(st.dictionaries(keys, st.just(GONE), max_size=30))
def test_notices_at_once_are_few(ill: dict[NameKey, Ailments]) -> None:
    """However many names are ill, a zone gives at most so many pages in one pass."""
    _, turns = revise({}, Situation(ill), now_s=0.0)
    assert len(turns) <= NAMES_APART_MAX * len(LABELS)
