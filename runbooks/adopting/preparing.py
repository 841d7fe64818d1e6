"""Finds out whether a zone can be adopted, and what plan would be written from what stands.

Only reads. A zone in doubt (another owner's fence, a table that lost history, a freeze, a pin) is
refused with what to run; a zone whose fence stands has nothing to adopt. The number of the plan is
the next one of this table, so that no number ever names two contents, also after a lost fence: a
plan that is published and that nobody claimed is the only one that is taken up again.
"""

from dataclasses import dataclass

from dnsplan import codec
from dnsplan.errors import DnsplanError, InvalidRecord, PlanUnusable
from dnsplan.fence import FenceRecord, SeenFence
from dnsplan.generation import GenerationItem
from dnsplan.names import Name
from dnsplan.plan import (
    NO_GENERATION,
    SCHEMA,
    Plan,
    PlanId,
    carried_waivers,
    next_generation,
    sorted_content,
)
from dnsplan.ports import Zone
from dnsplan.records import RecordSet, unit_of
from enactor.ports import Cursor
from planner.rules.candidate import ZoneWish
from planner.rules.standing import ledger_seen
from runbooks.adopting.refusals import check_damaged, check_fence, check_item
from runbooks.adopting.survey import Survey, survey, wanted_units
from runbooks.controls.fence_mover import NONCE_BITS, Tell
from runbooks.controls.outside import Operator, Outside, Refused
from runbooks.controls.standing import read_standing

OWNER_BITS = 128

# The most that one answer holds. Source: API reference, ListResourceRecordSets.
PAGE_ITEMS = 300

# A listing of a long zone takes minutes; an operator hears of it each so many pages.
PAGES_TOLD = 20


