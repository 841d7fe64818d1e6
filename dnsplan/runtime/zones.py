"""Which hosted zone each label of the config means, by id; and why one means none.

An id is checked for name and visibility. A name is looked up in a list that starts at it and goes
on (it is a cursor, not a filter), so every answer is compared; two matches are a problem that
lists both ids, never a choice. A zone that cannot be found leaves the others alone.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from dnsplan.names import Name, parse_name
from dnsplan.ports import Zone
from dnsplan.runtime.aws_errors import AWS_TROUBLE, code_of, failed_read
from dnsplan.runtime.config.schema import ZoneEntry
from dnsplan.runtime.dynamodb import Answer
from dnsplan.runtime.retry import Retrying
from dnsplan.runtime.route53_forms import zone_id_from_aws

NOT_FOUND = "NoSuchHostedZone"
# Zones of one name in one account; a list that goes on longer is not about our name.
PAGES_MAX = 10


class ZoneLister(Protocol):
    """The calls of an aiobotocore client that finding a zone makes."""

    async def get_hosted_zone(self, **request: Any) -> Answer:
        """GetHostedZone."""
        ...

    async def list_hosted_zones_by_name(self, **request: Any) -> Answer:
        """ListHostedZonesByName."""
        ...


@dataclass(frozen=True, slots=True)
class ZoneProblem:
    """Why a label has no zone: which key of its entry is wrong, what was found, what is allowed."""

    label: str
    key: str
    found: str
    allowed: str

    def __str__(self) -> str:
        """One line for a log or a terminal."""
        return f"zones.{self.label}.{self.key}: {self.found}; allowed: {self.allowed}"


@dataclass(frozen=True, slots=True)
class FoundZones:
    """What was found, and what was not."""

    zones: Mapping[str, Zone]
    problems: tuple[ZoneProblem, ...]


class ZoneFinder:
    """Finds zones, each with the client of its own account."""

    def __init__(self, clients: Mapping[str, ZoneLister], retrying: Retrying) -> None:
        """Keep clients by label, each with its own retries off."""
        self._clients = clients
        self._retrying = retrying

    async def find_all(self, entries: Mapping[str, ZoneEntry]) -> FoundZones:
        """Find the zone of every label; ReadFailed when Route 53 cannot be asked."""
        zones: dict[str, Zone] = {}
        problems: list[ZoneProblem] = []
        for label, entry in entries.items():
            found = await self.find(label, entry)
            if isinstance(found, Zone):
                zones[label] = found
            else:
                problems.append(found)
        return FoundZones(zones, tuple(problems))

    async def find(self, label: str, entry: ZoneEntry) -> Zone | ZoneProblem:
        """Find one zone."""
        try:
            if entry.id is not None:
                return await self._by_id(label, entry, entry.id)
            return await self._by_name(label, entry)
        except AWS_TROUBLE as error:
            raise failed_read(error, f"find the hosted zone of {label}") from error

    async def _by_id(self, label: str, entry: ZoneEntry, zone_id: str) -> Zone | ZoneProblem:
        client = self._clients[label]
        try:
            answer = await self._retrying.call(lambda: client.get_hosted_zone(Id=zone_id))
        except AWS_TROUBLE as error:
            if code_of(error) != NOT_FOUND:
                raise
            return ZoneProblem(label, "id", f"no hosted zone {zone_id}", "the id of a hosted zone")
        listed = answer["HostedZone"]
        name = parse_name(entry.name)
        if parse_name(listed["Name"]) != name:
            return ZoneProblem(label, "id", f"{zone_id}, the zone {listed['Name']}", f"{name}")
        if _is_private(listed) != entry.private:
            found = f"{zone_id}, a {_kind(private=_is_private(listed))} zone"
            return ZoneProblem(label, "id", found, f"a {_kind(private=entry.private)} zone")
        return Zone(label, zone_id, name)

    async def _by_name(self, label: str, entry: ZoneEntry) -> Zone | ZoneProblem:
        name = parse_name(entry.name)
        ids = await self._ids(self._clients[label], name, private=entry.private)
        kind = _kind(private=entry.private)
        match ids:
            case [only]:
                return Zone(label, only, name)
            case []:
                found = f"no {kind} hosted zone {name} in this account"
                return ZoneProblem(label, "name", found, "a hosted zone that exists")
            case _:
                found = f"{len(ids)} {kind} hosted zones {name}: {', '.join(ids)}"
                return ZoneProblem(label, "name", found, "an id: beside the name")

    async def _ids(self, client: ZoneLister, name: Name, *, private: bool) -> list[str]:
        ids: list[str] = []
        request: dict[str, Any] = {"DNSName": name, "MaxItems": "100"}
        for _ in range(PAGES_MAX):
            page = request
            answer = await self._retrying.call(
                lambda page=page: client.list_hosted_zones_by_name(**page)  # type: ignore[misc]  # a default of a lambda has no type
            )
            for listed in answer["HostedZones"]:
                if parse_name(listed["Name"]) != name:
                    return ids
                if _is_private(listed) == private:
                    ids.append(zone_id_from_aws(listed["Id"]))
            if not answer.get("IsTruncated"):
                return ids
            request = {
                "DNSName": answer["NextDNSName"],
                "HostedZoneId": answer["NextHostedZoneId"],
                "MaxItems": "100",
            }
        return ids


def _is_private(listed: Mapping[str, Any]) -> bool:
    return bool(listed.get("Config", {}).get("PrivateZone", False))


def _kind(*, private: bool) -> str:
    return "private" if private else "public"
