"""Runs cycles for all zones of one AZ: who acts when, what is shown to the peers, what is logged.

Nothing here decides what a zone holds. Losing all memory of this module costs pace, never safety.
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence

import structlog
from msgspec import structs

from dnsplan.generation import GenerationItem
from dnsplan.plan import NO_GENERATION, PlanId
from dnsplan.ports import PresenceBoard, ZoneSighting
from dnsplan.trace import trace_of
from enactor.cycle import EnactCycle
from enactor.pacing import ZonePacing, audited_again_s, checked_again_s
from enactor.peers import PeerWatch
from enactor.ports import Outside
from enactor.report import gist, log_findings, log_outcome, sighting_of
from enactor.rules import adoption, stagger
from enactor.rules.outcomes import Held, HoldRule, InSync, Outcome, Waiting
from enactor.rules.stagger import Peer
from enactor.settings import Pace, ZoneTask

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
        has_spare: Callable[[], bool] = lambda: True,
    ) -> None:
        """`azs` are all AZs that run an enactor; `az` is this one. Zones are admitted later.

        `has_spare` says whether a request that can wait would make none wait that cannot.
        """
        self._table, self._keyring = outside.table, outside.keyring
        self._clock, self._jitter = outside.clock, outside.jitter
        self.tasks: dict[str, ZoneTask] = {}
        self._az, self._azs, self._pace = az, azs, pace
        self._has_spare = has_spare
        self._cycle = EnactCycle(outside, az=az, pace=pace)
        self._at_once = asyncio.Semaphore(pace.zones_at_once)
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
        first_s = self._clock.elapsed_s() + self._jitter.uniform(0, self._pace.fence_check_s)
        audit_s = first_s + min(self._pace.audit_s, self._pace.fence_check_s)
        before = self.pacing.get(task.zone.label)
        running = None if before is None else before.running
        self.tasks[task.zone.label] = task
        self.pacing[task.zone.label] = ZonePacing(first_s, audit_s, running=running)

    def dismiss(self, label: str) -> None:
        """Work on this zone no more; what is under way ends by itself, and the zone stays."""
        if self.tasks.pop(label, None) is not None:
            self.pacing[label].sighting = None
            self._bound_elsewhere.discard(label)
            self._news = True

    def bound_elsewhere(self) -> frozenset[str]:
        """Labels that the table binds to another zone than was found: it may have been made again,
        so it should be found again."""
        return frozenset(self._bound_elsewhere)

    async def run_once(self) -> None:
        """Look at every zone and start what is due. ReadFailed when the table cannot be read."""
        self._collect()
        tasks = dict(self.tasks)  # a zone may be admitted meanwhile; its item was not read
        items = await self._table.read(tuple(tasks)) if tasks else {}
        incarnation = await self._current_incarnation()
        peers = await self.watch.look() if self._needs_peers(items) else {}
        for label, task in tasks.items():
            if self.tasks.get(label) is task and self.pacing[label].running is None:
                self._consider(task, items.get(label), incarnation, peers)
        await self._announce()

    async def finish(self) -> None:
        """Wait for the zones under way."""
        running = [one.running for one in self.pacing.values() if one.running is not None]
        await asyncio.gather(*running)

    async def close(self, *, grace_s: float) -> None:
        """Let the zones under way end, then cut them off: the next cycle reads what came of it."""
        running = [one.running for one in self.pacing.values() if one.running is not None]
        if running:
            await asyncio.wait(running, timeout=grace_s)
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)

    def _collect(self) -> None:
        for pacing in self.pacing.values():
            if pacing.running is not None and pacing.running.done():
                pacing.running.result()  # a broken invariant ends the process here
                pacing.running = None
        for label in self.pacing.keys() - self.tasks.keys():
            if self.pacing[label].running is None:
                del self.pacing[label]  # dismissed

    def _consider(
        self,
        task: ZoneTask,
        item: GenerationItem | None,
        incarnation: str,
        peers: Mapping[str, Peer],
    ) -> None:
        label, pacing = task.zone.label, self.pacing[task.zone.label]
        now_s = self._clock.elapsed_s()
        # Looked at before anything may hold: a word that ends a hold must end its pause as well.
        is_time = item is None or pacing.look(item, adoption.target_of(item), now_s)
        adopted = adoption.before_fence(
            item, task.zone, incarnation=incarnation, keyring=self._keyring
        )
        self._bound_elsewhere.discard(label)
        if isinstance(adopted, Held):
            pacing.cycled(adopted, now_s=now_s)
            if adopted.rule is HoldRule.OTHER_ZONE:
                self._bound_elsewhere.add(label)
            self._report(label, adopted, item)
            return
        item = adopted.item
        if not is_time:
            return
        audits = False
        if self._cycle.awaits(item):
            pass
        elif item.applied == adopted.plan_id.generation:
            audits = now_s >= pacing.next_audit_s and self._has_spare()
            if (now_s < pacing.next_check_s and not audits) or not self._checks(label, peers):
                self._report(label, InSync(item.applied), item)
                return
            pacing.next_check_s = now_s + checked_again_s(self._pace, zones=len(self.tasks))
        elif not self._may_begin(task, adopted.plan_id, peers):
            self._report(label, Waiting(adopted.plan_id.generation), item)
            return
        act = self._act(task, item, incarnation, began_s=now_s, audits=audits)
        pacing.running = asyncio.create_task(act)

    async def _act(
        self,
        task: ZoneTask,
        item: GenerationItem,
        incarnation: str,
        *,
        began_s: float,
        audits: bool,
    ) -> None:
        label = task.zone.label
        async with self._at_once:
            outcome = await self._cycle.confirm(item)
            if outcome is None:
                if not task.observe:
                    await self._show_working(label, item)
                outcome = await self._cycle.run_once(
                    task, item, incarnation=incarnation, audits=audits
                )
            if audits:
                # From its beginning, as fence checks are: else each would come just before a look.
                self.pacing[label].next_audit_s = began_s + self._page_every_s(label, outcome)
            ended_s = self._clock.elapsed_s()
            self.pacing[label].cycled(outcome, now_s=ended_s)
            self._report_findings(task)
            self._report(label, outcome, item)
            if task.observe:
                self.pacing[label].rest(took_s=ended_s - began_s, now_s=ended_s)
            await self._announce()

    def _may_begin(self, task: ZoneTask, target: PlanId, peers: Mapping[str, Peer]) -> bool:
        """Who only observes makes no progress that others could wait for: the first AZ looks."""
        label = task.zone.label
        if task.observe:
            return self._checks(label, peers)
        return self._has_turn(label, target, peers)

    def _has_turn(self, label: str, target: PlanId, peers: Mapping[str, Peer]) -> bool:
        pace = self._pace
        silent = set(peers) - stagger.alive(peers, silent_s=pace.peer_silent_s)
        busy = stagger.is_busy(peers, label, target.generation, silent_s=pace.peer_silent_s)
        return stagger.may_act(
            rank=stagger.rank(label, self._az, self._azs, silent),
            waited_s=self._clock.elapsed_s() - self.pacing[label].waiting_since_s,
            busy=busy,
            stagger_s=pace.stagger_s,
            patience_s=pace.confirm_max_s,
        )

    def _checks(self, label: str, peers: Mapping[str, Peer]) -> bool:
        """Whether this AZ is the first living one in the zone's order."""
        living = stagger.alive(peers, silent_s=self._pace.peer_silent_s) | {self._az}
        return next(az for az in stagger.order(label, self._azs) if az in living) == self._az

    def _page_every_s(self, label: str, outcome: Outcome) -> float:
        pages, zones = self._cycle.audit_pages(label), len(self.tasks)
        return audited_again_s(self._pace, outcome, pages=pages, zones=zones)

    def _needs_peers(self, items: Mapping[str, GenerationItem]) -> bool:
        """Whether somebody's turn must be decided; else the board is not asked."""
        now_s = self._clock.elapsed_s()
        return any(
            now_s >= min(self.pacing[label].next_check_s, self.pacing[label].next_audit_s)
            or item.applied != adoption.target_of(item).generation
            for label, item in items.items()
        )

    async def _current_incarnation(self) -> str:
        now_s = self._clock.elapsed_s()
        if self._incarnation is None or now_s - self._incarnation[1] > INCARNATION_EVERY_S:
            self._incarnation = (await self._table.incarnation(), now_s)
        return self._incarnation[0]

    async def _show_working(self, label: str, item: GenerationItem) -> None:
        pacing, now_s = self.pacing[label], int(self._clock.now_s())
        target = adoption.target_of(item).generation
        if target == item.applied:
            return  # a fence check is nobody's business
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
