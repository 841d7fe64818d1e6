"""What an enactor pages: only what the table and its own cycles know, one cause a zone at a time.

Pure. A hold explains why a plan waits, and a stranger at the fence why nothing is applied, so these
hide what follows from them. What an operator did (a freeze, a pin, mode observe) pages nobody.
"""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum

from dnsplan.notices import Cause
from dnsplan.pages import PAGES
from enactor.rules.outcomes import HoldRule
from enactor.rules.stagger import Peer, alive, order
from enactor.rules.trouble import (
    FENCED_MAX,
    FENCED_WINDOW_S,
    Trouble,
    is_fenced_out,
    lag_s,
    quietly_held_s,
    standing_drift,
    standing_hold,
)

HELD_ZONE, HELD_NAMES, DRIFT = "held-zone", "held-names", "drifted-zone"
FENCED_OUT, LAGGING, UNFOUND, UNREAD = "fenced-out", "lagging-zone", "unfound-zone", "unread-table"
KINDS = (HELD_ZONE, HELD_NAMES, DRIFT, FENCED_OUT, LAGGING, UNFOUND, UNREAD)

# Two looks at the usual pace; who waits longer for a second owner only loses time.
AT_ONCE_S = 10.0
LINES_MAX = 10

# An operator's own word needs no page to anybody.
_QUIET = frozenset({HoldRule.FROZEN, HoldRule.BEYOND_PIN, HoldRule.OBSERVING})
RUNBOOKS: Mapping[HoldRule, str | None] = {
    rule: None if rule in _QUIET else PAGES[rule] for rule in HoldRule
}
_AT_ONCE = frozenset(
    {
        HoldRule.FOREIGN_TABLE,
        HoldRule.FOREIGN_OWNER,
        HoldRule.AHEAD,
        HoldRule.FENCE_DAMAGED,
        HoldRule.UNVOUCHED,
        HoldRule.ITEM_UNREADABLE,
    }
)


@dataclass(frozen=True, slots=True)
class Patience:
    """How long a zone may be held, and a plan may wait, before somebody is told."""

    held_s: float
    lag_s: float


@dataclass(frozen=True, slots=True)
class ZoneFacts:
    """What is known of one zone. `observe`: it is never written, so no plan ever waits."""

    label: str
    observe: bool
    trouble: Trouble


def causes_of(zone: ZoneFacts, patience: Patience, *, now_s: float) -> Iterator[Cause]:
    """What needs somebody in this zone."""
    label, trouble = zone.label, zone.trouble
    hold = standing_hold(trouble, now_s=now_s)
    runbook = None if hold is None else RUNBOOKS[hold.held.rule]
    if drift := standing_drift(trouble, now_s=now_s):
        yield _drift(label, drift, trouble.names_held)
    elif trouble.names_held and quietly_held_s(trouble, now_s=now_s) >= patience.held_s:
        yield _held_names(label, trouble)
    if is_fenced_out(trouble, now_s=now_s):
        yield Cause(
            kind=FENCED_OUT,
            label=label,
            verdict="fenced",
            title=f"zone {label}: somebody else moves its fence again and again",
            lines=(f"{FENCED_MAX} times in {FENCED_WINDOW_S:g} s; now and then is usual",),
            commands=(f"dns-runbook explain {label}",),
            runbook="fenced-out",
        )
    elif hold is not None and runbook is not None:
        rule, waited_s = hold.held.rule, now_s - hold.since_s
        limit_s = AT_ONCE_S if rule in _AT_ONCE else patience.held_s
        if waited_s >= limit_s and rule is not HoldRule.DRIFT:
            yield Cause(
                kind=HELD_ZONE,
                label=label,
                verdict=str(rule),
                title=f"zone {label} is held: {rule}",
                lines=(hold.held.text, f"held for {waited_s:.0f} s, the limit is {limit_s:g} s"),
                commands=(hold.held.command,),
                runbook=runbook,
            )
    elif hold is None and not zone.observe and lag_s(trouble, now_s=now_s) >= patience.lag_s:
        yield _lag(label, trouble, patience, now_s)


def unfound(label: str, reason: str) -> Cause:
    """A zone of the config that Route 53 does not have, or has twice."""
    return Cause(
        kind=UNFOUND,
        label=label,
        verdict="unfound",
        title=f"zone {label} of the config is not found in Route 53",
        lines=(reason,),
        commands=(f"dns-runbook status {label}",),
        runbook="stale-zone",
    )


def unread(az: str, reason: str, *, waited_s: float) -> Cause:
    """The table cannot be read from here: whatever is wrong with zones follows from it."""
    return Cause(
        kind=UNREAD,
        label=az,
        verdict="unread",
        title=f"the enactor in {az} cannot read the table",
        lines=(reason, f"for {waited_s:.0f} s; DNS stays as it is"),
        commands=("dns-runbook status",),
        runbook="table-unreachable",
    )


class Teller(Enum):
    """Who tells of a cause, so that three enactors are not three pages."""

    HERE = "this one"
    FIRST = "the zone's first living one, which sees it too"
    DOUBTFUL = "this one, though the first does not see it"


def teller(
    cause: Cause,
    az: str,
    azs: Collection[str],
    peers: Mapping[str, Peer],
    *,
    silent_s: float,
) -> Teller:
    """Judge by the peers' signs of life."""
    living = alive(peers, silent_s=silent_s) | {az}
    first = next((one for one in order(cause.label, azs) if one in living), az)
    if first == az or cause.kind in (UNREAD, FENCED_OUT, UNFOUND):
        return Teller.HERE
    if cause.kind in (LAGGING, HELD_NAMES):  # the table tells it to everybody
        return Teller.FIRST
    sighting = peers[first].sighting(cause.label)
    sees = sighting is not None and (
        sighting.holding is not None if cause.kind == HELD_ZONE else bool(sighting.drift)
    )
    return Teller.FIRST if sees else Teller.DOUBTFUL


def _drift(label: str, drift: tuple[str, ...], held: int) -> Cause:
    """Where drift is held, its names are held back, so that those need no page of their own."""
    more = len(drift) - LINES_MAX
    lines = drift[:LINES_MAX]
    if held:
        lines = (*lines, f"{_names(held)} held back in all")
    return Cause(
        kind=DRIFT,
        label=label,
        verdict="drift",
        title=f"zone {label}: {_names(len(drift))} not as planned: changed beside the fence",
        lines=(*lines, f"and {more} more") if more > 0 else lines,
        commands=(f"dns-runbook audit {label}",),
        runbook="audit",
    )


def _lag(label: str, trouble: Trouble, patience: Patience, now_s: float) -> Cause:
    generation = trouble.pending[0][0]
    applied = trouble.item.applied if trouble.item is not None else 0
    waited_s = lag_s(trouble, now_s=now_s)
    return Cause(
        kind=LAGGING,
        label=label,
        verdict="lag",
        title=f"zone {label} does not follow its plans",
        lines=(
            f"plan {generation} waits for {waited_s:.0f} s, the limit is {patience.lag_s:g} s",
            f"applied is {applied}",
        ),
        commands=(f"dns-runbook explain {label}",),
        runbook="stale-zone",
    )


def _held_names(label: str, trouble: Trouble) -> Cause:
    count = trouble.names_held
    return Cause(
        kind=HELD_NAMES,
        label=label,
        verdict=f"held {count}",
        title=f"zone {label}: {_names(count)} held back and not as planned",
        lines=trouble.notes[:LINES_MAX],
        commands=(f"dns-runbook explain {label}",),
        runbook="bad-name-held",
    )


def _names(count: int) -> str:
    return "1 name is" if count == 1 else f"{count} names are"
