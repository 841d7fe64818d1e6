"""What one audited page says, and how fast a zone may be audited.

An audit looks for what others changed beside the fence. It is never urgent: it lives on a tenth of
the request share, a page at a time, and a large zone simply takes longer to get around.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from dnsplan.names import Name
from dnsplan.records import RecordSet
from enactor.rules.drift import DRIFT_HELD, Drift, drifts
from enactor.rules.exceptions import HeldName, stays_held

# Applying plans, confirming them and checking fences need the rest.
REQUEST_SHARE = 0.1

# The page itself, and the fence behind it.
REQUESTS_A_PAGE = 2


@dataclass(frozen=True, slots=True)
class PageVerdict:
    """`drift` is what to show; `to_mend` are names that must be looked at and changed now.

    A held name is mended when it stands as planned after all, or when its reason has ended.
    """

    drift: tuple[Drift, ...]
    to_mend: frozenset[Name]


def judge_page(
    listed: Iterable[RecordSet],
    wanted: tuple[RecordSet, ...],
    held: Mapping[Name, HeldName],
    *,
    repair_drift: bool,
) -> PageVerdict:
    """Compare a page with the plan's part of it; names held for other reasons than drift are known
    to differ."""
    found = drifts(listed, wanted)
    differing = {one.name for one in found}
    shown, to_mend = [], set()
    for one in found:
        before = held.get(one.name)
        if before is None or before.reason == DRIFT_HELD:
            shown.append(one)
        if before is None or not stays_held(before, before.refused, repair_drift=repair_drift):
            to_mend.add(one.name)
    to_mend |= {one.name for one in wanted if one.name in held and one.name not in differing}
    return PageVerdict(tuple(shown), frozenset(to_mend))


def page_every_s(audit_s: float, *, pages: int, zones: int, requests_per_s: float) -> float:
    """Seconds between two pages of a zone: once around in `audit_s`, if the share allows it."""
    spared_s = zones * REQUESTS_A_PAGE / (requests_per_s * REQUEST_SHARE)
    return max(audit_s / max(1, pages), spared_s)
