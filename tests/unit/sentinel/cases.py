"""What the sentinel's tests share: names, replies, looks and settings in few words."""

from hypothesis import HealthCheck, settings

from dnsplan.names import Name, parse_name
from sentinel.rules.findings import Finding, Reply, Row, Seen
from sentinel.rules.judging import Look, Transport
from sentinel.rules.watched import Expected, WatchedName

ZONE = parse_name("example.com")
WWW = parse_name("www.example.com")
API = parse_name("api.example.com")
A = Expected("A", ("A",))
AAAA = Expected("AAAA", ("AAAA",))
CNAME_THROUGH = Expected("CNAME", ("A", "AAAA"), through=True)
CNAME_INSIDE = Expected("CNAME", ("A",))
CNAME_OUTSIDE = Expected("CNAME", ("CNAME",))

# Repeatable in every run, and with no deadline: time is noise.
LAWS = settings(
    deadline=None,
    derandomize=True,
    max_examples=200,
    suppress_health_check=[HealthCheck.too_slow],
)


def watched(
    name: Name = WWW,
    *expected: Expected,
    label: str = "shop",
    recursive: bool = False,
    enforced: bool = True,
) -> WatchedName:
    """A watched name; an A unless something else is expected."""
    return WatchedName(label, ZONE, name, expected or (A,), recursive, enforced)


def row(value: str, kind: str = "A", owner: Name = WWW, ttl_s: int = 60) -> Row:
    """One record of a reply."""
    return Row(owner, kind, ttl_s, value)


def reply(*rows: Row, rcode: str = "NOERROR", authoritative: bool = True) -> Reply:
    """A reply of the zone's own server."""
    return Reply(rcode, authoritative, rows)


def look(
    finding: Finding, server: str = "s1", transport: Transport = "udp", kind: str = "A"
) -> Look:
    """What one path showed."""
    values = ("192.0.2.1",) if finding is Finding.ANSWERED else ()
    return Look(kind, server, transport, Seen(finding, values, 60 if values else 0))