class NothingToAdopt(DnsplanError):
    """The zone is in order as it is, or enactors can begin by themselves; the text says which."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepared:
    """A zone that may be adopted.

    `plan` is None when nothing stands and the label only has to be bound to the zone. `published`
    is the head where it already is this plan. `damaged` is what stands at the fence's name and
    cannot be read.
    """

    zone: Zone
    wish: ZoneWish
    item: GenerationItem
    is_new: bool
    survey: Survey
    plan: Plan | None
    published: PlanId | None
    fence: SeenFence | None
    damaged: tuple[RecordSet, ...]
    listed_s: float

    @property
    def bound_before(self) -> str | None:
        """The other hosted zone that the label is bound to, if it is."""
        before = self.item.zone_id
        return None if before in (None, self.zone.zone_id) else before

    @property
    def names(self) -> frozenset[Name]:
        """Where records are managed, or will be."""
        standing = {one.name for one in self.survey.content}
        return frozenset(standing | {name for name, _ in wanted_units(self.wish)})


class Preparing:
    """Reads through the ports."""

    def __init__(self, outside: Outside, operator: Operator) -> None:
        """The operator will be the plan's author."""
        self._outside = outside
        self._operator = operator

    async def prepare(self, zone: Zone, wish: ZoneWish, tell: Tell) -> Prepared:
        """What adopting would write, or Refused, or NothingToAdopt."""
        found = (await self._outside.table.read((zone.label,))).get(zone.label)
        incarnation = await self._outside.table.incarnation()
        item = found or self._new_item(zone, incarnation)
        check_item(item, incarnation)
        fence, damaged = await self._fence(zone, item)
        rebinds = item.zone_id not in (None, zone.zone_id)
        if fence is not None and not rebinds and await self._is_explained(item, fence.record):
            _check_standing(item, fence.record)
        newest = await self._newest(item, wish, None if fence is None else fence.record)
        listed = await self.list_zone(zone, tell)
        surveyed = survey(listed, wish, newest)
        is_blank = not surveyed.content and fence is None and not damaged
        if is_blank and not rebinds:
            raise NothingToAdopt(
                f"nothing stands yet at the names of {zone.label} that dns.yaml states: the"
                " enactors begin by themselves, there is nothing to adopt"
            )
        plan = None if is_blank else self._plan(item, wish, surveyed, newest)
        taken_up = plan is not None and _is_taken_up(item, newest, plan)
        return Prepared(
            zone=zone,
            wish=wish,
            item=item,
            is_new=found is None,
            survey=surveyed,
            plan=newest if taken_up else plan,
            published=item.head_id if taken_up else None,
            fence=fence,
            damaged=damaged,
            listed_s=self._outside.clock.elapsed_s(),
        )

    async def list_zone(self, zone: Zone, tell: Tell) -> tuple[RecordSet, ...]:
        """Every record set of the zone, page by page."""
        listed: list[RecordSet] = []
        cursor: Cursor | None = None
        pages = 0
        while True:
            page = await self._outside.records.list_page(zone, cursor)
            listed.extend(page.record_sets)
            pages += 1
            if page.following is None:
                return tuple(listed)
            if pages % PAGES_TOLD == 0:
                tell(f"{zone.label}: {len(listed)} record sets listed so far")
            cursor = page.following

    async def managed_again(self, prepared: Prepared, tell: Tell) -> tuple[RecordSet, ...]:
        """What stands at the managed names now, by the fewer requests: a few names of a long zone
        one by one, else the whole zone."""
        zone, names = prepared.zone, prepared.names
        if len(names) * PAGE_ITEMS > prepared.survey.listed:
            return await self.list_zone(zone, tell)
        found: list[RecordSet] = []
        for name in sorted(names):
            found.extend(await self._outside.records.list_name(zone, name))
        return tuple(found)

    async def _fence(
        self, zone: Zone, item: GenerationItem
    ) -> tuple[SeenFence | None, tuple[RecordSet, ...]]:
        """The fence, or what stands in its place and cannot be read."""
        standing = await read_standing(self._outside.records, zone)
        if standing.damaged:
            check_damaged(item, standing)
        if standing.fence is not None:
            check_fence(item, standing.fence)
        return standing.fence, standing.damaged

    async def _is_explained(self, item: GenerationItem, fence: FenceRecord) -> bool:
        """Whether the plan that the fence names can be read: else nobody knows what is ours."""
        named = PlanId(item.label, fence.generation, fence.digest)
        if fence.generation in (NO_GENERATION, item.head):
            return True  # no plan, or the one that is read anyway
        try:
            codec.contents(await self._outside.archive.load(named))
        except PlanUnusable:
            return False
        return True

    async def _newest(
        self, item: GenerationItem, wish: ZoneWish, fence: FenceRecord | None
    ) -> Plan | None:
        if item.head == NO_GENERATION:
            return None
        try:
            newest = codec.standing(await self._outside.archive.load(item.head_id), fence)
        except PlanUnusable as error:
            raise Refused(
                f"the newest plan of {item.label} cannot be used: {error}; run dns-runbook"
                f" reconcile {item.label}"
            ) from error
        if newest.zone != wish.zone:
            raise Refused(
                f"label {item.label} was planned for {newest.zone} and the config says {wish.zone}:"
                " give the new zone a label of its own"
            )
        return newest

    def _plan(
        self, item: GenerationItem, wish: ZoneWish, found: Survey, newest: Plan | None
    ) -> Plan:
        """The plan from what stands; where nothing does and the fence alone is damaged, the newest
        plan again."""
        content = found.content or (() if newest is None else newest.content)
        if not content:
            raise Refused(
                f"nothing stands at the names of {item.label} that dns.yaml states and no plan is"
                " published; run dns-planner plan --publish first, then adopt again"
            )
        standing = {unit_of(one) for one in content}
        now_s = int(self._outside.clock.now_s())
        ledger = {} if newest is None else ledger_seen(newest, seen_s=now_s)
        try:
            number = next_generation(item.head)
        except InvalidRecord as error:
            raise Refused(str(error)) from error
        return Plan(
            schema=SCHEMA,
            owner=item.owner,
            label=item.label,
            zone=wish.zone,
            generation=number,
            base=item.head,
            created_s=now_s,
            author=f"operator {self._operator.name}",
            reason=f"adopt: {self._operator.because}",
            content=sorted_content(content),
            ledger=tuple(ledger[unit] for unit in sorted(ledger.keys() & standing)),
            retired=() if newest is None else newest.retired,
            waivers=() if newest is None else carried_waivers(newest, item.applied),
        )

    def _new_item(self, zone: Zone, incarnation: str) -> GenerationItem:
        return GenerationItem(
            label=zone.label,
            owner=self._outside.jitter.token(OWNER_BITS),
            incarnation=incarnation,
            nonce=self._outside.jitter.token(NONCE_BITS),
        )


def _check_standing(item: GenerationItem, fence: FenceRecord) -> None:
    """A fence of a plan of ours stands: there is something to adopt only where names are held back,
    since others' records stand there, and only once enactors have nothing more to do."""
    label = item.label
    if fence.generation == NO_GENERATION:
        return
    if fence.held == 0 or not fence.is_complete:
        raise NothingToAdopt(
            f"{label} is adopted: its fence stands at generation {fence.generation}, step"
            f" {fence.step}/{fence.steps}; look at dns-runbook status {label}"
        )
    if fence.generation != item.head:
        raise Refused(
            f"enactors are on the way from generation {fence.generation} to {item.head} in {label};"
            f" wait until dns-runbook status {label} shows it applied, then adopt again"
        )


def _is_taken_up(item: GenerationItem, newest: Plan | None, plan: Plan) -> bool:
    """Whether the newest plan says the same, and no fence can ever have named it."""
    return (
        newest is not None
        and item.claimed < item.head
        and (newest.owner, newest.content) == (plan.owner, plan.content)
    )
