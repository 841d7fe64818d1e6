"""What the names answer, asked over DNS as any client would ask. Display only; decides nothing.

Only a screenful is asked, pool-driven names first, and a question that fails shows as no answer.
"""

import asyncio
from collections.abc import Iterable, Sequence

import dns.asyncquery
import dns.exception
import dns.message
import dns.name
import dns.rdatatype

from dnsplan.names import parse_name, to_labels
from dnsplan.runtime.status.model import NameStatus, ZoneStatus
from sandbox.run.stage import Stage

ASKED_MAX = 24
ANSWER_WITHIN_S = 1.0
NO_ANSWER = "no answer"


async def ask_all(stage: Stage) -> dict[tuple[str, str, str], tuple[str, ...]]:
    """Answers by (label, name, type) of the names that a screen has room for."""
    if stage.report is None:
        return {}
    asked = names_worth_asking(stage.report.status.zones)[:ASKED_MAX]
    servers = [
        stage.addresses.dns_private if stage.settings.zones[label].private else stage.addresses.dns
        for label, _ in asked
    ]
    found = await asyncio.gather(
        *(
            ask(server, name.name, name.type)
            for server, (_, name) in zip(servers, asked, strict=True)
        )
    )
    return {
        (label, name.name, name.type): answer
        for (label, name), answer in zip(asked, found, strict=True)
    }


def names_worth_asking(zones: Iterable[ZoneStatus]) -> Sequence[tuple[str, NameStatus]]:
    """Names with their zone's label: those that a pool drives first, otherwise in order."""
    names = [(zone.label, name) for zone in zones for name in zone.names or ()]
    return sorted(names, key=lambda pair: pair[1].targets is None)


async def ask(server: str, name: str, record_type: str) -> tuple[str, ...]:
    """The values that one server answers, sorted; ("no answer",) when it does not."""
    host, _, port = server.rpartition(":")
    try:
        # Our names escape in octal, dnspython's texts in decimal: labels are the same in both.
        labels = (*to_labels(parse_name(name)), b"")
        query = dns.message.make_query(dns.name.Name(labels), record_type)
        reply, _ = await dns.asyncquery.udp_with_fallback(
            query, host, timeout=ANSWER_WITHIN_S, port=int(port)
        )
    except (dns.exception.DNSException, OSError):
        return (NO_ANSWER,)
    wanted = dns.rdatatype.from_text(record_type)
    values = [
        rdata.to_text() for rrset in reply.answer if rrset.rdtype == wanted for rdata in rrset
    ]
    return tuple(sorted(values)) or (NO_ANSWER,)
