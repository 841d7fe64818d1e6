"""Which targets must go on answering: those that every config so far wants and that no probe ever
found sick. A plan that takes one of them out took absence, or its own trouble, for an instruction.

What a planner that was cut off from one target believed of it may outlast the cut by a few looks,
since one good look does not end a row of bad ones; while the cut lasts it may take out nothing.
"""

from dnsplan.plan import Plan
from tests.simulation.cloud import Targets
from tests.simulation.workload import Intent, address_of


class Staying:
    """What the judge knows of targets."""

    def __init__(self, targets: Targets) -> None:
        """The targets as they truly are."""
        self._targets = targets
        self._wanted: dict[str, frozenset[str]] = {}

    def intended(self, intent: Intent) -> None:
        """A planner works to this config from now on."""
        for label, pool in intent.pools.items():
            name = f"{label}.{intent.zone}"
            wanted = frozenset(address_of(one) for one in pool.targets if one not in pool.drained)
            self._wanted[name] = self._wanted.get(name, wanted) & wanted

    def taken_out(self, old: Plan, new: Plan) -> set[str]:
        """Addresses that must stay and that the new plan does not answer with."""
        gone = _answers(old) - _answers(new)
        excused = self._targets.found_sick
        if new.author not in self._targets.cut:
            excused = excused | self._targets.doubted
        return {
            f"{address} of {name}"
            for name, address in gone
            if address in self._wanted.get(name, frozenset()) - excused
        }


def _answers(plan: Plan) -> set[tuple[str, str]]:
    return {(str(one.name), value) for one in plan.content for value in one.values}
