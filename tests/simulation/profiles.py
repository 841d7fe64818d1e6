"""What a run is made of: which acts befall it and how many, and how bad the wire is.

The checkers judge all runs alike. A profile only concentrates on some trouble, where chance would
seldom bring it about.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from random import Random

from tests.simulation.acts import ACTS, Act, new_config
from tests.simulation.operators import OPERATIONS
from tests.simulation.wire import Fate

# Of all calls; the others that are chosen befall three in a hundred.
SHARES = {
    Fate.PAUSE_BEFORE: 0.004,
    Fate.PAUSE_AFTER: 0.004,
    Fate.CRASH_BEFORE: 0.006,
    Fate.CRASH_AFTER: 0.006,
}
SHARE = 0.03


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """From how many to how many of each are drawn. `fates` None: some kinds, at chance."""

    acts: tuple[Act, ...] = ACTS
    acts_count: tuple[int, int] = (2, 6)
    operations: tuple[Act, ...] = OPERATIONS
    operations_count: tuple[int, int] = (0, 2)
    configs_count: tuple[int, int] = (2, 4)
    fates: Mapping[Fate, float] | None = None

    def befalls(self, chance: Random) -> list[Act]:
        """The acts of one run."""
        acts = [new_config] * chance.randint(*self.configs_count)
        acts += chance.choices(self.acts, k=chance.randint(*self.acts_count))
        return acts + chance.choices(self.operations, k=chance.randint(*self.operations_count))

    def rates(self, chance: Random) -> Mapping[Fate, float]:
        """Each kind of trouble with its share of all calls."""
        if self.fates is not None:
            return self.fates
        kinds = chance.sample(list(Fate), k=chance.randint(1, 5))
        return {kind: SHARES.get(kind, SHARE) for kind in sorted(kinds)}


EVERYTHING = Profile()

PROFILES = {"everything": EVERYTHING}
