"""Every sabotage there is, by name."""

from collections.abc import Mapping

from tests.simulation.sabotage.guards import (
    aws,
    controlling,
    enacting,
    planning,
    sending,
    table,
    telling,
)
from tests.simulation.sabotage.sabotage import Sabotage

ROOMS = (sending, enacting, table, planning, controlling, telling, aws)


def named() -> Mapping[str, Sabotage]:
    """The sabotages in the order of the rooms."""
    every = [one for room in ROOMS for one in room.SABOTAGES]
    found = {one.name: one for one in every}
    if len(found) != len(every):
        raise ValueError("two sabotages of one name")
    return found
