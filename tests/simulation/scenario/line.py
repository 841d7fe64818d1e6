"""The wire of a scenario: every call takes effect at once, but for the trouble that was ordered.

A process may be told to stand still or die before or after a call, or to lose its request or its
answer; a request that is delayed arrives when the script says so. Every write is narrated with what
it changed.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, TypeVar

from dnsplan.errors import DnsplanError, ReadFailed
from tests.simulation.processes import Process
from tests.simulation.scenario.words import DOES, UNTOLD, answered
from tests.simulation.wire import NO_ROUTE, RESET, TIMED_OUT, Op, Wire

Result = TypeVar("Result")

TRAVEL_S = 0.02


class Trouble(StrEnum):
    """What can be ordered to befall a call, in the words of a script."""

    STOP_BEFORE = "stop before"
    STOP_AFTER = "stop after"
    DIE_BEFORE = "die before"
    DIE_AFTER = "die after"
    LOSE_REQUEST = "lose the request when"
    LOSE_ANSWER = "lose the answer when"
    DELAY = "be delayed when"


@dataclass(slots=True)
class Ordered:
    """Trouble at the next such call, or a later one: `left` counts down to it."""

    trouble: Trouble
    does: str
    left: int


@dataclass(slots=True)
class Line(Wire):
    """`tests.simulation.wire.Wire` without chance. `quiet`: nothing is narrated."""

    tell: Callable[[str, str], None] = lambda _who, _what: None
    changed: Callable[[], str] = lambda: ""
    rested: Callable[[Process], None] = lambda _process: None
    ordered: dict[str, list[Ordered]] = field(default_factory=dict)
    gates: dict[str, Any] = field(default_factory=dict)
    delayed: dict[str, tuple[Op, Callable[[], Any]]] = field(default_factory=dict)
    quiet: bool = False

    async def call(
        self,
        process: Process,
        op: Op,
        apply: Callable[[], Result],
        *,
        unknown: Callable[[str], Result] | None = None,
    ) -> Result:
        """Carry one call."""
        self.calls.update((op.name, op.service))
        trouble = self._drawn(process, op)
        if trouble in (Trouble.STOP_BEFORE, Trouble.DIE_BEFORE):
            await self._rest(process, trouble, op)
        await process.wait(TRAVEL_S)
        result = self._outcome(process, op, apply, unknown, trouble)
        if trouble in (Trouble.STOP_AFTER, Trouble.DIE_AFTER):
            await self._rest(process, trouble, op)
        if isinstance(result, BaseException):
            raise result
        answer: Result = result
        return answer

    def go_on(self, name: str) -> None:
        """Let a process go on where it stands."""
        self.gates.pop(name).set_result(None)

    def arrive(self, name: str) -> None:
        """A delayed request takes effect now; nobody waits for its answer any more."""
        op, apply = self.delayed.pop(name)
        self._effect(f"{name}'s late request", op, apply)

    def _outcome(
        self,
        process: Process,
        op: Op,
        apply: Callable[[], Any],
        unknown: Callable[[str], Any] | None,
        trouble: Trouble | None,
    ) -> Any:
        """What the caller hears; an exception is for it to raise."""
        lost = unknown or (lambda reason: ReadFailed(f"{op.name}: {reason}"))
        if self.is_down(op.service):
            return self._said(process, op, lost(NO_ROUTE))
        match trouble:
            case Trouble.LOSE_REQUEST:
                return self._said(process, op, lost(RESET))
            case Trouble.DELAY:
                self.delayed[process.name] = (op, apply)
                return self._said(process, op, lost(TIMED_OUT))
            case Trouble.LOSE_ANSWER:
                self._effect(process.name, op, apply)
                return self._said(process, op, lost(TIMED_OUT))
            case _:
                return self._effect(process.name, op, apply)

    def _effect(self, who: str, op: Op, apply: Callable[[], Any]) -> Any:
        try:
            result: Any = apply()
        except DnsplanError as error:
            result = error
        if op.writes and op.name in DOES.keys() - UNTOLD and not self.quiet:
            self.tell(who, f"{DOES[op.name]}: {answered(result)}{self.changed()}")
        return result

    def _said(self, process: Process, op: Op, result: Any) -> Any:
        if op.name in DOES and not self.quiet:
            self.tell(process.name, f"{DOES[op.name]}: {answered(result)}")
        return result

    def _drawn(self, process: Process, op: Op) -> Trouble | None:
        orders = self.ordered.get(process.name, [])
        for one in orders:
            if one.does == DOES.get(op.name):
                one.left -= 1
                if one.left == 0:
                    orders.remove(one)
                    return one.trouble
        return None

    async def _rest(self, process: Process, trouble: Trouble, op: Op) -> None:
        """Stand still until the script lets it go on; the dead never do."""
        gate = self.loop.create_future()
        when = trouble.rpartition(" ")[2]
        if trouble in (Trouble.DIE_BEFORE, Trouble.DIE_AFTER):
            self.tell(process.name, f"is killed {when} it {DOES[op.name]}")
            process.kill()
        else:
            self.tell(process.name, f"stands still {when} it {DOES[op.name]}")
            self.gates[process.name] = gate
        self.rested(process)
        await gate
