"""Route 53's control API as the sentinel reads it: which servers a zone has, what a name holds.

Reads only, few, and from a token bucket of their own. When that is spent the daemon gets ReadFailed
at once, since no page may wait for a second opinion; a person who checks waits for it. A zone's id
is found once and kept.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any

from dnsplan.errors import ReadFailed
from dnsplan.names import Name, parse_name
from dnsplan.ports import Zone
from dnsplan.records import RecordSet
from dnsplan.runtime.aws_errors import AWS_TROUBLE, failed_read
from dnsplan.runtime.bucket import TokenBucket
from dnsplan.runtime.config.schema import ZoneEntry
from dnsplan.runtime.retry import Retrying
from dnsplan.runtime.route53_forms import record_set_from_aws
from dnsplan.runtime.zones import ZoneFinder

PAGE_ITEMS = 300  # the most that one answer holds
# A name has at most 100 record sets of a type; what is more is not this name's.
PAGES_MAX = 4
# Finding servers is no hurry, but a call that never ends would keep other zones waiting.
FIND_WITHIN_S = 10.0


class Route53View:
    """`ports.ControlView`, and the names of a zone's delegation set. Clients are by label."""

    def __init__(
        self,
        clients: Mapping[str, Any],
        entries: Mapping[str, ZoneEntry],
        *,
        retrying: Retrying,
        bucket: TokenBucket,
        is_patient: bool = False,
    ) -> None:
        """`retrying` paces its tries by the same bucket; `is_patient` waits for it, within each
        call's time."""
        self._clients = clients
        self._entries = entries
        self._retrying = retrying
        self._bucket = bucket
        self._is_patient = is_patient
        self._finder = ZoneFinder(clients, retrying)
        self._ids: dict[str, str] = {}
        self._finding = asyncio.Lock()  # names of one zone that are asked together need one id

    async def zone_id(self, label: str) -> str:
        """The zone's id, found once."""
        async with self._finding:
            if label not in self._ids:
                self._check_budget()
                found = await self._finder.find(label, self._entries[label])
                if not isinstance(found, Zone):
                    raise ReadFailed(str(found))
                self._ids[label] = found.zone_id
        return self._ids[label]

    async def delegation(self, label: str) -> Sequence[str]:
        """The names of the name servers that Route 53 gave the zone; none for a private one."""
        async with _within(FIND_WITHIN_S, f"name servers of {label}"):
            zone_id = await self.zone_id(label)
            self._check_budget()
            answer = await self._read(
                f"name servers of {label}",
                lambda: self._clients[label].get_hosted_zone(Id=zone_id),
            )
        servers = answer.get("DelegationSet", {}).get("NameServers", ())
        return tuple(str(parse_name(one)) for one in servers)

    async def listed(self, label: str, name: Name, *, timeout_s: float) -> Sequence[RecordSet]:
        """Every record set of a name: the start is a cursor, so what follows is left out."""
        found: list[RecordSet] = []
        async with _within(timeout_s, f"list {name}"):
            where: dict[str, str] = {"StartRecordName": name}
            zone_id = await self.zone_id(label)
            for _ in range(PAGES_MAX):
                self._check_budget()
                answer = await self._list(label, zone_id, where)
                record_sets = map(record_set_from_aws, answer["ResourceRecordSets"])
                found.extend(one for one in record_sets if one.name == name)
                if not answer["IsTruncated"] or parse_name(answer["NextRecordName"]) != name:
                    return found
                where = _cursor(answer)
        raise ReadFailed(f"list {name}: more than {PAGES_MAX} pages")

    async def _list(self, label: str, zone_id: str, where: Mapping[str, str]) -> Mapping[str, Any]:
        return await self._read(
            f"list {label}",
            lambda: self._clients[label].list_resource_record_sets(
                HostedZoneId=zone_id, MaxItems=str(PAGE_ITEMS), **where
            ),
        )

    async def _read(self, what: str, ask: Callable[[], Awaitable[Any]]) -> Mapping[str, Any]:
        try:
            answer: Mapping[str, Any] = await self._retrying.call(ask)
        except AWS_TROUBLE as error:
            raise failed_read(error, what) from error
        return answer

    def _check_budget(self) -> None:
        if not self._is_patient and self._bucket.wait_s() > 0.0:
            raise ReadFailed("the sentinel's share of the account's requests is spent for now")


def _cursor(answer: Mapping[str, Any]) -> dict[str, str]:
    cursor = {"StartRecordName": str(answer["NextRecordName"])}
    for field in ("Type", "Identifier"):
        if f"NextRecord{field}" in answer:
            cursor[f"StartRecord{field}"] = answer[f"NextRecord{field}"]
    return cursor


@asynccontextmanager
async def _within(timeout_s: float, what: str) -> AsyncIterator[None]:
    """What has not been read by then is a failed read."""
    try:
        async with asyncio.timeout(timeout_s):
            yield
    except TimeoutError as error:
        raise ReadFailed(f"{what}: no answer in {timeout_s:.1f} s") from error
