"""What one cycle of one zone carries from batch to batch: the plan, the fence as it stands, and
the names held back. It lives for one cycle and is thrown away with it, so that no plan is ever
carried across a lost race or a back-off."""

from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import groupby, takewhile
from operator import attrgetter, le

from dnsplan.diff import NameChange
from dnsplan.errors import PlanMissing
from dnsplan.fence import FenceRecord, SeenFence, to_record_set
from dnsplan.names import Name, display, listing_order
from dnsplan.normal import normal_form
from dnsplan.plan import Digest, Generation, Plan, PlanId
from dnsplan.records import RecordSet, Unit, unit_of
from enactor.rules.drift import FOREIGN
from enactor.rules.exceptions import ExceptionsRow, HeldName
from enactor.rules.waiting import StandingHeld, why_waits
from enactor.settings import ZoneTask


class Unexplained(PlanMissing):
    """An older plan would say whether what stands is ours; an operator says it by adopting."""


@dataclass(slots=True, kw_only=True)
class Progress:
    """Mutable state of one cycle. `fence` is what the next batch deletes (None: there is none).

    `base` is the newest plan known to have stood whole; `known` are all plans that may explain
    what stands, but for the names in `held_before`, which the standing fence holds back.
    `unread` are plans before this one whose bodies cannot be had: what they stated is not known.
    `possible` are plans that may have landed in part and were overtaken, or whose held names are
    forgotten: they explain what they state exactly, and nothing else.
    `earlier` are, where held names are forgotten, all plans before this one, the newest first: what
    a name keeps is of one of them, for as far back as each plan states the name.
    `standing` is what held names keep, as far as it was looked at.
    `refused` counts batches of this cycle, `refused_in_a_row` those since one was accepted.
    """

    task: ZoneTask
    plan: Plan
    digest: Digest
    desired: "Desired"
    base: Plan | None
    known: tuple["Desired", ...]
    possible: tuple["Desired", ...] = ()
    earlier: tuple["Desired", ...] = ()
    unread: tuple[PlanId, ...] = ()
    fence: SeenFence | None
    held: dict[Name, HeldName] = field(default_factory=dict)
    held_before: Mapping[Name, HeldName] = field(default_factory=dict)
    standing: StandingHeld = field(default_factory=StandingHeld)
    changed: list[Name] = field(default_factory=list)
    ended: set[Unit] = field(default_factory=set)
    drifted: set[Name] = field(default_factory=set)
    change_id: str | None = None
    batches: int = 0
    rounds: int = 0
    refused: int = 0
    refused_in_a_row: int = 0
    last_refusal: tuple[str, ...] = ()
    claimed: bool = False

    def next_fence(self, *, nonce: str, writer: str, batches_left: int) -> FenceRecord:
        """The fence after the next batch. Steps go on from the fence; they never start again."""
        standing = self.fence.record if self.fence is not None else None
        resumes = standing is not None and standing.generation == self.plan.generation
        step = standing.step + 1 if resumes and standing is not None else 1
        base = standing.base if resumes and standing is not None else self._base_generation()
        return FenceRecord(
            generation=self.plan.generation,
            step=step,
            steps=step + batches_left,
            base=base,
            held=len(self.held),
            owner=self.plan.owner,
            writer=writer,
            nonce=nonce,
            digest=self.digest,
        )

    def hold(self, name: Name, reason: str, standing: Iterable[RecordSet]) -> None:
        """Let a name keep its present records, which are these and not, or not all, of our making.

        Unexplained when they may be ours and the plan that would say so cannot be read.
        """
        if reason == FOREIGN and self.unread:
            gone = self.unread[0]
            raise Unexplained(
                f"plan {gone.generation} would explain what stands at {display(name)} and cannot be"
                f" read; dns-runbook adopt {gone.label} takes over what stands"
            )
        self.keep(HeldName(name, reason, self.desired.of(name)), standing)

    def hold_ours(self, change: NameChange, reason: str) -> None:
        """Let a name keep its present records, which are ours and stand as this change says."""
        standing = self.standing_at(change)
        kept = tuple(map(normal_form, standing))
        self.keep(HeldName(change.name, reason, self.desired.of(change.name), kept), standing)

    def standing_at(self, change: NameChange) -> tuple[RecordSet, ...]:
        """What goes, and what stands already as the plan states it."""
        stays = (one for one in self.desired.of(change.name) if one not in change.after)
        return (*change.before, *stays)

    def keep(self, held: HeldName, standing: Iterable[RecordSet]) -> None:
        """Let a name stay held, whose records are these."""
        self.held[held.name] = held
        self.standing.note(held.name, standing, self.task.zone.name)

    def why_waits(self, change: NameChange) -> str | None:
        """Why a change must wait with a held name; None when it may be made."""
        return why_waits(change, self.desired.of, self.standing, self.task.zone.name)

    def stated_before(self, name: Name) -> tuple[tuple[RecordSet, ...], ...]:
        """What each known plan had at a name; for one that is held, what it kept of ours instead.

        Where a stranger's records kept the plan out, it had nothing.
        """
        before = self.held_before.get(name)
        if before is not None and before.kept is not None:
            return (before.kept,)
        kept_out = before is not None and before.reason == FOREIGN
        return tuple(() if kept_out else plan.of(name) for plan in self.known)

    def left_at(self, name: Name) -> tuple[tuple[RecordSet, ...], ...]:
        """What each overtaken plan may have left at a name, and what it may have kept unnoted.

        Before a plan that did not have the name, it had ended: what stands since may be another's.
        """
        left = (plan.of(name) for plan in self.possible)
        return (*left, *takewhile(bool, (plan.of(name) for plan in self.earlier)))

    def doubt(self, generations: Collection[Generation]) -> None:
        """These plans stand but for names that nobody can tell: they explain what stands exactly
        as they state it, and nothing else."""
        doubted = tuple(plan for plan in self.known if plan.generation in generations)
        self.known = tuple(plan for plan in self.known if plan not in doubted)
        self.possible += doubted

    def units_with(self, held: Iterable[HeldName]) -> frozenset[Unit]:
        """Names and types that this plan may change: its own, those of the plans before it, and
        those that held names kept, or may have kept, in the way of what this plan states."""
        plans = (self.desired, *self.known, *self.possible)
        kept = (one for name in held for one in name.kept or ())
        unnoted = (unit for plan in self.earlier for unit in plan.units if self._in_the_way(unit))
        return frozenset((*map(unit_of, kept), *unnoted)).union(*(plan.units for plan in plans))

    def note_drift(self, name: Name) -> None:
        """A name was changed by others and is mended."""
        self.drifted.add(name)

    def landed(
        self, fence: FenceRecord, change_id: str | None, changes: tuple[NameChange, ...]
    ) -> None:
        """Note an accepted batch: its fence is what the next one deletes."""
        self.fence = SeenFence(fence, to_record_set(fence, self.task.zone.name))
        self.change_id = change_id
        self.refused_in_a_row = 0
        self.changed.extend(change.name for change in changes)
        gone = {unit_of(one) for change in changes for one in change.before}
        self.ended |= {unit for unit in gone if not self.desired.states(unit)}
        self.batches += 1

    def note_refusal(self, messages: tuple[str, ...]) -> None:
        """Count a batch that was refused with the fence unmoved, and keep Route 53's words."""
        self.refused += 1
        self.refused_in_a_row += 1
        self.last_refusal = messages

    def exceptions(self, nonce: str) -> ExceptionsRow:
        """The names held back now, to be kept under the nonce of the next fence."""
        names = tuple(self.held[name] for name in sorted(self.held))
        return ExceptionsRow(self.task.zone.label, self.plan.generation, nonce, names)

    def notes(self) -> tuple[str, ...]:
        """What people should know of single names, by name."""
        held = map(str, self.held.values())
        mended = [f"{display(name)} was changed by others: mended" for name in self.drifted]
        return tuple(sorted((*held, *mended)))

    def _in_the_way(self, unit: Unit) -> bool:
        """Whether records of this type cannot stand beside what the plan states for the name."""
        return any(
            (unit[1] == "CNAME") != (one.type == "CNAME") for one in self.desired.of(unit[0])
        )

    def _base_generation(self) -> Generation:
        return self.fence.record.generation if self.fence is not None else Generation(0)


