"""P10: from any world, once nothing goes wrong any more, one fresh enactor brings the zone to head.

Also the way in which the first world is made: actors run one after another, alone, by the same
code as in every interleaving.
"""

from typing import TypeAlias

from tests.simulation.explorer.cast import Actor, enactor, thawer
from tests.simulation.explorer.histories import GONE, Histories
from tests.simulation.explorer.promises import Broken, mark_in
from tests.simulation.explorer.words import exchange
from tests.simulation.explorer.worlds import Answer, Doubles, Faults, World

Taken: TypeAlias = tuple[str, int, Answer]

# A first pass may find a half done plan, the next waits for sync; twice as many are allowed.
PASSES_MAX = 4

# No script asks more in so few passes; beyond it, it would go on for ever.
OPS_MAX = 400


class Alone:
    """Runs one actor from a world to its end, with every op answered at once."""

    def __init__(self, doubles: Doubles) -> None:
        """On the same doubles as the exploration."""
        self._doubles = doubles

    def run(
        self, world: World, histories: Histories, slot: int, taken: list[Taken]
    ) -> tuple[World, str]:
        """The world afterwards, and the script's last word. Steps are added to `taken`."""
        step = histories.root(slot)
        while step.node != GONE:
            op = histories.nodes[step.node].op
            world, answer = self._doubles.act(world, op)[0]
            taken.append((histories.name_of(step.node), op, answer))
            if len(taken) > OPS_MAX:
                raise Broken("P10", f"{taken[-1][0]} asks {OPS_MAX} times and is not done")
            step = histories.after(step.node, answer)
        return world, step.ended or ""

    def perform(self, world: World, actor: Actor) -> World:
        """One actor's whole part."""
        after, _ = self.run(world, Histories((actor,), self._doubles), 0, [])
        return after


class Convergence:
    """Judges worlds; those that differ in nothing that lasts are judged once."""

    def __init__(self, doubles: Doubles) -> None:
        """One thawing operator and one fresh enactor."""
        self._doubles = doubles
        self._alone = Alone(doubles)
        self._histories = Histories((thawer(), enactor("mender", passes=PASSES_MAX)), doubles)
        self._kept: set[World] = set()

    @property
    def judged(self) -> int:
        """From how many different worlds a fault-free run was made."""
        return len(self._kept)

    def check(self, world: World) -> None:
        """The zone reaches its target from here, and the table knows it."""
        lasting = world._replace(
            late=(), pending=(), synced=0, faults=Faults(), frozen=False, deleters=0, issued=()
        )
        if lasting in self._kept or lasting.item is None:
            return
        taken: list[Taken] = []
        after, word = self._alone.run(lasting, self._histories, 0, taken)
        after, _ = self._alone.run(after, self._histories, 1, taken)
        self._judge(after, word, taken)
        self._kept.add(lasting)

    def _judge(self, after: World, word: str, taken: list[Taken]) -> None:
        item = after.item
        mark = mark_in(self._doubles.zones.values[after.zone])
        target = item.pin or item.head if item is not None else None
        at = mark.generation if mark is not None and mark.whole and not mark.frozen else None
        noted = item.applied if item is not None else None
        if not target == at == noted:
            raise Broken(
                "P10",
                f"no faults any more, and after {PASSES_MAX} passes of one enactor (thaw said:"
                f" {word}) the fence is at {mark}, applied is {noted}, wanted {target}",
                after=tuple(
                    f"{name}, alone: {exchange(self._doubles.ops.values[op], answer)}"
                    for name, op, answer in taken
                ),
            )
