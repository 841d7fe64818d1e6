"""What each planning pass saw and decided, for this planner's metrics and page. Nothing decides by
it.

How long it takes from a probe to the answer is measured from when the first of the targets that
moved turned, to when the plan that moved it was seen to be applied.
"""

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct, structs
from prometheus_client import CollectorRegistry, Counter, Histogram
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from dnsplan.generation import GenerationItem
from dnsplan.names import display, typed
from dnsplan.ports import Clock
from dnsplan.runtime.page.known import PlanFacts
from dnsplan.runtime.page.model import Hold, NameView, TargetView
from planner.cycle import ZoneReport
from planner.rules.health import Phase, Sight
from planner.rules.notes import Place, TargetNote, UnitNote
from planner.rules.outcomes import Held, PlanOutcome, Published, Refused, Waiting

LAGS_S = (1, 2, 5, 10, 15, 20, 30, 60, 120, 300, 600)
REFUSED = "refused"


class _Standing(Struct):
    """One zone. `moving`: the generation on its way, and when what it answers to was observed."""

    hold: Hold | None = None
    units: tuple[UnitNote, ...] = ()
    moving: tuple[int, float] | None = None


class PlannerMeters(Collector):
    """One planner's passes."""

    def __init__(self, registry: CollectorRegistry, clock: Clock, *, az: str | None) -> None:
        """Nothing has happened yet."""
        self._clock = clock
        self._who = "planner" if az is None else f"planner {az}"
        self._began_s = clock.now_s() - clock.elapsed_s()
        self._zones: dict[str, _Standing] = {}
        self._targets: Mapping[tuple[str, Phase], int] = {}
        self._outcomes = Counter(
            "dnsplan_planner_outcomes",
            "How zones were planned, by the pass's outcome; unchanged ones are not counted.",
            ["outcome"],
            registry=registry,
        )
        for outcome in ("published", "refused", "held", "overtaken", "unsettled"):
            self._outcomes.labels(outcome)
        self._lag = Histogram(
            "dnsplan_observation_to_in_sync_seconds",
            "From a target's turning healthy or unhealthy to its answer's being in sync.",
            registry=registry,
            buckets=LAGS_S,
        )
        registry.register(self)

    def note(self, reports: Sequence[ZoneReport], sight: Sight) -> None:
        """Take one pass in."""
        wished = {report.wish.label for report in reports}
        self._zones = {label: zone for label, zone in self._zones.items() if label in wished}
        targets: dict[tuple[str, Phase], set[str]] = {}
        for report in reports:
            self._note(report)
            for unit in report.wish.driven:
                for member in unit.members:
                    if member.is_probed:
                        state = (member.key[0], sight.of(member).phase)
                        targets.setdefault(state, set()).add(member.target_id)
        self._targets = {state: len(ids) for state, ids in targets.items()}

    def applied(self, item: GenerationItem, _plan: PlanFacts) -> None:
        """A plan stands; when it, or one before it, was this planner's, its way is measured."""
        zone = self._zones.get(item.label)
        if zone is None or zone.moving is None or zone.moving[0] > item.applied:
            return
        self._lag.observe(max(0.0, self._clock.now_s() - zone.moving[1]))
        zone.moving = None

    def holds(self, label: str) -> tuple[Hold, ...]:
        """Why this planner publishes nothing for a zone; nothing when it may."""
        zone = self._zones.get(label)
        return () if zone is None or zone.hold is None else (zone.hold,)

    def names(self, label: str, names: tuple[NameView, ...]) -> tuple[NameView, ...]:
        """The same names, with the targets that this planner probes."""
        zone = self._zones.get(label)
        notes = {(display(one.unit[0]), one.unit[1]): one for one in zone.units} if zone else {}
        return tuple(self._with_targets(one, notes.get((one.name, one.type))) for one in names)

    def collect(self) -> Iterator[Metric]:
        """Holds, targets, and what health alone would have otherwise."""
        held = GaugeMetricFamily(
            "dnsplan_zone_held",
            "1 while this daemon leaves a zone as it is, by the rule.",
            labels=["zone", "rule"],
        )
        withheld = GaugeMetricFamily(
            "dnsplan_zone_withheld_targets",
            "Targets that should be taken out and still answer.",
            labels=["zone"],
        )
        panic = GaugeMetricFamily(
            "dnsplan_zone_panic_names",
            "Names whose health is ignored, since too few of their pool look healthy.",
            labels=["zone"],
        )
        for label, zone in self._zones.items():
            if zone.hold is not None:
                held.add_metric([label, zone.hold.rule], 1)
            withheld.add_metric([label], sum(len(one.withheld) for one in zone.units))
            panic.add_metric([label], sum(one.is_panic for one in zone.units))
        targets = GaugeMetricFamily(
            "dnsplan_targets",
            "Probed targets by what is believed of them.",
            labels=["pool", "state"],
        )
        for (pool, phase), count in sorted(self._targets.items(), key=str):
            targets.add_metric([pool, phase.value], count)
        yield from (held, withheld, panic, targets)

    def _note(self, report: ZoneReport) -> None:
        label, outcome = report.wish.label, report.outcome
        zone = self._zones.setdefault(label, _Standing())
        units = report.candidate.notes if report.candidate is not None else zone.units
        if isinstance(outcome, Published):
            observed_s = self._first_turn(zone.units, units)
            if observed_s is not None and zone.moving is None:
                zone.moving = int(outcome.plan_id.generation), observed_s
        hold = self._hold_of(outcome, zone.hold)
        is_new = hold is not None and (zone.hold is None or zone.hold.rule != hold.rule)
        kind = type(outcome).__name__.lower()
        if is_new or kind in ("published", "overtaken", "unsettled"):
            self._outcomes.labels(kind).inc()
        zone.hold, zone.units = hold, tuple(units)

    def _hold_of(self, outcome: PlanOutcome, before: Hold | None) -> Hold | None:
        match outcome:
            case Held(rule, text, command):
                found = str(rule), text, command
            case Refused(violations):
                more = f", and {len(violations) - 1} more" if len(violations) > 1 else ""
                command = f"dns-runbook explain {typed(violations[0].name)}"
                found = REFUSED, f"{violations[0]}{more}", command
            case Waiting(why, rule, command) if rule:
                found = rule, why, command
            case _:
                return None
        is_same = before is not None and before.rule == found[0]
        since_s = before.since_s if before is not None and is_same else self._clock.now_s()
        return Hold(self._who, *found, since_s)

    def _first_turn(self, before: Sequence[UnitNote], now: Sequence[UnitNote]) -> float | None:
        """When the first of the targets whose place is another now had turned."""
        places = {(one.unit, note.answer): note.place for one in before for note in one.targets}
        turned = [
            note.health.since_s
            for one in now
            for note in one.targets
            if note.health is not None
            and note.health.phase is not Phase.UNKNOWN
            and (one.unit, note.answer) in places
            and (places[one.unit, note.answer] is Place.OUT) != (note.place is Place.OUT)
        ]
        return self._began_s + min(turned) if turned else None

    def _with_targets(self, name: NameView, note: UnitNote | None) -> NameView:
        if note is None:
            return name
        state = note.fate.value if not note.targets else ""
        return structs.replace(
            name,
            targets=tuple(map(self._target, note.targets)) or None,
            state="health is ignored: too few look healthy" if note.is_panic else state,
            is_ill=note.is_panic,
        )

    def _target(self, note: TargetNote) -> TargetView:
        health = note.health
        if health is None or health.last is None:
            return TargetView(
                note.target_id, note.answer, note.place.value, "", note.why.value, None
            )
        why = note.why.value
        if not health.last.healthy and health.last.detail:
            why = f"{why}: {health.last.detail}"
        since_s = self._began_s + health.since_s if health.phase is not Phase.UNKNOWN else None
        return TargetView(
            note.target_id, note.answer, note.place.value, health.phase.value, why, since_s
        )
