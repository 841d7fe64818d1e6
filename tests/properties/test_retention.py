"""P5 as a machine: planners, enactors, cleaners and operators act in any order, each on whatever it
read some time ago, and no plan that anything points at is ever lost."""

from collections.abc import Coroutine
from dataclasses import dataclass
from typing import Any, TypeVar

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from msgspec import structs

from dnsplan.codec import Envelope
from dnsplan.errors import PlanMissing
from dnsplan.fence import FenceRecord
from dnsplan.generation import GenerationItem, Transition
from dnsplan.outcomes import Written
from dnsplan.plan import NO_GENERATION, Digest, Generation, PlanId, next_generation
from dnsplan.ports import PlanRow
from dnsplan.transitions import (
    claim,
    create,
    freeze,
    pin,
    publish,
    raise_floor,
    record_applied,
    thaw,
    unpin,
)
from planner.rules.retention import Retention, deletable_below, highest_floor, verdicts
from tests.fakes.archive import FakeArchive
from tests.fakes.table import FakeTable
from tests.properties.drawn import OWNER

LABEL = "shop"
# How many events ago an actor read what it acts on: mostly just now, or nothing would get far.
AGO = st.sampled_from([0, 0, 0, 0, 0, 1, 2, 5, 20])
Result = TypeVar("Result")


@dataclass(frozen=True)
class Look:
    """What somebody read at one moment, to act on it whenever."""

    item: GenerationItem
    fence: FenceRecord
    rows: tuple[PlanRow, ...]
    now_s: int


def done(action: Coroutine[Any, Any, Result]) -> Result:
    """What a fake answers; it never waits."""
    try:
        action.send(None)
    except StopIteration as end:
        answer: Result = end.value
        return answer
    raise AssertionError("a fake waited")


