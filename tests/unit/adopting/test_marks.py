"""Other tools' ownership marks are recognised by their text, in every place where they stand."""

import pytest

from dnsplan.names import parse_name
from dnsplan.records import RecordSet
from runbooks.adopting.marks import EXTERNAL_DNS, OCTODNS, Mark, marks_of
from tests.fakes.world import a

ZONE = parse_name("example.com.")
HERITAGE = '"heritage=external-dns,external-dns/owner=prod,external-dns/resource=ingress/web/www"'
STANDING = (
    a("example.com", "192.0.2.1"),
    a("www.example.com", "192.0.2.1"),
    a("ww.example.com", "192.0.2.1"),
    a("*.apps.example.com", "192.0.2.1"),
)


def txt(name: str, *values: str) -> RecordSet:
    """A TXT record set as it is listed."""
    return RecordSet(parse_name(name), "TXT", 300, values)


@pytest.mark.parametrize(
    ("name", "subject"),
    [
        ("www.example.com", "www.example.com"),
        ("a-www.example.com", "www.example.com"),
        ("cname-www.example.com", "www.example.com"),
        ("xdns-a-www.example.com", "www.example.com"),
        ("xdns.a-www.example.com", "www.example.com"),
        ("a-x.www.example.com", "www.example.com"),
        ("a-www-xdns.example.com", "www.example.com"),
        ("www-xdns.example.com", "www.example.com"),
        ("a-*.apps.example.com", "*.apps.example.com"),
        ("example.com", "example.com"),
        ("a-wildcard.apps.example.com", "*.apps.example.com"),
        ("a-wildcard.example.com", None),
        ("a-gone.apps.example.com", None),
        ("a-gone.example.com", None),
        ("awww.example.com", None),
    ],
)
def test_external_dns_is_recognised_with_any_prefix_and_suffix(
    name: str, subject: str | None
) -> None:
    """The type before the name, a prefix, a suffix, a template: the text tells, the name points."""
    expected = Mark(
        EXTERNAL_DNS, parse_name(name), "prod", None if subject is None else parse_name(subject)
    )
    assert marks_of((*STANDING, txt(name, HERITAGE)), ZONE) == (expected,)


@pytest.mark.parametrize(
    ("name", "subject"),
    [
        ("_owner.a.www.example.com", "www.example.com"),
        ("_owner.mx.example.com", "example.com"),
        ("_octodns.cname.deep.er.example.com", "deep.er.example.com"),
        ("_owner.a._wildcard.apps.example.com", "*.apps.example.com"),
    ],
)
def test_octodns_states_type_and_name_before_the_zone(name: str, subject: str) -> None:
    """Whatever label the installation chose for it."""
    found = marks_of((*STANDING, txt(name, '"*octodns*"')), ZONE)
    assert found == (Mark(OCTODNS, parse_name(name), None, parse_name(subject)),)


def test_octodns_meta_marks_the_zone() -> None:
    """A record of its runs speaks of no single name."""
    meta = txt("meta.example.com", '"octodns-version=1.11.0"', '"time=2026-01-01T00:00:00"')
    assert marks_of((*STANDING, meta), ZONE) == (
        Mark(OCTODNS, parse_name("meta.example.com"), None, None),
    )


def test_a_name_that_is_both_marked_and_text_counts_once() -> None:
    """Several values, one mark; SPF and verification texts are no marks."""
    both = txt("www.example.com", '"v=spf1 -all"', HERITAGE)
    spf = txt("example.com", '"v=spf1 -all"', '"owner=somebody"', "not quoted")
    assert [one.subject for one in marks_of((*STANDING, both, spf), ZONE)] == [
        parse_name("www.example.com")
    ]


def test_marks_are_sorted_by_tool_and_place() -> None:
    """Order is decided before it reaches a screen."""
    listed = [
        txt("_owner.a.www.example.com", '"*octodns*"'),
        txt("a-www.example.com", HERITAGE),
        txt("_owner.a.ww.example.com", '"*octodns*"'),
    ]
    assert [one.tool for one in marks_of((*listed, *STANDING), ZONE)] == [
        EXTERNAL_DNS,
        OCTODNS,
        OCTODNS,
    ]
