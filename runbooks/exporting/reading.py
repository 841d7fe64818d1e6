"""Which plan an export shows, and its content. It reads the table and the archive, nothing else.

Without a number it is the newest plan known to stand in the zone; an unpublished body never counts.
"""

from dataclasses import dataclass

from dnsplan.codec import contents
from dnsplan.formats.planfile import PlanFile
from dnsplan.plan import NO_GENERATION, Generation, Plan
from dnsplan.ports import GenerationTable, PlanArchive
from dnsplan.signing import kept_file
from runbooks.controls.outside import Mistaken, Refused
from runbooks.looking.line import Gone, published


@dataclass(frozen=True, slots=True)
class Exported:
    """A plan, its file, why nobody vouches for it (if so), and the hosted zone that it was claimed
    for (None before any claim)."""

    plan: Plan
    file: PlanFile
    doubt: str | None
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
    plan_id = published(item, await archive.rows(label), wanted)
    if isinstance(plan_id, Gone):
        raise Refused(f"{plan_id.why}: pick another generation")
    envelope = await archive.load(plan_id)
    return Exported(contents(envelope), kept_file(envelope), envelope.doubt, item.zone_id)
