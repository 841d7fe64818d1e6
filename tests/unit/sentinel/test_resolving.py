"""What several resolvers make of a name, as one verdict."""

import pytest

from dnsplan.names import Name
from dnsplan.notices import Cause
from sentinel.rules.findings import Finding
from sentinel.rules.resolving import (
    ABSENCE_KEPT_MAX_S,
    FAILURE_KEPT_S,
    Doubt,
    Made,
    Word,
    Words,
    after_words,
    in_short,
    is_denied,
    kept_s,
    majority,
    root_causes,
    unresolved,
)
from sentinel.rules.zone_faults import DELEGATION, LONG_NEGATIVE_TTL, UNRESOLVED

UNIT = (Name("www.example.com."), "A")


def said(*made: Made) -> Words:
    """One resolver each."""
    return tuple(Word(f"192.0.2.{at}", one) for at, one in enumerate(made, 1))


OK, NX, DEAD = Made.ANSWERED, Made.NXDOMAIN, Made.UNHEARD
CONFIRM_S = 15.0


@pytest.mark.parametrize(
    ("words", "made"),
    [
        (said(OK, OK, OK), OK),
        (said(OK, OK, NX), OK),
        (said(OK, NX, NX), NX),
        (said(NX, Made.SERVFAIL, Made.SERVFAIL), Made.SERVFAIL),
        (said(NX, Made.SERVFAIL, OK), NX),
        (said(Made.BOGUS, Made.SERVFAIL, OK), Made.BOGUS),
        (said(OK, OK, DEAD), OK),
        (said(NX, NX, DEAD), NX),
        (said(OK, NX, DEAD), OK),
        (said(NX, DEAD, DEAD), None),
        (said(OK, DEAD, DEAD), None),
        (said(DEAD, DEAD, DEAD), None),
        (said(OK, NX), OK),
        (said(NX), OK),
        (said(NX, NX), NX),
        (said(NX, DEAD), None),
        (said(NX, NX, OK, OK), OK),
        (said(NX, NX, DEAD, DEAD), None),
    ],
)
def test_more_than_half_of_all_that_are_stated_decide(words: Words, made: Made | None) -> None:
    """One that is alone has no say, nor has one that says nothing to anybody."""
    assert majority(words) is made


def played(*turns: tuple[float, Words]) -> Doubt | None:
    """The looks of one name at their times."""
    doubt: Doubt | None = None
    for now_s, words in turns:
        doubt = after_words(doubt, words, confirm_s=CONFIRM_S, now_s=now_s)
    return doubt


def test_a_doubt_is_confirmed_by_time_and_looks() -> None:
    """Neither a burst of looks nor two looks far apart are enough."""
    empty = said(NX, NX, OK)
    burst = played(*((at / 10, empty) for at in range(20)))
    apart = played((0.0, empty), (20.0, empty))
    both = played((0.0, empty), (8.0, empty), (15.0, empty))
    assert [one is not None and one.is_confirmed for one in (burst, apart, both)] == [
        False,
        False,
        True,
    ]


def test_one_look_with_answers_ends_a_suspicion_and_two_a_page() -> None:
    """And looks at which too few are heard change neither."""
    empty, well, dead = said(NX, NX, OK), said(OK, OK, NX), said(NX, DEAD, DEAD)
    assert played((0.0, empty), (5.0, empty), (10.0, well)) is None
    told = ((0.0, empty), (5.0, dead), (8.0, empty), (16.0, empty))
    held = played(*told, (20.0, dead))
    assert held is not None
    assert held.is_confirmed
    half = played(*told, (20.0, well))
    assert half is not None
    assert half.is_confirmed
    again = played(*told, (20.0, well), (25.0, empty), (30.0, well))
    assert again is not None
    assert again.is_confirmed
    assert played(*told, (20.0, well), (25.0, well)) is None


def test_a_page_says_who_said_what_and_what_it_means() -> None:
    """The verdict is what most names show; each name stands with every resolver's word."""
    words = (
        Word("192.0.2.1", Made.BOGUS, "SERVFAIL, dnssec bogus"),
        Word("192.0.2.2", Made.SERVFAIL),
        Word("192.0.2.3", OK),
    )
    doubts = {
        UNIT: Doubt(0.0, Made.BOGUS, words, 3, is_confirmed=True),
        (Name("api.example.com."), "A"): Doubt(0.0, NX, said(NX, NX, OK)),
    }
    (cause,) = unresolved("shop", doubts)
    assert (cause.page_id, cause.verdict) == ("unresolved-zone/shop", "bogus")
    meaning, line = cause.lines
    assert meaning.startswith("bogus: ")
    assert line == (
        "www.example.com. A: 192.0.2.1 bogus (SERVFAIL, dnssec bogus); 192.0.2.2 servfail;"
        " 192.0.2.3 answered"
    )
    assert in_short(words) == "1 of 3 resolvers answer, 192.0.2.1 bogus, 192.0.2.2 servfail"


def cause(kind: str, label: str) -> Cause:
    """Some cause."""
    return Cause(
        kind=kind, label=label, verdict="v", title="t", commands=("c",), runbook="sentinel-blind"
    )


def test_what_follows_from_a_delegation_is_not_told_beside_it() -> None:
    """One root cause is one page, and hides nothing of other zones or kinds."""
    shop = [cause(one, "shop") for one in (DELEGATION, LONG_NEGATIVE_TTL, UNRESOLVED)]
    cafe = [cause(LONG_NEGATIVE_TTL, "cafe"), cause(UNRESOLVED, "cafe")]
    assert root_causes([*shop, *cafe]) == [*shop[:2], *cafe]


@pytest.mark.parametrize(
    ("negative_ttl_s", "limit_s"),
    [(None, None), (60, FAILURE_KEPT_S), (900, 900.0), (86_400, ABSENCE_KEPT_MAX_S)],
)
def test_caches_are_waited_out_as_far_as_they_go(
    negative_ttl_s: int | None, limit_s: float | None
) -> None:
    """A zone that does not say for how long is not judged."""
    assert kept_s(negative_ttl_s) == limit_s


def test_a_denial_is_what_resolvers_remember() -> None:
    """A lost packet or a few answers are not."""
    assert is_denied([Finding.ANSWERED, Finding.NXDOMAIN])
    assert not is_denied([Finding.ANSWERED, Finding.TIMEOUT, Finding.FEW, Finding.SERVFAIL])
