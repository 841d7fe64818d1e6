"""Let moto's Route 53 (zones, tags, health checks, VPCs, CloudFormation) work on our zones.

moto keeps what the core does not model; record sets live in the core only, and every way to write
one goes through its rules. Plugged in for one account id, so that moto itself is not changed.
"""

from typing import Any

from moto.core.base_backend import AccountSpecificBackend
from moto.core.responses import ActionResult
from moto.core.utils import utcnow
from moto.route53 import models, responses
from moto.route53.exceptions import ConflictingDomainExists
from moto.utilities.utils import PARTITION_NAMES

from sandbox.aws.moto_zone import MotoZone, raise_as_moto
from sandbox.route53.account import NAME_SERVERS, AcceptedChange, Account
from sandbox.route53.names import BadNameError, canonical, order
from sandbox.route53.refusals import InvalidInput, Refusal

PARTITION = "aws"
ZONES_PAGE_MAX = 100


class StrictBackend(models.Route53Backend):
    """moto's backend for one account, its zones replaced by ours."""

    def __init__(self, account_id: str, account: Account) -> None:
        super().__init__(PARTITION, account_id)
        self.account = account
        account.health_checks = self.health_checks.keys()

    def create_hosted_zone(  # noqa: PLR0913 - moto's own signature
        self,
        name: str,
        private_zone: bool,  # noqa: FBT001 - moto's own signature
        caller_reference: str | None = None,
        vpcid: str | None = None,
        vpcregion: str | None = None,
        comment: str | None = None,
        delegation_set_id: str | None = None,
    ) -> models.FakeZone:
        """Make a zone in the core, and what moto keeps beside it."""
        if self._has_prev_conflicting_domain(name, delegation_set_id):
            raise ConflictingDomainExists(name, delegation_set_id)
        reference = caller_reference or models.create_route53_caller_reference()
        try:
            core = self.account.create_zone(
                name=name, private=private_zone, caller_reference=reference, comment=comment or ""
            )
        except Refusal as refusal:
            raise_as_moto(refusal)
        delegation = models.DelegationSet(
            f"DelSet_{core.name}",
            [server.rstrip(".") for server in NAME_SERVERS],
            delegation_set_id,
        )
        if not delegation_set_id:
            delegation.id = ""  # the default delegation set has no id of its own
        zone = MotoZone(self.account, core, delegation)  # type: ignore[abstract]  # as moto does
        zone.add_vpc(vpcid, vpcregion)
        self.zones[core.id] = zone
        return zone

    def delete_hosted_zone(self, id_: str) -> models.FakeZone | None:
        """Remove an empty zone."""
        try:
            core = self.account.delete_zone(id_)
        except Refusal as refusal:
            raise_as_moto(refusal)
        return self.zones.pop(core.id, None)


class StrictResponse(responses.Route53):
    """moto's operations, with the change ids and limits that it leaves out."""

    @property
    def account(self) -> Account:
        """Give the core of the account that asks."""
        backend = self.backend
        if not isinstance(backend, StrictBackend):
            msg = f"account {self.current_account} is not one of the stand-in's"
            raise TypeError(msg)
        return backend.account

    def create_hosted_zone(self) -> ActionResult:
        """CreateHostedZone."""
        return self.with_change(super().create_hosted_zone())

    def delete_hosted_zone(self) -> ActionResult:
        """DeleteHostedZone."""
        return self.with_change(super().delete_hosted_zone())

    def associate_vpc_with_hosted_zone(self) -> ActionResult:
        """AssociateVPCWithHostedZone."""
        return self.with_change(super().associate_vpc_with_hosted_zone())

    def disassociate_vpc_from_hosted_zone(self) -> ActionResult:
        """DisassociateVPCFromHostedZone."""
        return self.with_change(super().disassociate_vpc_from_hosted_zone())

    def with_change(self, result: ActionResult) -> ActionResult:
        """Give the answer a change that can be waited for."""
        answer = result.result
        if isinstance(answer, dict):
            answer["ChangeInfo"] = change_info(self.account.note_change())
        return result

    def list_hosted_zones_by_name(self) -> ActionResult:
        """ListHostedZonesByName: from a name and id on, by reversed labels, page by page."""
        name = self._get_param("DNSName")
        zone_id = (self._get_param("HostedZoneId") or "").rpartition("/")[2]
        max_items = min(self._get_int_param("MaxItems", ZONES_PAGE_MAX), ZONES_PAGE_MAX)
        try:
            start = (order(canonical(name)), zone_id) if name else ("", "")
        except BadNameError as bad:
            raise_as_moto(InvalidInput(str(bad)))
        zones = {(order(zone.name), zone.id): zone for zone in self.account.zones.values()}
        keys = sorted(key for key in zones if key >= start)
        page, rest = keys[:max_items], keys[max_items:]
        following = zones[rest[0]] if rest else None
        return ActionResult(
            {
                "DNSName": name,
                "HostedZoneId": zone_id or None,
                "HostedZones": [self.backend.get_hosted_zone(found) for _, found in page],
                "IsTruncated": following is not None,
                "NextDNSName": following and following.name,
                "NextHostedZoneId": following and following.id,
                "MaxItems": str(max_items),
            }
        )

    def get_hosted_zone_limit(self) -> ActionResult:
        """GetHostedZoneLimit."""
        kind = self._get_param("Type")
        zone = self.backend.get_hosted_zone(self._get_param("HostedZoneId"))
        value, count = self.account.settings.records_per_zone_max, zone.resource_record_set_count
        if kind == "MAX_VPCS_ASSOCIATED_BY_ZONE":
            value, count = 300, len(zone.vpcs)
        return ActionResult({"Limit": {"Type": kind, "Value": value}, "Count": count})

    def list_cidr_collections(self) -> ActionResult:
        """ListCidrCollections: there are none."""
        return ActionResult({"CidrCollections": []})

    def list_traffic_policy_instances(self) -> ActionResult:
        """ListTrafficPolicyInstances: there are none."""
        return ActionResult({"TrafficPolicyInstances": [], "IsTruncated": False, "MaxItems": "100"})

    def list_health_checks(self) -> ActionResult:
        """ListHealthChecks, with the fields that clients page by."""
        return ActionResult(
            {
                "HealthChecks": self.backend.list_health_checks(),
                "Marker": "",
                "IsTruncated": False,
                "MaxItems": "100",
            }
        )


def change_info(change: AcceptedChange) -> dict[str, Any]:
    """Show an accepted change in the shape that moto serializes."""
    return {"Id": f"/change/{change.id}", "Status": "PENDING", "SubmittedAt": utcnow()}


def plug_in(account_id: str, account: Account) -> StrictBackend:
    """Make one account id of this process answer with our Route 53."""
    backend = StrictBackend(account_id, account)
    regions: AccountSpecificBackend[models.Route53Backend] = AccountSpecificBackend(
        service_name="route53",
        account_id=account_id,
        backend=models.Route53Backend,
        use_boto3_regions=False,
        additional_regions=PARTITION_NAMES,
    )
    regions[PARTITION] = backend
    models.route53_backends[account_id] = regions
    return backend
