"""As much of the SDK's Route 53 client as an enactor calls, on the stand-in's own rules.

One for each process. Plain record sets only: name, type, TTL and values.
"""

from collections.abc import Callable, Mapping
from typing import Any

from sandbox.route53.account import Account
from sandbox.route53.model import Change, StoredRecordSet
from sandbox.route53.refusals import InvalidChangeBatch, Refusal
from tests.simulation.fleet.counting import Counts, Request
from tests.simulation.fleet.network import End, Network, error_of
from tests.simulation.processes import Process

Answer = Mapping[str, Any]


class Route53Client:
    """Sends each request once and tells the counts what became of it."""

    def __init__(
        self, process: Process, network: Network, account: Account, counts: Counts
    ) -> None:
        """All processes of a world share the last three."""
        self._process = process
        self._network = network
        self._account = account
        self._counts = counts

    async def list_resource_record_sets(self, **asked: Any) -> Answer:
        """The fence alone, or a page."""
        zone_id, items = asked["HostedZoneId"], int(asked["MaxItems"])
        kind = "fence" if items == 1 else "page"
        start = asked.get("StartRecordName")

        def act() -> Answer:
            page = self._account.zone(zone_id).page(
                start, asked.get("StartRecordType"), asked.get("StartRecordIdentifier"), items
            )
            answer: dict[str, Any] = {
                "ResourceRecordSets": [_to_aws(one) for one in page.records],
                "IsTruncated": page.following is not None,
            }
            if page.following is not None:
                answer["NextRecordName"] = page.following.name
                answer["NextRecordType"] = page.following.type
            return answer

        return await self._ask(Request(kind, zone_id, start or ""), act)

    async def change_resource_record_sets(self, **asked: Any) -> Answer:
        """A batch."""
        zone_id, batch = asked["HostedZoneId"], asked["ChangeBatch"]
        changes = [
            Change(one["Action"], _from_aws(one["ResourceRecordSet"])) for one in batch["Changes"]
        ]

        def act() -> Answer:
            return {"ChangeInfo": {"Id": self._account.submit(zone_id, changes).id}}

        request = Request("batch", zone_id, batch["Comment"], size=len(changes))
        return await self._ask(request, act)

    async def get_change(self, **asked: Any) -> Answer:
        """Whether a change is everywhere."""

        def act() -> Answer:
            change = self._account.change(asked["Id"])
            status = "INSYNC" if self._account.insync(change) else "PENDING"
            return {"ChangeInfo": {"Id": change.id, "Status": status}}

        return await self._ask(Request("poll", "", asked["Id"]), act)

    async def list_hosted_zones(self, **asked: Any) -> Answer:
        """A page of the account's zones."""

        def act() -> Answer:
            zones = list(self._account.zones.values())
            first = int(asked.get("Marker", "0"))
            until = first + int(asked["MaxItems"])
            answer: dict[str, Any] = {
                "HostedZones": [
                    {"Id": f"/hostedzone/{one.id}", "Name": one.name, "Config": {}}
                    for one in zones[first:until]
                ],
                "IsTruncated": until < len(zones),
            }
            return answer | {"NextMarker": str(until)}

        return await self._ask(Request("zones", "", ""), act)

    async def _ask(self, request: Request, act: Callable[[], Answer]) -> Answer:
        def judged() -> Answer:
            try:
                return act()
            except InvalidChangeBatch as refusal:
                raise error_of(refusal.code, "; ".join(refusal.messages), status=400) from refusal
            except Refusal as refusal:
                raise error_of(refusal.code, refusal.message, status=400) from refusal

        def ended(end: End, answer: Answer | None) -> None:
            self._counts.ended(self._process, request, end, answer)

        return await self._network.call(
            self._process, judged, admitted=self._account.spend, ended=ended
        )


def _to_aws(one: StoredRecordSet) -> dict[str, Any]:
    return {
        "Name": one.name,
        "Type": one.type,
        "TTL": one.ttl,
        "ResourceRecords": [{"Value": value} for value in one.values],
    }


def _from_aws(one: Mapping[str, Any]) -> StoredRecordSet:
    values = tuple(value["Value"] for value in one["ResourceRecords"])
    return StoredRecordSet(one["Name"], one["Type"], ttl=one["TTL"], values=values)
