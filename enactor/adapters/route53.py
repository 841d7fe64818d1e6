"""Route 53 behind the enactor's port: one request, sent once, every answer mapped.

Reads may be repeated by the one retry layer. A change batch never is: after a lost answer only the
fence can tell what happened. Every request takes its place in the account's token bucket.
"""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, TypeVar

from botocore.exceptions import ClientError

from dnsplan.errors import InvalidRecord, ReadFailed
from dnsplan.fence import FenceRecord, NoFence, SeenFence
from dnsplan.names import Name, parse_name
from dnsplan.outcomes import Accepted, Refused, SubmitOutcome
from dnsplan.ports import Zone
from dnsplan.records import RecordSet
from dnsplan.runtime.aws_errors import (
    AWS_TROUBLE,
    code_of,
    failed_read,
    is_denial,
    is_throttle,
    status_of,
    unknown_write,
)
from dnsplan.runtime.bucket import TokenBucket
from dnsplan.runtime.retry import Retrying
from dnsplan.runtime.route53_fence import Route53FenceReader
from dnsplan.runtime.route53_forms import record_set_from_aws, record_set_to_aws
from dnsplan.trace import trace_of
from enactor.ports import ChangeStatus, Cursor, Page
from enactor.rules.packing import Change, ChangeBatch

PAGE_ITEMS = 300  # the most that one answer holds

# The batch was judged and nothing of it took place.
_REFUSALS = frozenset(
    {"InvalidChangeBatch", "InvalidInput", "MalformedInput", "NoSuchHealthCheck", "ValidationError"}
)

# What refuses a request without a code of AWS's, such as a proxy before it that finds it too large.
_NAMELESS = frozenset({"", "400", "413"})
_NAMELESS_STATUSES = frozenset({400, 413})

_ZONE_BUSY = "PriorRequestNotComplete"

# Certain not to have taken place, and no verdict about any name.
_NO_ZONE = "NoSuchHostedZone"

Answer = TypeVar("Answer")


class Route53Records:
    """`enactor.ports.ZoneRecords` on aiobotocore. `clients` are by label: a role for each."""

    def __init__(
        self, clients: Mapping[str, Any], *, retrying: Retrying, bucket: TokenBucket
    ) -> None:
        """`retrying` paces its tries by the same bucket."""
        self._clients = clients
        self._retrying = retrying
        self._bucket = bucket
        self._fences = Route53FenceReader(clients, retrying)

    async def read_fence(self, zone: Zone) -> SeenFence | NoFence:
        """The fence, in one request."""
        return await self._fences.read_fence(zone)

    async def list_page(self, zone: Zone, start: Cursor | None) -> Page:
        """Up to 300 record sets."""
        where = {} if start is None else _cursor_to_aws(start)
        answer = await self._read(
            f"list {zone.label}",
            lambda: self._clients[zone.label].list_resource_record_sets(
                HostedZoneId=zone.zone_id, MaxItems=str(PAGE_ITEMS), **where
            ),
        )
        record_sets = tuple(map(record_set_from_aws, answer["ResourceRecordSets"]))
        following = _cursor_from_aws(answer)
        if following is not None and following == start:
            raise ReadFailed(f"list {zone.label}: the next page is this one again")
        return Page(record_sets, following)

    async def list_name(self, zone: Zone, name: Name) -> tuple[RecordSet, ...]:
        """Every record set of one name: the start is a cursor, so what follows is left out."""
        found: list[RecordSet] = []
        cursor: Cursor | None = Cursor(name)
        while cursor is not None and cursor.name == name:
            page = await self.list_page(zone, cursor)
            found.extend(one for one in page.record_sets if one.name == name)
            cursor = page.following
        return tuple(found)

    async def submit(self, zone: Zone, batch: ChangeBatch) -> SubmitOutcome:
        """Send a batch once. AccessDenied and ReadFailed mean that nothing took place."""
        fence = batch.fence
        try:
            changes = list(map(_change_to_aws, batch.changes))
        except InvalidRecord as error:
            return Refused((str(error),))
        await self._bucket.take()
        try:
            answer = await self._clients[zone.label].change_resource_record_sets(
                HostedZoneId=zone.zone_id,
                ChangeBatch={
                    "Comment": _comment(fence),
                    "Changes": changes,
                },
            )
        except AWS_TROUBLE as error:
            return self._not_accepted(zone, error)
        self._bucket.passed()
        return Accepted(answer["ChangeInfo"]["Id"])

    async def change_status(self, zone: Zone, change_id: str) -> ChangeStatus:
        """PENDING, IN_SYNC, or LOST when the service has never heard of it."""
        client = self._clients[zone.label]
        try:
            answer = await self._retrying.call(lambda: client.get_change(Id=change_id))
        except AWS_TROUBLE as error:
            if code_of(error) == "NoSuchChange":
                return ChangeStatus.LOST
            raise failed_read(error, f"status of {change_id}") from error
        in_sync = answer["ChangeInfo"]["Status"] == "INSYNC"
        return ChangeStatus.IN_SYNC if in_sync else ChangeStatus.PENDING

    def _not_accepted(self, zone: Zone, error: BaseException) -> SubmitOutcome:
        what = f"change {zone.label}"
        # A zone that is busy with a change says nothing about the account's rate.
        if is_throttle(error) and code_of(error) != _ZONE_BUSY:
            self._bucket.throttled()
        if isinstance(error, ClientError) and _is_refusal(error):
            return Refused((str(error.response["Error"].get("Message", "")),))
        if is_denial(error) or code_of(error) == _NO_ZONE:
            raise failed_read(error, what) from error
        return unknown_write(error, what)

    async def _read(self, what: str, ask: Callable[[], Awaitable[Answer]]) -> Answer:
        try:
            return await self._retrying.call(ask)
        except AWS_TROUBLE as error:
            raise failed_read(error, what) from error


def _is_refusal(error: ClientError) -> bool:
    """Whether the batch was judged; a wrong guess is settled by the fence, like a lost answer."""
    is_nameless = code_of(error) in _NAMELESS and status_of(error) in _NAMELESS_STATUSES
    return code_of(error) in _REFUSALS or is_nameless


def _change_to_aws(change: Change) -> dict[str, Any]:
    """As the SDK wants it; InvalidRecord names the record set."""
    one = change.record_set
    try:
        return {"Action": change.action, "ResourceRecordSet": record_set_to_aws(one)}
    except InvalidRecord as error:
        raise InvalidRecord(f"record set {one.name} {one.type}: {error}") from error


def _comment(fence: FenceRecord) -> str:
    """What CloudTrail keeps with the batch; a third of the 256 characters that there are."""
    trace = trace_of(fence.digest)
    return f"plan {fence.generation} step {fence.step}/{fence.steps} trace {trace}"


def _cursor_to_aws(cursor: Cursor) -> dict[str, str]:
    where = {"StartRecordName": str(cursor.name)}
    if cursor.type is not None:
        where["StartRecordType"] = cursor.type
    if cursor.set_id is not None:
        where["StartRecordIdentifier"] = cursor.set_id
    return where


def _cursor_from_aws(answer: Mapping[str, Any]) -> Cursor | None:
    if not answer["IsTruncated"]:
        return None
    return Cursor(
        parse_name(answer["NextRecordName"]),
        answer.get("NextRecordType"),
        answer.get("NextRecordIdentifier"),
    )
