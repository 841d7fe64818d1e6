"""Which name servers a zone has: stated, the control API's, what NS records say, the resolver's.

For a public zone Route 53's own delegation set comes first, then what the world's DNS says; for a
private one the resolver of this host, since the zone's servers are out of reach. A server is asked
over IPv4, or over IPv6 where this host has no other way, or the server no other address.
"""

import ipaddress
import socket
from collections.abc import Callable, Mapping, Sequence
from typing import Protocol, TypeAlias

import dns.asyncresolver
import dns.exception
import dns.resolver

from dnsplan.errors import ReadFailed
from dnsplan.names import parse_name
from dnsplan.runtime.config.schema import ZoneEntry
from dnsplan.runtime.config.server_address import DNS_PORT
from sentinel.ports import NameServer

LOOK_UP_WITHIN_S = 5.0
# More addresses of one server would be the same server again.
ADDRESSES_MAX = 2

HasWay: TypeAlias = Callable[[str], bool]
"""Whether this host has a way to an address."""


def has_way(address: str) -> bool:
    """Whether there is a route to it; a datagram socket that connects sends nothing."""
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    try:
        with socket.socket(family, socket.SOCK_DGRAM) as opened:
            opened.connect((address, DNS_PORT))
    except OSError:
        return False
    return True


class Delegations(Protocol):
    """The control API's word for a zone's name servers."""

    async def delegation(self, label: str) -> Sequence[str]:
        """Their host names, or ReadFailed."""
        ...


class ZoneServers:
    """`ports.ServerFinder` for all zones of a config."""

    def __init__(
        self,
        zones: Mapping[str, ZoneEntry],
        stated: Mapping[str, Sequence[NameServer]],
        *,
        delegations: Delegations | None,
        resolver: dns.asyncresolver.Resolver | None,
        has_way: HasWay = has_way,
    ) -> None:
        """`resolver` None: this host has none, so only stated servers can be used."""
        self._zones = zones
        self._stated = stated
        self._delegations = delegations
        self._resolver = resolver
        self._has_way = has_way
        # A look-up that fails while others' succeed must not halve the servers for an hour.
        self._known: dict[str, Sequence[str]] = {}

    async def find(self, label: str) -> Sequence[NameServer]:
        """At least one server, or ReadFailed."""
        if stated := self._stated.get(label):
            return stated
        if self._resolver is None:
            raise ReadFailed(f"{label}: this host has no resolver; state sentinel.name_servers")
        if self._zones[label].private:
            return [_resolver_address(one) for one in self._resolver.nameservers]
        return await self._public(label, self._resolver)

    async def _public(
        self, label: str, resolver: dns.asyncresolver.Resolver
    ) -> Sequence[NameServer]:
        reasons: list[str] = []
        for names_of in (self._delegated, self._looked_up):
            try:
                servers = await self._addresses(await names_of(label), resolver)
            except ReadFailed as error:
                reasons.append(str(error))
                continue
            if servers:
                return servers
            reasons.append("no name server has an address")
        raise ReadFailed(f"{label}: {'; '.join(reasons)}")

    async def _delegated(self, label: str) -> Sequence[str]:
        if self._delegations is None:
            raise ReadFailed("the control API is not used")
        return await self._delegations.delegation(label)

    async def _looked_up(self, label: str) -> Sequence[str]:
        if self._resolver is None:
            raise ReadFailed("this host has no resolver")
        zone = parse_name(self._zones[label].name)
        found = await resolve(self._resolver, zone, "NS")
        return [str(parse_name(one)) for one in found]

    async def _addresses(
        self, names: Sequence[str], resolver: dns.asyncresolver.Resolver
    ) -> Sequence[NameServer]:
        failures: list[ReadFailed] = []
        for name in names:
            try:
                self._known[name] = await addresses_of(resolver, name, self._has_way)
            except ReadFailed as error:
                failures.append(error)
        if failures and len(failures) == len(names):
            raise failures[0]
        return [
            NameServer(address, DNS_PORT, name)
            for name in names
            for address in self._known.get(name, ())[:ADDRESSES_MAX]
        ]


async def addresses_of(
    resolver: dns.asyncresolver.Resolver, name: str, has_way: HasWay
) -> list[str]:
    """A server's IPv4 addresses; its IPv6 ones where only they can be reached, or there are no
    others. ReadFailed where it has none."""
    first: list[str] = []
    failure: ReadFailed | None = None
    for kind in ("A", "AAAA"):
        try:
            found = await resolve(resolver, name, kind)
        except ReadFailed as error:
            failure = failure or error
            continue
        if found and has_way(found[0]):
            return found
        first = first or found
    if not first and failure is not None:
        raise failure
    return first  # nothing can be reached now, and whoever asks hears so


async def resolve(resolver: dns.asyncresolver.Resolver, name: str, kind: str) -> list[str]:
    """What this host's resolver says, as text and sorted; or ReadFailed."""
    try:
        answer = await resolver.resolve(name, kind, lifetime=LOOK_UP_WITHIN_S, search=False)
    except (dns.exception.DNSException, OSError) as error:
        reason = str(error) or type(error).__name__
        raise ReadFailed(f"look up {kind} of {name}: {reason}") from error
    return sorted(one.to_text() for one in answer)


def _resolver_address(nameserver: object) -> NameServer:
    host = str(nameserver).partition("%")[0]
    return NameServer(str(ipaddress.ip_address(host)), DNS_PORT)


def host_resolver() -> dns.asyncresolver.Resolver | None:
    """The resolver of this host, or None when it states none."""
    try:
        return dns.asyncresolver.Resolver()
    except (dns.resolver.NoResolverConfiguration, OSError):
        return None