# A plan that changes few names is asked for few; an index of all of it costs more than looking.
LOOKED_UP_MAX = 1_000


class Desired:
    """A plan's content by name, indexed once when many names are asked for."""

    def __init__(self, plan: Plan) -> None:
        """Keep the plan."""
        self.generation = plan.generation
        self._content = plan.content
        self._looked_up = 0

    def of(self, name: Name) -> tuple[RecordSet, ...]:
        """What the plan states for a name."""
        if self._looked_up >= LOOKED_UP_MAX:
            return self._by_name.get(name, ())
        self._looked_up += 1
        names, content = self._in_name_order
        first = bisect_left(names, name)
        return content[first : bisect_right(names, name, lo=first)]

    def states(self, unit: Unit) -> bool:
        """Whether the plan answers for this name and type."""
        return any(unit_of(one) == unit for one in self.of(unit[0]))

    @cached_property
    def units(self) -> frozenset[Unit]:
        """The names and types that the plan answers for."""
        return frozenset(map(unit_of, self._content))

    def between(self, start: Name | None, following: Name | None) -> tuple[RecordSet, ...]:
        """Content whose names lie from start up to, but not with, following, as zones list them."""
        keys, ordered = self._in_listing_order
        first = 0 if start is None else bisect_left(keys, listing_order(start))
        last = len(keys) if following is None else bisect_left(keys, listing_order(following))
        return ordered[first:last]

    @cached_property
    def _in_listing_order(self) -> tuple[list[str], tuple[RecordSet, ...]]:
        ordered = sorted(self._content, key=lambda one: listing_order(one.name))
        return [listing_order(one.name) for one in ordered], tuple(ordered)

    @cached_property
    def _in_name_order(self) -> tuple[list[Name], tuple[RecordSet, ...]]:
        """As plans are made; what was made otherwise must not hide a name."""
        content = self._content
        names = [one.name for one in content]
        if not all(map(le, names, names[1:])):
            content = tuple(sorted(content, key=attrgetter("name")))
            names.sort()
        return names, content

    @cached_property
    def _by_name(self) -> Mapping[Name, tuple[RecordSet, ...]]:
        _, content = self._in_name_order
        return {n: tuple(group) for n, group in groupby(content, key=attrgetter("name"))}
