"""Which zones a drain hits, and what it leaves of each name. Pure.

It says what the config knows: targets that sources name are matched when the planner reads them.
"""

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from dnsplan.drains import BECAUSE_CHARS_MAX, Drain
from dnsplan.names import display
from dnsplan.records import Unit
from dnsplan.runtime.config.schema import Pool, Settings
from planner.rules.candidate import ZoneWish
from planner.rules.draining import drained_by

_AZ = re.compile(r"^[a-z0-9][a-z0-9-]{0,30}$")


@dataclass(frozen=True, slots=True)
class Hit:
    """One pool-driven name and type: its targets in the config, and how many are drained then."""

    unit: Unit
    targets: int
    drained: int
    floor: int

    def __str__(self) -> str:
        """In one line."""
        name, kind = self.unit
        told = f"{display(name)} {kind}: {self.drained} of {self.targets} targets drained"
        if self.drained == self.targets:
            return f"{told}; nothing else could answer, so {self.floor} stay"
        return told


def what_mistake(what: str, because: str, settings: Settings) -> str | None:
    """Why this cannot be drained, or None: a mistyped word must not drain nobody in silence."""
    if len(because) > BECAUSE_CHARS_MAX:
        return f"--because of {len(because)} letters; at most {BECAUSE_CHARS_MAX}"
    pool, slash, target_id = what.partition("/")
    if not slash:
        return _az_mistake(what, settings)
    if pool not in settings.pools:
        return f"no pool {pool}; pools: {', '.join(sorted(settings.pools))}"
    stated = settings.pools[pool]
    ids = [one.id for one in stated.targets]
    if target_id in ids or stated.sources:
        return None
    return f"pool {pool} has no target {target_id}; targets: {', '.join(ids)}"


def _az_mistake(what: str, settings: Settings) -> str | None:
    pools = settings.pools.values()
    known = {*settings.azs, *(one.az for pool in pools for one in pool.targets if one.az)}
    # Sources name AZs as they know them.
    if what in known or (_AZ.match(what) and any(map(_is_read, pools))):
        return None
    return f"{what} is no AZ of the config and no POOL/TARGET; AZs: {', '.join(sorted(known))}"


def hits(wish: ZoneWish, drains: Collection[Drain]) -> tuple[Hit, ...]:
    """What is drained of each name and type, where anything is."""
    found = []
    for unit in wish.driven:
        drained = sum(one.is_drained or bool(drained_by(one, drains)) for one in unit.members)
        if any(drained_by(one, drains) for one in unit.members):
            floor = max(1, min(unit.limit.min_targets, len(unit.members)))
            found.append(Hit(unit.unit, len(unit.members), drained, floor))
    return tuple(found)


def labels_hit(what: str, wishes: Iterable[ZoneWish], settings: Settings) -> tuple[str, ...]:
    """The zones with a name that the target's pool, or a pool with targets in the AZ, drives."""
    return tuple(
        wish.label
        for wish in wishes
        if any(_may_hit(what, unit.pool, settings) for unit in wish.driven)
    )


def _may_hit(what: str, pool: str, settings: Settings) -> bool:
    if "/" in what:
        return what.partition("/")[0] == pool
    stated = settings.pools[pool]
    return _is_read(stated) or any(one.az == what for one in stated.targets)


def _is_read(pool: Pool) -> bool:
    """Whether the config alone does not say where the pool's targets stand."""
    return bool(pool.sources) or any(one.load_balancer is not None for one in pool.targets)


def without(drains: Iterable[Drain], what: str) -> tuple[Drain, ...]:
    """All others."""
    return tuple(one for one in drains if one.what != what)


def wish_of(label: str, wishes: Iterable[ZoneWish]) -> ZoneWish:
    """A zone's wish by its label."""
    by_label: Mapping[str, ZoneWish] = {one.label: one for one in wishes}
    return by_label[label]
