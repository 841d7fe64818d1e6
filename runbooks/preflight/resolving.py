"""Which name servers the world's DNS names for a zone, as a resolver tells it.

A resolver passes on what the zone's own servers say once it has followed the delegation to them; so
a zone that is delegated elsewhere shows the servers of elsewhere.
"""

import dns.asyncresolver
import dns.exception
import dns.resolver

from dnsplan.errors import ReadFailed
from dnsplan.names import Name, parse_name

WITHIN_S = 5.0


async def name_servers_of(zone: Name, resolver: tuple[str, int] | None) -> tuple[Name, ...]:
    """The zone's name servers; none when there is no such zone; ReadFailed when nobody answers."""
    try:
        answer = await _resolver(resolver).resolve(zone, "NS", lifetime=WITHIN_S, search=False)
    except (dns.resolver.NXDOMAIN, dns.resolver.NoAnswer):
        return ()
    except (dns.exception.DNSException, OSError) as error:
        reason = str(error) or type(error).__name__
        raise ReadFailed(f"look up the name servers of {zone}: {reason}") from error
    return tuple(sorted(parse_name(one.target.to_text()) for one in answer))


def _resolver(stated: tuple[str, int] | None) -> dns.asyncresolver.Resolver:
    if stated is None:
        return dns.asyncresolver.Resolver()
    resolver = dns.asyncresolver.Resolver(configure=False)
    host, port = stated
    resolver.nameservers, resolver.port = [host], port
    return resolver
