"""From looks over several paths to what ails a name."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sentinel.rules.findings import DENIALS, Finding
from sentinel.rules.judging import Ailment, Look, Transport, blamed, is_whole, judge
from tests.unit.sentinel.cases import LAWS, look

BAD = [one for one in Finding if one is not Finding.ANSWERED]
transports: st.SearchStrategy[Transport] = st.sampled_from(["udp", "tcp"])
looks = st.builds(
    look,
    st.sampled_from(list(Finding)),
    st.sampled_from(["s1", "s2", "s3", "s4"]),
    transports,
    st.sampled_from(["A", "AAAA"]),
)


def test_no_answer_anywhere_is_an_ailment() -> None:
    """Four servers over both transports agree."""
    found = judge(
        look(Finding.NODATA, server, transport)
        for server in ("s1", "s2", "s3", "s4")
        for transport in ("udp", "tcp")
    )
    assert (Ailment("A", Finding.NODATA),) == found


def test_a_server_that_answers_on_one_transport_answers() -> None:
    """A lost packet, or a closed TCP port, empties nothing."""
    shown = [look(Finding.TIMEOUT, transport="udp"), look(Finding.ANSWERED, transport="tcp")]
    assert judge(shown) == ()


@pytest.mark.parametrize("finding", BAD)
def test_one_bad_server_of_two_ails_a_name_only_when_it_denies(finding: Finding) -> None:
    """Resolvers ask the next server after silence and errors, and believe a denial."""
    shown = [look(finding, "s1"), look(Finding.ANSWERED, "s2")]
    expected = (Ailment("A", finding, partly=True),) if finding in DENIALS else ()
    assert expected == judge(shown)


@pytest.mark.parametrize(
    ("findings", "said"),
    [
        ([Finding.TIMEOUT, Finding.TIMEOUT, Finding.SERVFAIL], Finding.SERVFAIL),
        ([Finding.SERVFAIL, Finding.SERVFAIL, Finding.NXDOMAIN], Finding.NXDOMAIN),
        ([Finding.NODATA, Finding.NXDOMAIN, Finding.NXDOMAIN], Finding.NXDOMAIN),
        ([Finding.LAME, Finding.LAME, Finding.TIMEOUT], Finding.LAME),
        ([Finding.TIMEOUT, Finding.TIMEOUT], Finding.TIMEOUT),
    ],
)
def test_the_most_telling_finding_stands(findings: list[Finding], said: Finding) -> None:
    """A denial before an error, an error before silence, and what most servers say before all."""
    shown = [look(one, f"s{at}") for at, one in enumerate(findings)]
    assert (Ailment("A", said),) == judge(shown)


def test_each_type_is_judged_by_itself() -> None:
    """An AAAA that is gone ails a name whose A answers."""
    shown = [look(Finding.ANSWERED, kind="A"), look(Finding.NODATA, kind="AAAA")]
    assert (Ailment("AAAA", Finding.NODATA),) == judge(shown)


def test_blame_is_for_leaving_out_what_others_answer() -> None:
    """Where nobody answers, no server is worse than the others."""
    shown = [look(Finding.TIMEOUT, "s1"), look(Finding.ANSWERED, "s2")]
    assert blamed(shown) == {"s1": True, "s2": False}
    assert blamed([look(Finding.NODATA, "s1"), look(Finding.NODATA, "s2")]) == {
        "s1": False,
        "s2": False,
    }


@LAWS
@given(st.lists(looks, min_size=1), st.randoms(use_true_random=False))
def test_order_says_nothing(shown: list[Look], chance: object) -> None:
    """The order in which replies come changes no verdict."""
    shuffled = list(shown)
    chance.shuffle(shuffled)  # type: ignore[attr-defined]  # hypothesis gives a random.Random
    assert judge(shown) == judge(shuffled)


@LAWS
@given(st.lists(looks, min_size=1))
def test_a_type_is_whole_exactly_when_nobody_answers_it(shown: list[Look]) -> None:
    """The one rule that pages rest on, against its plain statement."""
    kinds = {one.type for one in shown}
    answered = {one.type for one in shown if one.seen.finding is Finding.ANSWERED}
    whole = {one.type for one in judge(shown) if not one.partly}
    assert kinds - answered == whole
    assert is_whole(judge(shown)) == bool(whole)


@LAWS
@given(st.lists(looks, min_size=1), looks)
def test_silence_never_changes_what_others_say(shown: list[Look], extra: Look) -> None:
    """One more lost packet at a server that has spoken is no news."""
    spoken = [one for one in shown if one.seen.finding is not Finding.TIMEOUT]
    silent = [
        look(Finding.TIMEOUT, one.server, one.transport, one.type)
        for one in (*spoken, extra)
        if any(other.server == one.server and other.type == one.type for other in spoken)
    ]
    assert judge(spoken) == judge([*spoken, *silent])


def test_few_answers_at_some_servers_are_a_part_of_the_world() -> None:
    """At all of them the name is ill as a whole; an empty one is told before a short one."""
    few, none = look(Finding.FEW, "s1"), look(Finding.NODATA, "s2")
    assert judge([few, look(Finding.ANSWERED, "s2")]) == (Ailment("A", Finding.FEW, partly=True),)
    assert judge([few, look(Finding.FEW, "s2")]) == (Ailment("A", Finding.FEW),)
    assert judge([few, none, look(Finding.NODATA, "s3")]) == (Ailment("A", Finding.NODATA),)
