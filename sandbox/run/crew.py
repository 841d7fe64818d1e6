"""The processes of one sandbox together: started, watched for a refusal, and all ended.

Ending is SIGTERM to all at once, once more for those that are still in a pass, then SIGKILL; each
after a bounded wait. Nothing outlives `aclose`.
"""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field

from dnsplan.ports import Clock
from sandbox.run.child import CannotStart, Child, Command, describe_exit
from sandbox.run.events import Event

# A pass takes well under a second here, unless it waits for an answer that does not come.
PASS_ENDS_WITHIN_S = 5.0
STOPS_WITHIN_S = 3.0


@dataclass(slots=True)
class Crew:
    """All children. `refused` fails with CannotStart as soon as one of them refuses its config."""

    clock: Clock
    report: Callable[[Event], None]
    children: list[Child] = field(default_factory=list)
    refused: "asyncio.Future[None]" = field(
        default_factory=lambda: asyncio.get_running_loop().create_future()
    )
    _tasks: dict[Child, "asyncio.Task[None]"] = field(default_factory=dict)

    async def run_once(self, command: Command) -> None:
        """Run a command to its end; CannotStart with its words when it fails."""
        child = Child(command, self.clock, self.report)
        code = await child.run_once()
        if code != 0:
            raise CannotStart("\n".join((*child.last_lines, describe_exit(code))))

    def start(self, command: Command) -> Child:
        """Start a daemon and keep it running."""
        child = Child(command, self.clock, self.report)
        self.children.append(child)
        task = asyncio.get_running_loop().create_task(child.keep_running())
        self._tasks[child] = task
        task.add_done_callback(self._ended)
        return child

    async def aclose(self) -> None:
        """End every child and wait for it."""
        for patience_s in (PASS_ENDS_WITHIN_S, STOPS_WITHIN_S):
            left = {child: task for child, task in self._tasks.items() if not task.done()}
            for child in left:
                child.stop()
            if left:
                await asyncio.wait(left.values(), timeout=patience_s)
        for child, task in self._tasks.items():
            if not task.done():
                child.kill()
        await asyncio.gather(*self._tasks.values(), return_exceptions=True)
        if not self.refused.cancel() and not self.refused.cancelled():
            self.refused.exception()  # read, so that a refusal that nobody waited for is no warning

    def kill(self) -> None:
        """End every child now; `aclose` still waits for them."""
        for child in self.children:
            child.kill()

    def _ended(self, task: "asyncio.Task[None]") -> None:
        if task.cancelled() or (error := task.exception()) is None or self.refused.done():
            return
        self.refused.set_exception(error)
