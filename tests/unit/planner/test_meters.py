"""A planner's passes as metrics, holds and targets on its page: what it saw and decided."""

from collections.abc import Sequence

from prometheus_client import CollectorRegistry

from dnsplan.names import display
from dnsplan.plan import Generation
from dnsplan.runtime.page.known import PlanFacts
from dnsplan.runtime.page.model import NameView, TargetView
from dnsplan.violation import Violation
from planner.cycle import ZoneReport
from planner.meters import PlannerMeters
from planner.rules.health import Sight
from planner.rules.outcomes import Held, HoldRule, Refused, Unchanged
from planner.rules.probing import NotAsked, Probe, ProbeResult, TcpCheck
from planner.timed import TimedProber
from tests.fakes.clock import FakeClock
from tests.unit.planner.cases import healthy, sick, sight
from tests.unit.planner.world import GOOD, WEB, World

LABEL = WEB.label
APEX = "example.com."


class Desk:
    """A world whose planner is measured."""

    def __init__(self) -> None:
        """Nothing is planned yet."""
        self.world, self.registry = World(), CollectorRegistry()
        self.meters = PlannerMeters(self.registry, self.world.clock, az="az1")
        self.began_s = self.world.clock.now_s()
        self.planning = self.world.planner()

    async def plan(self, view: Sight) -> Sequence[ZoneReport]:
        """One pass."""
        reports = await self.planning.run_once(view, may_write=True)
        self.meters.note(reports, view)
        return reports

    def end(self, *outcomes: Held | Refused | Unchanged) -> None:
        """Passes that end so."""
        for outcome in outcomes:
            self.meters.note([ZoneReport(WEB, outcome)], GOOD)

    def value(self, name: str, **labels: str) -> float | None:
        """A sample."""
        return self.registry.get_sample_value(name, labels)

    async def applied(self) -> None:
        """The newest plan is seen to be applied."""
        item, plan = self.world.item, await self.world.head()
        item = type(item)(
            label=LABEL, owner=item.owner, incarnation="t", nonce="n", applied=plan.generation
        )
        self.meters.applied(item, PlanFacts(self.world.item.head_id, plan.created_s, (), 0))


async def test_targets_by_pool_and_state() -> None:
    """Each once, however many names its pool answers."""
    desk = Desk()
    await desk.plan(sight(a=healthy(), b=sick()))
    found = {
        state: desk.value("dnsplan_targets", pool="web", state=state)
        for state in ("healthy", "unhealthy", "unknown")
    }
    assert found == {"healthy": 1, "unhealthy": 1, "unknown": 1}


async def test_the_way_from_a_target_to_its_answer_is_measured() -> None:
    """From the turn that moved the answer to when its plan is seen to stand, once."""
    desk = Desk()
    await desk.plan(GOOD)
    await desk.applied()
    assert desk.value("dnsplan_observation_to_in_sync_seconds_count") == 0
    desk.world.clock.advance(60.0)
    await desk.plan(sight(a=healthy(), b=sick(since_s=55.0), c=healthy()))
    desk.world.clock.advance(4.0)
    for _ in range(2):
        await desk.applied()
    assert desk.value("dnsplan_observation_to_in_sync_seconds_count") == 1
    assert desk.value("dnsplan_observation_to_in_sync_seconds_sum") == 9.0
    assert desk.value("dnsplan_planner_outcomes_total", outcome="published") == 2


async def test_a_names_targets_with_what_is_believed_of_them() -> None:
    """Who answers, who is out and why, and since when by the wall clock."""
    desk = Desk()
    await desk.plan(GOOD)
    await desk.plan(sight(a=healthy(5.0), b=sick(7.0), c=healthy(5.0)))
    (name,) = {one.unit for one in desk.meters._zones[LABEL].units}
    shown = NameView(name=display(name[0]), type=name[1], ttl_s=30, answers=())
    other = NameView(name="other.", type="A", ttl_s=30, answers=())
    found, untouched = desk.meters.names(LABEL, (shown, other))
    assert untouched is other
    assert found.targets is not None
    assert {one.target: (one.place, one.health, one.since_s) for one in found.targets} == {
        "a": ("answers", "healthy", desk.began_s + 5.0),
        "b": ("out", "unhealthy", desk.began_s + 7.0),
        "c": ("answers", "healthy", desk.began_s + 5.0),
    }
    (b,) = [one for one in found.targets if one.target == "b"]
    assert isinstance(b, TargetView)
    assert b.why == "unhealthy: refused"


def test_a_hold_counts_once_and_names_its_rule() -> None:
    """It keeps its beginning while the rule is the same, and is gone when a pass is free again."""
    desk = Desk()
    since_s = desk.world.clock.now_s()
    held = Held(HoldRule.FROZEN, "frozen by op", "dns-runbook thaw shop op")
    desk.end(held)
    desk.world.clock.advance(5.0)
    desk.end(held)
    (hold,) = desk.meters.holds(LABEL)
    assert (hold.who, hold.rule, hold.since_s) == ("planner az1", "frozen", since_s)
    assert desk.value("dnsplan_zone_held", zone=LABEL, rule="frozen") == 1
    assert desk.value("dnsplan_planner_outcomes_total", outcome="held") == 1
    desk.end(Unchanged(Generation(1)))
    assert desk.meters.holds(LABEL) == ()
    assert desk.value("dnsplan_zone_held", zone=LABEL, rule="frozen") is None


def test_a_refusal_says_the_first_violation_and_how_many_more() -> None:
    """With the command that explains it."""
    desk = Desk()
    one = Violation("velocity", APEX, f"www.{APEX}", "3 taken out", "at most 1")
    desk.end(Refused((one, one)))
    (hold,) = desk.meters.holds(LABEL)
    assert (hold.rule, hold.text, hold.command) == (
        "refused",
        f"{one}, and 1 more",
        f"dns-runbook explain www.{APEX}",
    )


async def test_a_probe_is_timed_and_told_as_it_is() -> None:
    """Whatever comes of it; one that could not be made is apart."""
    clock, registry = FakeClock(), CollectorRegistry()

    class Slow:
        async def probe(self, probe: Probe) -> ProbeResult:
            """Half a second."""
            clock.advance(0.5)
            return NotAsked(f"{probe.address}: too many open files")

    timed = TimedProber(Slow(), clock, registry)
    answer = await timed.probe(Probe("192.0.2.1", TcpCheck(80), 1.0))
    assert answer == NotAsked("192.0.2.1: too many open files")
    value = registry.get_sample_value
    assert value("dnsplan_probe_duration_seconds_sum", {"result": "not_asked"}) == 0.5
