"""What a person at the terminal asks of a drill, which goes on meanwhile. It only reads lines."""

import asyncio
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum

from dnsplan.ports import Clock

WAITS_S = 0.2


class Ask(Enum):
    """What was asked for."""

    LOOK = "look"
    PAGE = "page"
    GIVE_UP = "give up"


@dataclass(slots=True)
class Person:
    """Standard input, line by line, as it comes."""

    asked: list[Ask] = field(default_factory=list)

    def listen(self) -> None:
        """Hear each line from now on."""
        asyncio.get_running_loop().add_reader(sys.stdin.fileno(), self._hear)

    def leave(self) -> None:
        """Hear nothing more."""
        asyncio.get_running_loop().remove_reader(sys.stdin.fileno())

    def _hear(self) -> None:
        line = sys.stdin.readline()
        known = {one.value: one for one in Ask}
        self.asked.append(known.get(line.strip(), Ask.LOOK) if line else Ask.GIVE_UP)

    async def asks(self, clock: Clock, is_over: Callable[[], bool], within_s: float) -> Ask | None:
        """The next that was asked for; None when the drill is over before."""
        until_s = clock.elapsed_s() + within_s
        while not self.asked:
            if is_over() or clock.elapsed_s() > until_s:
                return None
            await clock.sleep(WAITS_S)
        return self.asked.pop(0)
