"""Finds each configured zone's id and admits it; a zone that cannot be found leaves the rest alone.

Route 53 may be unreachable when a daemon starts, and a zone may be made later than its config, or
again under another id: so finding is work like any other, done again until every zone is admitted.
"""

from collections.abc import Awaitable, Callable, Mapping

import structlog

from dnsplan.ports import Zone
from dnsplan.runtime.config.derived import limits_for
from dnsplan.runtime.config.schema import Settings, ZoneEntry
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
        # Opens what a zone's account is asked with, where the config came to name another.
        self.follow_roles: Callable[[Mapping[str, str | None]], Awaitable[None]] | None = None
        self._finder = finder
        self._daemon = daemon
        self._missing = dict(settings.zones)
        self._admitted: dict[str, Zone] = {}
        self._told: dict[str, str] = {}
        self._log = structlog.get_logger("enactor")

    def unfound(self) -> dict[str, str]:
        """Zones that are not admitted, as far as a reason was told."""
        return {label: self._told[label] for label in self._missing if label in self._told}

    def take(self, settings: Settings) -> None:
        """Go on by another config: what came, or lies elsewhere now, is found anew; what is gone is
        let go as it is, and nothing of it is deleted."""
        before, self._settings = self._settings, settings
        for label in [one for one in self._known() if one not in settings.zones]:
            self._let_go(label)
            self._missing.pop(label, None)
        for label, entry in settings.zones.items():
            old, zone = before.zones.get(label), self._admitted.get(label)
            if old is None or zone is None or _place(old) != _place(entry):
                self._let_go(label)
                self._missing[label] = entry
            elif task_of(settings, zone) != self._daemon.tasks.get(label):
                self._daemon.admit(task_of(settings, zone))

    async def run_once(self) -> None:
        """Look for what is missing; ReadFailed when Route 53 cannot be asked."""
        for label in self._daemon.bound_elsewhere():
            self._missing[label] = self._settings.zones[label]
        if not self._missing:
            return
        wanted = dict(self._missing)
        if self.follow_roles is not None:
            await self.follow_roles({label: entry.role_arn for label, entry in wanted.items()})
        async for found in self._finder.find_each(wanted):
            for label, zone in found.zones.items():
                if self._missing.get(label) is not wanted[label]:
                    continue  # another config was taken up meanwhile
                del self._missing[label]
                if self._admitted.get(label) != zone:
                    self._admitted[label] = zone
                    self._daemon.admit(task_of(self._settings, zone))
            self._tell({problem.label: problem for problem in found.problems})

    def _known(self) -> set[str]:
        return {*self._missing, *self._admitted}

    def _let_go(self, label: str) -> None:
        self._daemon.dismiss(label)
        self._admitted.pop(label, None)
        self._told.pop(label, None)

    def _tell(self, problems: Mapping[str, ZoneProblem]) -> None:
        for label, problem in problems.items():
            if self._told.get(label) != str(problem):
                self._told[label] = str(problem)
                self._log.error("zone_not_found", zone=label, reason=str(problem))


def _place(entry: ZoneEntry) -> tuple[str, str | None, bool, str | None]:
    """By what a zone is found, and asked for."""
    return (entry.name, entry.id, entry.private, entry.role_arn)
