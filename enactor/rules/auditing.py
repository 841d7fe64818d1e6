"""What one audited page says, and how fast a zone may be audited.

An audit looks for what others changed beside the fence. It lives on a tenth of the request share, a
page at a time, and a large zone simply takes longer to get around. A zone of one page is another
matter: its fence stands on the page, so the look costs what a check of the fence costs.
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

# The most that Route 53 lists in one answer.
RECORD_SETS_A_PAGE = 300


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


def pages_of(record_sets: int) -> int:
    """How many pages a zone of so many record sets and a fence has."""
    return record_sets // RECORD_SETS_A_PAGE + 1


def page_every_s(
    audit_s: float, *, pages: int, zones: int, check_every_s: float, requests_per_s: float
) -> float:
    """Seconds between two pages of a zone: once around in `audit_s`, if the share allows it.

    A zone of one page is looked at instead of each fence check.
    """
    spared_s = zones * REQUESTS_A_PAGE / (requests_per_s * REQUEST_SHARE)
    every_s = max(audit_s / max(1, pages), spared_s)
    return every_s if pages > 1 else min(every_s, check_every_s)
