"""Whether a zone is in sync, held or unhealthy, with each reason in a sentence. Pure.

Every sentence names the measured value, what it should be, and the command to look further (P14).
The sandbox waits for the same verdict that an operator reads, so that "converged" means one thing.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import chain

from dnsplan.runtime.status.model import FenceStatus, Report, SeenDrift, Unread, ZoneStatus

# An enactor writes its sign of life every few seconds; a minute without one is no slow cycle.
ENACTOR_QUIET_S = 60


class Standing(Enum):
    """How a zone stands, the worst first where several zones are summed up.

    Behind is the way to a new generation; unhealthy does not mend itself by waiting.
    """

    UNHEALTHY = "unhealthy"
    HELD = "held"
    BEHIND = "behind"
    IN_SYNC = "in sync"


@dataclass(frozen=True, slots=True)
class Verdict:
    """How one zone stands, and why it is not in sync."""

    label: str
    standing: Standing
    reasons: tuple[str, ...]


def judge_report(report: Report, *, azs: Sequence[str]) -> tuple[Verdict, ...]:
    """One verdict a zone, in the report's order."""
    return tuple(
        judge_zone(zone, report.unread, azs=azs, drift=report.drift) for zone in report.status.zones
    )


def judge_zone(
    zone: ZoneStatus,
    unread: Iterable[Unread],
    *,
    azs: Sequence[str],
    drift: Iterable[SeenDrift] = (),
) -> Verdict:
    """In sync only when everything was read and head stands in the zone, whole and seen by all."""
    blind = [str(one) for one in unread if one.label in (None, zone.label)]
    if blind:
        return Verdict(zone.label, Standing.UNHEALTHY, tuple(blind))
    found = {
        Standing.UNHEALTHY: (*_troubles(zone, azs), *_drifts(zone, drift)),
        Standing.HELD: tuple(_holds(zone)),
        Standing.BEHIND: tuple(_lags(zone, azs)),
    }
    standing = next((one for one in Standing if found.get(one)), Standing.IN_SYNC)
    return Verdict(zone.label, standing, tuple(chain.from_iterable(found.values())))


def worst(verdicts: Iterable[Verdict]) -> Standing:
    """The standing of all zones together."""
    found = {verdict.standing for verdict in verdicts}
    return next((standing for standing in Standing if standing in found), Standing.IN_SYNC)


def _holds(zone: ZoneStatus) -> Iterable[str]:
    if zone.frozen is not None:
        yield f"frozen by {zone.frozen}; ends with dns-runbook thaw {zone.label} {zone.frozen}"
    if zone.ahead is not None:
        yield (
            f"the fence was seen at generation {zone.ahead}, above head {zone.head}: this table"
            f" lost history; run dns-runbook reconcile {zone.label}"
        )
    for one in zone.enactors or ():
        if one.holding is not None:
            yield f"enactor {one.az} holds: {one.holding}"


def _troubles(zone: ZoneStatus, azs: Sequence[str]) -> Iterable[str]:
    for name in zone.names or ():
        if name.answers == 0:
            yield f"{name.name} {name.type} has no answers"
    if zone.fence is not None and zone.fence.held:
        yield (
            f"names held: {zone.fence.held}, which do not hold what the plan states; look at"
            f" dns-runbook explain {zone.label}"
        )
    for one in zone.enactors or ():
        if one.az in azs and one.age_s is not None and one.age_s > ENACTOR_QUIET_S:
            yield f"enactor {one.az} was last seen {one.age_s} s ago, more than {ENACTOR_QUIET_S} s"


def _drifts(zone: ZoneStatus, drift: Iterable[SeenDrift]) -> Iterable[str]:
    for one in drift:
        if one.label == zone.label:
            yield f"enactor {one.az} saw drift: {one.text}; look at dns-runbook audit {zone.label}"


def _lags(zone: ZoneStatus, azs: Sequence[str]) -> Iterable[str]:
    if not zone.head:
        yield "no plan is published yet; look at dns-planner plan"
        return
    wanted = zone.head if zone.pin is None else zone.pin
    if zone.applied != wanted:
        yield f"generation {zone.applied} is applied, {wanted} should be"
    if zone.fence is None and zone.applied:
        yield f"the zone has no fence any more; look at dns-runbook explain {zone.label}"
    else:
        yield from _fence_lags(zone.fence, wanted)
    for one in zone.enactors or ():
        if one.az in azs and one.generation is None:
            yield f"enactor {one.az} has never looked at the zone"
        elif one.az in azs and one.generation != wanted:
            yield f"enactor {one.az} sees generation {one.generation}, {wanted} should be"


def _fence_lags(fence: FenceStatus | None, wanted: int) -> Iterable[str]:
    if fence is None:
        yield "the zone has no fence yet"
        return
    if fence.generation != wanted:
        yield f"the fence is at generation {fence.generation}, {wanted} should be"
    if fence.step != fence.steps:
        yield f"the fence is at step {fence.step} of {fence.steps}"
