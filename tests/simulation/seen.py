"""How the judge reads fences and plans: with its own few lines, not with the product's."""

import re
from dataclasses import dataclass
from typing import TypeAlias

from dnsplan.records import RecordSet
from sandbox.route53.model import StoredRecordSet
from sandbox.route53.zone import HostedZone

FENCE = "_dnsplan"

# One record set as the judge compares it: type, set id, TTL, values, alias, weight, multivalue.
Facts: TypeAlias = tuple[object, ...]


@dataclass(frozen=True, slots=True)
class Mark:
    """What a zone's fence says."""

    generation: int
    step: int
    steps: int
    base: int
    held: int
    owner: str
    nonce: str
    digest: str
    frozen: str | None

    @property
    def place(self) -> tuple[int, int]:
        """Where in the zone's history it stands."""
        return (self.generation, self.step)

    @property
    def note(self) -> str:
        """Under which nonce the held names are noted: a move by hand brings that of the batch."""
        return self.nonce.split(".")[-1]

    @property
    def is_whole(self) -> bool:
        """Whether it claims that the zone holds all of the plan."""
        return self.step == self.steps and self.held == 0


def mark_of(zone: HostedZone) -> Mark | None:
    """The zone's fence; None when there is none, or it cannot be read."""
    stored = zone.sets_at(f"{FENCE}.{zone.name}").get(("TXT", ""))
    if stored is None:
        return None
    fields = dict(re.findall(r"(\w+)=([^\s\"]+)", " ".join(stored.values)))
    try:
        step, _, steps = fields["step"].partition("/")
        return Mark(
            generation=int(fields["generation"]),
            step=int(step),
            steps=int(steps),
            base=int(fields["base"]),
            held=int(fields["held"]),
            owner=fields["owner"],
            nonce=fields["nonce"],
            digest=fields["digest"],
            frozen=fields.get("frozen"),
        )
    except (KeyError, ValueError):
        return None


def wanted(one: RecordSet) -> Facts:
    """A planned record set, as far as Route 53 tells it apart."""
    alias = None if one.alias is None else (one.alias.zone_id, str(one.alias.name))
    routing = one.routing
    weight = getattr(routing, "weight", None)
    multivalue = routing is not None and type(routing).__name__ == "Multivalue"
    ttl_s = None if alias else one.ttl_s
    return (one.type, one.set_id or "", ttl_s, frozenset(one.values), alias, weight, multivalue)


def standing(one: StoredRecordSet) -> Facts:
    """The same of a record set that stands in a zone."""
    alias = None if one.alias is None else (one.alias.zone_id, str(one.alias.name))
    ttl_s = None if alias else one.ttl
    values = frozenset(one.values)
    return (one.type, one.set_id or "", ttl_s, values, alias, one.weight, bool(one.multivalue))
