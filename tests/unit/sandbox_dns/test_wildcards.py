"""Wildcards, by the examples of RFC 4592, section 2.2.1, under our apex."""

import pytest

from sandbox.dns.answering import Answer
from tests.unit.sandbox_dns.memory_zone import (
    NO_DATA,
    NO_NAME,
    ask,
    record,
)

WWW = "www.example.com."

RFC_4592 = (
    record("\\052.example.com.", "TXT", '"this is a wildcard"', ttl=3_600),
    record("\\052.example.com.", "MX", "10 host1.example.com", ttl=3_600),
    record("sub.\\052.example.com.", "TXT", '"this is not a wildcard"', ttl=3_600),
    record("host1.example.com.", "A", "192.0.2.1", ttl=3_600),
    record("_ssh._tcp.host1.example.com.", "SRV", "0 0 22 host1.example.com", ttl=3_600),
    record("_ssh._tcp.host2.example.com.", "SRV", "0 0 22 host2.example.com", ttl=3_600),
    record("subdel.example.com.", "NS", "ns.example.net.", ttl=3_600),
)


@pytest.mark.parametrize(
    ("name", "kind"),
    [("host3.example.com.", "MX"), ("foo.bar.example.com.", "TXT"), ("a.b.c.example.com.", "MX")],
)
def test_a_wildcard_answers_names_that_are_not_there(name: str, kind: str) -> None:
    """The answer stands under the name that was asked for, at any depth."""
    found = ask(name, kind, *RFC_4592)
    assert (name, kind) == (found.answer[0].owner, found.answer[0].kind)


def test_a_wildcard_without_the_type_is_no_data() -> None:
    """The wildcard makes the name exist."""
    assert ask("host3.example.com.", "A", *RFC_4592) == NO_DATA


@pytest.mark.parametrize(
    ("name", "kind", "expected"),
    [
        ("host1.example.com.", "MX", NO_DATA),  # it exists
        ("sub.\\052.example.com.", "MX", NO_DATA),  # it exists, with a star inside
        ("_telnet._tcp.host1.example.com.", "SRV", NO_NAME),  # _tcp.host1 exists, has no wildcard
        ("ghost.\\052.example.com.", "MX", NO_NAME),  # the star itself is the closest name
        ("_tcp.host2.example.com.", "TXT", NO_DATA),  # exists only through what is below it
        ("x.host2.example.com.", "TXT", NO_NAME),  # and such a name blocks the wildcard too
    ],
)
def test_a_wildcard_is_blocked_by_a_closer_name(name: str, kind: str, expected: Answer) -> None:
    """Only the wildcard directly below the closest name that exists answers."""
    assert expected == ask(name, kind, *RFC_4592)


def test_a_wildcard_does_not_reach_into_a_delegation() -> None:
    """Below a cut the child's servers answer."""
    found = ask("host.subdel.example.com.", "TXT", *RFC_4592)
    assert [rows.owner for rows in found.authority] == ["subdel.example.com."]
    assert found.answer == ()


def test_a_wildcard_can_be_asked_for_by_name() -> None:
    """`*` in a question is the wildcard's own name."""
    assert ask("\\052.example.com.", "TXT", *RFC_4592).answer[0].owner == "\\052.example.com."


def test_a_wildcard_that_exists_only_through_names_below_it_has_no_data() -> None:
    """It is the source of synthesis all the same (RFC 4592, section 2.2.2)."""
    assert ask("x.example.com.", "A", record("sub.\\052.example.com.", "A", "192.0.2.1")) == NO_DATA


def test_a_wildcard_cname_is_followed() -> None:
    """Any name below leads to the target."""
    found = ask(
        "any.thing.example.com.",
        "A",
        record("\\052.example.com.", "CNAME", WWW),
        record(WWW, "A", "192.0.2.1"),
    )
    assert [rows.owner for rows in found.answer] == ["any.thing.example.com.", WWW]
