"""Lets zones take up a changed config in waves: gathers what speaks for it, and asks the rule.

All that decides is read in each pass anew: plans tell their turns, items what is applied, enactors'
signs of life and the sentinel's page what is wrong. What is remembered is since when, on a clock
that nobody sets; a planner that was started anew goes by what the plans say instead. Nobody is
asked anything while no zone waits.
"""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace

from dnsplan.errors import DnsplanError
from dnsplan.plan import Generation
from dnsplan.ports import Clock, PresenceBoard
from planner.cycle import TableView, ZoneReport
from planner.ports import SentinelPage
from planner.rules.changed import Heard, Met, against, age_of, by_hand, met
from planner.rules.outcomes import Held, HoldRule, Pending, Published, Refused, Unchanged, Waiting
from planner.rules.turning import goes_back, turn_of
from planner.rules.waves import Go, Wait, Waves, ZoneState, leaves

TakeTurn = Callable[[ZoneReport], Awaitable[ZoneReport]]


@dataclass(frozen=True, slots=True)
class _Against:
    """What spoke against a zone's turn, and when it was last seen to."""

    text: str
    last_s: float


class Waving:
    """One planner's waves."""

    def __init__(self, board: PresenceBoard, sentinel: SentinelPage, clock: Clock) -> None:
        """No turn was seen yet."""
        self._board = board
        self._sentinel = sentinel
        self._clock = clock
        self._met: dict[str, Met] = {}
        self._against: dict[str, _Against] = {}

    async def run_once(
        self, reports: Sequence[ZoneReport], view: TableView, waves: Waves, take: TakeTurn
    ) -> tuple[ZoneReport, ...]:
        """Let go whose turn it is; the other zones' reports say what they wait for."""
        found = {report.wish.label: report for report in reports}
        for label, report in found.items():
            self._meet(label, report)
        inside = [one for one in found if one not in waves.observed]
        if not any(found[label].turn for label in inside):
            return tuple(reports)
        heard = await self._hear(waves)
        states = {label: self._state(found[label], view, waves, heard) for label in inside}
        given = dict(leaves(tuple(states.values()), waves, silent=heard.silent))
        while going := [label for label, leave in given.items() if isinstance(leave, Go)]:
            for label in going:
                # One after the other: a pass has few turns, and order is what a wave is about.
                found[label] = ended = await take(found[label])
                states[label] = _after(states[label], ended)
            given = dict(leaves(tuple(states.values()), waves, silent=heard.silent))
        for label, leave in given.items():
            if isinstance(leave, Wait):
                found[label] = _waiting(found[label], leave)
        return tuple(found.values())

    def _meet(self, label: str, report: ZoneReport) -> None:
        turn = None if report.standing is None else turn_of(report.standing)
        if turn is not None:
            elapsed_s = self._clock.elapsed_s()
            self._met[label] = met(turn, self._met.get(label), elapsed_s=elapsed_s)

    async def _hear(self, waves: Waves) -> Heard:
        now_s = self._clock.now_s()
        try:
            signs = await self._board.everyone()
        except DnsplanError as error:
            return Heard(now_s, silent=f"enactors' signs of life cannot be read: {error}")
        if waves.sentinel is None:
            return Heard(now_s, signs)
        try:
            return Heard(now_s, signs, await self._sentinel.pages(waves.sentinel))
        except DnsplanError as error:
            text = f"the sentinel at {waves.sentinel} does not say that all is well: {error}"
            return Heard(now_s, signs, silent=text)

    def _state(self, report: ZoneReport, view: TableView, waves: Waves, heard: Heard) -> ZoneState:
        label, standing = report.wish.label, report.standing
        if standing is None or report.candidate is None:
            why = report.outcome.text if isinstance(report.outcome, Held) else "it was not read"
            return ZoneState(label=label, waits=False, unplanned=why)
        state = ZoneState(
            label=label,
            waits=report.turn is not None,
            # What was published in this pass is not in the view.
            is_busy=not isinstance(report.outcome, Unchanged | Refused | Pending),
            goes_back=goes_back(report.wish, standing, now_s=int(heard.now_s)),
        )
        item, known = view.items.get(label), self._met.get(label)
        if item is None or known is None:
            return state
        age_s = age_of(known, elapsed_s=self._clock.elapsed_s(), now_s=heard.now_s)
        text = against(item, known.turn, waves, heard, age_s=age_s)
        return replace(
            state,
            generation=known.turn.generation,
            age_s=age_s,
            is_applied=item.applied >= known.turn.generation,
            against=self._lasting(label, text, waves),
            by_hand=by_hand(item, known.turn),
        )

    def _lasting(self, label: str, text: str, waves: Waves) -> str:
        """What is over speaks on for the bake time: a zone that was mended may fall again."""
        elapsed_s = self._clock.elapsed_s()
        if text:
            self._against[label] = _Against(text, elapsed_s)
            return text
        before = self._against.get(label)
        if before is None:
            return ""
        over_s = elapsed_s - before.last_s
        if over_s >= waves.bake_s:
            del self._against[label]
            return ""
        return f"{before.text} (over for {int(over_s)} s of bake_s {waves.bake_s:g})"


def _after(state: ZoneState, report: ZoneReport) -> ZoneState:
    """The zone after its turn. One that may not have it takes no place; one that left it to another
    planner does, since that one gives the same leave."""
    match report.outcome:
        case Published(plan_id):
            number: Generation | None = plan_id.generation
        case Refused(violations):
            return replace(state, waits=False, unplanned=str(violations[0]))
        case Held(_, text, _):
            return replace(state, waits=False, unplanned=text)
        case _:
            number = None
    return replace(state, waits=False, age_s=0.0, is_applied=False, generation=number)


def _waiting(report: ZoneReport, leave: Wait) -> ZoneReport:
    """The same report, saying what the zone waits for and how an operator lets it go."""
    label = report.wish.label
    over = f"dns-runbook waive {label} wave --because TEXT"
    text = f"wave: {leave.why}; to let {label} go at once: {over}"
    if not isinstance(report.outcome, Unchanged):
        return replace(report, waits=text)
    if leave.is_stopped:
        return replace(report, outcome=Held(HoldRule.WAVE, text, leave.command), waits=text)
    return replace(report, outcome=Waiting(text, HoldRule.WAVE, leave.command), waits=text)
