"""Runs as a benchmark would have measured them."""

from collections.abc import Mapping

from benchmarks.figures import CHANGE, Run
from benchmarks.play import OURS
from benchmarks.zones import Case


def run(
    case: Case = Case.ONE,
    *,
    side: str = OURS,
    size: int = 10_000,
    cpu_s: float = 1.0,
    source_cpu_s: float = 0.0,
    planner_s: float = 0.5,
    peak_mb: float = 100.0,
    route53: Mapping[str, int] | None = None,
    batches_min: int = 1,
    facts: Mapping[str, float] | None = None,
    refused: str = "",
) -> Run:
    """A run with one batch and no other request."""
    return Run(
        side=side,
        size=size,
        case=case.value,
        source_cpu_s=source_cpu_s,
        cpu_s=cpu_s,
        parts={"planner": planner_s, "enactor": cpu_s - planner_s},
        peak_mb={"planner": peak_mb, "enactor": 1.0},
        route53={CHANGE: 1} if route53 is None else route53,
        dynamodb={},
        batches_min=batches_min,
        facts=facts or {},
        refused=refused,
    )
