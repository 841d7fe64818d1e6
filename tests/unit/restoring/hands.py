"""An operator with a plan file, Route 53 and nothing else."""

from msgspec import structs

from dnsplan.codec import seal
from dnsplan.fence import FenceRecord, NoFence, SeenFence, to_record_set
from dnsplan.formats.planfile import PlanFile, plan_file, read_plan_file, write_plan_file
from dnsplan.plan import Plan
from dnsplan.ports import Clock
from dnsplan.records import RecordSet
from enactor.ports import ZoneRecords
from enactor.rules.packing import build
from runbooks.restoring.preparing import Prepared, Preparing
from runbooks.restoring.restoring import Restored, Restoring
from runbooks.restoring.rules import Word
from tests.fakes.clock import SeededJitter
from tests.fakes.world import OWNER, PACE, Stage, World

NOTHING_SAID = Word()


class Lines(list[str]):
    """What a terminal was told."""

    def __call__(self, line: str) -> None:
        """One more."""
        self.append(line)


def file_of(plan: Plan) -> PlanFile:
    """The plan as export writes it and restore reads it."""
    text = write_plan_file(plan_file(plan, seal(plan).plan_id.digest))
    return read_plan_file(text, "shop.json")


def stated(*content: RecordSet, generation: int = 7, owner: str = OWNER) -> PlanFile:
    """A file that a person wrote."""
    made = PlanFile(
        label="shop",
        zone=content[0].name.partition(".")[2],  # type: ignore[arg-type]  # a name's own zone
        owner=owner,
        generation=generation,  # type: ignore[arg-type]  # tests pass plain numbers
        digest="",
        author="ann",
        reason="by hand",
        content=content,
    )
    return read_plan_file(write_plan_file(made), "shop.json")


async def prepared(
    stage: Stage,
    file: PlanFile,
    word: Word = NOTHING_SAID,
    *,
    by: str = "ann",
    records: ZoneRecords | None = None,
) -> Prepared:
    """What a restore would do."""
    hand = Preparing(records or stage.records, stage.clock, SeededJitter(0), pace=PACE)
    return await hand.prepare(stage.zone, file, word, operator=by, tell=Lines())


async def done(
    stage: Stage,
    ready: Prepared,
    word: Word = NOTHING_SAID,
    *,
    by: str = "ann",
    seed: int = 500,
    records: ZoneRecords | None = None,
    clock: Clock | None = None,
) -> Restored:
    """Do it."""
    jitter, pace = SeededJitter(seed), PACE
    hand = Restoring(
        records or stage.records, clock or stage.clock, jitter, pace=pace, tell=Lines()
    )
    return await hand.restore(ready, word, operator=by)


async def restored(
    stage: Stage, file: PlanFile, word: Word = NOTHING_SAID, *, by: str = "ann", seed: int = 500
) -> Restored:
    """Prepare and do it in one go, as --yes does."""
    ready = await prepared(stage, file, word, by=by)
    return await done(stage, ready, word, by=by, seed=seed)


async def fence_of(stage: Stage) -> FenceRecord:
    """What the zone's fence says."""
    found = await stage.records.read_fence(stage.zone)
    assert not isinstance(found, NoFence)
    return found.record


def freeze_fence(world: World, fence: FenceRecord, freeze_id: str) -> None:
    """Move the fence as freeze does."""
    before = SeenFence(fence, to_record_set(fence, world.zone.name))
    after = structs.replace(fence, frozen=freeze_id, nonce="f" * 16, writer="operator.eva")
    batch = build(before, after, (), zone=world.zone.name, may_end=lambda _key: False)
    world.route53.land(world.zone, batch)


def empty(world: World) -> None:
    """Somebody deletes every record of ours by hand, but for the fence."""
    gone = [("DELETE", one) for one in world.route53.content(world.zone)]
    world.route53.edit(world.zone, *gone)
