"""The careless enactor and its cleanup: check first, then write, each in a request of its own.

Between the two requests anything may happen, and nothing notices.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from botocore.exceptions import ClientError

from sandbox.incident.careless.plans import (
    CarelessPlan,
    Change,
    Place,
    apply_changes,
    delete_changes,
    too_old,
)
from sandbox.incident.careless.shelf import CarelessShelf


@dataclass(frozen=True, slots=True)
class Landed:
    """Route 53 took the batch."""


@dataclass(frozen=True, slots=True)
class NotNewest:
    """The check failed: a newer plan was noted."""


@dataclass(frozen=True, slots=True)
class RefusedBatch:
    """Route 53 took nothing; `text` is its error."""

    text: str


CarelessOutcome: TypeAlias = Landed | NotNewest | RefusedBatch


class CarelessEnactor:
    """One availability zone's."""

    def __init__(self, route53: Any, shelf: CarelessShelf, place: Place) -> None:
        """The SDK's client has no types of its own."""
        self._route53 = route53
        self._shelf = shelf
        self._place = place

    async def apply(self, plan: CarelessPlan) -> CarelessOutcome:
        """Check that the plan is the newest, then write it."""
        if not await self._shelf.is_newest(plan):
            return NotNewest()
        changes = apply_changes(self._place, plan, await self.current())
        return await _send(self._route53, self._place, changes)

    async def current(self) -> str | None:
        """The name of the records that the name points at now."""
        answer = await self._route53.list_resource_record_sets(
            HostedZoneId=self._place.zone_id,
            StartRecordName=self._place.name,
            StartRecordType="A",
            MaxItems="1",
        )
        for found in answer["ResourceRecordSets"]:
            if found["Name"] == self._place.name and "AliasTarget" in found:
                target: str = found["AliasTarget"]["DNSName"]
                return target
        return None


class CarelessCleanup:
    """Deletes what is old. It runs where an enactor has just applied a plan."""

    def __init__(self, route53: Any, shelf: CarelessShelf, place: Place, *, age_s: int) -> None:
        """`age_s` is how much older than the applied plan a plan must be to go."""
        self._route53 = route53
        self._shelf = shelf
        self._place = place
        self._age_s = age_s

    async def choose(self, applied: CarelessPlan) -> tuple[CarelessPlan, ...]:
        """The victims, by age; nobody asks what the name points at."""
        return too_old(await self._shelf.plans(), applied, age_s=self._age_s)

    async def delete(self, victims: Sequence[CarelessPlan]) -> CarelessOutcome:
        """Their records, then the plans themselves."""
        sent = await _send(self._route53, self._place, delete_changes(self._place, victims))
        if isinstance(sent, Landed):
            for victim in victims:
                await self._shelf.drop(victim)
        return sent


async def _send(route53: Any, place: Place, changes: Sequence[Change]) -> CarelessOutcome:
    try:
        await route53.change_resource_record_sets(
            HostedZoneId=place.zone_id, ChangeBatch={"Changes": list(changes)}
        )
    except ClientError as error:
        return RefusedBatch(error.response["Error"]["Message"])
    return Landed()
