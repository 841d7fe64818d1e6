"""The candidate states everything: the config, the pools, and all else of the newest plan."""

from dnsplan.names import parse_name
from dnsplan.plan import Generation, NameLedger, Retirement, sorted_content
from dnsplan.records import RecordSet, Unit
from planner.rules.candidate import Candidate, ZoneWish, build
from planner.rules.changes import changes, summary
from planner.rules.health import Sight
from planner.rules.notes import Fate
from planner.rules.standing import NOTHING, Standing
from tests.unit.planner.cases import (
    LIMIT,
    NAME,
    NOW_S,
    a,
    address,
    cname,
    healthy,
    multivalue,
    pool,
    sick,
    sight,
    standing,
    wish,
)

GOOD = sight(a=healthy(), b=healthy(), c=healthy(), d=healthy())


def built(
    zone: ZoneWish, before: Standing = NOTHING, view: Sight = GOOD, *, applied: int = 7
) -> Candidate:
    """The candidate at a fixed time."""
    return build(zone, before, view, now_s=NOW_S, applied=Generation(applied))


def fates(candidate: Candidate) -> dict[Unit, Fate]:
    """What happened to each unit that is worth a word."""
    return {note.unit: note.fate for note in candidate.notes}


def unit(name: str, record_type: str = "A") -> Unit:
    """A name and type."""
    return (parse_name(name), record_type)


def test_a_first_candidate_is_what_config_and_pools_say() -> None:
    """Stated records and pool-driven names stand side by side, sorted by key."""
    records = (a("b.example.com.", "192.0.2.200"), a("a.example.com.", "192.0.2.201"))
    candidate = built(wish(pool("a", "b"), records=records))
    expected = (records[1], records[0], *multivalue("a", "b"))
    assert expected == candidate.content()


def test_the_same_facts_publish_nothing() -> None:
    """A candidate equal to the newest plan is the same as it."""
    zone = wish(pool("a", "b"), records=(a("b.example.com.", "192.0.2.200"),))
    before = standing(*built(zone).content())
    assert built(zone, before).is_same_as(before)


def test_a_name_that_left_the_config_is_carried_forward() -> None:
    """Absence is no instruction: the record stays, unchanged, and is reported as unlisted."""
    gone = a("old.example.com.", "192.0.2.200")
    before = standing(gone, *multivalue("a", "b"))
    candidate = built(wish(pool("a", "b")), before)
    assert candidate.is_same_as(before)
    assert Fate.UNLISTED is fates(candidate)[unit("old.example.com.")]


def test_a_type_that_left_the_config_is_carried_forward() -> None:
    """The unit of management is name and type, not the name."""
    v6 = RecordSet(NAME, "AAAA", 30, ("2001:db8::1",))
    before = standing(v6, *multivalue("a", "b"))
    assert built(wish(pool("a", "b")), before).is_same_as(before)


def test_a_carried_name_keeps_its_ledger() -> None:
    """What velocity spent is not forgotten with the config entry, but ages out of the window;
    of its targets only what answers is known."""
    spent = ((NOW_S - 400, 1), (NOW_S - 100, 1))
    ledger = NameLedger(NAME, "A", 4, 3, spent)
    before = standing(*multivalue("a", "b"), ledger=(ledger,))
    candidate = built(wish(records=(a("x.example.com.", "192.0.2.1"),)), before)
    assert NameLedger(NAME, "A", 2, 2, spent[1:]) == candidate.ledger[(NAME, "A")]


def test_an_address_gives_way_to_a_stated_cname() -> None:
    """A stated CNAME is an explicit change of type: everything else of the name ends."""
    text = RecordSet(NAME, "TXT", 60, ('"x"',))
    before = standing(text, *multivalue("a", "b"))
    new = cname("www.example.com.", "other.example.net.")
    candidate = built(wish(records=(new,)), before)
    assert (new,) == candidate.content()
    assert {unit("www.example.com.", kind): Fate.SWITCHED for kind in ("A", "TXT")} == fates(
        candidate
    )


def test_a_cname_gives_way_to_a_pool() -> None:
    """The switch back works as well."""
    before = standing(cname("www.example.com.", "other.example.net."))
    candidate = built(wish(pool("a", "b")), before)
    assert multivalue("a", "b") == candidate.content()


def test_a_cname_stays_until_the_pool_can_answer() -> None:
    """A switch to a pool that waits for its first look changes nothing yet."""
    before = standing(cname("www.example.com.", "other.example.net."))
    candidate = built(wish(pool("a", "b")), before, sight(now_s=1.0))
    assert candidate.is_same_as(before)
    assert Fate.FIRST_LOOK is fates(candidate)[unit("www.example.com.")]


