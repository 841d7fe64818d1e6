"""A Route 53 account with one zone and a clock that stands still, for tests of single rules."""

import itertools
from dataclasses import replace
from typing import Any

from sandbox.route53.account import Account, Route53Settings
from sandbox.route53.model import Action, AliasTo, Change, StoredRecordSet
from sandbox.route53.names import BadNameError, canonical
from sandbox.route53.refusals import Refusal
from sandbox.route53.switches import Switches

ZONE = "example.com."


def record(name: str = "www", kind: str = "A", **fields: Any) -> StoredRecordSet:
    """Make a record set of the zone: an A with one address and a TTL, unless said otherwise."""
    full = name if name.endswith(".") else f"{name}.{ZONE}"
    if "alias" not in fields:
        fields = {"ttl": 60, "values": ("192.0.2.1",)} | fields
    return StoredRecordSet(full, kind, **fields)


def text(name: str, *values: str, **fields: Any) -> StoredRecordSet:
    """Make a TXT record set with the given strings, quoted."""
    return record(name, "TXT", values=tuple(f'"{value}"' for value in values), **fields)


def weighted(set_id: str, weight: int = 1, name: str = "www", **fields: Any) -> StoredRecordSet:
    """Make one set of a weighted group."""
    return record(name, set_id=set_id, weight=weight, **fields)


class Bench:
    """The account, its zone, and short ways to change it."""

    def __init__(self, **switches: bool) -> None:
        self.now_s = 1_000.0
        numbers = itertools.count(1)
        self.settings = Route53Settings(switches=replace(Switches(), **switches))
        self.account = Account(
            clock=lambda: self.now_s,
            wall=lambda: self.now_s,
            settings=self.settings,
            make_zone_id=lambda _name: f"Z{next(numbers)}",
        )
        self.zone = self.account.create_zone(name=ZONE, private=False, caller_reference="bench")

    def alias(self, name: str, to: str, kind: str = "A", **fields: Any) -> StoredRecordSet:
        """Make an alias to a name of the same zone."""
        return record(name, kind, alias=AliasTo(self.zone.id, f"{to}.{ZONE}", False), **fields)

    def send(self, *changes: tuple[Action, StoredRecordSet]) -> str:
        """Send a batch; give "" if it was accepted, else the refusal's code and words."""
        try:
            self.account.submit(self.zone.id, [read(action, one) for action, one in changes])
        except Refusal as refusal:
            return f"{refusal.code}: {refusal.message}"
        return ""

    def create(self, *records: StoredRecordSet) -> str:
        """Send a batch of CREATEs."""
        return self.send(*[("CREATE", one) for one in records])

    def upsert(self, *records: StoredRecordSet) -> str:
        """Send a batch of UPSERTs."""
        return self.send(*[("UPSERT", one) for one in records])

    def delete(self, *records: StoredRecordSet) -> str:
        """Send a batch of DELETEs."""
        return self.send(*[("DELETE", one) for one in records])

    def held(self) -> list[StoredRecordSet]:
        """List what the zone holds beside its own NS and SOA."""
        return [one for one in self.zone.records() if one.type not in ("NS", "SOA")]

    def values(self, name: str, kind: str = "TXT") -> tuple[str, ...]:
        """Give the values of one set."""
        return self.zone.sets_at(f"{name}.{ZONE}")[kind, ""].values


def read(action: Action, sent: StoredRecordSet) -> Change:
    """Read a change as the wire does: names folded, a bad name noted as a complaint."""
    try:
        folded = replace(sent, name=canonical(sent.name))
        if sent.alias is not None:
            folded = replace(folded, alias=replace(sent.alias, name=canonical(sent.alias.name)))
    except BadNameError as bad:
        return Change(action, sent, (str(bad),))
    return Change(action, folded)
