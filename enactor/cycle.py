"""One bounded pass over one zone: read, decide, act once, report.

A pause of an hour at any await costs a refused batch and nothing else: what is decided here is
checked again by Route 53 itself, against the fence that this pass read first.
"""

from typing import assert_never

from dnsplan.errors import DnsplanError, FenceDamaged, ItemUnreadable, PlanUnusable, ReadFailed
from dnsplan.fence import NoFence, SeenFence
from dnsplan.generation import GenerationItem
from dnsplan.names import Name
from dnsplan.outcomes import Unknown as WriteUnknown
from dnsplan.plan import Generation, PlanId
from dnsplan.transitions import record_ahead, record_applied
from enactor.auditing import Auditor
from enactor.confirming import Awaited, Confirmed, Confirmer, Gone, NotYet
from enactor.enacting import Enacting, noted_base
from enactor.notes import in_sync
from enactor.observing import Observing
from enactor.ports import Outside
from enactor.progress import Progress, Unexplained
from enactor.room import RoomWatch
from enactor.rules import adoption
from enactor.rules.adoption import Advance, Done, First, MarkAhead, Relist
from enactor.rules.drift import Drift
from enactor.rules.findings import Findings
from enactor.rules.outcomes import Applied, Held, HoldRule, Outcome, Unknown
from enactor.sending import NONCE_BITS, AllSent, SendOutcome
from enactor.settings import Pace, ZoneTask
from enactor.shelf import Shelf


