"""What a drill can make go wrong: how it is made, the page that is about it, and what ends it."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from runbooks.drilling import ending, making
from runbooks.drilling.ending import Answer, typed
from runbooks.drilling.making import OTHERS
from runbooks.drilling.stand import LABEL, Stand

Make = Callable[[Stand], Awaitable[None]]
TABLE_AWAY_S = 25.0
THROTTLED_S = 12.0


@dataclass(frozen=True, slots=True)
class Passing:
    """What nobody here can mend is over by itself after a while."""

    after_s: float
    end: Make


@dataclass(frozen=True, slots=True)
class Failure:
    """One thing that goes wrong. `emptied`: names that it empties itself."""

    name: str
    page: str
    make: Make
    answer: Answer = ending.wait
    emptied: tuple[str, ...] = ()
    passes: Passing | None = None


FAILURES: tuple[Failure, ...] = (
    Failure("bad-plan", "bad-plan", making.bad_plan, ending.roll_back),
    Failure("evacuation", "velocity-hold", making.evacuated, ending.waive_velocity),
    Failure("failover", "failover", making.failover),
    Failure(
        "fence-lost",
        "lost-fence",
        making.fence_lost,
        typed(f"dns-runbook adopt {LABEL} --because drill --yes"),
    ),
    Failure(
        "foreign-owner",
        "fenced-out",
        making.foreign_owner,
        typed(f"dns-runbook reconcile {LABEL} --because drill --take-over {OTHERS} --yes"),
    ),
    Failure("frozen", "freeze-the-world", making.frozen, ending.thaw),
    Failure("name-emptied", "empty-name", making.name_emptied, emptied=(making.MAIL,)),
    Failure(
        "plan-lost",
        "lost-plan",
        making.plan_lost,
        typed(f"dns-runbook reconcile {LABEL} --because drill --yes"),
    ),
    Failure("planner-silent", "planner-silent", making.planner_silent, ending.plan_by_hand),
    Failure(
        "table-away",
        "table-unreachable",
        making.table_away,
        passes=Passing(TABLE_AWAY_S, making.table_back),
    ),
    Failure(
        "table-restored",
        "table-restored",
        making.table_restored,
        typed(f"dns-runbook reconcile {LABEL} --because drill --yes"),
    ),
    Failure(
        "throttled",
        "throttling",
        making.throttled,
        passes=Passing(THROTTLED_S, making.neighbour_gone),
    ),
)
