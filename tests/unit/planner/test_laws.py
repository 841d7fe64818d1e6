"""The planner's laws over random histories of health and config, in virtual time."""

from dataclasses import dataclass, replace

from hypothesis import example, given, settings
from hypothesis import strategies as st

from dnsplan.guardrails import answers, judge
from dnsplan.plan import NO_GENERATION, Digest, Generation, PlanId
from dnsplan.velocity import VelocityLimit, allowance
from planner.rules.candidate import build
from planner.rules.health import (
    NEVER_SEEN,
    Hysteresis,
    Observation,
    Phase,
    Sight,
    TargetHealth,
    observed,
)
from planner.rules.pools import Member, Policy, PoolUnit, TargetKey
from planner.rules.standing import NOTHING, Standing, standing_of
from tests.unit.planner.cases import NOW_S, member, planned, pool, wish

IDS = "abcdefgh"
PLAN_ID = PlanId("shop", Generation(1), Digest("0" * 64))
RULE = Hysteresis(rise=1, fall=1, gap_s=60.0)


@dataclass(frozen=True)
class Step:
    """What happens before one cycle: time passes, probes answer, the config may change."""

    after_s: int
    results: tuple[bool | None, ...]
    capacities: tuple[int | None, ...]
    policy: Policy
    restart: bool


STEPS = st.builds(
    Step,
    after_s=st.integers(1, 200),
    results=st.tuples(*[st.sampled_from([True, False, None])] * len(IDS)),
    capacities=st.tuples(*[st.sampled_from([100, 100, 100, 0, None])] * len(IDS)),
    policy=st.sampled_from(list(Policy)),
    restart=st.booleans(),
)
LIMITS = st.builds(
    VelocityLimit,
    min_targets=st.integers(1, 4),
    max_removed_share=st.sampled_from([0.0, 0.25, 0.5, 1.0]),
    window_s=st.sampled_from([60, 300]),
)


@dataclass
class History:
    """A planner without I/O: each cycle's plan is the next one's newest."""

    limit: VelocityLimit
    panic_threshold: float
    now_s: int = NOW_S
    before: Standing = NOTHING

    def __post_init__(self) -> None:
        """Start knowing nothing."""
        self.states: dict[TargetKey, TargetHealth] = {}
        self.removals: list[tuple[int, int, int]] = []

    def unit(self, step: Step) -> PoolUnit:
        """The pool as the config states it in this step; one target always stays."""
        members: list[Member] = []
        for target_id, capacity in zip(IDS, step.capacities, strict=True):
            if capacity is not None:
                members.append(member(target_id, capacity=capacity))
        if all(one.is_drained for one in members):
            members.append(member("z"))
        unit = pool(*members, policy=step.policy, limit=self.limit)
        return replace(unit, panic_threshold=self.panic_threshold)

    def check_reasons(self, unit: PoolUnit, view: Sight, gone: frozenset[str]) -> None:
        """A target of the pool goes only if it is proven unhealthy or drained."""
        for one in unit.members:
            if one.answer in gone and not one.is_drained:
                phase = view.of(one).phase
                assert phase is Phase.UNHEALTHY, f"{one.target_id} went while {phase.value}"

    def cycle(self, step: Step) -> None:
        """Probe, plan, judge and publish."""
        self.now_s += step.after_s
        if step.restart:
            self.states.clear()
        at_s = float(self.now_s - NOW_S)
        for target_id, good in zip(IDS, step.results, strict=True):
            if good is not None:
                key = ("web", target_id)
                state = self.states.get(key, NEVER_SEEN)
                self.states[key] = observed(state, Observation(at_s, good, ""), RULE)
        unit = self.unit(step)
        zone = wish(unit)
        view = Sight(dict(self.states), 0.0, at_s + 1000.0)
        candidate = build(zone, self.before, view, now_s=self.now_s, applied=Generation(0))
        again = build(zone, self.before, view, now_s=self.now_s, applied=NO_GENERATION)
        assert candidate == again, "the same facts gave two candidates"
        plan = planned(candidate, self.before, now_s=self.now_s)
        since_s = self.before.created_s
        verdict = judge(self.before.content, plan, zone.limits, standing_since_s=since_s)
        assert verdict == (), "the rules made a plan that the guardrails refuse"
        if candidate.is_same_as(self.before):
            return
        old, new = answers(self.before.content), answers(plan.content)
        self.check_reasons(unit, view, old - new)
        self.removals.append((self.now_s, len(old - new), len(unit.members)))
        self.before = standing_of(plan, PLAN_ID)


