"""Carries every call of a pretended process to the pretended cloud, and decides what befalls it.

A call travels, takes effect at one instant, and its answer travels back; each of the three may be
lost, late or slow, and the caller may be paused or killed before, between and after. What was sent
arrives whatever became of the sender.
"""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import singledispatch
from hashlib import blake2b
from random import Random
from typing import Any, TypeVar

from dnsplan.errors import DnsplanError, ReadFailed
from tests.simulation.loop import SimLoop
from tests.simulation.processes import Process

Result = TypeVar("Result")

# Why a call got no answer, or none that says anything.
RESET, TIMED_OUT, THROTTLED, NO_ROUTE = (
    "connection reset",
    "timed out",
    "Throttling",
    "cannot connect",
)

# A call and its answer take 2 to 60 ms each way.
TRAVEL_S = (0.002, 0.06)
TIMEOUT_S = 5.0


class Fate(StrEnum):
    """What can befall one call besides being answered."""

    LOSE_REQUEST = "lost request"
    LOSE_REPLY = "lost reply"
    LATE = "late delivery"
    THROTTLE = "throttled"
    THROTTLE_APPLIED = "throttled, yet applied"
    SLOW = "slow call"
    PAUSE_BEFORE = "pause before a call"
    PAUSE_AFTER = "pause during a call"
    CRASH_BEFORE = "crash before a call"
    CRASH_AFTER = "crash during a call"


@dataclass(frozen=True, slots=True)
class Op:
    """One call: which part of the cloud, what, and whether it writes; `about` tells it from others
    of its name in the trace."""

    service: str
    name: str
    writes: bool = False
    about: str = ""


@dataclass(slots=True)
class Wire:
    """The network, the time-outs and the luck of one run."""

    loop: SimLoop
    chance: Random
    rates: Mapping[Fate, float]
    revive: Callable[[Process], None]
    calm_at_s: float
    landed: Counter[str] = field(default_factory=Counter)
    calls: Counter[str] = field(default_factory=Counter)
    down_until_s: dict[str, float] = field(default_factory=dict)
    say: Callable[[str, str], None] | None = None
    _trace: Any = field(default_factory=lambda: blake2b(digest_size=8))

    @property
    def trace(self) -> str:
        """A digest of all that happened, in order."""
        return str(self._trace.hexdigest())

    def note(self, who: str, what: str) -> None:
        """Make something part of the run's trace, and show it when somebody watches."""
        self._trace.update(f"{self.loop.time():.6f} {who} {what}\n".encode())
        if self.say is not None:
            self.say(who, what)

    def is_down(self, service: str) -> bool:
        """Whether a part of the cloud cannot be reached now."""
        return self.down_until_s.get(service, 0.0) > self.loop.time()

    async def call(
        self,
        process: Process,
        op: Op,
        apply: Callable[[], Result],
        *,
        unknown: Callable[[str], Result] | None = None,
    ) -> Result:
        """Carry one call. `unknown` makes the answer of a write that got none; else ReadFailed."""
        self.calls[op.name] += 1
        fate = self._draw(op)
        answer = self.loop.create_future()
        call = _Call(self, process, op, apply, unknown or _failed(op), answer, fate)
        if fate is Fate.PAUSE_BEFORE:
            process.pause(self._pause_s(process))
            await process.wait(0.0)
        elif fate is Fate.CRASH_BEFORE:
            self._crash(process)
        if process.alive:
            self.loop.call_later(self._travel_s(fate), call.arrive)
            if fate is Fate.LATE:
                self.loop.call_later(self.chance.uniform(0.1, TIMEOUT_S), call.give_up)
        if fate is Fate.PAUSE_AFTER:
            process.pause(self._pause_s(process))
        elif fate is Fate.CRASH_AFTER:
            self.loop.call_later(self.chance.uniform(0, 2 * TRAVEL_S[1]), self._crash, process)
        result: Result = await answer
        return result

    def _draw(self, op: Op) -> Fate | None:
        if not self.rates or self.loop.time() >= self.calm_at_s:
            return None
        draw = self.chance.random()
        for fate, rate in self.rates.items():
            draw -= rate
            if draw < 0:
                if fate in _WRITES_ONLY and not op.writes:
                    return None
                self.landed[fate] += 1
                return fate
        return None

    def _travel_s(self, fate: Fate | None) -> float:
        if fate is Fate.LATE:
            # Mostly soon, sometimes after an hour: a batch may lie at somebody's door.
            return self.chance.choice((0.5, 3.0, 20.0, 90.0)) * self.chance.uniform(0.5, 1.5)
        if fate is Fate.SLOW:
            return self.chance.uniform(0.5, 4.0)
        return self.chance.uniform(*TRAVEL_S)

    def _pause_s(self, process: Process) -> float:
        seconds = self.chance.choice((1.0, 6.0, 35.0, 120.0, 3_600.0)) * self.chance.uniform(0.5, 1)
        self.note(process.name, f"stands still for {seconds:.0f} s")
        return seconds

    def _crash(self, process: Process) -> None:
        if process.alive:
            self.note(process.name, "is killed")
            process.kill()
            self.loop.call_later(self.chance.uniform(0.5, 20.0), self.revive, process)


# A read that is late or was throttled without an answer is a failed read like any other.
_WRITES_ONLY = frozenset({Fate.LATE, Fate.THROTTLE_APPLIED})
_UNANSWERED = {
    Fate.LOSE_REQUEST: RESET,
    Fate.THROTTLE: THROTTLED,
}
_LATER_UNANSWERED = {
    Fate.LOSE_REPLY: TIMED_OUT,
    Fate.THROTTLE_APPLIED: THROTTLED,
}


def _failed(op: Op) -> Callable[[str], Any]:
    def failed(reason: str) -> Any:
        return ReadFailed(f"{op.name}: {reason}")

    return failed


@dataclass(slots=True)
class _Call:
    wire: Wire
    process: Process
    op: Op
    apply: Callable[[], Any]
    unknown: Callable[[str], Any]
    answer: Any
    fate: Fate | None

    def arrive(self) -> None:
        """The call reaches the cloud, or does not."""
        wire, fate = self.wire, self.fate
        if wire.is_down(self.op.service):
            self._reply(self.unknown(NO_ROUTE))
        elif fate in _UNANSWERED:
            self._reply(self.unknown(_UNANSWERED[fate]))
        else:
            result = self._applied()
            wire.note(self.process.name, f"{self.op.name}{self.op.about} -> {gist(result)}")
            lost = _LATER_UNANSWERED.get(fate) if fate is not None else None
            self._reply(result if lost is None else self.unknown(lost))

    def give_up(self) -> None:
        """The caller waits no longer; what it sent is still on its way."""
        self._reply(self.unknown(TIMED_OUT))

    def _applied(self) -> Any:
        try:
            return self.apply()
        except DnsplanError as error:
            return error

    def _reply(self, result: Any) -> None:
        back_s = self.wire.chance.uniform(*TRAVEL_S)
        self.wire.loop.call_later(back_s, self.process.wake, self.answer, result)


@singledispatch
def gist(result: Any) -> str:
    """Enough of an answer to tell two runs apart."""
    return type(result).__name__ if result is not None else "nothing"
