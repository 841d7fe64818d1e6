"""Finds out what a table has lost about a zone, and from which plan it would go on. Only reads.

The fence is read before the zone is listed, and the swap that follows starts from exactly that
fence, so no fenced write can stand between the listing and the plan that is made of it.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from dnsplan import codec
from dnsplan.errors import DnsplanError, PlanUnusable
from dnsplan.fence import SeenFence
from dnsplan.formats.planfile import PlanFile
from dnsplan.generation import GenerationItem
from dnsplan.names import Name
from dnsplan.plan import NO_GENERATION, SCHEMA, Plan, PlanId
from dnsplan.ports import PlanRow, Zone
from planner.rules.candidate import ZoneWish
from runbooks.adopting.preparing import OWNER_BITS, Preparing
from runbooks.adopting.survey import Survey, survey, wanted_units
from runbooks.controls.fence_mover import Tell
from runbooks.controls.freezing import FREEZE_ID_BITS
from runbooks.controls.outside import Mistaken, Operator, Outside, Refused
from runbooks.controls.standing import Standing, read_standing
from runbooks.reconciling import rules
from runbooks.reconciling.rules import History, Making, Word

# Where head cannot be used, the plan before it knows nearly as many names; far back is guessing.
OLDER_PLANS_TRIED_MAX = 5


class NothingToReconcile(DnsplanError):
    """Table and zone agree; what is wrong, if anything is, is mended otherwise."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepared:
    """A history that may be mended. `known` is what was managed, None where nobody knows.

    `keeps` a finished restore's number; `item` is the table's, None where a new one is made.
    `frozen` is the freeze that goes on, and `is_freeze_new` whether it begins here, since nobody
    can tell whether there was one.
    """

    zone: Zone
    wish: ZoneWish
    history: History
    doubts: tuple[str, ...]
    known: Plan | None
    survey: Survey
    plan: Plan
    keeps: bool
    listed_s: float
    frozen: str | None
    is_freeze_new: bool

    @property
    def item(self) -> GenerationItem | None:
        """The table's item."""
        return self.history.item

    @property
    def standing(self) -> Standing:
        """The fence that was shown."""
        return self.history.standing

    @property
    def names(self) -> frozenset[Name]:
        """Where records are managed, or will be."""
        standing = {one.name for one in self.survey.content}
        return frozenset(standing | {name for name, _ in wanted_units(self.wish)})


