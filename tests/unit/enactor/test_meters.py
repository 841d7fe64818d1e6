"""An enactor's outcomes as metrics and holds: what lasts counts once, what happens each time."""

from prometheus_client import CollectorRegistry

from dnsplan.generation import GenerationItem
from dnsplan.plan import Digest, Generation, PlanId
from dnsplan.runtime.page.known import PlanFacts
from dnsplan.runtime.page.model import Hold
from enactor.meters import EnactorMeters
from enactor.rules.outcomes import Applied, Fenced, Held, HoldRule, InSync, Unknown
from tests.fakes.clock import FakeClock

FOUR = Generation(4)
FROZEN = Held(HoldRule.FROZEN, "frozen by op", "dns-runbook thaw shop op")


class Desk:
    """Meters of one AZ."""

    def __init__(self) -> None:
        """Nothing has happened."""
        self.clock, self.registry = FakeClock(), CollectorRegistry()
        self.meters = EnactorMeters(self.registry, self.clock, az="az1")

    def count(self, outcome: str) -> float | None:
        """How often something happened."""
        name = "dnsplan_enactor_outcomes_total"
        return self.registry.get_sample_value(name, {"outcome": outcome})

    def held(self, rule: str) -> float | None:
        """1 while a rule holds the zone."""
        return self.registry.get_sample_value("dnsplan_zone_held", {"zone": "shop", "rule": rule})


def test_a_hold_counts_once_and_keeps_its_beginning() -> None:
    """However many cycles find it; another rule is another hold, and none is left when it ends."""
    desk = Desk()
    since_s = desk.clock.now_s()
    for _ in range(3):
        desk.meters.note("shop", FROZEN)
        desk.clock.advance(2.0)
    expected = Hold("enactor az1", "frozen", "frozen by op", "dns-runbook thaw shop op", since_s)
    assert desk.meters.holds("shop") == (expected,)
    assert (desk.count("held"), desk.held("frozen")) == (1, 1)
    desk.meters.note("shop", Held(HoldRule.REFUSED, "no", "dns-runbook explain shop"))
    assert (desk.count("held"), desk.count("refused"), desk.held("frozen")) == (1, 1, None)
    desk.meters.note("shop", InSync(FOUR))
    assert (desk.meters.holds("shop"), desk.held("refused")) == ((), None)


def test_an_unanswered_write_ends_no_hold() -> None:
    """Nothing is known of it."""
    desk = Desk()
    desk.meters.note("shop", FROZEN)
    desk.meters.note("shop", Unknown("no answer"))
    assert (len(desk.meters.holds("shop")), desk.count("unknown")) == (1, 1)


def test_each_time_fenced_counts() -> None:
    """Another writer was first, again."""
    desk = Desk()
    for _ in range(3):
        desk.meters.note("shop", Fenced("4 1/1", "5 1/1"))
    assert desk.count("fenced") == 3


def test_a_plan_is_applied_once_and_its_way_measured() -> None:
    """From its making to its confirmation by this enactor, however often the outcome is told."""
    desk = Desk()
    made_s = int(desk.clock.now_s())
    desk.meters.note("shop", Applied(FOUR, 2, 0, confirmed=False))
    desk.clock.advance(7.0)
    for _ in range(2):
        desk.meters.note("shop", Applied(FOUR, 0, 0, confirmed=True))
    desk.clock.advance(90.0)
    item = GenerationItem(label="shop", owner="o", incarnation="t", nonce="n", applied=FOUR)
    plan = PlanFacts(PlanId("shop", FOUR, Digest("d")), made_s, (), 0)
    for _ in range(2):
        desk.meters.applied(item, plan)
    value = desk.registry.get_sample_value
    assert (desk.count("applied"), value("dnsplan_enactor_batches_total")) == (1, 2)
    assert value("dnsplan_plan_to_in_sync_seconds_count") == 1
    assert value("dnsplan_plan_to_in_sync_seconds_sum") == 7.0


def test_what_another_confirmed_is_not_measured_here() -> None:
    """Each plan's way is measured once among all AZs."""
    desk = Desk()
    desk.meters.note("shop", InSync(FOUR))
    item = GenerationItem(label="shop", owner="o", incarnation="t", nonce="n", applied=FOUR)
    desk.meters.applied(item, PlanFacts(PlanId("shop", FOUR, Digest("d")), 0, (), 0))
    assert desk.registry.get_sample_value("dnsplan_plan_to_in_sync_seconds_count") == 0
