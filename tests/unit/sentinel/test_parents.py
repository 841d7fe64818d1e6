"""A zone's parent is found by the nearest NS above it, and asked itself."""

from dataclasses import dataclass, field

import dns.asyncresolver
import dns.exception
import pytest

from dnsplan.errors import ReadFailed
from dnsplan.names import Name
from sentinel.adapters.parents import ParentServers
from sentinel.ports import NameServer, Question
from sentinel.rules.findings import Heard, NoReply, Reply, Row
from sentinel.rules.judging import Transport

ZONE = Name("shop.internal.example.com.")
OURS = Name("ns1.example.net.")


@dataclass
class Text:
    """A record as the resolver gives it."""

    text: str

    def to_text(self) -> str:
        """As text."""
        return self.text


class Resolver(dns.asyncresolver.Resolver):
    """A resolver that knows what it is given."""

    def __init__(self, known: dict[tuple[str, str], list[str]]) -> None:
        """No host's settings are read."""
        super().__init__(configure=False)
        self._known = known

    async def resolve(self, qname: object, rdtype: object = "A", **_: object) -> object:  # type: ignore[override]  # a test needs no answer object
        """The values, or what a resolver raises."""
        if (values := self._known.get((str(qname), str(rdtype)))) is None:
            raise dns.exception.DNSException  # as for any name that is not there
        return [Text(one) for one in values]


@dataclass
class Parent:
    """`sentinel.ports.Asker`: the servers of a parent; some are silent."""

    reply: Heard
    silent: frozenset[str] = frozenset()
    others: dict[str, Heard] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)

    async def ask(
        self, server: NameServer, question: Question, transport: Transport, *, timeout_s: float
    ) -> Heard:
        """A referral, or nothing."""
        assert (question, transport) == (Question(ZONE, "NS"), "udp")
        self.asked.append(server.host)
        if server.host in self.silent:
            return NoReply(f"no reply in {timeout_s} s")
        return self.others.get(server.host, self.reply)


def asking(parent: Parent, known: dict[tuple[str, str], list[str]]) -> ParentServers:
    """Parents as a host with IPv4 finds them."""
    return ParentServers(parent, Resolver(known), has_way=lambda address: ":" not in address)


KNOWN = {
    ("example.com.", "NS"): ["a.parent.", "b.parent."],
    ("com.", "NS"): ["x.gtld."],
    ("a.parent.", "A"): ["192.0.2.1"],
    ("b.parent.", "A"): ["192.0.2.2"],
}
REFERRAL = Reply("NOERROR", authoritative=False, referred=(Row(ZONE, "NS", 172_800, OURS),))


async def test_a_referral_of_the_nearest_zone_above_is_the_parents_word() -> None:
    """Names between that are no zones are passed over; a silent server is followed by the next."""
    parent = Parent(REFERRAL, silent=frozenset({"192.0.2.1"}))
    said = await asking(parent, KNOWN).delegated(ZONE, timeout_s=2.0)
    assert (said, parent.asked) == (frozenset({OURS}), ["192.0.2.1", "192.0.2.2"])


async def test_a_parent_that_delegates_nothing_says_so() -> None:
    """That is its word, and not a failure; a server that cannot be asked takes nothing from it."""
    for rcode in ("NXDOMAIN", "NOERROR"):
        parent = Parent(Reply(rcode, authoritative=True), silent=frozenset({"192.0.2.1"}))
        assert await asking(parent, KNOWN).delegated(ZONE, timeout_s=2.0) == set()


async def test_one_server_that_knows_of_no_delegation_is_outvoted() -> None:
    """It may lag behind the others of the parent."""
    nothing = Reply("NXDOMAIN", authoritative=True)
    parent = Parent(REFERRAL, others={"192.0.2.1": nothing})
    said = await asking(parent, KNOWN).delegated(ZONE, timeout_s=2.0)
    assert (said, parent.asked) == (frozenset({OURS}), ["192.0.2.1", "192.0.2.2"])


@pytest.mark.parametrize(
    "reply",
    [
        Reply("NOERROR", authoritative=False),
        Reply("NOERROR", authoritative=False, referred=(Row(Name("com."), "NS", 9, OURS),)),
        Reply("REFUSED", authoritative=False),
        Reply("SERVFAIL", authoritative=False),
    ],
)
async def test_who_has_no_authority_does_not_say_that_nothing_is_delegated(reply: Reply) -> None:
    """Nor does a referral to a zone between, nor a server that knows nothing or is ill."""
    with pytest.raises(ReadFailed):
        await asking(Parent(reply), KNOWN).delegated(ZONE, timeout_s=2.0)


async def test_a_server_of_the_parent_without_address_takes_nothing_from_the_others() -> None:
    """It is passed over."""
    known = {key: values for key, values in KNOWN.items() if key != ("a.parent.", "A")}
    parent = Parent(REFERRAL)
    said = await asking(parent, known).delegated(ZONE, timeout_s=2.0)
    assert (said, parent.asked) == (frozenset({OURS}), ["192.0.2.2"])


@pytest.mark.parametrize("known", [{}, KNOWN])
async def test_a_parent_that_cannot_be_asked_is_a_failed_read(
    known: dict[tuple[str, str], list[str]],
) -> None:
    """Nobody above, or nobody who speaks."""
    parent = Parent(REFERRAL, silent=frozenset({"192.0.2.1", "192.0.2.2"}))
    with pytest.raises(ReadFailed):
        await asking(parent, known).delegated(ZONE, timeout_s=2.0)
    with pytest.raises(ReadFailed):
        await ParentServers(parent, None).delegated(ZONE, timeout_s=2.0)


async def test_a_host_without_ipv4_asks_the_parent_over_ipv6() -> None:
    """A server that has no IPv6 address is still tried: its silence is a reason, and no word."""
    known = {**KNOWN, ("b.parent.", "AAAA"): ["2001:db8::2"]}
    parent = Parent(REFERRAL, silent=frozenset({"192.0.2.1"}))
    parents = ParentServers(parent, Resolver(known), has_way=lambda address: ":" in address)
    said = await parents.delegated(ZONE, timeout_s=2.0)
    assert (said, parent.asked) == (frozenset({OURS}), ["192.0.2.1", "2001:db8::2"])