class Reckoning:
    """Reads through the ports."""

    def __init__(self, outside: Outside, operator: Operator) -> None:
        """The operator will be the plan's author."""
        self._outside = outside
        self._operator = operator

    async def prepare(
        self, zone: Zone, wish: ZoneWish, word: Word, file: PlanFile | None, tell: Tell
    ) -> Prepared:
        """What reconcile would write, or Refused, Mistaken, NothingToReconcile."""
        standing = await read_standing(self._outside.records, zone)
        history, plans = await self._history(zone, standing)
        doubts = rules.doubts(history)
        if not doubts:
            raise NothingToReconcile(_in_order(history))
        rules.check(history, word)
        known = rules.joined(plans, _as_plan(file, zone, wish))
        if known is not None and known.zone != wish.zone:
            raise Refused(
                f"label {zone.label} was planned for {known.zone} and the config says {wish.zone}:"
                " give the new zone a label of its own"
            )
        listed = await Preparing(self._outside, self._operator).list_zone(zone, tell)
        surveyed = survey(listed, wish, known)
        if not surveyed.content:
            raise Refused(
                f"nothing stands at the managed names of {zone.label}, and a zone is never"
                " reconciled to nothing; run dns-runbook restore with a plan file first"
            )
        making = self._making(history, wish, word)
        plan = rules.kept(history, making, surveyed.content)
        frozen = rules.freeze_seen(history)
        is_freeze_new = frozen is None and rules.is_freeze_unknown(history)
        if is_freeze_new:
            frozen = self._outside.jitter.token(FREEZE_ID_BITS)
        return Prepared(
            zone=zone,
            wish=wish,
            history=history,
            doubts=doubts,
            known=known,
            survey=surveyed,
            plan=plan or rules.opened(history, making, known, surveyed.content),
            keeps=plan is not None,
            listed_s=self._outside.clock.elapsed_s(),
            frozen=frozen,
            is_freeze_new=is_freeze_new,
        )

    async def _history(self, zone: Zone, standing: Standing) -> tuple[History, tuple[Plan, ...]]:
        """What the table knows, and the plans that can still be read."""
        table, label = self._outside.table, zone.label
        item = (await table.read((label,))).get(label)
        rows = await self._outside.archive.rows(label)
        plans: list[Plan] = []
        lost_head: PlanUnusable | None = None
        for plan_id in _named(item, standing):
            try:
                envelope = await self._outside.archive.load(plan_id)
                plans.append(_plan(envelope, standing.fence))
                codec.check_vouched(envelope)
            except PlanUnusable as error:
                if item is not None and plan_id == item.head_id:
                    lost_head = error
        history = History(
            label=label,
            item=item,
            incarnation=await table.incarnation(),
            standing=standing,
            lost_head=lost_head,
            issued=tuple(row.plan_id.generation for row in rows),
        )
        return history, tuple(plans) or await self._older(rows)

    async def _older(self, rows: Sequence[PlanRow]) -> tuple[Plan, ...]:
        """The newest plan that can be read, where neither head nor the fence's can."""
        living = [row for row in rows if row.deleted_s is None]
        for row in reversed(living[-OLDER_PLANS_TRIED_MAX:]):
            try:
                return (_plan(await self._outside.archive.load(row.plan_id), None),)
            except PlanUnusable:
                continue
        return ()

    def _making(self, history: History, wish: ZoneWish, word: Word) -> Making:
        """A zone without an item gets an owner of its own: whoever wrote it before is shut out."""
        item = history.item
        owner = self._outside.jitter.token(OWNER_BITS) if item is None else item.owner
        return Making(
            owner=owner,
            zone=wish.zone,
            now_s=int(self._outside.clock.now_s()),
            operator=self._operator,
            above=word.above,
        )


def _plan(envelope: codec.Envelope, fence: SeenFence | None) -> Plan:
    return codec.standing(envelope, None if fence is None else fence.record)


def _named(item: GenerationItem | None, standing: Standing) -> Iterator[PlanId]:
    """The plans that head and fence name."""
    head = None if item is None or item.head == NO_GENERATION else item.head_id
    if head is not None:
        yield head
    fence = None if standing.fence is None else standing.fence.record
    if item is not None and fence is not None and fence.generation > NO_GENERATION:
        named = PlanId(item.label, fence.generation, fence.digest)
        if named != head:
            yield named


def _in_order(history: History) -> str:
    label = history.label
    if history.item is None:
        return (
            f"the table knows nothing of {label}, and its zone has no fence: run dns-runbook adopt"
        )
    if history.standing.fence is None:
        return (
            f"{label}'s history is in order, and its fence is lost: run dns-runbook adopt {label}"
        )
    return f"{label}'s table and fence agree: nothing is to be reconciled"


def _as_plan(file: PlanFile | None, zone: Zone, wish: ZoneWish) -> Plan | None:
    """A file that says which names are managed, where the table knows it no more."""
    if file is None:
        return None
    if (file.label, file.zone) != (zone.label, wish.zone):
        raise Mistaken(
            f"the file is of {file.label} ({file.zone}); allowed: one of {zone.label} ({wish.zone})"
        )
    return Plan(
        schema=SCHEMA,
        owner=file.owner,
        label=file.label,
        zone=file.zone,
        generation=file.generation,
        base=NO_GENERATION,
        created_s=0,
        author=file.author,
        reason=file.reason,
        content=file.content,
    )
