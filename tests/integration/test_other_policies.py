"""Policies that this release has no words for are carried whole, over the SDK and back.

Managed, they are created, changed and compared field by field; unmanaged, they stay as they are.
"""

from pathlib import Path

import pytest

from dnsplan.names import parse_name
from dnsplan.records import OtherPolicy, RecordSet
from dnsplan.runtime.aws import AwsClients
from dnsplan.runtime.config import desired_static, load
from dnsplan.runtime.route53_forms import record_set_to_aws
from enactor.rules.outcomes import Applied, InSync
from tests.fakes.world import a
from tests.integration.aws_stage import AwsStage, aws_stage

COLLECTION = "12345678-1234-1234-1234-123456789abc"
NEAR = "near.example.com."
NETWORK = "network.example.com."


def stated(folder: Path, bias: int) -> tuple[RecordSet, ...]:
    """Record sets of both policies, as `dns.yaml` states them."""
    (folder / "dns.yaml").write_text(f"""
azs: [a]
zones:
  shop:
    name: example.com
    names:
      near:
        records:
          - {{type: A, set_id: eu, geoproximity: {{region: eu-west-1, bias: {bias}}},
             values: [192.0.2.1]}}
          - {{type: A, set_id: hill, values: [192.0.2.2],
             geoproximity: {{coordinates: {{latitude: "49.22", longitude: "-74.01"}}}}}}
      network:
        records:
          - {{type: A, set_id: rest, values: [192.0.2.3],
             cidr: {{collection_id: {COLLECTION}, location: "*"}}}}
""")
    return desired_static(load(folder / "dns.yaml", {}).settings.zones["shop"])


async def standing(stage: AwsStage, name: str) -> tuple[RecordSet, ...]:
    """What a listing of the name shows."""
    return await stage.records.list_name(stage.zone, parse_name(name))


async def test_managed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They are created as stated, changed by an exact delete, and then in sync."""
    async with aws_stage(monkeypatch) as stage:
        cycle = stage.az()
        for bias in (10, -5):
            content = stated(tmp_path, bias)
            await stage.publish(*content)
            assert isinstance(await stage.enact(cycle), Applied)
            await stage.settle(cycle)
            found = (*await standing(stage, NEAR), *await standing(stage, NETWORK))
            assert sorted(found, key=lambda one: str(one.set_id)) == sorted(
                content, key=lambda one: str(one.set_id)
            )
        assert isinstance(await stage.enact(cycle), InSync)
        policies = [one.routing for one in await standing(stage, NEAR)]
        fields = '{"GeoProximityLocation":{"AWSRegion":"eu-west-1","Bias":-5}}'
        assert OtherPolicy(fields) in policies


async def test_unmanaged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Those of somebody else are listed with the zone, and left as they are."""
    async with aws_stage(monkeypatch) as stage:
        foreign = [
            {"Action": "CREATE", "ResourceRecordSet": record_set_to_aws(one)}
            for one in stated(tmp_path, 10)
        ]
        async with AwsClients().open("route53") as route53:
            await route53.change_resource_record_sets(
                HostedZoneId=stage.zone.zone_id, ChangeBatch={"Changes": foreign}
            )
        before = (*await standing(stage, NEAR), *await standing(stage, NETWORK))
        assert len(before) == 3
        await stage.publish(a("www.example.com", "192.0.2.9"))
        assert isinstance(await stage.enact(stage.az()), Applied)
        assert len(await standing(stage, "www.example.com.")) == 1
        assert (*await standing(stage, NEAR), *await standing(stage, NETWORK)) == before
