"""What a guardrail found: rule, name, measured number and limit, so that an operator can decide
without reading code."""

from dataclasses import dataclass

from dnsplan.names import Name, display
from dnsplan.plan import Plan


@dataclass(frozen=True, slots=True)
class Violation:
    """One finding of one rule."""

    rule: str
    zone: str
    name: str
    measured: str
    limit: str

    def __str__(self) -> str:
        """Rule, name, number and limit in one sentence."""
        shown = f"{self.rule}: {display(Name(self.name))} in {self.zone}"
        return f"{shown}: {self.measured}; limit: {self.limit}"


def violation(rule: str, plan: Plan, name: str, measured: str, limit: str) -> Violation:
    """A finding about a plan; its zone is said by its label."""
    return Violation(rule=rule, zone=plan.label, name=name, measured=measured, limit=limit)
