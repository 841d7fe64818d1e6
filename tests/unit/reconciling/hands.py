"""An operator whose table lost history."""

from collections.abc import Sequence

from dnsplan.formats.planfile import PlanFile
from dnsplan.generation import GenerationItem
from planner.rules.candidate import ZoneWish
from runbooks.controls.outside import AuditLog, Operator, Outside
from runbooks.reconciling.preparing import Prepared, Reckoning
from runbooks.reconciling.reconciling import Reconciled, Reconciling
from runbooks.reconciling.rules import Word
from tests.fakes.audit import FakeAudit
from tests.fakes.world import Stage, World
from tests.unit.adopting.hands import outside, quiet

NOTHING_SAID = Word()


async def prepared(
    stage: Stage,
    config: ZoneWish,
    word: Word = NOTHING_SAID,
    *,
    file: PlanFile | None = None,
    by: str = "ann",
    ports: Outside | None = None,
    seed: int = 600,
) -> Prepared:
    """What reconcile would write."""
    hand = Reckoning(ports or outside(stage, seed=seed), Operator(by, "drill"))
    return await hand.prepare(stage.zone, config, word, file, quiet)


async def done(
    stage: Stage,
    ready: Prepared,
    *,
    by: str = "ann",
    seed: int = 700,
    ports: Outside | None = None,
    audit: AuditLog | None = None,
) -> Reconciled:
    """Do it."""
    used = ports or outside(stage, seed=seed, audit=audit if isinstance(audit, FakeAudit) else None)
    return await Reconciling(used, Operator(by, "drill")).reconcile(ready, quiet)


async def reconciled(
    stage: Stage,
    config: ZoneWish,
    word: Word = NOTHING_SAID,
    *,
    file: PlanFile | None = None,
    seed: int = 700,
) -> Reconciled:
    """Prepare and do it in one go, as --yes does."""
    ready = await prepared(stage, config, word, file=file, seed=seed + 50)
    return await done(stage, ready, seed=seed)


def go_back(world: World, items: dict[str, GenerationItem], *, incarnation: str) -> None:
    """The table is restored from a backup: its items, and none of the plans since."""
    world.table.restore(items, incarnation=incarnation)
    heads = {label: item.head for label, item in items.items()}
    keep: Sequence[object] = [
        one for one in world.archive.kept if one.generation <= heads.get(one.label, 0)
    ]
    world.archive.kept = {one: row for one, row in world.archive.kept.items() if one in keep}
    world.archive.bodies = {one: body for one, body in world.archive.bodies.items() if one in keep}
