"""One AZ's vantage point: shows what its probes find, and hears what the others find.

A table that cannot be reached costs the others' voices once they are no longer fresh, and nothing
else. Freshness is measured on one's own clock, by reports that change; no two machines' clocks are
compared but for a report that is met for the first time.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass

import structlog

from dnsplan.errors import DnsplanError
from dnsplan.ports import Clock
from planner.ports import VantageBoard
from planner.rules.aftermath import Aftermath, Doubts
from planner.rules.health import Asked, Sight, TargetHealth
from planner.rules.pools import TargetKey
from planner.rules.vantage import (
    FRESH_S,
    TOLD_AGAIN_S,
    Report,
    Voice,
    agreed,
    heard,
    in_order,
    is_fresh,
    is_of_now,
    voiceless,
    voices_of,
)

NOTHING_TOLD: tuple[tuple[Voice, ...], float] = ((), -math.inf)


@dataclass(frozen=True, slots=True)
class _Met:
    """Another's newest report, and when it was met; dated, if it changed before our eyes."""

    report: Report
    met_s: float
    is_dated: bool


class VantagePoint:
    """What is agreed of every target. Without an AZ it listens and shows nothing."""

    def __init__(self, board: VantageBoard, *, clock: Clock, az: str | None) -> None:
        """Nothing is agreed yet."""
        self._board = board
        self._clock = clock
        self._az = az
        self._told = NOTHING_TOLD
        self._met: dict[str, _Met] = {}
        self._aftermath = Aftermath()
        self._doubts: Doubts = {}
        self._agreed: dict[TargetKey, TargetHealth] = {}
        self._asked: Mapping[TargetKey, Asked] = {}
        self._hears_since_s: float | None = None
        self._trouble = ""
        self._log = structlog.get_logger("planner")

    async def look(self, own: Sight) -> Sight:
        """What all fresh vantage points together see now, this one's sight included."""
        troubles = [await self._hear()]
        ahead_s = self._clock.now_s() - own.now_s
        reports, az = self._fresh(), self._az or ""
        doubts = self._aftermath.doubts(own, reports, az=az)
        others = heard(reports, doubts, ahead_s=ahead_s)
        together = agreed(own, others, self._agreed_of(own), doubted=doubts.get(az, ()))
        self._note_doubts(doubts)
        self._agreed = {key: together.states[key] for key in own.asked}
        self._asked = own.asked
        troubles.append(await self._tell(own))
        self._note("; ".join(filter(None, troubles)))
        return together

    def wait_s(self, label: str, *, stagger_s: float) -> float:
        """How long this AZ leaves a zone's next plan to those before it; at once where it is first.

        Pace alone: whoever comes too early loses a race for the head, and nothing else.
        """
        if self._az is None:
            return 0.0
        azs = {self._az, *(report.az for report in self._fresh())}
        return stagger_s * in_order(label, azs).index(self._az)

    def _agreed_of(self, own: Sight) -> Mapping[TargetKey, TargetHealth]:
        """What was agreed last of the addresses that are asked now. A target that answers elsewhere
        since was never seen: the health of its old address would bring a dead one in at once."""
        before = self._asked
        return {
            key: self._agreed[key]
            for key, asked in own.asked.items()
            if key in before and before[key].address == asked.address
        }

    async def _tell(self, own: Sight) -> str:
        """Show news at once, and the rest before it is taken for stale; why not, if it failed."""
        if self._az is None or not own.asked:
            return ""
        now_s = self._clock.elapsed_s()
        voices = voices_of(own, self._agreed, wall_s=self._clock.now_s())
        before, told_s = self._told
        if before == voices and now_s - told_s < TOLD_AGAIN_S:
            return ""
        try:
            await self._board.announce(Report(self._az, int(self._clock.now_s()), voices))
        except DnsplanError as error:
            self._told = NOTHING_TOLD
            return f"not shown: {error}"
        self._told = (voices, now_s)
        return ""

    async def _hear(self) -> str:
        try:
            reports = await self._board.everyone()
        except DnsplanError as error:
            self._hears_since_s = None
            return f"not heard: {error}"
        now_s, wall_s = self._clock.elapsed_s(), self._clock.now_s()
        if self._hears_since_s is None:
            self._hears_since_s = now_s
        for report in reports:
            known = self._met.get(report.az)
            if known is None or known.report != report:
                is_dated = known is not None and is_of_now(report, wall_s=wall_s)
                self._met[report.az] = _Met(report, now_s, is_dated=is_dated)
        return ""

    def _fresh(self) -> list[Report]:
        """The others' reports that count now, by AZ.

        Who is silent just after the table came back, or when this planner starts, could not speak:
        it has no voice, and is to be outvoted until it had the time to.
        """
        now_s, wall_s = self._clock.elapsed_s(), self._clock.now_s()
        reports = []
        for az, one in sorted(self._met.items()):
            if az == self._az:
                continue
            if self._is_fresh(one, now_s=now_s, wall_s=wall_s):
                reports.append(one.report)
            elif self._is_awaiting(now_s):
                reports.append(voiceless(one.report))
        return reports

    def _is_awaiting(self, now_s: float) -> bool:
        """Whether others may have lacked the time to speak. A person's one look waits for none."""
        if self._az is None:
            return False
        return self._hears_since_s is None or now_s - self._hears_since_s <= FRESH_S

    def _is_fresh(self, one: _Met, *, now_s: float, wall_s: float) -> bool:
        unchanged_s = now_s - one.met_s
        if not one.is_dated:
            return is_fresh(one.report, wall_s=wall_s, unchanged_s=None)
        return is_fresh(one.report, wall_s=wall_s, unchanged_s=unchanged_s)

    def _note(self, trouble: str) -> None:
        if trouble != self._trouble and trouble:
            self._log.warning("vantage_alone", reason=trouble)
        elif trouble != self._trouble:
            self._log.info("vantage_shared")
        self._trouble = trouble

    def _note_doubts(self, doubts: Doubts) -> None:
        for az in sorted(doubts.keys() | self._doubts.keys()):
            now, before = doubts.get(az, frozenset()), self._doubts.get(az, frozenset())
            if now and now != before:
                self._log.warning("vantage_doubted", doubted_az=az, pools=sorted(now))
            elif before and not now:
                self._log.info("vantage_trusted", doubted_az=az)
        self._doubts = doubts