def test_what_is_stated_beside_a_pool_does_not_end_the_cname_before_it_can_answer() -> None:
    """A TXT that comes with the pool may not stand beside the CNAME, and the pool answers nothing
    yet: all of the name waits for the pool, and then goes over in one plan."""
    before = standing(cname("www.example.com.", "other.example.net."))
    text = RecordSet(NAME, "TXT", 60, ('"x"',))
    wanted = wish(pool("a", "b"), records=(text,))
    candidate = built(wanted, before, sight(now_s=1.0))
    assert candidate.is_same_as(before)
    assert {unit("www.example.com."): Fate.FIRST_LOOK} == fates(candidate)
    assert sorted_content((text, *multivalue("a", "b"))) == built(wanted, before).content()


def test_a_retired_name_ends() -> None:
    """An operator's retire ends what the config no longer states, and is carried on."""
    word = Retirement(parse_name("old.example.com."), None, 7, "eva")
    before = standing(a("old.example.com.", "192.0.2.200"), *multivalue("a", "b"), retired=(word,))
    candidate = built(wish(pool("a", "b")), before)
    assert multivalue("a", "b") == candidate.content()
    assert (word,) == candidate.retired
    assert Fate.RETIRED is fates(candidate)[unit("old.example.com.")]


def test_retiring_one_type_keeps_the_others() -> None:
    """A retirement of A leaves the TXT of the name alone."""
    text = RecordSet(parse_name("old.example.com."), "TXT", 60, ('"x"',))
    word = Retirement(text.name, "A", 7, "eva")
    before = standing(a("old.example.com.", "192.0.2.200"), text, retired=(word,))
    candidate = built(wish(), before)
    assert (text,) == candidate.content()


def test_a_retired_name_that_is_stated_again_is_protected_again() -> None:
    """Once the retirement was applied and the config states the name, the retirement is dropped."""
    record = a("old.example.com.", "192.0.2.200")
    word = Retirement(record.name, None, 7, "eva")
    before = standing(record, retired=(word,))
    assert built(wish(records=(record,)), before, applied=7).retired == ()
    assert (word,) == built(wish(records=(record,)), before, applied=6).retired


def test_dropping_a_retirement_is_worth_a_plan() -> None:
    """Equal content with other retirements is not the same plan."""
    record = a("old.example.com.", "192.0.2.200")
    before = standing(record, retired=(Retirement(record.name, None, 7, "eva"),))
    candidate = built(wish(records=(record,)), before)
    assert not candidate.is_same_as(before)
    assert candidate.changed == ()
    assert summary(candidate, before) == "retirements changed"


def test_a_stated_value_may_change_at_once() -> None:
    """Velocity is for pools: an operator's own record changes as stated."""
    before = standing(a("x.example.com.", "192.0.2.1", "192.0.2.2", "192.0.2.3"))
    new = a("x.example.com.", "192.0.2.9")
    assert (new,) == built(wish(records=(new,)), before).content()


def test_changes_name_what_comes_and_goes() -> None:
    """The sentence in a plan's row says which answers change."""
    zone = wish(pool("a", "b"), records=(a("x.example.com.", "192.0.2.1"),))
    before = standing(a("x.example.com.", "192.0.2.1"), *multivalue("a", "b"))
    candidate = built(zone, before, sight(a=healthy(), b=sick()))
    (change,) = changes(candidate, before)
    assert ((address("b"),), ()) == (change.going, change.coming)
    assert f"www.example.com. A -{address('b')}" == summary(candidate, before)


def test_what_ends_is_said_to_end() -> None:
    """A unit that leaves the plan is named, though its answers need no listing."""
    before = standing(*multivalue("a"))
    candidate = built(wish(records=(cname("www.example.com.", "x.example.net."),)), before)
    text = "www.example.com. A ends; www.example.com. CNAME +x.example.net."
    assert summary(candidate, before) == text


def test_many_answers_are_counted() -> None:
    """Of a hundred answers that come the first few are named."""
    before = standing(a("x.example.com.", "192.0.2.1"))
    many = a("x.example.com.", *(f"198.51.100.{index}" for index in range(10, 20)))
    text = summary(built(wish(records=(many,)), before), before)
    assert text == (
        "x.example.com. A -192.0.2.1 +198.51.100.10 +198.51.100.11 +198.51.100.12"
        " +198.51.100.13 +(6 more)"
    )


def test_the_summary_is_bounded() -> None:
    """Of a thousand changes the first few are named and the rest counted."""
    records = tuple(a(f"h{index}.example.com.", "192.0.2.1") for index in range(1000))
    before = standing(a("x.example.com.", "192.0.2.1"))
    text = summary(built(wish(records=records), before), before)
    assert text.endswith("and 995 more")
    assert summary(built(wish(records=records)), NOTHING) == "first plan: 1000 names and types"


def test_a_change_of_settings_alone_is_said_so() -> None:
    """A new TTL changes no answer."""
    before = standing(*multivalue("a", "b", ttl_s=99))
    candidate = built(wish(pool("a", "b")), before)
    assert summary(candidate, before) == "www.example.com. A settings"
    assert LIMIT.max_removed_share == 0.25
