"""Which plan an export shows, and its content. It reads the table and the archive, nothing else.

Without a number it is the newest plan known to stand in the zone; an unpublished body never counts.
"""

from dataclasses import dataclass

from dnsplan.codec import unseal
from dnsplan.errors import FenceDamaged
from dnsplan.fence import parse_fence
from dnsplan.generation import GenerationItem
from dnsplan.plan import NO_GENERATION, Digest, Generation, Plan, PlanId
from dnsplan.ports import GenerationTable, PlanArchive
from runbooks.controls.outside import Mistaken, Refused


@dataclass(frozen=True, slots=True)
class Exported:
    """A plan, its digest, and the hosted zone that it was claimed for (None before any claim)."""

    plan: Plan
    digest: Digest
    zone_id: str | None


async def read_plan(
    table: GenerationTable, archive: PlanArchive, label: str, generation: int | None
) -> Exported:
    """The plan to export; Refused or Mistaken when there is none of that number."""
    item = (await table.read((label,))).get(label)
    if item is None or item.head == NO_GENERATION:
        raise Refused(f"{label} has no plan yet; see dns-planner plan {label}")
    wanted = item.applied if generation is None else Generation(generation)
    if generation is None and wanted == NO_GENERATION:
        raise Refused(
            f"{label} has no plan that is known to be applied; --generation {item.head} exports"
            " the newest one"
        )
    if not NO_GENERATION < wanted <= item.head:
        raise Mistaken(f"there is no generation {wanted}; {label} has generations 1 to {item.head}")
    plan_id = _known(item, wanted) or await _filed(archive, label, wanted)
    return Exported(unseal(await archive.load(plan_id)), plan_id.digest, item.zone_id)


def _known(item: GenerationItem, wanted: Generation) -> PlanId | None:
    """The id of a plan whose digest the generation item itself holds."""
    if wanted == item.head:
        return item.head_id
    if wanted == item.pin and item.pin_digest is not None:
        return PlanId(item.label, wanted, item.pin_digest)
    if wanted == item.applied and item.applied_fence is not None:
        try:
            fence = parse_fence(item.applied_fence)
        except FenceDamaged:
            return None
        return PlanId(item.label, wanted, fence.digest) if fence.generation == wanted else None
    return None


async def _filed(archive: PlanArchive, label: str, wanted: Generation) -> PlanId:
    rows = [
        row
        for row in await archive.rows(label)
        if row.plan_id.generation == wanted and row.deleted_s is None
    ]
    if len(rows) != 1:
        found = "no body" if not rows else f"{len(rows)} bodies, only one was ever published"
        raise Refused(f"{found} of {label} {wanted}: pick another generation")
    return rows[0].plan_id
