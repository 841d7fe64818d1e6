"""Finds each configured zone's id and admits it; a zone that cannot be found leaves the rest alone.

Route 53 may be unreachable when a daemon starts, and a zone may be made later than its config, or
again under another id: so finding is work like any other, done again until every zone is admitted.
"""

from collections.abc import Mapping

import structlog

from dnsplan.ports import Zone
from dnsplan.runtime.config.derived import limits_for
from dnsplan.runtime.config.schema import Settings
from dnsplan.runtime.zones import ZoneFinder, ZoneProblem
from enactor.daemon import EnactorDaemon
from enactor.settings import ZoneTask

FIND_EVERY_S = 15.0


def task_of(settings: Settings, zone: Zone) -> ZoneTask:
    """How a found zone is to be treated."""
    entry = settings.zones[zone.label]
    return ZoneTask(
        zone,
        observe=entry.mode == "observe",
        repair_drift=entry.drift == "repair",
        limits=limits_for(settings, zone.label),
    )


class Roster:
    """The zones of the config that are not admitted yet."""

    def __init__(self, settings: Settings, finder: ZoneFinder, daemon: EnactorDaemon) -> None:
        """Nothing is asked before the first pass."""
        self._settings = settings
        self._finder = finder
        self._daemon = daemon
        self._missing = dict(settings.zones)
        self._admitted: dict[str, Zone] = {}
        self._told: dict[str, str] = {}
        self._log = structlog.get_logger("enactor")

    def unfound(self) -> dict[str, str]:
        """Zones that are not admitted, as far as a reason was told."""
        return {label: self._told[label] for label in self._missing if label in self._told}

    async def run_once(self) -> None:
        """Look for what is missing; ReadFailed when Route 53 cannot be asked."""
        for label in self._daemon.bound_elsewhere():
            self._missing[label] = self._settings.zones[label]
        if not self._missing:
            return
        found = await self._finder.find_all(self._missing)
        for label, zone in found.zones.items():
            del self._missing[label]
            if self._admitted.get(label) != zone:
                self._admitted[label] = zone
                self._daemon.admit(task_of(self._settings, zone))
        self._tell({problem.label: problem for problem in found.problems})

    def _tell(self, problems: Mapping[str, ZoneProblem]) -> None:
        for label, problem in problems.items():
            if self._told.get(label) != str(problem):
                self._told[label] = str(problem)
                self._log.error("zone_not_found", zone=label, reason=str(problem))