class EnactCycle:
    """Applies plans to zones, one zone at a call. It may be thrown away and made anew any time."""

    def __init__(self, outside: Outside, *, az: str, pace: Pace) -> None:
        """`az` is written into fences as the writer."""
        self._table = outside.table
        self._records = outside.records
        self._exceptions = outside.exceptions
        self._jitter = outside.jitter
        self._keyring = outside.keyring
        shelf = self._shelf = Shelf(outside.archive)
        self._room = RoomWatch(outside.quotas, outside.clock.elapsed_s)
        self._enacting = Enacting(outside, shelf, self._room, az=az, pace=pace)
        self._auditor = Auditor(outside, shelf, pace=pace)
        self._observing = Observing(outside, shelf, pace=pace)
        self._confirmer = Confirmer(outside, pace=pace)
        self._awaited: dict[str, Awaited] = {}
        self._to_mend: dict[str, frozenset[Name]] = {}
        self._mended: dict[str, frozenset[Name]] = {}

    async def run_once(
        self,
        task: ZoneTask,
        item: GenerationItem | ItemUnreadable | None,
        *,
        incarnation: str,
        audits: bool = False,
    ) -> Outcome:
        """Bring the zone towards its plan. `item` and `incarnation` were read in this pass.

        When it `audits`, the fence comes with a look at the zone's next page, and what others
        changed on it is mended.
        """
        adopted = adoption.before_fence(
            item, task.zone, incarnation=incarnation, keyring=self._keyring
        )
        if isinstance(adopted, Held):
            return adopted
        label = task.zone.label
        try:
            await self._shelf.fetch(adopted.item, adopted.plan_id, noted_base(adopted.item))
            if audits:
                fence = await self._audit(task, adopted.item, adopted.plan_id)
            else:
                fence = await self._records.read_fence(task.zone)
            return await self._decide(task, adopted.item, adopted.plan_id, fence)
        except FenceDamaged as error:
            return Held(HoldRule.FENCE_DAMAGED, str(error), f"dns-runbook adopt {label}")
        except Unexplained as error:
            return Held(HoldRule.PLAN_UNUSABLE, str(error), f"dns-runbook adopt {label}")
        except PlanUnusable as error:
            return adoption.unusable(label, error)
        except DnsplanError as error:
            return adoption.unreachable(label, error)

    def findings(self, label: str) -> Findings:
        """What is known of a zone, for people."""
        return Findings(
            drift=self._auditor.known(label),
            returned=self._auditor.returned(label),
            would_change=self._observing.seen(label),
            room_warning=self._room.warning(label),
        )

    def audit_pages(self, label: str) -> int | None:
        """How many looks it takes to get around a zone; None: look at the next page soon."""
        if self._auditor.hurries(label):
            return None
        return self._auditor.pages(label, counted=self._room.count(label))

    def awaits(self, item: GenerationItem) -> bool:
        """Whether an accepted change is not known to be in sync, or names are yet to be mended."""
        awaited = self._awaited.get(item.label)
        if awaited is not None and awaited.is_over(item):
            del self._awaited[item.label]
        return item.label in self._awaited or item.label in self._to_mend

    def next_look_s(self, label: str) -> float | None:
        """When (elapsed clock) it is worth asking for the change that is awaited, if one is."""
        awaited = self._awaited.get(label)
        return None if awaited is None else awaited.next_poll_s

    async def confirm(self, item: GenerationItem) -> Outcome | None:
        """Go on waiting for an accepted change; None when there is nothing to wait for."""
        awaited = self._awaited.get(item.label)
        if awaited is None:
            return None
        if awaited.is_superseded(item):
            del self._awaited[item.label]
            return None
        try:
            return await self._polled(item, awaited)
        except ReadFailed as error:
            return self._confirmer.unanswered(awaited, error)

    async def _polled(self, item: GenerationItem, awaited: Awaited) -> Outcome | None:
        confirmation = await self._confirmer.poll(awaited)
        seen = awaited.fence.record
        match confirmation:
            case NotYet():
                return Applied(seen.generation, 0, len(awaited.held), confirmed=False)
            case Gone():
                del self._awaited[item.label]
                return None
            case Confirmed(_, (), there):
                if await self._note_applied(item, awaited, good=seen.held == 0):
                    del self._awaited[item.label]
                    self._mended.pop(item.label, None)
                    self._auditor.forget(item.label, but=awaited.held)
                if not there:
                    return Applied(seen.generation, 0, seen.held, confirmed=True)
            case Confirmed(_, drifted, _):
                await self._to_be_mended(item, awaited, drifted)
            case _:
                assert_never(confirmation)
        command = f"dns-runbook audit {item.label}"
        return Held(HoldRule.DRIFT, str(confirmation), command)

    async def _to_be_mended(
        self, item: GenerationItem, awaited: Awaited, found: tuple[Drift, ...]
    ) -> None:
        """What was read back is not what was written: mend it once; then it is for people."""
        names = frozenset(one.name for one in found)
        if names <= self._mended.get(item.label, frozenset()):
            if await self._note_applied(item, awaited, good=False):
                del self._awaited[item.label]
                del self._mended[item.label]
        else:
            self._to_mend[item.label] = names
            self._mended[item.label] = names
            del self._awaited[item.label]

    async def _audit(
        self, task: ZoneTask, item: GenerationItem, target: PlanId
    ) -> SeenFence | NoFence:
        await self._room.look(task.zone)
        looked = await self._auditor.look(task, item, target)
        if looked.to_mend and not task.observe:
            self._to_mend[item.label] = looked.to_mend
        return looked.fence

    async def _decide(
        self,
        task: ZoneTask,
        item: GenerationItem,
        target: PlanId,
        fence: SeenFence | NoFence,
    ) -> Outcome:
        decision = adoption.after_fence(item, target, fence)
        names = self._to_mend.get(item.label)
        match decision:
            case Held():
                return decision
            case MarkAhead(generation):
                return await self._mark_ahead(item, generation)
            case Done() if names is not None:
                return await self._mend(task, item, decision, names)
            case Done(seen, noted) if noted:
                return await in_sync(self._exceptions, item.label, seen.record)
            case _ if task.observe:
                base = noted_base(item)
                return await self._observing.look(task, item, target, noted=base, fence=fence)
            case _:
                return await self._enact(task, item, target, decision)

    async def _mend(
        self, task: ZoneTask, item: GenerationItem, done: Done, names: frozenset[Name]
    ) -> Outcome:
        """The fence says that the plan stands, and these names do not."""
        target = adoption.target_of(item)
        progress = await self._enacting.begin(task, target, done.fence, None)
        sent, left = await self._enacting.mend(progress, item, names)
        if isinstance(sent, AllSent):
            del self._to_mend[item.label]
            if left:
                self._to_mend[item.label] = left
            elif progress.batches == 0:  # it stands as planned again
                return await self._decide(task, item, target, done.fence)
        return self._finished(item, progress, sent)

    async def _enact(
        self,
        task: ZoneTask,
        item: GenerationItem,
        target: PlanId,
        decision: Done | Advance | Relist | First,
    ) -> Outcome:
        enacting, noted = self._enacting, noted_base(item)
        match decision:
            case Done(seen, _):
                progress = await enacting.begin(task, target, seen, None)
                sent = await enacting.renew(progress, item, seen)
            case Advance(seen):
                base = PlanId(item.label, seen.record.generation, seen.record.digest)
                progress = await enacting.begin(task, target, seen, base)
                sent = await enacting.advance(progress, item, seen)
            case Relist(seen, _):
                progress = await enacting.begin(task, target, seen, noted)
                sent = await enacting.by_windows(progress, item)
            case First(seen_or_none):
                progress = await enacting.begin(task, target, seen_or_none, noted)
                sent = await enacting.first(progress, item)
            case _:
                assert_never(decision)
        standing = progress.fence
        if isinstance(sent, AllSent) and progress.change_id is None and standing is not None:
            # The last batch stands, and the answer that named its change was lost.
            sent = await enacting.renew(progress, item, standing)
        return self._finished(item, progress, sent)

    async def _mark_ahead(self, item: GenerationItem, generation: Generation) -> Held:
        nonce = self._jitter.token(NONCE_BITS)
        await self._table.write(record_ahead(item, generation, nonce=nonce))
        text = f"{item.label}'s fence is at {generation}, above or beside head {item.head}"
        return Held(HoldRule.AHEAD, text, f"dns-runbook reconcile {item.label}")

    def _finished(self, item: GenerationItem, progress: Progress, sent: SendOutcome) -> Outcome:
        if not isinstance(sent, AllSent):
            return sent
        fence, label = progress.fence, item.label
        if fence is None:
            return Unknown("nothing was sent")
        self._awaited.pop(label, None)
        if progress.change_id is not None:
            mends = item.applied == progress.plan.generation
            self._awaited[label] = self._confirmer.begin(
                progress, fence, progress.change_id, mends=mends
            )
        held = len(progress.held)
        return Applied(
            progress.plan.generation,
            progress.batches,
            held,
            confirmed=False,
            notes=progress.notes(),
        )

    async def _note_applied(self, item: GenerationItem, awaited: Awaited, *, good: bool) -> bool:
        note = record_applied(
            item,
            awaited.fence.record.generation,
            fence=awaited.fence.listed.values[0],
            good=good,
            nonce=self._jitter.token(NONCE_BITS),
        )
        return not isinstance(await self._table.write(note), WriteUnknown)
