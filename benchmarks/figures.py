"""What a run cost, the medians over repeats, and the ratios between the sides. Pure."""

from collections.abc import Iterable, Mapping

from msgspec import Struct

from benchmarks.zones import Case

# What Route 53 lets an account ask. Source: Developer Guide, quotas on API requests.
REQUESTS_PER_S = 5.0

LIST, CHANGE, STATUS = "ListResourceRecordSets", "ChangeResourceRecordSets", "GetChange"


class Run(Struct, frozen=True, kw_only=True):
    """One case on one side.

    `source_cpu_s` is what reading the zone's file cost, `cpu_s` all the rest after start-up, and
    `parts` the same by process. `peak_mb` is each process's highest resident memory up to then.
    `facts` are further seconds of CPU by name. `refused` is what Route 53 said, where it did.
    """

    side: str
    size: int
    case: str
    source_cpu_s: float
    cpu_s: float
    parts: Mapping[str, float]
    peak_mb: Mapping[str, float]
    route53: Mapping[str, int]
    dynamodb: Mapping[str, int]
    batches_min: int
    facts: Mapping[str, float] = {}
    refused: str = ""

    @property
    def requests(self) -> int:
        """All requests to Route 53."""
        return sum(self.route53.values())

    @property
    def batches(self) -> int:
        """Change batches sent."""
        return self.route53.get(CHANGE, 0)

    @property
    def at_limit_s(self) -> float:
        """How long its requests take at the least where an account may send five a second."""
        return self.requests / REQUESTS_PER_S


class Middle(Struct, frozen=True, kw_only=True):
    """The run with the median CPU of all repeats, and how far they lay apart."""

    run: Run
    repeats: int
    cpu_s_least: float
    cpu_s_most: float


def middles(runs: Iterable[Run]) -> list[Middle]:
    """One for each side, size and case, in the order in which they were first met.

    Requests must not differ between repeats in what counts; the median run's are shown.
    """
    groups: dict[tuple[str, int, str, bool], list[Run]] = {}
    for run in runs:
        groups.setdefault((run.side, run.size, run.case, bool(run.refused)), []).append(run)
    return [_middle(group) for group in groups.values()]


def _middle(group: list[Run]) -> Middle:
    ordered = sorted(group, key=lambda run: run.cpu_s)
    run = ordered[len(ordered) // 2] if len(ordered) % 2 else ordered[len(ordered) // 2 - 1]
    return Middle(
        run=run,
        repeats=len(ordered),
        cpu_s_least=ordered[0].cpu_s,
        cpu_s_most=ordered[-1].cpu_s,
    )


def found(all_middles: Iterable[Middle], side: str, size: int, case: Case) -> Run | None:
    """The median run of a case that was carried out."""
    for one in all_middles:
        run = one.run
        if (run.side, run.size, run.case) == (side, size, case.value) and not run.refused:
            return run
    return None


def times_less(ours: float, theirs: float) -> float:
    """How many times less ours is; a figure too small to measure counts as a microsecond."""
    return theirs / max(ours, 1e-6)
