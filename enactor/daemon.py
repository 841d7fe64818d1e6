"""Runs cycles for all zones of one AZ: who acts when, what is shown to the peers, what is logged.

Nothing here decides what a zone holds. Losing all memory of this module costs pace, never safety.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from math import inf

import structlog
from msgspec import structs

from dnsplan.errors import ItemUnreadable
from dnsplan.generation import GenerationItem
from dnsplan.plan import NO_GENERATION, PlanId
from dnsplan.ports import PresenceBoard, ZoneSighting
from dnsplan.trace import trace_of
from enactor.admission import Admission, Work, in_line
from enactor.cycle import EnactCycle
from enactor.pacing import ZonePacing
from enactor.peers import PeerWatch
from enactor.ports import NoLine, Outside, RequestLine
from enactor.report import gist, log_findings, log_outcome, sighting_of
from enactor.rules import adoption
from enactor.rules.outcomes import Applied, Held, HoldRule, InSync, Outcome, Waiting
from enactor.rules.stagger import Peer
from enactor.rules.urgency import Due, Errand
from enactor.settings import Pace, ZoneTask
from enactor.turns import Turns

# The table's id is read again before every claim; between, once in this time is enough to hold.
INCARNATION_EVERY_S = 30.0


class EnactorDaemon:
    """One AZ's enactor over all its zones."""

    def __init__(
        self,
        outside: Outside,
        board: PresenceBoard,
        *,
        az: str,
        azs: Sequence[str],
        pace: Pace,
        line: RequestLine | None = None,
    ) -> None:
        """`azs` are all AZs that run an enactor; `az` is this one. Zones are admitted later.
        Without a `line` nothing limits requests."""
        self._table, self._keyring = outside.table, outside.keyring
        self._clock, self._jitter = outside.clock, outside.jitter
        self.tasks: dict[str, ZoneTask] = {}
        self._az, self._pace = az, pace
        self._turns = Turns(az=az, azs=azs, pace=pace)
        line = line or NoLine()
        self._has_spare = line.has_spare
        self._cycle = EnactCycle(outside, az=az, pace=pace)
        self._admission = Admission(pace.zones_at_once, patiently=line.patiently)
        self._log = structlog.get_logger("enactor").bind(az=az)
        self.watch = PeerWatch(board, clock=self._clock, az=az, announce_s=pace.announce_s)
        self._incarnation: tuple[str, float] | None = None
        self._news = True
        self.pacing: dict[str, ZonePacing] = {}
        self._bound_elsewhere: set[str] = set()
        # Who measures is told every outcome, with its zone's label.
        self.witness: Callable[[str, Outcome], None] = lambda _label, _outcome: None

    def admit(self, task: ZoneTask) -> None:
        """Work on this zone from the next pass on; its first checks come at a random time."""
        self.tasks[task.zone.label] = task
        self._turns.zones = len(self.tasks)
        first_s = self._clock.elapsed_s() + self._jitter.uniform(0, self._turns.check_every_s())
        audit_s = first_s + min(self._pace.audit_s, self._pace.fence_check_s)
        self.pacing[task.zone.label] = ZonePacing(first_s, audit_s)

    def dismiss(self, label: str) -> None:
        """Work on this zone no more; what is under way ends by itself, and the zone stays."""
        if self.tasks.pop(label, None) is not None:
            self.pacing[label].sighting = None
            self._bound_elsewhere.discard(label)
            self._turns.zones, self._news = len(self.tasks), True

    def bound_elsewhere(self) -> frozenset[str]:
        """Labels that the table binds to another zone than was found: it may have been made again,
        so it should be found again."""
        return frozenset(self._bound_elsewhere)

    async def run_once(self) -> None:
        """Look at every zone and start what is due. ReadFailed when the table cannot be read."""
        self._collect()
        tasks = dict(self.tasks)  # a zone may be admitted meanwhile; its item was not read
        items = await self._table.read_each(tuple(tasks)) if tasks else {}
        incarnation = await self._current_incarnation()
        peers = await self.watch.look() if self._needs_peers(items) else {}
        due: dict[Due, Work] = {}
        for label, task in tasks.items():
            if self.tasks.get(label) is not task or self._admission.is_running(label):
                continue
            found = self._considered(task, item := items.get(label), incarnation, peers)
            if found is not None and isinstance(item, GenerationItem):
                due[found] = partial(self._act, task, item, incarnation, found)
        line = in_line(due, self._pace, az=self._az, now_s=self._clock.elapsed_s())
        self._admission.offer(line)
        await self._announce()

    async def finish(self) -> None:
        """Wait for the zones under way."""
        await self._admission.finish()

    async def close(self, *, grace_s: float) -> None:
        """Let the zones under way end, then cut them off: the next cycle reads what came of it."""
        await self._admission.close(grace_s=grace_s)

    def _collect(self) -> None:
        self._admission.collect()
        for label in self.pacing.keys() - self.tasks.keys():
            if not self._admission.is_running(label):
                del self.pacing[label]  # dismissed

    def _considered(
        self,
        task: ZoneTask,
        item: GenerationItem | ItemUnreadable | None,
        incarnation: str,
        peers: Mapping[str, Peer],
    ) -> Due | None:
        """Why work on the zone is due now, if it is; otherwise the reason is reported."""
        label, pacing = task.zone.label, self.pacing[task.zone.label]
        now_s = self._clock.elapsed_s()
        # Looked at before anything may hold: a word that ends a hold must end its pause as well.
        known = item if isinstance(item, GenerationItem) else None
        is_time = known is None or pacing.look(known, adoption.target_of(known), now_s)
        adopted = adoption.before_fence(
            item, task.zone, incarnation=incarnation, keyring=self._keyring
        )
        self._bound_elsewhere.discard(label)
        if isinstance(adopted, Held):
            pacing.cycled(adopted, now_s=now_s)
            if adopted.rule is HoldRule.OTHER_ZONE:
                self._bound_elsewhere.add(label)
            self._report(label, adopted, None if item is None else pacing.trouble.item)
            return None
        item = adopted.item
        if not is_time:
            return None
        due = self._due(task, item, adopted.plan_id, peers, now_s=now_s)
        if not isinstance(due, Due | None):
            self._report(label, due, item)
            return None
        return due

    def _due(
        self,
        task: ZoneTask,
        item: GenerationItem,
        target: PlanId,
        peers: Mapping[str, Peer],
        *,
        now_s: float,
    ) -> Due | InSync | Waiting | None:
        """Why work is due, or how the zone stands; None while nothing is to be said or done."""
        label, pacing = task.zone.label, self.pacing[task.zone.label]
        if self._cycle.awaits(item):
            due_s = self._cycle.next_look_s(label)
            if due_s is None:  # names to mend
                return Due(label, Errand.PLAN, pacing.begun_s)
            return Due(label, Errand.CONFIRMATION, due_s) if now_s >= due_s else None
        if item.applied == target.generation:
            pacing.spread_checks(self._turns.check_every_s(), self._jitter, now_s=now_s)
            due_s = min(pacing.next_check_s, pacing.next_audit_s if self._has_spare() else inf)
            if now_s >= due_s and self._turns.checks(label, peers):
                return Due(label, Errand.CHECK, due_s)
            return InSync(item.applied)
        errand = self._turns.errand(task, target.generation, peers, pacing, now_s=now_s)
        if errand is None:
            return Waiting(target.generation)
        return Due(label, errand, pacing.begun_s)

    async def _act(self, task: ZoneTask, item: GenerationItem, incarnation: str, due: Due) -> None:
        label = task.zone.label
        if self.tasks.get(label) is not task:
            return  # dismissed, or stated otherwise, while it waited
        pacing = self.pacing[label]
        began_s = pacing.begun_s = self._clock.elapsed_s()
        pacing.is_spread = False
        checks = due.errand is Errand.CHECK and not task.observe
        audits = checks and began_s >= pacing.next_audit_s and self._has_spare()
        outcome = await self._cycle.confirm(item)
        if outcome is None:
            outcome = await self._worked(task, item, incarnation, audits=audits)
        if audits:
            # From its beginning, as fence checks are: else each would come just before a look.
            every_s = self._turns.page_every_s(outcome, self._cycle.audit_pages(label))
            pacing.next_audit_s = began_s + every_s
        if checks or isinstance(outcome, Applied):  # which saw or moved the fence
            pacing.next_check_s = began_s + self._turns.check_every_s()
        ended_s = self._clock.elapsed_s()
        pacing.cycled(outcome, now_s=ended_s)
        self._report_findings(task)
        self._report(label, outcome, item)
        if task.observe:
            pacing.rest(took_s=ended_s - began_s, now_s=ended_s)
        await self._announce()

    async def _worked(
        self, task: ZoneTask, item: GenerationItem, incarnation: str, *, audits: bool
    ) -> Outcome:
        """One cycle; or not, where a peer that comes before this AZ began while this one waited.

        Each shows itself before it looks, so that of two who begin at once one gives way.
        """
        label, target = task.zone.label, adoption.target_of(item).generation
        if not task.observe and item.applied != target:
            await self._show_working(label, item)
            peers, now_s = await self.watch.look(), self._clock.elapsed_s()
            if self._turns.gives_way(label, target, peers, self.pacing[label], now_s=now_s):
                return Waiting(target)
        return await self._cycle.run_once(task, item, incarnation=incarnation, audits=audits)

    def _needs_peers(self, items: Mapping[str, GenerationItem | ItemUnreadable]) -> bool:
        """Whether somebody's turn must be decided; else the board is not asked."""
        now_s = self._clock.elapsed_s()
        return any(
            now_s >= min(self.pacing[label].next_check_s, self.pacing[label].next_audit_s)
            or item.applied != adoption.target_of(item).generation
            for label, item in items.items()
            if isinstance(item, GenerationItem)
        )

    async def _current_incarnation(self) -> str:
        now_s = self._clock.elapsed_s()
        if self._incarnation is None or now_s - self._incarnation[1] > INCARNATION_EVERY_S:
            self._incarnation = (await self._table.incarnation(), now_s)
        return self._incarnation[0]

    async def _show_working(self, label: str, item: GenerationItem) -> None:
        pacing, now_s = self.pacing[label], int(self._clock.now_s())
        target = adoption.target_of(item).generation
        old = pacing.sighting or ZoneSighting(label, item.applied, 0, None, now_s)
        pacing.sighting = structs.replace(old, seen_s=now_s, holding=None, working_to=target)
        self._news = True
        await self._announce()

    def _report(self, label: str, outcome: Outcome, item: GenerationItem | None) -> None:
        """Note an outcome for pace and peers; log it when it is news, with the plan's trace."""
        if label not in self.tasks:  # dismissed while it was under way
            log_outcome(self._log.bind(zone=label), outcome)
            return
        self.witness(label, outcome)
        pacing, before = self.pacing[label], self.pacing[label].sighting
        kind_is_new = pacing.note(
            outcome,
            interval_s=self._pace.interval_s,
            now_s=self._clock.elapsed_s(),
            spread=self._jitter.uniform(0.5, 1.0),
        )
        now_s = int(self._clock.now_s())
        known = NO_GENERATION if item is None else item.applied
        pacing.sighting = sighting_of(
            label, outcome, known=known, findings=pacing.findings, now_s=now_s
        )
        if before is None or gist(before) != gist(pacing.sighting) or kind_is_new:
            self._news = True
            log = self._log.bind(zone=label)
            if item is not None and item.head != NO_GENERATION:
                log = log.bind(trace=trace_of(adoption.target_of(item).digest))
            log_outcome(log, outcome)

    def _report_findings(self, task: ZoneTask) -> None:
        """Log what is news of what was found."""
        pacing, now = self.pacing[task.zone.label], self._cycle.findings(task.zone.label)
        log_findings(self._log.bind(zone=task.zone.label), task, before=pacing.findings, now=now)
        pacing.find(now, now_s=self._clock.elapsed_s())

    async def _announce(self) -> None:
        sightings = [one.sighting for one in self.pacing.values() if one.sighting is not None]
        news, self._news = self._news, False
        failure = await self.watch.announce(sightings, news=news)
        if failure is not None:
            self._log.warning("presence_not_shown", reason=failure)
