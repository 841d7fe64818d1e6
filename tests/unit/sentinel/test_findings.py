"""What one reply means: answers are counted, and nothing that a reply does not say is guessed."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dnsplan.names import Name, parse_name
from sentinel.rules.findings import Finding, NoReply, Reply, Seen, see
from sentinel.rules.watched import Expected
from tests.unit.sentinel.cases import (
    API,
    CNAME_INSIDE,
    CNAME_OUTSIDE,
    CNAME_THROUGH,
    LAWS,
    WWW,
    A,
    reply,
    row,
    watched,
)

OUTSIDE = parse_name("cdn.example.net")


def finding(expected: Expected, asked: str, heard: Reply | NoReply, *, recursive: bool) -> str:
    """The finding alone."""
    return see(watched(WWW, expected, recursive=recursive), expected, asked, heard).finding


def test_counted_answers_are_an_answer() -> None:
    """Values are told once each and sorted, with the shortest TTL."""
    heard = reply(row("192.0.2.2", ttl_s=60), row("192.0.2.1", ttl_s=30))
    seen = see(watched(), A, "A", heard)
    assert Seen(Finding.ANSWERED, ("192.0.2.1", "192.0.2.2"), 30) == seen


@pytest.mark.parametrize(
    ("heard", "expected"),
    [
        (reply(), Finding.NODATA),
        (reply(row("2001:db8::1", "AAAA")), Finding.NODATA),
        (reply(row("192.0.2.1", owner=API)), Finding.NODATA),
        (reply(rcode="NXDOMAIN"), Finding.NXDOMAIN),
        (reply(rcode="SERVFAIL"), Finding.SERVFAIL),
        (reply(rcode="FORMERR"), Finding.SERVFAIL),
        (reply(rcode="REFUSED", authoritative=False), Finding.LAME),
        (reply(rcode="NOTAUTH"), Finding.LAME),
        (reply(authoritative=False), Finding.LAME),
        (NoReply("no reply in 2.0 s"), Finding.TIMEOUT),
    ],
    ids=str,
)
def test_each_way_to_have_no_answer_is_told_apart(
    heard: Reply | NoReply, expected: Finding
) -> None:
    """NOERROR with nothing in it, no such name, failure, lameness and silence are five things."""
    assert finding(A, "A", heard, recursive=False) == expected


def test_a_resolver_need_not_be_authoritative() -> None:
    """An empty answer without authority is lame from the zone's server, NODATA from a resolver."""
    heard = reply(authoritative=False)
    assert finding(A, "A", heard, recursive=True) == Finding.NODATA


def test_the_error_code_stands_in_the_detail() -> None:
    """FORMERR and SERVFAIL are one finding, and the page still says which it was."""
    assert see(watched(), A, "A", reply(rcode="FORMERR")).detail == "FORMERR"


TO_API = row(API, "CNAME")
TO_OUTSIDE = row(OUTSIDE, "CNAME")


@pytest.mark.parametrize(
    ("expected", "heard", "found"),
    [
        (CNAME_THROUGH, reply(TO_API, row("192.0.2.1", owner=API)), Finding.ANSWERED),
        (CNAME_THROUGH, reply(TO_API), Finding.DANGLING),
        (CNAME_THROUGH, reply(TO_API, rcode="NXDOMAIN"), Finding.DANGLING),
        (CNAME_THROUGH, reply(), Finding.NODATA),
        (CNAME_THROUGH, reply(rcode="NXDOMAIN"), Finding.NXDOMAIN),
        (CNAME_THROUGH, reply(row("192.0.2.1")), Finding.ANSWERED),
        (CNAME_INSIDE, reply(TO_API), Finding.ANSWERED),
        (CNAME_INSIDE, reply(TO_API, rcode="NXDOMAIN"), Finding.DANGLING),
        (CNAME_OUTSIDE, reply(TO_OUTSIDE), Finding.ANSWERED),
        (A, reply(TO_API), Finding.DANGLING),
        (A, reply(TO_API, row("192.0.2.1", owner=API)), Finding.ANSWERED),
        (A, reply(TO_OUTSIDE), Finding.ANSWERED),
        (A, reply(row(WWW, "CNAME")), Finding.DANGLING),
    ],
)
def test_a_cname_counts_by_what_this_server_can_know(
    expected: Expected, heard: Reply, found: Finding
) -> None:
    """Inside the zone it must lead to answers; where it leaves the zone, its presence counts."""
    assert finding(expected, expected.asks[0], heard, recursive=False) == found


