"""One pass over one zone: read the newest plan, draw a candidate, judge it, publish it once.

A zone in doubt keeps its newest plan: a read that failed, a table that was restored, or a plan that
cannot be read is a hold, never a reason to plan without it. What is kept between passes can only
delay a decision; a cycle may be made anew at any time.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from dnsplan.codec import unseal
from dnsplan.errors import InvalidRecord, PlanUnusable, ReadFailed
from dnsplan.generation import GenerationItem
from dnsplan.guardrails import judge
from dnsplan.plan import NO_GENERATION, SCHEMA, Plan, carried_waivers, next_generation
from dnsplan.ports import Clock, GenerationTable, Jitter, PlanArchive
from dnsplan.vouch import UNCHECKED, Keyring
from dnsplan.waivers import waived
from planner.drawing import Drawing, Drawn
from planner.pace import Pace
from planner.publishing import NONCE_BITS, Publisher
from planner.rules.candidate import Candidate, ZoneWish
from planner.rules.changes import summary
from planner.rules.health import Sight
from planner.rules.holds import (
    before_planning,
    held,
    misplaced_plan,
    unread,
    unusable,
    unvouched_words,
)
from planner.rules.outcomes import (
    Held,
    HoldRule,
    Pending,
    PlanOutcome,
    Published,
    Refused,
    Unchanged,
    Waiting,
)
from planner.rules.standing import NOTHING, Standing, standing_of
from planner.rules.waivers import in_words

OWNER_BITS = 128


@dataclass(frozen=True, slots=True)
class TableView:
    """What one pass read of the table: the id of the table that is open, and all items; and how
    many of the zones give enactors work."""

    incarnation: str
    items: Mapping[str, GenerationItem]
    zones_behind: int


@dataclass(frozen=True, slots=True)
class ZoneReport:
    """How the pass ended for one zone, and what it was decided from (None when not got so far).

    `turn` is what the changed config would have beyond it, and `waits` says what for.
    """

    wish: ZoneWish
    outcome: PlanOutcome
    standing: Standing | None = None
    candidate: Candidate | None = None
    turn: Drawn | None = None
    waits: str = ""

    @property
    def shown(self) -> Candidate | None:
        """What people are shown: a change that waits alone, else what was judged."""
        if self.turn is not None and self.outcome_waits:
            return self.turn.candidate
        return self.candidate

    @property
    def outcome_waits(self) -> bool:
        """Whether waiting for its turn is all that the zone does."""
        match self.outcome:
            case Waiting(rule=HoldRule.WAVE) | Held(HoldRule.WAVE):
                return True
            case _:
                return False


@dataclass(slots=True)
class _Memory:
    """Work saved between passes, and the pace; losing it takes nothing out sooner."""

    drawing: Drawing
    standing: Standing = NOTHING
    pace: Pace = field(default_factory=Pace)


class PlanCycle:
    """Plans zones, one zone at a call."""

    def __init__(
        self,
        *,
        table: GenerationTable,
        archive: PlanArchive,
        clock: Clock,
        jitter: Jitter,
        author: str,
        plans_per_min_max: int,
    ) -> None:
        """`author` is written into plans."""
        self._archive = archive
        self._clock = clock
        self._jitter = jitter
        self._author = author
        self._plans_per_min_max = plans_per_min_max
        self._publisher = Publisher(table=table, archive=archive, jitter=jitter)
        self._memory: dict[str, _Memory] = {}
        # How long a zone's next plan is left to other planners, by label.
        self.wait_s: Callable[[str], float] = lambda _label: 0.0
        # By whose keys operators' words are judged, as the archive judges plans.
        self.keyring: Keyring = UNCHECKED

    async def run_once(
        self,
        wish: ZoneWish,
        view: TableView,
        sight: Sight,
        *,
        may_write: bool,
        in_waves: bool = False,
    ) -> ZoneReport:
        """Plan one zone; without `may_write` it only says what it would publish. `in_waves`: what a
        changed config changes is left for `take_turn`."""
        await self._clock.sleep(0)  # many zones in a row must not starve the probes
        item = view.items.get(wish.label)
        head = NO_GENERATION if item is None else item.head
        self._memory_of(wish).pace.notice(head, now_s=self._clock.elapsed_s())
        if item is not None and (stop := before_planning(item, view.incarnation)) is not None:
            return ZoneReport(wish, stop)
        if item is not None and (stop := self._unvouched(item)) is not None:
            return ZoneReport(wish, stop)
        try:
            standing = await self._standing(wish, item)
        except PlanUnusable as error:
            return ZoneReport(wish, unusable(wish.label, error))
        except ReadFailed as error:
            return ZoneReport(wish, unread(wish.label, error))
        if item is not None and standing.plan is not None:
            stop_or_none = misplaced_plan(item, standing.plan, wish.zone)
            if stop_or_none is not None:
                return ZoneReport(wish, stop_or_none, standing)
        drawing = self._memory_of(wish).drawing
        drawn, turn = drawing.draw(wish, item, standing, sight, in_waves=in_waves)
        outcome = await self._decide(wish, view, standing, drawn, may_write=may_write)
        if isinstance(outcome, Unchanged) and turn is None:
            self._memory_of(wish).pace.settle()
        told = drawn.told(outcome)
        return ZoneReport(wish, told, standing, drawn.candidate, turn, drawn.waits)

    async def take_turn(
        self, report: ZoneReport, view: TableView, *, may_write: bool
    ) -> ZoneReport:
        """Let a zone that published nothing in this pass take up the changed config."""
        wish, standing, turn = report.wish, report.standing, report.turn
        if standing is None or turn is None:
            return report
        outcome = await self._decide(wish, view, standing, turn, may_write=may_write)
        return ZoneReport(wish, outcome, standing, turn.candidate)

    async def _standing(self, wish: ZoneWish, item: GenerationItem | None) -> Standing:
        """The newest plan, from memory when it is still the newest: a plan never changes."""
        if item is None or item.head == NO_GENERATION:
            return NOTHING
        memory = self._memory_of(wish)
        if memory.standing.plan_id != item.head_id:
            plan = unseal(await self._archive.load(item.head_id))
            memory.standing = standing_of(plan, item.head_id, seen_s=int(self._clock.now_s()))
        return memory.standing

    def _unvouched(self, item: GenerationItem) -> Held | None:
        return unvouched_words(item, self.keyring, now_s=int(self._clock.now_s()))

    async def _decide(
        self,
        wish: ZoneWish,
        view: TableView,
        standing: Standing,
        drawn: Drawn,
        *,
        may_write: bool,
    ) -> PlanOutcome:
        candidate = drawn.candidate
        if standing.plan is None and (stop := _not_begun(wish, candidate)) is not None:
            return stop
        item = view.items.get(wish.label) or self._new_item(wish, view)
        if candidate.is_same_as(standing):
            return Unchanged(item.head)
        try:
            plan = self._plan(wish, item, standing, drawn)
        except InvalidRecord as error:
            return held(HoldRule.ERA_USED_UP, wish.label, str(error), command="reconcile")
        refused = judge(standing.content, plan, wish.limits, standing_since_s=standing.created_s)
        if refused:
            return Refused(refused)
        if not may_write:
            return Pending(plan.generation)
        return await self._admit(wish, item, plan, view)

    async def _admit(
        self, wish: ZoneWish, item: GenerationItem, plan: Plan, view: TableView
    ) -> PlanOutcome:
        pace, now_s = self._memory_of(wish).pace, self._clock.elapsed_s()
        waiting = pace.why_wait(
            item,
            now_s=now_s,
            wait_s=self.wait_s(wish.label),
            plans_per_min_max=self._plans_per_min_max,
            zones_behind=view.zones_behind,
        )
        if waiting is not None:
            return waiting
        if (
            wish.label not in view.items
            and (lost := await self._publisher.create(item)) is not None
        ):
            return lost
        outcome = await self._publisher.publish(item, plan)
        if isinstance(outcome, Published):
            pace.notice(plan.generation, now_s=now_s)
        return outcome

    def _new_item(self, wish: ZoneWish, view: TableView) -> GenerationItem:
        return GenerationItem(
            label=wish.label,
            owner=self._jitter.token(OWNER_BITS),
            incarnation=view.incarnation,
            nonce=self._jitter.token(NONCE_BITS),
        )

    def _plan(self, wish: ZoneWish, item: GenerationItem, standing: Standing, drawn: Drawn) -> Plan:
        candidate, number = drawn.candidate, next_generation(item.head)
        now_s = int(self._clock.now_s())
        waivers = waived(item, now_s=now_s)
        before = () if standing.plan is None else carried_waivers(standing.plan, item.applied)
        return Plan(
            schema=SCHEMA,
            owner=item.owner,
            label=wish.label,
            zone=wish.zone,
            generation=number,
            base=item.head,
            created_s=now_s,
            author=self._author,
            reason=summary(candidate, standing) + in_words(waivers),
            content=candidate.content(),
            ledger=candidate.sorted_ledger(),
            retired=candidate.retired,
            waivers=(*before, *waivers),
            turn=drawn.turn(standing, number, now_s=now_s),
        )

    def _memory_of(self, wish: ZoneWish) -> _Memory:
        if wish.label not in self._memory:
            self._memory[wish.label] = _Memory(Drawing(self._clock, self._author))
        return self._memory[wish.label]


def _not_begun(wish: ZoneWish, candidate: Candidate) -> Waiting | Held | None:
    """A zone's first plan waits for its whole first probe round, and needs something to say."""
    if candidate.is_waiting:
        return Waiting("the first probe round is not over")
    if not candidate.units:
        text = f"{wish.label} states no record that can be published"
        return Held(HoldRule.NOTHING_STATED, text, "dns-planner plan")
    return None
