"""Plays one failure: makes it, shows what an operator would see, and waits for what ends it.

What is shown are the pages that somebody would get and what `dns-runbook status` says; which
failure it is, nobody tells. The sandbox is the only thing that is hurt.
"""

import asyncio
import signal
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import assert_never

from runbooks.drilling.failures import Failure
from runbooks.drilling.judging import Look, Made, Verdict, judge, restored_at
from runbooks.drilling.person import Ask, Person
from runbooks.drilling.stand import LABEL, LOOK_EVERY_S, Stand, go_on
from runbooks.drilling.watching import Watcher

SEEN_WITHIN_S = 90.0
# Long enough for a first page to come, and for the first good looks before anything is made.
QUIET_S = 3.0
# What is told was asked for after the failure; where Route 53 throttles that may take long.
STATUS_WITHIN_S = 10.0
SHOWN_LINES_MAX = 12

Show = Callable[[str], None]


@dataclass(slots=True)
class Drill:
    """One drill under way. `moments` are what happened, in seconds since the failure was made."""

    failure: Failure
    stand: Stand
    watcher: Watcher
    show: Show
    within_s: float
    moments: list[tuple[float, str]] = field(default_factory=list)
    _began_s: float = 0.0
    _pages: int = 0

    async def play(self, end: Callable[["Drill", Made], Awaitable[None]]) -> Verdict:
        """Make it, let it be ended, and judge."""
        clock = self.stand.clock
        await clock.sleep(QUIET_S)
        await self._until(lambda: bool(self.watcher.told))
        self._pages = len(self.stand.pages)
        self._began_s = clock.elapsed_s()
        try:
            await self.failure.make(self.stand)
            made = Made(self._began_s, clock.elapsed_s(), self.failure.emptied)
            async with asyncio.TaskGroup() as group:
                passing = group.create_task(self._pass())
                await self._until(lambda: any(not one.is_good for one in self._since(made)))
                self.note("the first sign: a name, or the status, is not as it should be")
                await clock.sleep(QUIET_S)
                await self._until(
                    lambda: self.watcher.asked_s > made.until_s, within_s=STATUS_WITHIN_S
                )
                self.tell()
                await end(self, made)
                passing.cancel()
        finally:
            for pid in (*self.stand.pids("planner"), *self.stand.pids("enactor")):
                go_on(pid, signal.SIGCONT)
        paged = [one.at_s - clock.now_s() + clock.elapsed_s() for one in self.stand.pages]
        verdict = judge(self.watcher.looks, made, paged)
        if verdict.restored_s is not None:
            self.note("everything answers as it should, and stays so")
        return verdict

    def tell(self) -> None:
        """What an operator would see now."""
        for page in self.stand.pages[self._pages :]:
            self.show(f"PAGE  {page.facts.get('title', page.facts.get('id', ''))}")
            self.note(f"paged: {page.facts.get('title', '')}")
        self._pages = len(self.stand.pages)
        for line in self.watcher.told.splitlines()[:SHOWN_LINES_MAX]:
            self.show(f"  {line}")

    def note(self, what: str) -> None:
        """Keep a moment for the report."""
        self.moments.append((self.stand.clock.elapsed_s() - self._began_s, what))

    def is_restored(self, made: Made) -> bool:
        """Whether enough good looks stand in a row."""
        return restored_at(self.watcher.looks, made) is not None

    async def restored(self, made: Made) -> bool:
        """Wait until it is restored, within the drill's time."""
        left_s = self.within_s - (self.stand.clock.elapsed_s() - self._began_s)
        return await self._until(lambda: self.is_restored(made), within_s=left_s)

    async def _pass(self) -> None:
        """What nobody here can mend is over by itself."""
        passes = self.failure.passes
        if passes is not None:
            await self.stand.clock.sleep(passes.after_s)
            await passes.end(self.stand)

    def _since(self, made: Made) -> list[Look]:
        return [one for one in self.watcher.looks if one.at_s >= made.from_s]

    async def _until(self, is_so: Callable[[], bool], within_s: float = SEEN_WITHIN_S) -> bool:
        until_s = self.stand.clock.elapsed_s() + within_s
        while not is_so():
            if self.stand.clock.elapsed_s() > until_s:
                return False
            await self.stand.clock.sleep(LOOK_EVERY_S)
        return True


async def rehearse(drill: Drill, made: Made) -> None:
    """Type what the page says, and wait."""
    async for command in drill.failure.answer(drill.stand):
        drill.show(f"$ {command}")
        drill.note(f"typed: `{command}`")
        code, text = await drill.stand.type_in(command)
        for line in text.splitlines():
            drill.show(f"  {line}")
        drill.note(f"it ended with {code}")
    await drill.restored(made)


def by_person(person: Person) -> Callable[[Drill, Made], Awaitable[None]]:
    """Let a person end it in another shell, and tell what they ask for here."""

    async def end(drill: Drill, made: Made) -> None:
        drill.show(
            f"\nThe zone is {LABEL}. In another shell: source {drill.stand.ready['environment']}"
        )
        drill.show(
            "Here: Enter looks again, `page` names the runbook page, `give up` ends the drill."
        )
        while not drill.is_restored(made) and drill.moments[-1][0] < drill.within_s:
            asked = await person.asks(
                drill.stand.clock, lambda: drill.is_restored(made), drill.within_s
            )
            match asked:
                case None:
                    return
                case Ask.LOOK:
                    drill.tell()
                case Ask.PAGE:
                    drill.show(f"runbooks/{drill.failure.page}.md")
                    drill.note("asked for the page")
                case Ask.GIVE_UP:
                    drill.note("gave up")
                    return
                case _:
                    assert_never(asked)

    return end
