"""What dig shows of the stand-in's zones is what a user of Route 53 would see."""

from itertools import product

import pytest

from sandbox.route53.model import AliasTo, StoredRecordSet
from tests.integration.dns_clients import APEX, WWW, address, serving, zone
from tests.system.dns.programs import Line, answers, dig, records, status

pytestmark = pytest.mark.system

SOA = Line(APEX, 60, "SOA", "ns.x. h.x. 1 2 3 4 60")
MANY = StoredRecordSet(
    "many.example.com.", "A", 60, tuple(f"10.0.{n // 200}.{n % 200}" for n in range(400))
)
WILDCARD = StoredRecordSet("\\052.apps.example.com.", "CNAME", 30, ("www.example.com",))


async def test_an_answer() -> None:
    """Name, TTL, type and value; authoritative, and no recursion offered."""
    async with serving(zone(address("192.0.2.1"))) as server:
        found = await records(server.port, "answer", WWW, "A")
        assert found == [Line(WWW, 60, "A", "192.0.2.1")]
        assert await status(server.port, WWW, "A") == ("NOERROR", ["qr", "aa", "rd"])


async def test_a_name_that_is_not_there() -> None:
    """NXDOMAIN, no answer, and the SOA at the time for which that may be kept."""
    async with serving(zone(address("192.0.2.1"))) as server:
        asked = "nope.example.com", "A"
        assert await status(server.port, *asked) == ("NXDOMAIN", ["qr", "aa", "rd"])
        assert await records(server.port, "answer", *asked) == []
        assert await records(server.port, "authority", *asked) == [SOA]


async def test_a_name_without_the_type() -> None:
    """NOERROR, no answer, the same SOA: the name exists."""
    async with serving(zone(address("192.0.2.1"))) as server:
        assert await status(server.port, WWW, "AAAA") == ("NOERROR", ["qr", "aa", "rd"])
        assert await records(server.port, "answer", WWW, "AAAA") == []
        assert await records(server.port, "authority", WWW, "AAAA") == [SOA]


async def test_an_alias_whose_target_is_gone() -> None:
    """NOERROR with an empty answer: what October 2025 looked like in dig."""
    dangling = StoredRecordSet(WWW, "A", alias=AliasTo("ZP", "gone.example.com.", evaluate=False))
    async with serving(zone(dangling)) as server:
        assert await status(server.port, WWW, "A") == ("NOERROR", ["qr", "aa", "rd"])
        assert await answers(server.port, WWW, "A") == []


async def test_a_wildcard_that_is_a_cname() -> None:
    """The chain stands under the name asked for, to its end."""
    async with serving(zone(WILDCARD, address("192.0.2.1"))) as server:
        found = await records(server.port, "answer", "any.apps.example.com", "A")
        assert found == [
            Line("any.apps.example.com.", 30, "CNAME", WWW),
            Line(WWW, 60, "A", "192.0.2.1"),
        ]


async def test_a_long_answer() -> None:
    """Over UDP it is cut off with TC; dig goes to TCP by itself and shows all of it."""
    async with serving(zone(MANY)) as server:
        assert await status(server.port, "+ignore", MANY.name) == (
            "NOERROR",
            ["qr", "aa", "tc", "rd"],
        )
        expected = sorted(MANY.values)
        assert expected == await answers(server.port, MANY.name)
        assert expected == await answers(server.port, "+tcp", MANY.name)


async def test_a_referral() -> None:
    """The child's servers and their addresses, without authority."""
    cut = StoredRecordSet("child.example.com.", "NS", 600, ("ns.child.example.com",))
    glue = address("192.0.2.53", "ns.child.example.com.")
    async with serving(zone(cut, glue)) as server:
        asked = "x.child.example.com", "A"
        assert await status(server.port, *asked) == ("NOERROR", ["qr", "rd"])
        assert await records(server.port, "authority", *asked) == [
            Line("child.example.com.", 600, "NS", "ns.child.example.com.")
        ]
        assert await records(server.port, "additional", *asked) == [
            Line("ns.child.example.com.", 60, "A", "192.0.2.53")
        ]


async def test_a_foreign_name() -> None:
    """REFUSED."""
    async with serving(zone()) as server:
        assert await status(server.port, "www.example.net", "A") == ("REFUSED", ["qr", "rd"])


async def test_texts_and_odd_names() -> None:
    """Octal escapes of the API are the bytes that dig shows in decimal."""
    text = StoredRecordSet("a\\056b.example.com.", "TXT", 60, (r'"tab\011 \"quoted\"" "two"',))
    caa = StoredRecordSet(APEX, "CAA", 60, ('0 issue "ca.example.net; policy=ev"',))
    async with serving(zone(text, caa)) as server:
        assert await answers(server.port, "a\\.b.example.com", "TXT") == [
            r'"tab\009 \"quoted\"" "two"'
        ]
        assert await answers(server.port, APEX, "CAA") == ['0 issue "ca.example.net; policy=ev"']


async def test_any_transfers_and_other_operations() -> None:
    """ANY is terse, transfers are refused, other operations are not implemented."""
    async with serving(zone(address("192.0.2.1"))) as server:
        assert await answers(server.port, WWW, "ANY") == ['"RFC8482" ""']
        assert "Transfer failed" in await dig(server.port, APEX, "AXFR")
        assert (await status(server.port, "+opcode=status", APEX))[0] == "NOTIMP"


async def test_edns_is_negotiated() -> None:
    """Another version is BADVERS; dig then asks again in ours."""
    async with serving(zone(address("192.0.2.1"))) as server:
        assert (await status(server.port, "+edns=1", "+noednsneg", WWW))[0] == "BADVERS"
        assert await answers(server.port, "+edns=1", WWW) == ["192.0.2.1"]
        assert await answers(server.port, "+noedns", WWW) == ["192.0.2.1"]


async def test_dig_finds_nothing_to_complain_of() -> None:
    """No warning about the form of a reply, whatever was asked."""
    names = WWW, APEX, "nope.example.com", "x.apps.example.com", MANY.name, "example.net"
    options = "+edns=0", "+dnssec", "+tcp", "+noedns", "+nsid", "+subnet=10.0.0.0/8"
    async with serving(zone(address("192.0.2.1"), WILDCARD, MANY)) as server:
        for name, option in product(names, options):
            printed = (await dig(server.port, "+norecurse", option, name)).lower()
            assert "status: " in printed
            assert "warning" not in printed, printed
            assert "malformed" not in printed, printed
