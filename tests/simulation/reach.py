"""What a pretended process reaches of the world, by whatever doors: fakes of the ports, or the
product's adapters over the stand-in. Time and chance are the process's own and not among it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from dnsplan.ports import FenceReader, GenerationTable, PlanArchive, PresenceBoard
from enactor.ports import ExceptionsLog, ZoneQuotas, ZoneRecords
from planner.ports import Prober, VantageBoard
from runbooks.controls.outside import AuditLog
from tests.simulation.cloud import Judge
from tests.simulation.processes import Process
from tests.simulation.wire import Wire


@dataclass(frozen=True, slots=True, kw_only=True)
class Reached:
    """Every port of one process."""

    table: GenerationTable
    archive: PlanArchive
    records: ZoneRecords
    fences: FenceReader
    exceptions: ExceptionsLog
    board: PresenceBoard
    audit: AuditLog
    prober: Prober
    vantage: VantageBoard
    quotas: ZoneQuotas | None = None


Reach: TypeAlias = Callable[[Process], Reached]
Doors: TypeAlias = Callable[[Wire, Judge], Reach]
