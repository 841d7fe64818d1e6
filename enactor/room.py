"""Knows how near each zone is to its limit of record sets, for at most one request an hour.

What is not known refuses nothing: Route 53 itself is the judge then. A zone that has no room is
asked about again sooner, since whoever raises the limit waits for it.
"""

from collections.abc import Callable
from dataclasses import dataclass

from dnsplan.errors import DnsplanError
from dnsplan.ports import Zone
from enactor.ports import ZoneQuotas
from enactor.rules.quota import ZoneQuota, refusal, warning

ASKED_EVERY_S = 3_600.0
ASKED_WHEN_FULL_EVERY_S = 300.0


@dataclass(slots=True)
class _Known:
    """What Route 53 said, or None if it could not be asked, and what was added since."""

    quota: ZoneQuota | None
    asked_s: float


class RoomWatch:
    """One enactor's knowledge of all its zones. Losing it costs a request each."""

    def __init__(self, quotas: ZoneQuotas | None, elapsed_s: Callable[[], float]) -> None:
        """Without `quotas` nothing is known, ever."""
        self._quotas = quotas
        self._elapsed_s = elapsed_s
        self._known: dict[str, _Known] = {}

    async def refuses(self, zone: Zone, growth: int) -> str | None:
        """Why a plan that adds so many record sets has no room, with the numbers."""
        if growth <= 0:
            return None
        quota = await self.look(zone)
        why = None if quota is None else refusal(zone.label, quota, growth)
        if why is None:
            return None
        quota = await self.look(zone, every_s=ASKED_WHEN_FULL_EVERY_S)
        return None if quota is None else refusal(zone.label, quota, growth)

    async def look(self, zone: Zone, *, every_s: float = ASKED_EVERY_S) -> ZoneQuota | None:
        """The zone's quota, asked for if what is known is too old; None when it is not known."""
        known, now_s = self._known.get(zone.label), self._elapsed_s()
        if self._quotas is None:
            return None
        if known is None or now_s - known.asked_s >= every_s:
            known = self._known[zone.label] = _Known(None, now_s)
            try:
                known.quota = await self._quotas.quota(zone)
            except DnsplanError:
                return None
        return known.quota

    def grew(self, label: str, growth: int) -> None:
        """Count what was added, or with a negative number taken away, since Route 53 was asked."""
        quota = self._said(label)
        if quota is not None:
            self._known[label].quota = ZoneQuota(quota.count + growth, quota.limit)

    def count(self, label: str) -> int | None:
        """How many record sets the zone holds, as far as Route 53 was asked."""
        quota = self._said(label)
        return None if quota is None else quota.count

    def warning(self, label: str) -> str | None:
        """What people should know ahead of a refusal."""
        quota = self._said(label)
        return None if quota is None else warning(label, quota)

    def _said(self, label: str) -> ZoneQuota | None:
        known = self._known.get(label)
        return None if known is None else known.quota
