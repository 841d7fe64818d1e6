"""Zones as a page shows them, from what was last read of the table and what this daemon knows.

How a zone stands is the verdict that `dns-runbook status` gives, but for the fence, which is taken
as it was last confirmed: a page asks Route 53 nothing.
"""

from collections.abc import Callable, Sequence

from msgspec import structs

from dnsplan.errors import DnsplanError
from dnsplan.fence import NoFence, parse_fence
from dnsplan.generation import GenerationItem
from dnsplan.names import Name, display, parse_name
from dnsplan.runtime.config.schema import Settings
from dnsplan.runtime.page.known import ZoneKnown
from dnsplan.runtime.page.model import AzView, Hold, NameView, ZoneView
from dnsplan.runtime.page.reading import TableReading
from dnsplan.runtime.status.model import FenceStatus, NameStatus, SeenDrift, ZoneStatus
from dnsplan.runtime.status.shape import ZoneFacts, fence_status, zone_status
from dnsplan.runtime.status.verdict import Standing, Verdict, judge_zone

ZONES_MAX = 100
UNREAD = "not seen yet"
# Worst first, where not all have room.
_ORDER = (*(one.value for one in Standing), UNREAD)


class ZonesView:
    """The zones of one config, as this daemon's page shows them."""

    def __init__(self, settings: Settings, labels: Sequence[str], reading: TableReading) -> None:
        """`holds`: the daemon's own, by label. `names`: what it can add to a zone's names."""
        self._settings = settings
        self._labels = tuple(labels)
        self._reading = reading
        self.holds: Callable[[str], tuple[Hold, ...]] = lambda _label: ()
        self.names: Callable[[str, tuple[NameView, ...]], tuple[NameView, ...]] = (
            lambda _label, names: names
        )

    def follow(self, settings: Settings, labels: Sequence[str]) -> None:
        """Show the zones of another config from now on."""
        self._settings, self._labels = settings, tuple(labels)

    def zones(self) -> tuple[tuple[ZoneView, ...], int]:
        """Zones in the config's order, or the worst ones where there are too many; and the rest."""
        views = [self._zone(label) for label in self._labels]
        if len(views) > ZONES_MAX:
            views.sort(key=lambda view: _ORDER.index(view.standing))
        return tuple(views[:ZONES_MAX]), max(0, len(views) - ZONES_MAX)

    def _zone(self, label: str) -> ZoneView:
        entry, known = self._settings.zones[label], self._reading.zones.get(label)
        if known is None:
            zone = display(parse_name(entry.name))
            return ZoneView(
                label=label,
                zone=zone,
                mode=entry.mode,
                standing=UNREAD,
                reasons=(),
                holds=self.holds(label),
            )
        verdict = self._verdict(label, parse_name(entry.name), known)
        standing = known.standing
        item = known.item
        view = ZoneView(
            label=label,
            zone=display(parse_name(entry.name)),
            mode=entry.mode,
            standing=verdict.standing.value,
            reasons=verdict.reasons,
            azs=self._azs(label),
            stages=known.stages or (),
            holds=(*self.holds(label), *self._others_holds(label)),
            names=self.names(label, () if standing is None else standing.names),
            more_names=0 if standing is None else standing.more_names,
        )
        return view if item is None else _with_item(view, item)

    def _azs(self, label: str) -> tuple[AzView, ...]:
        seen = self._reading.sightings(label)
        order = [*self._settings.azs, *sorted(seen.keys() - set(self._settings.azs))]
        return tuple(
            AzView(az, one.generation, float(one.seen_s), one.working_to)
            if (one := seen.get(az)) is not None
            else AzView(az, None, None, None)
            for az in order
        )

    def _others_holds(self, label: str) -> tuple[Hold, ...]:
        """What the enactors' signs of life say; which command helps is in the explanation."""
        command = f"dns-runbook explain {label}"
        own = {one.who for one in self.holds(label)}
        return tuple(
            Hold(f"enactor {az}", "", one.holding, command, None)
            for az, one in sorted(self._reading.sightings(label).items())
            if one.holding is not None and f"enactor {az}" not in own
        )

    def _verdict(self, label: str, zone: Name, known: ZoneKnown) -> Verdict:
        azs = self._settings.azs
        status = self._status(label, zone, known)
        drift = [
            SeenDrift(label, az, text)
            for az, one in self._reading.sightings(label).items()
            for text in one.drift
        ]
        return judge_zone(status, (), azs=azs, drift=drift)

    def _status(self, label: str, zone: Name, known: ZoneKnown) -> ZoneStatus:
        facts = ZoneFacts(
            label=label,
            name=zone,
            zone_id=None,
            item=known.item,
            fence=NoFence.MISSING,
            plan=None,
            presences=self._reading.presences,
            held={},
        )
        status = zone_status(facts, azs=self._settings.azs, now_s=int(self._reading.as_of_s()))
        standing = known.standing
        names = () if standing is None else _name_statuses(standing.names)
        return structs.replace(status, fence=_confirmed_fence(known.item), names=names)


def _with_item(view: ZoneView, item: GenerationItem) -> ZoneView:
    return structs.replace(
        view,
        head=item.head,
        claimed=item.claimed,
        applied=item.applied,
        last_known_good=item.last_known_good,
        floor=item.floor,
        frozen=item.frozen,
        pin=item.pin,
    )


def _name_statuses(names: Sequence[NameView]) -> tuple[NameStatus, ...]:
    return tuple(
        NameStatus(
            name=one.name,
            type=one.type,
            answers=len(one.answers),
            targets=one.targets_all,
            healthy=one.targets_healthy,
        )
        for one in names
    )


def _confirmed_fence(item: GenerationItem | None) -> FenceStatus | None:
    if item is None or item.applied_fence is None:
        return None
    try:
        return fence_status(parse_fence(item.applied_fence))
    except DnsplanError:
        return None
