"""Show moto one of our zones as its own, and take what CloudFormation states under our rules.

Record sets live in the core only; nothing is written to one except through `Account.submit`.
"""

from collections.abc import Callable, Mapping
from typing import Any, NoReturn

from moto.route53 import models
from moto.route53.exceptions import Route53ClientError
from moto.utilities.utils import get_partition

from sandbox.route53.account import Account
from sandbox.route53.model import Action, AliasTo, Change, Geo, StoredRecordSet
from sandbox.route53.names import BadNameError, canonical
from sandbox.route53.refusals import InvalidInput, Refusal
from sandbox.route53.zone import HostedZone


def raise_as_moto(refusal: Refusal) -> NoReturn:
    """Turn a refusal of the core into the error that moto's response layer writes.

    moto finds the service's error shapes by the module of the class: it has to be one of moto's.
    """
    raise Route53ClientError(refusal.code, refusal.message) from refusal


# moto declares its CloudFormation models abstract and makes instances of them all the same.
MotoRecordSet: Callable[[dict[str, Any]], models.RecordSet] = models.RecordSet


class MotoZone(models.FakeZone):
    """What moto sees of one of our zones."""

    def __init__(self, account: Account, zone: HostedZone, delegation_set: Any) -> None:
        self.account = account
        self.core = zone
        super().__init__(
            zone.name,
            zone.id,
            private_zone=zone.private,
            caller_reference=zone.caller_reference,
            comment=zone.comment or None,
            delegation_set=delegation_set,
        )

    @property
    def rrsets(self) -> list[models.RecordSet]:
        """Show the record sets to moto's own readers."""
        return [MotoRecordSet(moto_properties(record)) for record in self.core.records()]

    @rrsets.setter
    def rrsets(self, value: list[models.RecordSet]) -> None:
        """Take moto's initial empty list for what it is: nothing to keep."""

    @property
    def resource_record_set_count(self) -> int:
        """Count the record sets."""
        return len(self.core)

    def add_rrset(self, record_set: dict[str, Any]) -> models.RecordSet:
        """Create a set that CloudFormation states, under the rules."""
        return self._write("CREATE", record_set)

    def upsert_rrset(self, record_set: dict[str, Any]) -> models.RecordSet:
        """Create or replace a set that CloudFormation states, under the rules."""
        return self._write("UPSERT", record_set)

    def delete_rrset(self, rrset: dict[str, Any]) -> None:
        """Delete a name's sets of one type, or of all types, as CloudFormation asks."""
        name, kind = canonical(rrset["Name"]), rrset.get("Type")
        doomed = [
            Change("DELETE", record)
            for (found, _), record in self.core.sets_at(name).items()
            if kind is None or found == kind
        ]
        if doomed:
            self._submit(doomed)

    def delete(self, account_id: str, region: str) -> None:
        """Go with the CloudFormation stack that made it, if it is empty."""
        models.route53_backends[account_id][get_partition(region)].delete_hosted_zone(self.core.id)

    def _write(self, action: Action, properties: dict[str, Any]) -> models.RecordSet:
        self._submit([Change(action, stated_record(properties))])
        return MotoRecordSet(properties)

    def _submit(self, changes: list[Change]) -> None:
        try:
            self.account.submit(self.core.id, changes)
        except Refusal as refusal:
            raise_as_moto(refusal)


def stated_record(properties: Mapping[str, Any]) -> StoredRecordSet:
    """Read a record set from CloudFormation's properties."""

    def number(field: str) -> int | None:
        return None if properties.get(field) is None else int(properties[field])

    alias, geo = properties.get("AliasTarget"), properties.get("GeoLocation")
    try:
        return StoredRecordSet(
            name=canonical(properties["Name"]),
            type=properties["Type"],
            ttl=number("TTL"),
            values=tuple(properties.get("ResourceRecords") or ()),
            set_id=properties.get("SetIdentifier"),
            weight=number("Weight"),
            region=properties.get("Region"),
            failover=properties.get("Failover"),
            geo=geo
            and Geo(geo.get("ContinentCode"), geo.get("CountryCode"), geo.get("SubdivisionCode")),
            multivalue=is_true(properties.get("MultiValueAnswer")) or None,
            alias=alias
            and AliasTo(
                alias["HostedZoneId"],
                canonical(alias["DNSName"]),
                is_true(alias.get("EvaluateTargetHealth")),
            ),
            health_check_id=properties.get("HealthCheckId"),
        )
    except BadNameError as bad:
        raise_as_moto(InvalidInput(str(bad)))


def is_true(value: object) -> bool:
    """Read a CloudFormation boolean, which may come as text."""
    return str(value).lower() == "true"


def moto_properties(record: StoredRecordSet) -> dict[str, Any]:
    """Show one record set in the shape of moto's own."""
    return {
        "Name": record.name,
        "Type": record.type,
        "TTL": record.ttl,
        "ResourceRecords": list(record.values),
        "SetIdentifier": record.set_id,
        "Weight": record.weight,
        "Region": record.region,
        "HealthCheckId": record.health_check_id,
    }
