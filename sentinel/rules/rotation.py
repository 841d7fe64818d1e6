"""Which server and transport a name is looked at over next.

Servers take turns. One that has left out what others answered several times is passed over, but for
one trial an interval, so that a dead server does not turn every look at it into a round over all.
Rounds ask every server all the same.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from sentinel.rules.judging import Transport
from sentinel.rules.pace import TCP_LOOK_EACH

# One lost packet, or the moment in which servers take over a change, is no reason for doubt.
FAILURES_TO_DOUBT = 3


@dataclass(frozen=True, slots=True)
class Trust:
    """How a server has done lately. `trial_s`: when a doubted server may be looked at again."""

    failures: int = 0
    trial_s: float = 0.0

    @property
    def is_doubted(self) -> bool:
        """Whether looks pass it over."""
        return self.failures >= FAILURES_TO_DOUBT


TRUSTED = Trust()


def after_round(trust: Trust, *, failed: bool, trial_s: float) -> Trust:
    """Count a round in which others answered what this server left out, or forget them all."""
    return Trust(trust.failures + 1, trial_s) if failed else TRUSTED


def after_trial(trust: Trust, *, trial_s: float) -> Trust:
    """A doubted server is being looked at: not again before `trial_s`."""
    return replace(trust, trial_s=trial_s)


def choose_path(
    servers: Sequence[str], trusts: Mapping[str, Trust], *, turn: int, now_s: float
) -> tuple[str, Transport]:
    """The server and transport of a name's next look; `servers` is not empty.

    Invariant: the turn moves through every server over UDP before it comes back to the first.
    """
    fit = [one for one in servers if _may_look(trusts.get(one, TRUSTED), now_s)] or list(servers)
    transport: Transport = "tcp" if turn % TCP_LOOK_EACH == TCP_LOOK_EACH - 1 else "udp"
    return fit[turn % len(fit)], transport


def _may_look(trust: Trust, now_s: float) -> bool:
    return not trust.is_doubted or now_s >= trust.trial_s
