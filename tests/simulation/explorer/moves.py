"""Every move there is from a moment: an actor's op is answered, or a fault happens.

A write that gets no answer acts at any later time or never, which covers a lost request, a lost
reply, a throttled batch that lands all the same and one that is late. A crash may come before any
op and after any, since after one is before the next. Each promise is judged here, once for each
pair of worlds.
"""

from collections.abc import Callable, Iterator
from typing import NamedTuple

from dnsplan.errors import ReadFailed
from dnsplan.outcomes import Accepted, Unknown
from tests.simulation.explorer.cast import FROZEN, Actor
from tests.simulation.explorer.histories import GONE, Histories
from tests.simulation.explorer.promises import (
    Content,
    check_bodies,
    check_content,
    check_floor,
    check_landing,
    check_noted,
    mark_in,
    stated_in,
)
from tests.simulation.explorer.worlds import (
    Answer,
    Doubles,
    Interned,
    World,
    losses,
    surest_zone,
    tidied,
)

WRITES = frozenset({("records", "submit"), ("table", "write")})

# No reply; also what a throttled request counts as, since nothing says that it cannot act.
NO_ANSWER = Answer(Unknown("no answer"))
NOT_READ = Answer(error=(ReadFailed, "the request failed"))


class Move(NamedTuple):
    """What happens, and where it leads: to a world and, for an actor's move, to its next node.

    `op` is -1 for what Route 53 does by itself; `answer` is None where nobody is answered.
    """

    what: str
    op: int
    answer: Answer | None
    world: int
    node: int = GONE


class Moves:
    """The moves of one cast among worlds that all keep the promises."""

    def __init__(
        self,
        cast: tuple[Actor, ...],
        doubles: Doubles,
        managed: frozenset[str],
        converges: Callable[[World], None],
        *,
        restarts: bool,
        in_sync_lasts: bool,
        reduced: bool = True,
    ) -> None:
        """`converges` judges P10 from a world; `restarts`: a crashed actor comes back as new.

        Cleanup's promise rests on `in_sync_lasts`: that a change in sync is never lost. Not
        `reduced`, every order of every op of every history is gone through, for comparison.
        """
        self.doubles = doubles
        self.histories = Histories(cast, doubles, merging=reduced)
        self.worlds: Interned[World] = Interned()
        self._cast = cast
        self._managed = managed
        self._converges = converges
        self._restarts = restarts
        self._in_sync_lasts = in_sync_lasts
        self._reduced = reduced
        self._stated: dict[tuple[int, str], Content] = {}
        self._content_kept: set[int] = set()

    def arrive(self, world: World) -> int:
        """A world's number, once all that must hold in it holds."""
        world = tidied(world)
        if world not in self.worlds:
            self._judge(world)
            self._converges(world)
        return self.worlds.number(world)

    def is_private(self, world: int, node: int) -> bool:
        """Whether an actor's op commutes with all that any other could still do.

        Then only this actor need move (an ample set): whatever the others do can be done after it
        with the same result, no promise looks at it, and it leads on to another op, so that nobody
        is put off for ever. A body is read alike while nobody is left who deletes; a note is
        written before the fence whose nonce is its key, and read after it.
        """
        call = self.doubles.ops.values[self.histories.nodes[node].op]
        if not self._reduced:
            return False
        if call.port == "archive" and call.method == "load":
            return not self.worlds.values[world].deleters
        return call.port == "notes"

    def of_actor(self, number: int, node: int) -> Iterator[Move]:
        """The moves of the actor that stands at a node."""
        if node == GONE:
            return
        world, op = self.worlds.values[number], self.histories.nodes[node].op
        call = self.doubles.ops.values[op]
        for after, answer in self.doubles.act(world, op):
            self._check_write(world, after, op, answer)
            yield self._answered("", op, answer, after, node)
        faults = world.faults
        if faults.late and (call.port, call.method) in WRITES:
            late = tuple(sorted((*world.late, op)))
            after = world._replace(late=late, faults=faults._replace(late=faults.late - 1))
            yield self._answered("no answer comes back", op, NO_ANSWER, after, node)
        elif faults.unread and (call.port, call.method) not in WRITES:
            after = world._replace(faults=faults._replace(unread=faults.unread - 1))
            yield self._answered("the request fails", op, NOT_READ, after, node)
        if faults.crashes:
            yield self._crashed(world, node)

    def of_world(self, number: int) -> Iterator[Move]:
        """What happens without any actor: a late write lands, Route 53 fails over."""
        world = self.worlds.values[number]
        for op in sorted(set(world.late)):
            left = list(world.late)
            left.remove(op)
            for after, answer in self.doubles.act(world._replace(late=tuple(left)), op):
                self._check_write(world, after, op, answer)
                yield Move("late", op, answer, self.arrive(after))
        for after in losses(world):
            lost = len(after.lost) - len(world.lost)
            yield Move(
                f"Route 53 fails over and loses {lost} changes", -1, None, self.arrive(after)
            )

    def _answered(self, what: str, op: int, answer: Answer, world: World, node: int) -> Move:
        step = self.histories.after(node, answer)
        if step.ended == FROZEN:
            world = world._replace(frozen=True)
        if step.node == GONE:
            world = self._without(world, node)
        return Move(what, op, answer, self.arrive(world), step.node)

    def _crashed(self, world: World, node: int) -> Move:
        faults = world.faults
        world = world._replace(faults=faults._replace(crashes=faults.crashes - 1))
        if not self._restarts:
            return Move("crashes", -1, None, self.arrive(self._without(world, node)))
        life = self.histories.nodes[node].life
        born = self.histories.root(life.slot, life.number + 1)
        return Move("crashes and starts anew", -1, None, self.arrive(world), born.node)

    def _without(self, world: World, node: int) -> World:
        actor = self._cast[self.histories.nodes[node].life.slot]
        return world._replace(deleters=world.deleters - 1) if actor.deletes else world

    def _check_write(self, before: World, after: World, op: int, answer: Answer) -> None:
        if before.item is not None and after.item is not None and before.item != after.item:
            check_noted(before.item, after.item)
        if not isinstance(answer.value, Accepted):
            return
        zones = self.doubles.zones.values
        fed = self.doubles.ops.values[op].planner_fed
        check_landing(
            zones[before.zone],
            zones[after.zone],
            self._managed,
            after_freeze=before.frozen and fed,
        )

    def _judge(self, world: World) -> None:
        zones = self.doubles.zones.values
        kept = self.doubles.archives.values[world.archive]
        bodies = {(one.plan_id.generation, one.plan_id.digest): one.body for one in kept.bodies}
        for key in bodies.keys() - self._stated.keys():
            self._stated[key] = stated_in(bodies[key])
        issued = [(one.generation, one.digest) for one in world.issued]
        if world.zone not in self._content_kept:
            published: dict[tuple[int, str], Content] = {
                key: self._stated[key] for key in issued if key in self._stated
            }
            check_content(zones[world.zone], published)
            self._content_kept.add(world.zone)
        if (item := world.item) is None:
            return
        check_bodies(item.floor, issued=issued, bodies=frozenset(bodies))
        if self._in_sync_lasts:
            surest = mark_in(zones[surest_zone(world)])
            check_floor(item, mark_in(zones[world.zone]), surest)
