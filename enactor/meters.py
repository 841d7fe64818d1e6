"""What came of each zone's cycles, for this enactor's metrics and page. Nothing decides by it.

An outcome that lasts is one hold, however many cycles find it; what happens is counted each time.
"""

from collections.abc import Iterator, Sequence

from msgspec import Struct
from prometheus_client import CollectorRegistry, Counter, Histogram
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from dnsplan.generation import GenerationItem
from dnsplan.ports import Clock
from dnsplan.runtime.page.known import PlanFacts
from dnsplan.runtime.page.model import Hold
from enactor.rules.outcomes import Applied, Fenced, Held, HoldRule, InSync, Outcome, Unknown

# From half a second, where all is on one machine, to ten minutes, when confirming is given up.
LAGS_S = (0.5, 1, 2, 5, 10, 20, 30, 60, 120, 300, 600)


class _Standing(Struct):
    """One zone. `confirmed` is the generation that this enactor saw get in sync, and when."""

    hold: Hold | None = None
    applied: int = 0
    confirmed: tuple[int, float] | None = None


class EnactorMeters(Collector):
    """One enactor's outcomes."""

    def __init__(self, registry: CollectorRegistry, clock: Clock, *, az: str) -> None:
        """Nothing has happened yet."""
        self._clock = clock
        self._who = f"enactor {az}"
        self._zones: dict[str, _Standing] = {}
        self._outcomes = Counter(
            "dnsplan_enactor_outcomes",
            "How cycles ended that did something: applied, fenced, held, refused, unknown.",
            ["outcome"],
            registry=registry,
        )
        for outcome in ("applied", "fenced", "held", "refused", "unknown"):
            self._outcomes.labels(outcome)
        self._batches = Counter(
            "dnsplan_enactor_batches", "Change batches that Route 53 accepted.", registry=registry
        )
        self._lag = Histogram(
            "dnsplan_plan_to_in_sync_seconds",
            "From a plan's making to its being in sync, for plans that this enactor confirmed.",
            registry=registry,
            buckets=LAGS_S,
        )
        registry.register(self)

    def follow(self, labels: Sequence[str]) -> None:
        """Tell of these zones alone from now on."""
        self._zones = {label: zone for label, zone in self._zones.items() if label in labels}

    def note(self, label: str, outcome: Outcome) -> None:
        """Take one outcome in."""
        zone = self._zones.setdefault(label, _Standing())
        match outcome:
            case Held(rule, text, command):
                self._hold(zone, rule, text, command)
                return
            case Applied(generation, batches, _, confirmed):
                self._batches.inc(batches)
                if confirmed and zone.applied != generation:
                    zone.applied = generation
                    zone.confirmed = generation, self._clock.now_s()
                    self._outcomes.labels("applied").inc()
            case Fenced():
                self._outcomes.labels("fenced").inc()
            case Unknown():
                self._outcomes.labels("unknown").inc()
                return
            case InSync(generation):
                zone.applied = generation
            case _:
                return
        zone.hold = None

    def applied(self, item: GenerationItem, plan: PlanFacts) -> None:
        """A plan stands, and this is when it was made; measured by whoever confirmed it."""
        zone = self._zones.get(item.label)
        if zone is None or zone.confirmed is None or zone.confirmed[0] != plan.plan_id.generation:
            return
        self._lag.observe(max(0.0, zone.confirmed[1] - plan.created_s))
        zone.confirmed = None

    def holds(self, label: str) -> tuple[Hold, ...]:
        """Why this enactor leaves a zone as it is; nothing when it does not."""
        zone = self._zones.get(label)
        return () if zone is None or zone.hold is None else (zone.hold,)

    def collect(self) -> Iterator[Metric]:
        """One sample a held zone, with the rule that holds it."""
        family = GaugeMetricFamily(
            "dnsplan_zone_held",
            "1 while this daemon leaves a zone as it is, by the rule.",
            labels=["zone", "rule"],
        )
        for label, zone in self._zones.items():
            if zone.hold is not None:
                family.add_metric([label, zone.hold.rule], 1)
        yield family

    def _hold(self, zone: _Standing, rule: HoldRule, text: str, command: str) -> None:
        before = zone.hold
        if before is None or before.rule != rule:
            outcome = "refused" if rule is HoldRule.REFUSED else "held"
            self._outcomes.labels(outcome).inc()
            since_s = self._clock.now_s()
        else:
            since_s = before.since_s or 0.0
        zone.hold = Hold(self._who, str(rule), text, command, since_s)
