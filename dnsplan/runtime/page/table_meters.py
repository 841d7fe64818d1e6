"""Metrics of what the table says about zones, made when they are asked for.

Labels are zones and AZs alone, so their number is the config's. A value that is not known is left
out; none stands for zero.
"""

from collections.abc import Callable, Iterator

from prometheus_client import CollectorRegistry
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from dnsplan.generation import GenerationItem
from dnsplan.runtime.page.reading import TableReading

ZONE = ["zone"]
ZONE_AZ = ["zone", "az"]

_OF_ITEMS: tuple[tuple[str, str, Callable[[GenerationItem], float]], ...] = (
    ("head_generation", "Newest published generation.", lambda item: item.head),
    ("claimed_generation", "Highest generation that was claimed.", lambda item: item.claimed),
    ("applied_generation", "Newest generation confirmed in sync.", lambda item: item.applied),
    (
        "last_known_good_generation",
        "Newest generation applied whole, no name held.",
        lambda item: item.last_known_good,
    ),
    ("floor_generation", "No generation below it may be claimed.", lambda item: item.floor),
    ("frozen", "1 while an operator's freeze holds.", lambda item: item.frozen is not None),
    ("pinned", "1 while an operator's pin holds.", lambda item: item.pin is not None),
    ("ahead", "1 while the fence was seen above head.", lambda item: item.ahead is not None),
)


class TableMeters(Collector):
    """What one reading knows."""

    def __init__(self, reading: TableReading, registry: CollectorRegistry) -> None:
        """Stand in the registry."""
        self._reading = reading
        registry.register(self)

    def collect(self) -> Iterator[Metric]:
        """Every family, with the samples that are known now."""
        items = {
            label: known.item
            for label, known in self._reading.zones.items()
            if known.item is not None
        }
        for name, words, value in _OF_ITEMS:
            family = GaugeMetricFamily(f"dnsplan_zone_{name}", words, labels=ZONE)
            for label, item in items.items():
                family.add_metric([label], float(value(item)))
            yield family
        yield from self._of_plans()
        yield from self._of_enactors()
        yield self._freshness()

    def _of_plans(self) -> Iterator[Metric]:
        created = GaugeMetricFamily(
            "dnsplan_plan_created_timestamp_seconds", "When the newest plan was made.", labels=ZONE
        )
        held = GaugeMetricFamily(
            "dnsplan_zone_held_names",
            "Names that do not hold what the applied plan states.",
            labels=ZONE,
        )
        for label, known in self._reading.zones.items():
            if known.head is not None:
                created.add_metric([label], known.head.created_s)
            if known.item is not None:
                held.add_metric([label], known.names_held)
        yield from (created, held)

    def _of_enactors(self) -> Iterator[Metric]:
        seen = GaugeMetricFamily(
            "dnsplan_zone_az_generation",
            "Generation that an AZ's enactor knows to stand in the zone.",
            labels=ZONE_AZ,
        )
        drifts = GaugeMetricFamily(
            "dnsplan_zone_az_drift",
            "1 while an AZ's enactor sees records that stand otherwise than planned.",
            labels=ZONE_AZ,
        )
        holds = GaugeMetricFamily(
            "dnsplan_zone_az_held",
            "1 while an AZ's enactor leaves the zone as it is.",
            labels=ZONE_AZ,
        )
        alive = GaugeMetricFamily(
            "dnsplan_enactor_last_sign_timestamp_seconds",
            "When an AZ's enactor last wrote its sign of life.",
            labels=["az"],
        )
        for presence in self._reading.presences:
            alive.add_metric([presence.az], presence.written_s)
            for one in presence.zones:
                if one.label not in self._reading.zones:
                    continue
                labels = [one.label, presence.az]
                seen.add_metric(labels, one.generation)
                drifts.add_metric(labels, float(bool(one.drift)))
                holds.add_metric(labels, float(one.holding is not None))
        yield from (seen, drifts, holds, alive)

    def _freshness(self) -> Metric:
        read_s = self._reading.source().read_s
        family = GaugeMetricFamily(
            "dnsplan_table_last_read_timestamp_seconds",
            "When this page's daemon last read the table whole.",
        )
        if read_s is not None:
            family.add_metric([], read_s)
        return family
