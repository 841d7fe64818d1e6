"""Which hosted zone each label of the config means, by id; and why one means none.

An id is checked for name and visibility. A name is looked up in a list that starts at it and goes
on (it is a cursor, not a filter), so every answer is compared; two matches are a problem that
lists both ids, never a choice. A zone that cannot be found leaves the others alone. Many zones of
one account are found by listing the account: a hundred a request instead of one.
"""

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from dnsplan.errors import ReadFailed
from dnsplan.names import Name, parse_name
from dnsplan.ports import Zone
from dnsplan.runtime.aws_errors import AWS_TROUBLE, code_of, failed_read, is_denial
from dnsplan.runtime.config.schema import ZoneEntry
from dnsplan.runtime.dynamodb import Answer
from dnsplan.runtime.retry import Retrying
from dnsplan.runtime.route53_forms import zone_id_from_aws

NOT_FOUND = "NoSuchHostedZone"
# From here on, listing the account costs fewer requests.
ONE_BY_ONE_MAX = 2
# An account has 500 zones unless AWS raised it; ten thousand are looked up one by one.
ACCOUNT_PAGES_MAX = 50
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

    async def list_hosted_zones(self, **request: Any) -> Answer:
        """ListHostedZones."""
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


@dataclass(frozen=True, slots=True)
class _Listed:
    """A hosted zone as a list shows it."""

    zone_id: str
    name: Name
    private: bool


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
        async for found in self.find_each(entries):
            zones.update(found.zones)
            problems.extend(found.problems)
        return FoundZones(zones, tuple(problems))

    async def find_each(self, entries: Mapping[str, ZoneEntry]) -> AsyncIterator[FoundZones]:
        """Find account by account, so that with hundreds of them the first need not wait for the
        last. One that cannot be asked is a problem of its own zones; ReadFailed when none can."""
        unasked: dict[str, ReadFailed] = {}
        accounts = self._by_account(entries)
        for labels in accounts:
            try:
                found = await self._in_account({label: entries[label] for label in labels})
            except ReadFailed as error:
                unasked.update(dict.fromkeys(labels, error))
                continue
            yield found
        if len(unasked) < len(entries):
            yield FoundZones({}, tuple(_unasked(label, why) for label, why in unasked.items()))
        elif unasked:
            raise next(iter(unasked.values()))

    def _by_account(self, entries: Mapping[str, ZoneEntry]) -> list[list[str]]:
        """Labels by the client that asks for them."""
        accounts: dict[int, list[str]] = {}
        for label in entries:
            accounts.setdefault(id(self._clients[label]), []).append(label)
        return list(accounts.values())

    async def _in_account(self, entries: Mapping[str, ZoneEntry]) -> FoundZones:
        """Find the zones of one account, with all of it listed where that is the cheaper way."""
        client = self._clients[next(iter(entries))]
        listed = await self._listed(client) if len(entries) > ONE_BY_ONE_MAX else None
        zones: dict[str, Zone] = {}
        problems: list[ZoneProblem] = []
        for label, entry in entries.items():
            found = (
                await self.find(label, entry) if listed is None else _chosen(label, entry, listed)
            )
            if isinstance(found, Zone):
                zones[label] = found
            else:
                problems.append(found)
        return FoundZones(zones, tuple(problems))

    async def _listed(self, client: ZoneLister) -> Sequence[_Listed] | None:
        """All zones of an account; None where that is not allowed or there are too many."""
        found: list[_Listed] = []
        request: dict[str, Any] = {"MaxItems": "100"}
        try:
            for _ in range(ACCOUNT_PAGES_MAX):
                page = request
                answer = await self._retrying.call(
                    lambda page=page: client.list_hosted_zones(**page)  # type: ignore[misc]  # a default of a lambda has no type
                )
                found.extend(map(_listed_zone, answer["HostedZones"]))
                if not answer.get("IsTruncated"):
                    return found
                request = {"MaxItems": "100", "Marker": answer["NextMarker"]}
        except AWS_TROUBLE as error:
            if not is_denial(error):
                raise failed_read(error, "list hosted zones") from error
        return None

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
            return _unknown_id(label, zone_id)
        return _checked(label, entry, _listed_zone(answer["HostedZone"]))

    async def _by_name(self, label: str, entry: ZoneEntry) -> Zone | ZoneProblem:
        name = parse_name(entry.name)
        ids = await self._ids(self._clients[label], name, private=entry.private)
        return _only(label, entry, ids)

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


def _unasked(label: str, why: ReadFailed) -> ZoneProblem:
    """A zone whose account cannot be asked, while others can."""
    return ZoneProblem(label, "role_arn", str(why), "a role that may look for this zone")


def _chosen(label: str, entry: ZoneEntry, listed: Sequence[_Listed]) -> Zone | ZoneProblem:
    """A label's zone among all of its account."""
    if entry.id is not None:
        known = next((one for one in listed if one.zone_id == entry.id), None)
        return _unknown_id(label, entry.id) if known is None else _checked(label, entry, known)
    name = parse_name(entry.name)
    ids = [one.zone_id for one in listed if (one.name, one.private) == (name, entry.private)]
    return _only(label, entry, ids)


def _checked(label: str, entry: ZoneEntry, listed: _Listed) -> Zone | ZoneProblem:
    """A zone found by id, if it is the one that the config describes."""
    name = parse_name(entry.name)
    if listed.name != name:
        return ZoneProblem(label, "id", f"{listed.zone_id}, the zone {listed.name}", f"{name}")
    if listed.private != entry.private:
        found = f"{listed.zone_id}, a {_kind(private=listed.private)} zone"
        return ZoneProblem(label, "id", found, f"a {_kind(private=entry.private)} zone")
    return Zone(label, listed.zone_id, name)


def _only(label: str, entry: ZoneEntry, ids: Sequence[str]) -> Zone | ZoneProblem:
    """The one zone of that name; none and several are problems."""
    name, kind = parse_name(entry.name), _kind(private=entry.private)
    match ids:
        case [only]:
            return Zone(label, only, name)
        case []:
            found = f"no {kind} hosted zone {name} in this account"
            return ZoneProblem(label, "name", found, "a hosted zone that exists")
        case _:
            found = f"{len(ids)} {kind} hosted zones {name}: {', '.join(ids)}"
            return ZoneProblem(label, "name", found, "an id: beside the name")


def _unknown_id(label: str, zone_id: str) -> ZoneProblem:
    return ZoneProblem(label, "id", f"no hosted zone {zone_id}", "the id of a hosted zone")


def _listed_zone(listed: Mapping[str, Any]) -> _Listed:
    return _Listed(zone_id_from_aws(listed["Id"]), parse_name(listed["Name"]), _is_private(listed))


def _is_private(listed: Mapping[str, Any]) -> bool:
    return bool(listed.get("Config", {}).get("PrivateZone", False))


def _kind(*, private: bool) -> str:
    return "private" if private else "public"
