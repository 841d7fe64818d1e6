"""What the careless system believes: a plan owns its records, and a name is an alias to them.

Pure. Each rule here is sensible by itself, and together they lose the name: deleting a plan deletes
records, the rollback pointer rides in the same batch as the plan, and old means deletable.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

TTL_S = 60

Change = Mapping[str, Any]  # as the SDK takes it


@dataclass(frozen=True, slots=True)
class CarelessPlan:
    """Addresses that a name should answer, under a number that rises."""

    number: int
    created_s: int
    addresses: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Place:
    """The name that is kept, and its zone."""

    zone_id: str
    name: str

    @property
    def rollback_name(self) -> str:
        """Where the pointer to the plan before stands."""
        return f"rollback.{self.name}"

    def plan_name(self, number: int) -> str:
        """The name of a plan's own records."""
        return f"plan-{number}.{self.name}"

    def number_of(self, plan_name: str) -> int:
        """The plan whose records have this name."""
        return int(plan_name.partition(".")[0].removeprefix("plan-"))


def apply_changes(place: Place, plan: CarelessPlan, current: str | None) -> Sequence[Change]:
    """A plan's own records, the name pointed at them, and rollback at what is current now."""
    changes = [
        _upsert(own_records(place, plan)),
        _upsert(_pointer(place, place.name, place.plan_name(plan.number))),
    ]
    if current is not None:
        changes.append(_upsert(_pointer(place, place.rollback_name, current)))
    return changes


def delete_changes(place: Place, victims: Iterable[CarelessPlan]) -> Sequence[Change]:
    """A plan that goes takes its records with it."""
    return [
        {"Action": "DELETE", "ResourceRecordSet": own_records(place, victim)} for victim in victims
    ]


def too_old(
    plans: Iterable[CarelessPlan], applied: CarelessPlan, *, age_s: int
) -> tuple[CarelessPlan, ...]:
    """The plans that are much older than the one that was just applied."""
    return tuple(plan for plan in plans if applied.created_s - plan.created_s >= age_s)


def own_records(place: Place, plan: CarelessPlan) -> Mapping[str, Any]:
    """The record set that belongs to a plan."""
    return {
        "Name": place.plan_name(plan.number),
        "Type": "A",
        "TTL": TTL_S,
        "ResourceRecords": [{"Value": address} for address in plan.addresses],
    }


def _pointer(place: Place, name: str, target: str) -> Mapping[str, Any]:
    return {
        "Name": name,
        "Type": "A",
        "AliasTarget": {
            "HostedZoneId": place.zone_id,
            "DNSName": target,
            "EvaluateTargetHealth": False,
        },
    }


def _upsert(record_set: Mapping[str, Any]) -> Change:
    return {"Action": "UPSERT", "ResourceRecordSet": record_set}
