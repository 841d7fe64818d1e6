"""How a fleet begins: each zone in sync with its first plan, and the config of all of them."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from dnsplan.codec import seal
from dnsplan.fence import FenceRecord, to_record_set
from dnsplan.generation import GenerationItem
from dnsplan.names import Name
from dnsplan.plan import SCHEMA, Generation, Plan, sorted_content
from dnsplan.ports import Zone
from dnsplan.records import RecordSet
from dnsplan.runtime.config.loading import load
from dnsplan.runtime.config.schema import Settings
from planner.publishing import row_of
from tests.fakes.zone_records import to_stored
from tests.simulation.cloud import FakeCloud

OWNER = "0" * 31 + "1"


def content_of(zone: Zone, records: int, version: int) -> tuple[RecordSet, ...]:
    """Record sets of which no version has one in common with the one before."""
    number = int(zone.label[1:])
    return sorted_content(
        tuple(
            RecordSet(
                Name(f"n{at}.{zone.name}"),
                "A",
                60,
                (f"10.{version % 250}.{number % 250}.{at % 250}",),
            )
            for at in range(records)
        )
    )


def plan_of(
    zone: Zone,
    generation: Generation,
    base: Generation,
    content: tuple[RecordSet, ...],
    *,
    created_s: int,
) -> Plan:
    """A plan as planners make it."""
    return Plan(
        schema=SCHEMA,
        owner=OWNER,
        label=zone.label,
        zone=zone.name,
        generation=generation,
        base=base,
        created_s=created_s,
        author="planner",
        reason="changed",
        content=content,
    )


def begin(cloud: FakeCloud, zone: Zone, plan: Plan) -> None:
    """The plan stands, and everybody knows."""
    sealed = seal(plan)
    fence = FenceRecord(
        generation=plan.generation,
        step=1,
        steps=1,
        base=plan.base,
        held=0,
        owner=OWNER,
        writer="az1",
        nonce="first",
        digest=sealed.plan_id.digest,
    )
    listed = to_record_set(fence, zone.name)
    cloud.route53.account.load(zone.zone_id, map(to_stored, (listed, *plan.content)))
    cloud.table.items[zone.label] = GenerationItem(
        label=zone.label,
        owner=OWNER,
        incarnation=cloud.table.id,
        nonce="first",
        zone_id=zone.zone_id,
        head=plan.generation,
        head_digest=sealed.plan_id.digest,
        claimed=plan.generation,
        applied=plan.generation,
        applied_fence=listed.values[0],
        last_known_good=plan.generation,
    )
    cloud.archive.bodies[sealed.plan_id] = sealed
    cloud.archive.kept[sealed.plan_id] = row_of(plan, sealed)


def settings_for(zones: Iterable[Zone], azs: Sequence[str], account_per_s: float) -> Settings:
    """The config that states these zones."""
    lines = [f"azs: [{', '.join(azs)}]", f"account_requests_per_s: {account_per_s:g}", "zones:"]
    for zone in zones:
        lines.append(f"  {zone.label}:")
        lines.append(f"    name: {zone.name.rstrip('.')}")
        lines.append("    names: {n0: {records: [{type: A, values: [192.0.2.1]}]}}")
    with TemporaryDirectory() as folder:
        path = Path(folder) / "dns.yaml"
        path.write_text("\n".join(lines) + "\n")
        return load(path, {}).settings
