"""What a run is made of: which acts befall it and how many, and how bad the wire is.

The checkers judge all runs alike. A profile only concentrates on some trouble, where chance would
seldom bring it about.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from random import Random
from typing import Any

from tests.simulation import acts, break_glass, forging, operators, releases, troubles
from tests.simulation.acts import ACTS, Act, new_config
from tests.simulation.break_glass import operator_restores
from tests.simulation.operators import OPERATIONS
from tests.simulation.wire import Fate

FAULTS_S = 150.0

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
    """From how many to how many of each are drawn. `fates` None: some kinds, at chance.

    A sentinel looks so often that it would slow all runs down; so it watches in a share of them.
    `signs`: planners and operators have keys, and enactors check by them. `begin_s`: from when to
    when something begins.
    """

    acts: tuple[Act, ...] = (*ACTS, break_glass.table_restored)
    acts_count: tuple[int, int] = (2, 6)
    operations: tuple[Act, ...] = OPERATIONS
    operations_count: tuple[int, int] = (0, 2)
    configs_count: tuple[int, int] = (2, 4)
    fates: Mapping[Fate, float] | None = None
    sentinel_share: float = 0.1
    repair_drift: bool = True
    signs: bool = False
    begin_s: tuple[float, float] = (8.0, FAULTS_S - 20.0)

    def befalls(self, chance: Random) -> list[Act]:
        """The acts of one run."""
        befalls: list[Act] = [new_config] * chance.randint(*self.configs_count)
        befalls += chance.choices(self.acts, k=chance.randint(*self.acts_count))
        return befalls + chance.choices(self.operations, k=chance.randint(*self.operations_count))

    def rates(self, chance: Random) -> Mapping[Fate, float]:
        """Each kind of trouble with its share of all calls."""
        if self.fates is not None:
            return self.fates
        kinds = chance.sample(list(Fate), k=chance.randint(1, 5))
        return {kind: SHARES.get(kind, SHARE) for kind in sorted(kinds)}


EVERYTHING = Profile()

# No process stands still and nothing is late: that a planner published in a table that was replaced
# since it asked for its id is a gap that no condition of ours can close.
_QUICK = {Fate.LOSE_REQUEST: SHARE, Fate.LOSE_REPLY: SHARE, Fate.THROTTLE: SHARE}
_STALLS = {Fate.PAUSE_BEFORE: SHARE, Fate.PAUSE_AFTER: SHARE}
_EVERYDAY = (
    operators.operator_freezes,
    operators.operator_pins,
    operators.operator_rolls_back,
    operators.operator_retires,
)
_TARGETS = (acts.targets_die, acts.target_flaps)
_CRASHES = {Fate.CRASH_BEFORE: SHARE, Fate.CRASH_AFTER: SHARE}
_LATE = {Fate.LOSE_REPLY: 0.08, Fate.LATE: 0.08}
_LOSSY = {Fate.LOSE_REQUEST: 0.35}
_RELEASES = (
    *(releases.release_rolls_out,) * (len(ACTS) // 2),
    *(releases.item_of_newer_release, releases.fence_of_newer_release) * 2,
)
_FORGED = (forging.plan_forged,) * (len(ACTS) // 3)  # a quarter of the acts


def _everyday(**special: Any) -> Profile:
    """Without the worst days: whatever is not special is as on any other day."""
    return Profile(**{"acts": ACTS, "operations": _EVERYDAY, **special})


PROFILES = {
    "everything": EVERYTHING,
    "everyday": _everyday(),
    "restored table": Profile(acts=(*ACTS, break_glass.table_restored, break_glass.table_restored)),
    "restores": _everyday(
        acts_count=(0, 1),
        operations=(operator_restores,),
        operations_count=(1, 1),
        fates=_QUICK,
    ),
    "backups": _everyday(
        acts=(break_glass.table_restored,),
        acts_count=(1, 2),
        operations_count=(0, 0),
        fates=_QUICK,
    ),
    "backups unseen": _everyday(
        acts=(break_glass.table_set_back_unseen,),
        acts_count=(1, 1),
        operations_count=(0, 0),
        configs_count=(5, 7),
        fates=_QUICK,
    ),
    "silence": _everyday(
        acts=(acts.person_deletes,),
        acts_count=(2, 4),
        fates=_QUICK,
        sentinel_share=1.0,
        repair_drift=False,
    ),
    "copied table": _everyday(acts=(troubles.table_copied,), acts_count=(1, 2), fates=_QUICK),
    "held names": _everyday(acts=(troubles.name_taken, troubles.notes_lost), acts_count=(3, 6)),
    "unread bodies": _everyday(
        acts=(acts.plan_damaged,),
        acts_count=(8, 12),
        operations_count=(0, 0),
        configs_count=(8, 11),
        fates=_CRASHES,
    ),
    "rewound": _everyday(acts=(troubles.rewound,), acts_count=(1, 2), configs_count=(1, 2)),
    "retired and rewound": _everyday(
        acts=(troubles.rewound,),
        acts_count=(3, 4),
        operations=(operators.operator_retires,),
        operations_count=(3, 5),
        configs_count=(3, 5),
        fates={},
    ),
    "outage": _everyday(acts=(troubles.azs_away, acts.targets_die), acts_count=(2, 5)),
    "altered bodies": _everyday(acts=(troubles.body_altered,), acts_count=(4, 7)),
    "foreign fences": _everyday(
        acts=(acts.fence_foreign,), acts_count=(2, 4), configs_count=(6, 9)
    ),
    "dead links": _everyday(acts=(troubles.dead_link,), acts_count=(1, 2), fates=_QUICK),
    "dead links, notes lost": _everyday(
        acts=(troubles.dead_link, troubles.notes_lost), acts_count=(3, 5), fates=_QUICK
    ),
    "moving links": _everyday(
        acts=(troubles.link_moves,), acts_count=(2, 3), operations_count=(0, 0), fates=_QUICK
    ),
    "careless planner": _everyday(acts=(troubles.careless_plan,), acts_count=(1, 3)),
    "blind planners": _everyday(acts=(acts.planner_loses_network, acts.target_flaps)),
    "blind alone": _everyday(
        acts=(troubles.lone_planner_blind,), acts_count=(1, 2), operations_count=(0, 0), fates={}
    ),
    "blind together": _everyday(
        acts=(troubles.networks_come_and_go,), acts_count=(1, 2), operations_count=(0, 0), fates={}
    ),
    "cut off": _everyday(
        acts=(acts.planner_cut_off,), acts_count=(2, 4), operations_count=(0, 0), fates=_QUICK
    ),
    "lossy network": _everyday(fates=_LOSSY),
    "stalls": _everyday(
        acts=_TARGETS,
        acts_count=(2, 4),
        operations_count=(0, 0),
        configs_count=(6, 9),
        fates=_STALLS,
    ),
    "rollbacks": _everyday(
        acts=_TARGETS,
        acts_count=(3, 5),
        operations=(operators.operator_rolls_back,),
        operations_count=(5, 8),
        configs_count=(5, 7),
        fates={Fate.SLOW: SHARE},
    ),
    "signed": _everyday(acts=(*ACTS, *_FORGED), acts_count=(3, 6), signs=True),
    "forgotten freezes": _everyday(
        acts=(troubles.freeze_forgotten,),
        acts_count=(1, 1),
        operations_count=(0, 0),
        configs_count=(5, 7),
        fates={},
    ),
    "overslept freezes": _everyday(
        acts=(troubles.freeze_overslept,),
        acts_count=(1, 1),
        operations_count=(0, 0),
        fates={},
        begin_s=(8.0, 10.0),
    ),
    "signed, fence moved": _everyday(
        acts=(forging.plan_named,),
        acts_count=(1, 2),
        operations_count=(0, 0),
        fates=_QUICK,
        signs=True,
    ),
    "two releases": _everyday(acts=(*ACTS, *_RELEASES), acts_count=(3, 6), configs_count=(4, 6)),
    "freezes": _everyday(
        acts_count=(0, 2),
        operations=(operators.operator_freezes,),
        operations_count=(3, 5),
        fates=_LATE,
    ),
}
