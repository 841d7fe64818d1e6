"""What a name server may answer: all of one record set, any part of several, and no more."""

from collections.abc import Sequence

import pytest
from msgspec import structs

from dnsplan.names import parse_name
from dnsplan.normal import normal_form
from dnsplan.records import (
    AliasTarget,
    Geolocation,
    Multivalue,
    OtherPolicy,
    RecordSet,
    Routing,
    Weighted,
    by_unit,
    unit_of,
)
from runbooks.looking.asking import Answer
from runbooks.looking.wanted import in_route53_form, is_as_wanted, wanted
from runbooks.verifying.show import answer_in_words
from sentinel.rules.findings import Finding, Seen
from tests.fakes.world import a, cname

WWW = a("www.example.com", "192.0.2.1", "192.0.2.2")


def seen(*values: str) -> Seen:
    """An answer."""
    return Seen(Finding.ANSWERED, values, 60)


def fits(content: Sequence[RecordSet], one: RecordSet, what: Seen) -> bool:
    """Whether this answer fits the name and type of a record set."""
    return is_as_wanted(wanted(unit_of(one), by_unit(content)), one.type, what)


def member(set_id: str, value: str, weight: int = 1) -> RecordSet:
    """A weighted member of www."""
    return structs.replace(a("www.example.com", value), set_id=set_id, routing=Weighted(weight))


def alias(name: str, to: str, kind: str = "A") -> RecordSet:
    """An alias."""
    target = AliasTarget("Z1", parse_name(to), evaluate_target_health=False)
    return RecordSet(parse_name(name), kind, None, (), alias=target)


def test_one_record_set_is_answered_whole() -> None:
    """A part of it is a difference, and so is what is not in it."""
    assert fits([WWW], WWW, seen("192.0.2.2", "192.0.2.1"))
    assert not fits([WWW], WWW, seen("192.0.2.1"))
    assert not fits([WWW], WWW, seen("192.0.2.1", "192.0.2.2", "192.0.2.3"))


@pytest.mark.parametrize(
    "finding", [one for one in Finding if one is not Finding.ANSWERED], ids=str
)
def test_no_answer_is_never_as_planned(finding: Finding) -> None:
    """Silence too: what is not known is not in sync."""
    assert not fits([WWW], WWW, Seen(finding))


def test_of_several_members_any_part_may_be_answered() -> None:
    """But nothing that no member holds, and nothing of a member without weight."""
    content = [member("a", "192.0.2.1"), member("b", "192.0.2.2"), member("c", "192.0.2.3", 0)]
    assert fits(content, WWW, seen("192.0.2.1"))
    assert not fits(content, WWW, seen("192.0.2.3"))
    assert not fits(content, WWW, seen("192.0.2.1", "203.0.113.66"))
    spread = [structs.replace(one, routing=Multivalue()) for one in content]
    assert fits(spread, WWW, seen("192.0.2.1", "192.0.2.3"))


def test_an_alias_inside_the_plan_answers_what_its_target_holds() -> None:
    """Through as many aliases as there are."""
    api, apex = alias("api.example.com", "www.example.com"), alias("example.com", "api.example.com")
    content = [WWW, api, apex]
    assert fits(content, apex, seen("192.0.2.1", "192.0.2.2"))
    assert not fits(content, apex, seen("203.0.113.66"))


def test_behind_an_alias_that_leaves_the_plan_any_answer_will_do_and_none_will_not() -> None:
    """A load balancer's addresses change as they like."""
    api = alias("api.example.com", "lb-1.us-east-1.elb.amazonaws.com")
    assert fits([api], api, seen("198.51.100.7"))
    assert not fits([api], api, Seen(Finding.NODATA))


def test_aliases_that_close_a_loop_end_the_search() -> None:
    """Then nothing is known of what stands behind them."""
    one, other = alias("a.example.com", "b.example.com"), alias("b.example.com", "a.example.com")
    assert wanted(unit_of(one), by_unit([one, other])).values is None


@pytest.mark.parametrize(
    ("one", "default"),
    [
        (Geolocation("EU", None, None), Geolocation(None, "*", None)),
        (
            OtherPolicy('{"CidrRoutingConfig":{"CollectionId":"c","LocationName":"a"}}'),
            OtherPolicy('{"CidrRoutingConfig":{"CollectionId":"c","LocationName":"*"}}'),
        ),
    ],
    ids=["places", "networks"],
)
def test_only_where_the_rest_of_the_world_has_no_answer_may_there_be_none(
    one: Routing, default: Routing
) -> None:
    """Places or networks without a default."""
    here = structs.replace(WWW, set_id="here", routing=one)
    rest = structs.replace(WWW, set_id="rest", routing=default)
    assert fits([here], here, Seen(Finding.NODATA))
    assert not fits([here, rest], here, Seen(Finding.NODATA))


@pytest.mark.parametrize(
    ("kind", "planned", "heard"),
    [
        ("TXT", '"v=spf1 -all" "second"', '"v=spf1 -all" "second"'),
        ("TXT", r'"caf\303\251"', r'"caf\195\169"'),
        ("TXT", r'"a \"quote\" and a \\"', r'"a \"quote\" and a \\"'),
        ("CAA", r'0 issue "caf\303\251"', r'0 issue "caf\195\169"'),
        ("NAPTR", r'1 2 "U" "s" "caf\303\251" .', r'1 2 "U" "s" "caf\195\169" .'),
        ("SVCB", r"1 a\040b.example.net.", r"1 a\032b.example.net."),
        ("MX", r"10 a\040b.example.net.", r"10 a\032b.example.net."),
        ("PTR", r"0\0571.example.net.", "0/1.example.net."),
        ("MX", "10 Mail.Example.COM.", "10 mail.example.com."),
        ("AAAA", "2001:DB8:0::1", "2001:db8::1"),
        ("CNAME", "API.example.net", "api.example.net."),
    ],
)
def test_values_are_compared_in_one_form(kind: str, planned: str, heard: str) -> None:
    """Case, short forms and the bases of escapes are no difference."""
    one = normal_form(RecordSet(parse_name("x.example.com"), kind, 60, (planned,)))
    assert in_route53_form(kind, (heard,)) == one.values
    assert fits([one], one, seen(heard))


def test_a_cname_is_answered_as_itself() -> None:
    """Its target is the value."""
    one = cname("www.example.com", "api.example.net.")
    assert fits([one], one, seen("api.example.net."))
    assert not fits([one], one, seen("api.example.org."))


@pytest.mark.parametrize(
    ("record_type", "value", "shown"),
    [
        ("TXT", r'"caf\195\169"', r'"caf\303\251" ttl 60'),
        ("MX", "10 Mail.example.com.", "10 mail.example.com. ttl 60"),
        ("CNAME", r"a\052b.example.com.", r"a\052b.example.com. ttl 60"),
    ],
)
def test_an_answer_is_shown_as_plans_are(record_type: str, value: str, shown: str) -> None:
    """Two spellings of one value beside each other would look like a difference."""
    assert answer_in_words(record_type, Answer("s1", seen(value))) == shown
