"""What a zone's parent says of its name servers, asked of a server of the parent itself.

A resolver would give the zone's own word. The parent is the nearest zone above, found by the NS
records of this host's resolver.
"""

import contextlib

import dns.asyncresolver

from dnsplan.errors import ReadFailed
from dnsplan.names import Name
from dnsplan.runtime.config.server_address import DNS_PORT
from sentinel.adapters.finding import HasWay, addresses_of, has_way, resolve
from sentinel.ports import Asker, NameServer, Question
from sentinel.rules.findings import NS, NoReply
from sentinel.rules.zone_faults import delegated_servers

# Of a parent's servers these are tried, one after the other.
SERVERS_TRIED_MAX = 3
# Any other code, as of a server that is ill or knows nothing of the zone, is no word about it.
SPEAKS = frozenset({"NOERROR", "NXDOMAIN"})


class ParentServers:
    """`ports.Parents` by this host's resolver and the sentinel's own asker."""

    def __init__(
        self,
        asker: Asker,
        resolver: dns.asyncresolver.Resolver | None,
        *,
        port: int = DNS_PORT,
        has_way: HasWay = has_way,
    ) -> None:
        """Without a resolver every parent is unknown. `port`: where servers listen."""
        self._asker = asker
        self._resolver = resolver
        self._port = port
        self._has_way = has_way

    async def delegated(self, zone: Name, *, timeout_s: float) -> frozenset[Name]:
        """The first server that names any speaks for the parent; one that cannot answer does not.

        That it delegates to nobody counts only where no other server says otherwise: one that lags
        has no say.
        """
        if self._resolver is None:
            raise ReadFailed("this host has no resolver")
        reason, denies = "no zone above it has name servers", False
        for server in await self._above(zone, self._resolver):
            heard = await self._asker.ask(server, Question(zone, NS), "udp", timeout_s=timeout_s)
            if isinstance(heard, NoReply):
                reason = heard.reason
            elif heard.rcode not in SPEAKS:
                reason = f"{server.host} says {heard.rcode}"
            elif (named := delegated_servers(zone, heard)) is None:
                reason = f"{server.host} speaks neither for it nor for its parent"
            elif named:
                return named
            else:
                denies = True
        if denies:
            return frozenset()
        raise ReadFailed(f"the parent of {zone}: {reason}")

    async def _above(self, zone: Name, resolver: dns.asyncresolver.Resolver) -> list[NameServer]:
        labels = zone.rstrip(".").split(".")
        for at in range(1, len(labels) + 1):
            parent = ".".join(labels[at:]) + "."
            try:
                names = await resolve(resolver, parent, NS)
            except ReadFailed:
                continue
            servers: list[NameServer] = []
            for name in names[:SERVERS_TRIED_MAX]:
                with contextlib.suppress(ReadFailed):  # the others speak as well
                    addresses = await addresses_of(resolver, name, self._has_way)
                    servers += [NameServer(one, self._port, name) for one in addresses[:1]]
            return servers
        return []
