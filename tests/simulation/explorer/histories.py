"""What an actor does next, as a function of the answers it has seen, each worked out once.

A history is a node of a tree whose branches are answers; at each node the actor's real code stands
at one op. A coroutine runs only for a history that was never seen, and is kept parked there for the
first answer to come. Histories that leave the same memory behind at the end of a pass are one node.
Node 0 is gone: finished or crashed.
"""

from collections import OrderedDict
from collections.abc import Coroutine, Hashable, Sequence
from dataclasses import dataclass
from typing import Any

from dnsplan.errors import DnsplanError
from dnsplan.outcomes import Unknown
from tests.simulation.explorer.cast import Actor
from tests.simulation.explorer.memory import memory_of
from tests.simulation.explorer.promises import Broken
from tests.simulation.explorer.script import Hands, Op, Pause
from tests.simulation.explorer.worlds import Answer, Doubles

GONE = 0

# No pass asks so often; one that does goes on for ever.
ASKED_MAX = 100

# Coroutines kept alive for the answer that comes next; more would only save replays.
PARKED_MAX = 20_000


@dataclass(frozen=True, slots=True)
class Life:
    """One run of one actor's script: a crash ends it, a restart begins the next."""

    slot: int
    number: int


@dataclass(frozen=True, slots=True)
class Node:
    """Where an actor stands: at `op`, after `answer` to what it asked at `parent`.

    `unsettled` says that its last batch got no answer and the fence was not read since; `asked`
    counts the ops since its pass began.
    """

    life: Life
    parent: int
    answer: int
    op: int
    unsettled: bool
    asked: int = 0


@dataclass(frozen=True, slots=True)
class Step:
    """Where an answer takes an actor; `ended` is the script's last word, at node 0."""

    node: int
    ended: str | None = None


@dataclass(slots=True)
class _Running:
    hands: Hands
    coroutine: Coroutine[Any, Any, str]

    def go(self, answer: Answer | None) -> Op | Pause:
        """Run on to the next op or pause; StopIteration when the script ends."""
        if answer is None:
            asked = self.coroutine.send(None)
        else:
            self.hands.elapsed += answer.took_s
            if answer.error is not None:
                kind, text = answer.error
                asked = self.coroutine.throw(kind(text))
            else:
                value = answer.value
                asked = self.coroutine.send(value)
        if not isinstance(asked, Op | Pause):
            raise TypeError(f"a script waited for {asked!r}, which is no port")
        return asked


class Histories:
    """The tree of all actors of one exploration."""

    def __init__(self, cast: Sequence[Actor], doubles: Doubles, *, merging: bool = True) -> None:
        """One slot for each actor; without `merging` no two histories become one."""
        self.cast = cast
        self.nodes: list[Node] = [Node(Life(-1, 0), 0, -1, -1, unsettled=False)]
        self.replays = 0
        self._merging = merging
        self._doubles = doubles
        self._roots: dict[Life, Step] = {}
        self._steps: dict[tuple[int, int], Step] = {}
        self._after_pause: dict[Hashable, int] = {}
        self._parked: OrderedDict[int, _Running] = OrderedDict()

    def root(self, slot: int, number: int = 0) -> Step:
        """Where a life begins."""
        life = Life(slot, number)
        found = self._roots.get(life)
        if found is None:
            found = self._advance(self._born(life), life, parent=GONE, answer=-1, unsettled=False)
            self._roots[life] = found
        return found

    def after(self, node: int, answer: Answer) -> Step:
        """Where an answer takes the actor that stands at a node."""
        number = self._doubles.answers.number(answer)
        found = self._steps.get((node, number))
        if found is None:
            stood = self.nodes[node]
            call = self._doubles.ops.values[stood.op]
            unsettled = stood.unsettled
            if call.method == "submit":
                unsettled = isinstance(answer.value, Unknown)
            elif call.method == "read_fence" and answer.error is None:
                unsettled = False
            running = self._parked.pop(node, None) or self._replayed(node)
            found = self._advance(
                running, stood.life, parent=node, answer=number, unsettled=unsettled
            )
            self._steps[node, number] = found
        return found

    def name_of(self, node: int) -> str:
        """Whose node it is."""
        life = self.nodes[node].life
        name = self.cast[life.slot].name
        return name if not life.number else f"{name}, restarted"

    def _advance(
        self, running: _Running, life: Life, *, parent: int, answer: int, unsettled: bool
    ) -> Step:
        given = None if answer < 0 else self._doubles.answers.values[answer]
        pass_end: Hashable = None
        try:
            asked = running.go(given)
            while isinstance(asked, Pause):
                memory = memory_of(asked.keeps)
                pass_end = (life, asked.number, asked.elapsed_s, memory, unsettled)
                known = self._after_pause.get(pass_end)
                if known is not None and self._merging:
                    running.coroutine.close()
                    return Step(known)
                asked = running.go(None)
        except StopIteration as done:
            return Step(GONE, str(done.value))
        except DnsplanError as error:
            return Step(GONE, f"{type(error).__name__}: {error}")
        except Exception as error:
            # A process that ends is started again, and ends again: nothing converges.
            name = self.cast[life.slot].name
            raise Broken("P10", f"{name} ends with {type(error).__name__}: {error}") from error
        count = 1 if pass_end is not None else self.nodes[parent].asked + 1
        op = self._doubles.ops.number(asked)
        node = self._stand(Node(life, parent, answer, op, unsettled, count), asked)
        if pass_end is not None:
            self._after_pause[pass_end] = node
        self._park(node, running)
        return Step(node)

    def _stand(self, node: Node, asked: Op) -> int:
        """A new node, if its actor may ask this."""
        name = self.cast[node.life.slot].name
        if node.unsettled and asked.method == "submit":
            raise Broken("P11", f"{name} sends again before it has read the fence")
        if node.asked > ASKED_MAX:
            raise Broken("P10", f"{name} asks {ASKED_MAX} times in one pass and is not done")
        self.nodes.append(node)
        return len(self.nodes) - 1

    def _born(self, life: Life) -> _Running:
        actor = self.cast[life.slot]
        name = actor.name if not life.number else f"{actor.name}r{life.number}"
        hands = Hands(name, planner_fed=actor.planner_fed)
        return _Running(hands, actor.script(hands))

    def _replayed(self, node: int) -> _Running:
        self.replays += 1
        answers = []
        while node != GONE:
            answers.append(self.nodes[node].answer)
            life, node = self.nodes[node].life, self.nodes[node].parent
        running = self._born(life)
        for number in reversed(answers):
            given = None if number < 0 else self._doubles.answers.values[number]
            asked = running.go(given)
            while isinstance(asked, Pause):
                asked = running.go(None)
        return running

    def _park(self, node: int, running: _Running) -> None:
        self._parked[node] = running
        if len(self._parked) > PARKED_MAX:
            self._parked.popitem(last=False)[1].coroutine.close()