class Zone(RuleBasedStateMachine):
    """One zone's item, archive and fence, and everybody who touches them."""

    def __init__(self) -> None:
        """Nothing is published; the zone has the fence of an adoption."""
        super().__init__()
        self.table, self.archive, self.now_s, self.nonces = FakeTable(), FakeArchive(), 1_000, 0
        self.fence = FenceRecord(
            generation=NO_GENERATION,
            step=1,
            steps=1,
            base=NO_GENERATION,
            held=0,
            owner=OWNER,
            writer="az",
            nonce="0",
            digest=Digest(""),
        )
        self.published: dict[Generation, PlanId] = {}
        self.looks: list[Look] = []
        self.highest_claimed = self.highest_floor = NO_GENERATION
        item = GenerationItem(
            label=LABEL, owner=OWNER, incarnation=self.table.id, nonce="0", zone_id="Z1"
        )
        assert self.wrote(create(item))

    @property
    def item(self) -> GenerationItem:
        """The item as it stands."""
        return self.table.items[LABEL]

    def look(self, ago: int) -> Look:
        """What stood so many events ago."""
        if ago:
            return self.looks[-min(ago, len(self.looks))]
        rows = tuple(done(self.archive.rows(LABEL)))
        return Look(self.item, self.fence, rows, self.now_s)

    def nonce(self) -> str:
        """Fresh for each attempt."""
        self.nonces += 1
        return f"{self.nonces}"

    def wrote(self, transition: Transition) -> bool:
        """Send a conditional write."""
        return done(self.table.write(transition)) == Written()

    @initialize(plans=st.integers(0, 5))
    def live_on(self, plans: int) -> None:
        """The zone is not new: some plans were published and applied."""
        for _ in range(plans):
            self.go_well(good=True)

    @rule(good=st.booleans())
    def go_well(self, good: bool) -> None:
        """A plan is published and applied, where nobody is in the way; a name may be held."""
        self.publish(ago=0, content=0)
        self.enact(ago=0, below_head=0, steps=1)
        self.confirm(ago=0, good=good)
        self.now_s += 50

    @rule(seconds=st.sampled_from([1, 50, 100]))
    def wait(self, seconds: int) -> None:
        """Plans grow old."""
        self.now_s += seconds

    @rule(ago=AGO, content=st.integers(0, 1))
    def publish(self, ago: int, content: int) -> None:
        """A planner stores a body and moves head, if nobody else did since it looked."""
        look = self.look(ago)
        generation = next_generation(look.item.head)
        plan_id = PlanId(LABEL, generation, Digest(f"{content:064x}"))
        row = PlanRow(
            plan_id=plan_id,
            created_s=self.now_s,
            author="planner",
            reason="any",
            base=look.item.head,
            chunks=1,
            record_sets=1,
        )
        try:
            done(self.archive.store(Envelope(plan_id, b""), row))
        except PlanMissing:
            return
        if self.wrote(publish(look.item, plan_id, nonce=self.nonce())):
            self.published[generation] = plan_id

    @rule(ago=AGO, below_head=st.integers(0, 3), steps=st.integers(1, 2))
    def enact(self, ago: int, below_head: int, steps: int) -> None:
        """An enactor claims a plan and sends its first batch, on the fence that it read."""
        look = self.look(ago)
        generation = Generation(max(1, look.item.head - below_head))
        if not self.wrote(claim(look.item, generation, zone_id="Z1", nonce=self.nonce())):
            return
        assert self.published[generation] in self.archive.bodies
        if self.fence == look.fence and look.fence.generation < generation:
            self.fence = structs.replace(
                look.fence,
                generation=generation,
                step=1,
                steps=steps,
                base=look.fence.generation,
                nonce=self.nonce(),
            )

    @precondition(lambda self: not self.fence.is_complete)
    @rule()
    def finish(self) -> None:
        """Somebody sends the last batch of a plan that stands in part, whose base is still kept."""
        assert self.published[self.fence.generation] in self.archive.bodies
        base = self.fence.base
        assert base == NO_GENERATION or self.published[base] in self.archive.bodies
        self.fence = structs.replace(self.fence, step=self.fence.steps, nonce=self.nonce())

    @rule(ago=AGO, good=st.booleans())
    def confirm(self, ago: int, good: bool) -> None:
        """An enactor notes what it saw standing whole."""
        look = self.look(ago)
        if look.fence.is_complete and look.fence.generation:
            seen = look.fence
            self.wrote(
                record_applied(
                    look.item, seen.generation, fence=seen.nonce, good=good, nonce=self.nonce()
                )
            )

    @rule(ago=AGO, below_head=st.integers(0, 3))
    def pin(self, ago: int, below_head: int) -> None:
        """An operator pins a plan: what is pinned can be had."""
        look = self.look(ago)
        generation = Generation(max(1, look.item.head - below_head))
        plan_id = self.published.get(generation, PlanId(LABEL, generation, Digest("")))
        if self.wrote(pin(look.item, plan_id, nonce=self.nonce())):
            assert plan_id in self.archive.bodies

    @rule(ago=AGO)
    def unpin(self, ago: int) -> None:
        """An operator ends the pin that was seen."""
        look = self.look(ago)
        if look.item.pin is not None:
            self.wrote(unpin(look.item, look.item.pin, nonce=self.nonce()))

    @rule(ago=AGO)
    def freeze(self, ago: int) -> None:
        """An operator freezes."""
        look = self.look(ago)
        nonce = self.nonce()
        self.wrote(freeze(look.item, nonce, nonce=nonce))

    @rule(ago=AGO)
    def thaw(self, ago: int) -> None:
        """An operator thaws what was seen frozen."""
        look = self.look(ago)
        if look.item.frozen is not None:
            self.wrote(thaw(look.item, look.item.frozen, nonce=self.nonce()))

    @rule(ago=AGO, keep=st.integers(1, 3), min_age_s=st.sampled_from([0, 0, 100]))
    def clean(self, ago: int, keep: int, min_age_s: int) -> None:
        """A cleaner raises the floor by what it read, and only then deletes what it read of."""
        look = self.look(ago)
        wish = Retention(keep=keep, min_age_s=min_age_s)
        floor = highest_floor(look.item, look.rows, wish, fence=look.fence, now_s=look.now_s)
        judged = verdicts(
            look.item, look.rows, wish, fence=look.fence, floor=floor, now_s=look.now_s
        )
        if floor > look.item.floor:
            wanted = raise_floor(look.item, floor, keep=keep, nonce=self.nonce())
            if not self.wrote(wanted):
                return
        doomed = deletable_below(look.rows, floor)
        kept = {one.row.plan_id for one in judged if one.kept_because}
        assert kept.isdisjoint(row.plan_id for row in doomed)
        for row in doomed:
            done(self.archive.bury(row, by="cleanup", now_s=self.now_s))
        done(self.archive.sweep(LABEL, below=floor))

    @invariant()
    def somebody_looks(self) -> None:
        """What stands now may be acted on whenever."""
        self.looks.append(self.look(ago=0))

    @invariant()
    def the_floor_passes_nothing(self) -> None:
        """P5: live, base of an unfinished plan, claimed, applied, last known good, pinned, head."""
        item, fence = self.item, self.fence
        bounds = {
            "live": fence.generation,
            "base": fence.generation if fence.is_complete else fence.base,
            "claimed": item.claimed,
            "applied": item.applied,
            "last known good": item.last_known_good,
            "pinned": item.head if item.pin is None else item.pin,
            "head": item.head,
        }
        assert {name: at for name, at in bounds.items() if item.floor > at} == {}

    @invariant()
    def nothing_goes_back(self) -> None:
        """P1, P5: neither `claimed` nor the floor, whatever was read long ago."""
        assert self.item.claimed >= self.highest_claimed
        assert self.item.floor >= self.highest_floor
        self.highest_claimed, self.highest_floor = self.item.claimed, self.item.floor

    @invariant()
    def no_body_at_or_above_the_floor_is_deleted(self) -> None:
        """P5: every plan that may still be claimed can be loaded."""
        needed = {one for at, one in self.published.items() if at >= self.item.floor}
        assert needed - self.archive.bodies.keys() == set()


Zone.TestCase.settings = settings(stateful_step_count=60)
TestZone = Zone.TestCase
