"""One zone with its table, on strict fakes or behind the real adapter, and the hands that spoil it.

Both grounds run the same cycles on the same Route 53 rules; the second sends every request through
the SDK.
"""

from dataclasses import dataclass, field

from msgspec import structs

from dnsplan.errors import FenceDamaged
from dnsplan.fence import FENCE_TYPE, FenceRecord, NoFence, fence_name, to_record_set
from dnsplan.generation import GenerationItem
from dnsplan.names import Name
from dnsplan.ports import Zone
from dnsplan.records import RecordSet
from enactor.rules.outcomes import Applied, Held, InSync, Outcome
from tests.cases.stages import Wire
from tests.fakes.world import World

# A dead enactor's batch, a refusal and a listing each cost a cycle; more than this is no progress.
CYCLES_MAX = 6


@dataclass
class Ground:
    """What a row of the table is brought about on; `kept` are record sets that are nobody's."""

    stage: World | Wire
    kept: set[RecordSet] = field(default_factory=set)

    def edit(self, *changes: tuple[str, RecordSet], zone: Zone | None = None) -> None:
        """A foreign hand, beside the fence."""
        stage, zone = self.stage, zone or self.stage.zone
        if isinstance(stage, World):
            stage.route53.edit(zone, *changes)
        else:
            stage.by_hand(*changes, zone=zone)

    def content(self) -> set[RecordSet]:
        """The zone without NS, SOA and fence."""
        stage = self.stage
        if isinstance(stage, World):
            return set(stage.route53.content(stage.zone))
        return stage.content()

    async def remake_zone(self) -> None:
        """The hosted zone is deleted and made again; the config finds the new one."""
        stage = self.stage
        if isinstance(stage, World):
            made = stage.route53.make_zone("again", "example.com.")
        else:
            made = await stage.make_zone("again", "example.com.")
        stage.zone = structs.replace(made, label=stage.label)
        stage.task = structs.replace(stage.task, zone=stage.zone)

    async def standing_fence(self) -> RecordSet:
        """The fence's record set, read or not."""
        (found,) = await self.stage.records.list_name(self.stage.zone, self.fence_name)
        return found

    @property
    def fence_name(self) -> Name:
        """Where it stands."""
        return fence_name(self.stage.zone.name)

    async def lose_fence(self) -> None:
        """A human deletes the fence."""
        self.edit(("DELETE", await self.standing_fence()))

    async def damage_fence(self) -> None:
        """A human edits the fence."""
        await self.lose_fence()
        broken = RecordSet(fence_name(self.stage.zone.name), FENCE_TYPE, 60, ('"edited"',))
        self.edit(("CREATE", broken))

    async def move_fence(self, **fields: object) -> None:
        """The fence says otherwise than it did."""
        before = await self.fence()
        assert isinstance(before, FenceRecord)
        after = structs.replace(before, nonce="moved", **fields)
        zone = self.stage.zone.name
        self.edit(("DELETE", to_record_set(before, zone)), ("CREATE", to_record_set(after, zone)))

    async def fence(self) -> FenceRecord | str:
        """What it says, or that it does not."""
        try:
            found = await self.stage.records.read_fence(self.stage.zone)
        except FenceDamaged:
            return "damaged"
        return "missing" if isinstance(found, NoFence) else found.record

    def set_item(self, **fields: object) -> None:
        """The generation item says otherwise than it did."""
        items: dict[str, GenerationItem] = self.stage.table.items
        items["shop"] = structs.replace(items["shop"], **fields)

    async def applied(self, *content: RecordSet) -> None:
        """A plan that stands and is noted."""
        await self.stage.publish(*content)
        await self.converge()

    async def converge(self) -> Outcome:
        """Fresh enactors, one after another, until one has nothing to do or holds."""
        outcome: Outcome | None = None
        for _ in range(CYCLES_MAX):
            cycle = self.stage.az()
            outcome = await self.stage.enact(cycle)
            if isinstance(outcome, Held | InSync):
                return outcome
            if isinstance(outcome, Applied):
                outcome = await self.stage.settle(cycle)
        assert outcome is not None
        return outcome

    async def audited(self) -> None:
        """A look around the zone, and the mending of what it shows."""
        cycle = self.stage.az()
        for _ in range(CYCLES_MAX):
            found = await self.stage.table.read([self.stage.label])
            incarnation = await self.stage.table.incarnation()
            item = found.get(self.stage.label)
            await cycle.run_once(self.stage.task, item, incarnation=incarnation, audits=True)
            await self.stage.settle(cycle)