def step(results: str, capacities: str) -> Step:
    """One second on: probes as `+` and `-`; targets full (`1`), drained (`0`) or gone (`.`)."""
    full = {"1": 100, "0": 0, ".": None}
    return Step(
        after_s=1,
        results=tuple(one == "+" for one in results),
        capacities=tuple(full[one] for one in capacities),
        policy=Policy.WEIGHTED,
        restart=False,
    )


# The pool grows, and its floor with it, in the moment in which one that answers falls sick: the
# sick one counts already, so it must not be the one that is brought in.
GROWS_WHILE_ONE_FALLS_SICK = [
    step("+++++++-", "11111101"),
    step("++++++-+", "11111110"),
    step("+++-++++", "11..1..."),
    step("+++-----", "11011111"),
]


@example(GROWS_WHILE_ONE_FALLS_SICK, VelocityLimit(4, 1.0, 60), 0.0)
@settings(max_examples=150)
@given(st.lists(STEPS, min_size=1, max_size=25), LIMITS, st.sampled_from([0.0, 0.5, 1.0]))
def test_no_history_empties_a_name_or_outruns_its_window(
    steps: list[Step], limit: VelocityLimit, panic_threshold: float
) -> None:
    """Over any history of probes, restarts and config changes: the name is never empty, never under
    its floor while it has the targets, never loses more in a window than allowed, loses only who is
    proven unhealthy, drained or gone from the config, and every plan passes the guardrails."""
    history = History(limit, panic_threshold)
    for step in steps:
        history.cycle(step)
        heard = answers(history.before.content)
        assert heard, "the name has no answers"
        floor = min(limit.min_targets, len(history.unit(step).members))
        assert len(heard) >= floor, "the name is under its floor"
    for end_s, _, _ in history.removals:
        inside = [one for one in history.removals if end_s - limit.window_s < one[0] <= end_s]
        removed = sum(count for _, count, _ in inside)
        most = max(allowance(limit, targets) for _, _, targets in inside)
        assert removed <= most, f"{removed} taken out within {limit.window_s} s"


@settings(max_examples=60)
@given(st.lists(STEPS, min_size=2, max_size=12), LIMITS)
def test_a_restart_alone_changes_nothing(steps: list[Step], limit: VelocityLimit) -> None:
    """After any history, a planner that forgot all health plans what stands already."""
    history = History(limit, 0.5)
    for step in steps:
        history.cycle(step)
    last = steps[-1]
    history.cycle(replace(last, results=(None,) * len(IDS), restart=True, after_s=10_000))
    settled = history.before.content
    history.cycle(replace(last, results=(None,) * len(IDS), restart=True, after_s=1))
    lost = answers(settled) - answers(history.before.content)
    known = {one.answer for one in history.unit(last).members if not one.is_drained}
    assert set() == lost & known


@settings(max_examples=60)
@given(st.lists(STEPS, min_size=1, max_size=10), st.sampled_from([0.0, 0.5]))
def test_a_pool_that_settles_is_fully_answered(steps: list[Step], panic_threshold: float) -> None:
    """When every target stays healthy and windows pass, exactly the targets that are not drained
    answer: nothing withheld is forgotten."""
    history = History(VelocityLimit(1, 0.25, 60), panic_threshold)
    for step in steps:
        history.cycle(step)
    calm = replace(steps[-1], results=(True,) * len(IDS), restart=False, after_s=60)
    for _ in range(2 * len(IDS) + 2):
        history.states[("web", "z")] = observed(
            NEVER_SEEN, Observation(float(history.now_s), True, ""), RULE
        )
        history.cycle(calm)
    expected = {one.answer for one in history.unit(calm).members if not one.is_drained}
    assert expected == answers(history.before.content)
