"""What the planner pages: what lasts, one page a cause, and nothing that only flickers."""

import asyncio

import pytest

from dnsplan.names import Name
from dnsplan.notices import Notice
from dnsplan.plan import Digest, Generation, PlanId
from dnsplan.runtime.paging.book import Manners
from dnsplan.runtime.paging.delivery import Delivery
from dnsplan.runtime.paging.pager import Pager
from dnsplan.runtime.paging.ports import Delivered
from dnsplan.violation import Violation
from planner.alarming import Alarming
from planner.rules.causes import RUNBOOKS, Passed, causes_of
from planner.rules.notes import Fate, UnitNote
from planner.rules.outcomes import (
    Held,
    HoldRule,
    Overtaken,
    PlanOutcome,
    Published,
    Refused,
    Unchanged,
    Unsettled,
)
from tests.fakes.clock import FakeClock
from tests.unit.planner.test_reporting import report

HELD_S = 120.0
SAME = Unchanged(Generation(4))
UNREAD = Held(HoldRule.READ_FAILED, "table: no answer", "dns-runbook status shop")
DAMAGED = Held(HoldRule.PLAN_UNUSABLE, "the bytes do not match", "dns-runbook history shop")
REFUSED = Refused((Violation("velocity", "example.com.", "www.example.com.", "5 of 8", "2"),))


class Ear:
    """`ports.Sink`: keeps what it hears."""

    name = "ear"

    def __init__(self) -> None:
        """Nothing yet."""
        self.heard: list[tuple[str, str]] = []

    async def send(self, notice: Notice) -> Delivered:
        """Take it."""
        self.heard.append((str(notice.change), notice.page_id))
        return Delivered()


class Planner:
    """A planner's passes, one in five seconds, and its pages."""

    def __init__(self) -> None:
        """No pass yet."""
        self.clock, self.ear = FakeClock(), Ear()
        self.line = Delivery(self.ear, self.clock)
        pager = Pager([self.line], self.clock, Manners(repeat_s=14_400.0, calm_s=60.0), None)
        self.alarming = Alarming(pager, self.clock, held_s=HELD_S)
        self.beats = 0
        self.alarming.on_pass = self.beat

    def beat(self) -> None:
        """A heartbeat's count."""
        self.beats += 1

    async def run(
        self, seconds: float, *outcomes: PlanOutcome, each_s: float = 5.0
    ) -> list[tuple[str, str]]:
        """Passes that end so, in turn; what was heard meanwhile."""
        heard = len(self.ear.heard)
        for at in range(int(seconds / each_s)):
            self.alarming.note([report(outcomes[at % len(outcomes)])])
            await self.alarming.run_once()
            self.clock.advance(each_s)
            await self.line.run_once()
            await asyncio.sleep(0)
        return self.ear.heard[heard:]


async def test_what_lasts_is_told_once_and_its_end() -> None:
    """A hold, a refusal: after their time, never before it."""
    planner = Planner()
    for outcome, kind in ((DAMAGED, "unplanned-zone"), (REFUSED, "refused-plan")):
        assert await planner.run(HELD_S - 10.0, outcome) == []
        assert await planner.run(600.0, outcome) == [("page", f"{kind}/shop")]
        assert await planner.run(120.0, SAME) == [("recovery", f"{kind}/shop")]


async def test_what_flickers_is_not_told() -> None:
    """Held, well, held: each time anew."""
    planner = Planner()
    assert await planner.run(3_600.0, *[DAMAGED] * 20, SAME) == []


async def test_a_lost_race_says_nothing_of_a_refusal() -> None:
    """It neither ends it nor begins its time anew."""
    planner = Planner()
    passes: list[PlanOutcome] = [
        REFUSED,
        Overtaken("another planner was first"),
        Unsettled("no answer"),
    ]
    assert await planner.run(600.0, *passes) == [("page", "refused-plan/shop")]


async def test_a_table_that_cannot_be_read_is_one_page_and_no_sign_of_life() -> None:
    """What was paged of a zone before stays as it is; the heartbeat stays away."""
    planner = Planner()
    assert await planner.run(300.0, REFUSED) == [("page", "refused-plan/shop")]
    beats = planner.beats
    assert await planner.run(600.0, UNREAD) == [("page", "planner-unread")]
    assert planner.beats == beats
    assert await planner.run(120.0, SAME) == [
        ("recovery", "planner-unread"),
        ("recovery", "refused-plan/shop"),
    ]
    assert planner.beats > beats


async def test_a_week_of_plans_tells_nobody_anything() -> None:
    """Plans, races and an answer that is lost now and then."""
    planner = Planner()
    plan = Published(PlanId("shop", Generation(5), Digest("d")))
    seldom: list[PlanOutcome] = [plan, Overtaken("another"), Unsettled("no answer"), UNREAD]
    often: list[PlanOutcome] = [SAME] * 50
    usual = often + seldom
    assert await planner.run(7 * 86_400.0, *usual, each_s=20.0) == []


@pytest.mark.parametrize("rule", list(HoldRule))
def test_every_hold_has_its_page_or_is_an_operators_word(rule: HoldRule) -> None:
    """Read failures of every zone are the table's."""
    passed = [Passed("shop", Held(rule, "why", "dns-runbook status shop")), Passed("cafe", SAME)]
    kinds = [one.cause.runbook for one in causes_of(passed, held_s=HELD_S)]
    assert kinds == ([] if RUNBOOKS[rule] is None else [RUNBOOKS[rule]])


def test_a_pool_in_panic_is_a_page_of_its_own() -> None:
    """The plan is as it was, so nothing else would say it."""
    note = UnitNote((Name("www.example.com."), "A"), Fate.DRIVEN, is_panic=True)
    [ripening] = causes_of([Passed("shop", SAME, (note,))], held_s=HELD_S)
    assert (ripening.cause.page_id, ripening.cause.lines) == (
        "pool-panic/shop",
        ("www.example.com. A",),
    )


async def test_a_planner_that_can_read_no_zone_is_not_ready() -> None:
    """It holds and its passes end well, yet no plan can come of them."""
    planner = Planner()
    assert planner.alarming.trouble() == ""
    for outcome, said in (
        (UNREAD, "plan: no zone can be read: table: no answer"),
        (DAMAGED, ""),
        (SAME, ""),
    ):
        await planner.run(5.0, outcome)
        assert planner.alarming.trouble() == said