def test_a_cname_into_a_delegated_zone_is_not_followed_here() -> None:
    """A referral behind the CNAME means that another zone's servers know the rest."""
    child = Name("app.child.example.com.")
    referred = (row("ns.child.example.com.", "NS", Name("child.example.com.")),)
    heard = Reply("NOERROR", authoritative=True, rows=(row(child, "CNAME"),), referred=referred)
    assert finding(A, "A", heard, recursive=False) == Finding.ANSWERED


def test_a_resolver_follows_any_cname() -> None:
    """What a resolver shows without an address has none, wherever it leads."""
    assert finding(A, "A", reply(TO_OUTSIDE), recursive=True) == Finding.DANGLING


def test_the_answer_of_a_cname_is_its_target() -> None:
    """What an operator would put back is the CNAME, not the addresses behind it."""
    heard = reply(row(API, "CNAME", ttl_s=300), row("192.0.2.1", owner=API, ttl_s=5))
    seen = see(watched(WWW, CNAME_THROUGH), CNAME_THROUGH, "A", heard)
    assert Seen(Finding.ANSWERED, (API,), 300) == seen


def test_a_delegation_is_answered_by_a_referral() -> None:
    """The parent's servers tell NS of a child in the authority section, without authority."""
    ns = Expected("NS", ("NS",))
    heard = Reply("NOERROR", authoritative=False, referred=(row("ns1.example.net.", "NS"),))
    seen = see(watched(WWW, ns), ns, "NS", heard)
    assert Seen(Finding.ANSWERED, ("ns1.example.net.",), 60) == seen


names = st.sampled_from([WWW, API, OUTSIDE, Name("a.example.com."), Name("b.example.com.")])
rows = st.builds(
    row,
    st.one_of(names, st.just("192.0.2.1")),
    st.sampled_from(["A", "AAAA", "CNAME", "NS"]),
    names,
)
replies = st.builds(
    Reply,
    st.sampled_from(["NOERROR", "NXDOMAIN", "SERVFAIL", "REFUSED", "NOTIMP"]),
    st.booleans(),
    st.lists(rows, max_size=6).map(tuple),
    st.lists(rows, max_size=2).map(tuple),
)


@LAWS
@given(replies, st.sampled_from([A, CNAME_THROUGH, CNAME_INSIDE, CNAME_OUTSIDE]), st.booleans())
def test_answered_and_values_come_together(
    heard: Reply, expected: Expected, recursive: bool
) -> None:
    """Whatever is heard, a finding is `answered` exactly when there is a value to restore."""
    seen = see(watched(WWW, expected, recursive=recursive), expected, expected.asks[0], heard)
    assert (seen.finding is Finding.ANSWERED) == bool(seen.values)
    assert seen.finding is not Finding.TIMEOUT


@LAWS
@given(replies)
def test_nothing_at_the_name_is_never_an_answer(heard: Reply) -> None:
    """A reply without any record of the name itself answers nothing, whatever else it holds."""
    foreign = Reply(
        heard.rcode,
        heard.authoritative,
        tuple(one for one in heard.rows if one.owner != WWW),
        heard.referred,
    )
    assert see(watched(), A, "A", foreign).finding is not Finding.ANSWERED


@pytest.mark.parametrize(("count", "finding"), [(3, Finding.ANSWERED), (2, Finding.FEW)])
def test_fewer_answers_than_the_floor_are_no_good_answer(count: int, finding: Finding) -> None:
    """They are shown, counted against what is promised, and are nothing to restore."""
    promised = Expected("A", ("A",), least=3)
    rows = [row(f"192.0.2.{at}") for at in range(1, count + 1)]
    seen = see(watched(WWW, promised), promised, "A", reply(*rows))
    assert (seen.finding, len(seen.values)) == (finding, count)
    assert seen.detail == ("" if finding is Finding.ANSWERED else "2 of at least 3")
