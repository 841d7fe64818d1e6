"""Count what was asked and what came back, so that a test can say what a run cost."""

from collections import Counter, deque
from dataclasses import dataclass, field

from sandbox.aws.call import Answer, Call

RECENT_MAX = 2_000


@dataclass(slots=True)
class Entry:
    """One request in the log; `outcome` is "waiting", "ok", "lost" or an AWS error code."""

    number: int
    at_s: float
    service: str
    operation: str
    access_key: str
    resources: tuple[str, ...]
    outcome: str = "waiting"


@dataclass(slots=True)
class Ledger:
    """Counters since the last reset, and the latest requests."""

    requests: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    outcomes: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    recent: deque[Entry] = field(default_factory=lambda: deque(maxlen=RECENT_MAX))
    total: int = 0

    def arrived(self, call: Call, at_s: float) -> Entry:
        """Note a request that has come in."""
        self.total += 1
        self.requests[call.service, call.operation, call.access_key] += 1
        entry = Entry(
            self.total, at_s, call.service, call.operation, call.access_key, call.resources
        )
        self.recent.append(entry)
        return entry

    def answered(self, entry: Entry, answer: Answer | None) -> None:
        """Note what became of it; None: its client never heard."""
        entry.outcome = "lost" if answer is None else answer.error or "ok"
        self.outcomes[entry.service, entry.operation, entry.outcome] += 1

    def reset(self) -> None:
        """Start counting afresh."""
        self.requests.clear()
        self.outcomes.clear()
        self.recent.clear()
        self.total = 0
