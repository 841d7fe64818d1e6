"""Which stacks there are, and the order in which each finds what the ones before it export."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

FIRST = ("table", "alarms", "roles", "dashboard")
# Whose exports a stack takes, by the parameter that names it.
TAKES = {
    "roles": {"TableStack": "table", "AlarmsStack": "alarms"},
    "dashboard": {"TableStack": "table", "AlarmsStack": "alarms"},
    "az": {"AlarmsStack": "alarms", "RolesStack": "roles"},
}


@dataclass(frozen=True, slots=True)
class Step:
    """One stack. `az`: the AZ whose machine it is, None for those that come first."""

    stack: str
    template: str
    parameters: Mapping[str, str] = field(default_factory=dict)
    az: str | None = None


def steps(
    prefix: str, shared: Mapping[str, Mapping[str, str]], azs: Sequence[Mapping[str, str]]
) -> Iterator[Step]:
    """Every stack in the order in which each finds what the ones before it export.

    Each takes from stacks of the same prefix, so that one deployment is never granted another's
    table; and the dashboard shows the AZs that are rolled out. What is stated goes before both.
    """
    taken = {
        name: {parameter: f"{prefix}-{one}" for parameter, one in TAKES[name].items()}
        for name in TAKES
    }
    shared = {**shared, **{name: {**taken[name], **shared.get(name, {})} for name in TAKES}}
    if azs:
        looked_at = {"Azs": ",".join(one["Az"] for one in azs)}
        shared = {**shared, "dashboard": {**looked_at, **shared.get("dashboard", {})}}
    for name in FIRST:
        yield Step(f"{prefix}-{name}", name, shared.get(name, {}))
    for parameters in azs:
        az = parameters["Az"]
        yield Step(f"{prefix}-{az}", "az", {**shared.get("az", {}), **parameters}, az)
