"""Pages what only the planner knows, once it has lasted: what a pass ended with, zone by zone.

It is told of each pass, and asks nobody.
"""

from collections.abc import Callable, Mapping, Sequence

from dnsplan.notices import Cause
from dnsplan.ports import Clock
from dnsplan.runtime.config.schema import Settings
from dnsplan.runtime.paging.opening import Paging
from dnsplan.runtime.paging.pager import Pager
from planner.cycle import ZoneReport
from planner.rules.causes import Passed, Ripening, causes_of, is_blind, is_unsure
from planner.rules.health import Sight
from planner.rules.holds import unread_because

PAGE_EVERY_S = 5.0


class Alarming:
    """The planner's pages."""

    def __init__(self, pager: Pager, clock: Clock, *, held_s: float) -> None:
        """No pass was made yet."""
        self._pager = pager
        self._clock = clock
        self._held_s = held_s
        self._passed: Mapping[str, Passed] | None = None
        self._since_s: dict[tuple[str, str], float] = {}
        # A heartbeat counts passes that could read the table.
        self.on_pass: Callable[[], None] = lambda: None

    def note(self, reports: Sequence[ZoneReport], _: Sight | None = None) -> None:
        """What came of a pass; one that could read the table is a sign of life."""
        self._passed = {
            one.wish.label: Passed(
                one.wish.label,
                one.outcome,
                () if one.candidate is None else one.candidate.notes,
            )
            for one in reports
        }
        if not is_blind(list(self._passed.values())):
            self.on_pass()

    def trouble(self) -> str:
        """Why no plan can be made, for whoever asks whether this planner is ready."""
        passed = list((self._passed or {}).values())
        if not is_blind(passed):
            return ""
        return f"plan: no zone can be read: {unread_because(passed[0].outcome)}"

    async def run_once(self) -> None:
        """Tell what is new and what is over; nothing before the first pass."""
        passed = self._passed
        if passed is None:
            return
        now_s = self._clock.elapsed_s()
        ripening = causes_of(list(passed.values()), held_s=self._held_s)
        seen = {_what(one): self._since_s.get(_what(one), now_s) for one in ripening}
        kept = {what: since_s for what, since_s in self._since_s.items() if _is_kept(what, passed)}
        self._since_s = {**kept, **seen}
        ripe = [one.cause for one in ripening if now_s - seen[_what(one)] >= one.wait_s]
        await self._pager.tell(ripe, is_unsure=lambda cause: is_unsure(cause, passed))


def alarming_for(settings: Settings, paging: Paging, clock: Clock) -> Alarming:
    """What a planner pages, with its heartbeat if one is stated."""
    made = Alarming(paging.pager, clock, held_s=settings.paging.held_s)
    if paging.beat is not None:
        made.on_pass = paging.beat.done
    return made


def _what(one: Ripening) -> tuple[str, str]:
    return one.cause.kind, one.cause.label


def _is_kept(what: tuple[str, str], passed: Mapping[str, Passed]) -> bool:
    """A pass that says nothing of a zone does not begin its time anew."""
    kind, label = what
    cause = Cause(kind=kind, label=label, verdict="", title="", commands=(), runbook="")
    return is_unsure(cause, passed)
