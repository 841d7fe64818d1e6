"""The first play: check, then write. Every step is a request to the stand-in; nothing is staged.

One enactor passes its check and is delayed. That is the only fault.
"""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import assert_never

from sandbox.aws.faults import Armed
from sandbox.incident.careless.enactor import (
    CarelessCleanup,
    CarelessEnactor,
    CarelessOutcome,
    Landed,
    NotNewest,
    RefusedBatch,
)
from sandbox.incident.careless.plans import CarelessPlan, Place
from sandbox.incident.careless.shelf import CarelessShelf
from sandbox.incident.checkers import Breach, Wish, breaches
from sandbox.incident.house import House
from sandbox.incident.story import (
    CLEANUP,
    DNS,
    ENACTOR_A,
    ENACTOR_B,
    NAME,
    OLD_AFTER_S,
    PLANNER,
    ROUTE53,
    TRY_AT,
    Narrator,
    Tone,
    addresses,
    listed,
)
from sandbox.incident.watching import Watcher

WATCHER = "watcher"


@dataclass(frozen=True, slots=True)
class Cast:
    """The careless system's parts."""

    planner: CarelessShelf
    enactors: dict[str, CarelessEnactor]
    cleanup: CarelessCleanup


async def play_check_then_write(house: House, narrator: Narrator) -> tuple[Breach, ...]:
    """Play it; the promises that broke."""
    place = Place(house.zone_id, NAME)
    async with open_cast(house, place) as cast, open_watcher(house, narrator, place) as watcher:
        play = CheckThenWrite(cast, narrator, watcher)
        async with watcher.watching():
            wish = await play.run(lambda: house.hold_batches(ENACTOR_A))
        await watcher.look()
        return narrator.conclude(breaches(watcher.looks, wish), questions=watcher.questions)


class CheckThenWrite:
    """The play, act by act."""

    def __init__(self, cast: Cast, narrator: Narrator, watcher: Watcher) -> None:
        """Nothing has happened yet."""
        self._cast = cast
        self._narrator = narrator
        self._watcher = watcher
        self._say = narrator.say
        self._at = narrator.clock.move_to

    async def run(self, hold_a: Callable[[], Armed]) -> Wish:
        """All acts; the newest plan at the end."""
        await self._apply(ENACTOR_A, await self._plan(1))
        await self._answer()
        self._at("06:41:00")
        stale = await self._plan(2)
        held = hold_a()
        late = asyncio.create_task(self._cast.enactors[ENACTOR_A].apply(stale))
        try:
            await held.first()
            self._say(
                ENACTOR_A,
                "passes its check for plan 2; its batch is delayed on the way",
                Tone.DELAY,
            )
            newest = await self._go_on()
            await self._lose_the_name(newest, held, late)
        finally:
            late.cancel()
        return await self._try_to_recover(newest.number)

    async def _go_on(self) -> CarelessPlan:
        for number, time_of_day in ((3, "06:45:00"), (4, "06:46:00"), (5, "06:47:00")):
            self._at(time_of_day)
            newest = await self._plan(number)
            await self._apply(ENACTOR_B, newest)
        return newest

    async def _lose_the_name(
        self, newest: CarelessPlan, held: Armed, late: "asyncio.Task[CarelessOutcome]"
    ) -> None:
        self._at("06:48:00")
        victims = await self._cast.cleanup.choose(newest)
        numbers = [victim.number for victim in victims]
        self._say(CLEANUP, f"chooses plans {listed(numbers)}: old beside plan {newest.number}")
        (strike,) = held.strikes
        strike.released.set()
        self._tell_of(ENACTOR_A, 2, await late, "arrives late: ")
        await self._answer()
        self._at("06:48:01")
        deleted = await self._cast.cleanup.delete(victims)
        what = "deletes their records, and so what the name points at"
        if isinstance(deleted, RefusedBatch):
            what = f"cannot delete them: {deleted.text}"
        self._say(CLEANUP, what, Tone.BAD, plans=numbers)
        await self._answer()

    async def _try_to_recover(self, number: int) -> Wish:
        """All delays are over: the newest plans, by both enactors, each as good as any."""
        for time_of_day in TRY_AT:
            self._at(time_of_day)
            number += 1
            plan = await self._plan(number)
            for who in (ENACTOR_B, ENACTOR_A):
                await self._apply(who, plan)
        await self._answer()
        return Wish(number, tuple(sorted(addresses(number))))

    async def _plan(self, number: int) -> CarelessPlan:
        plan = CarelessPlan(number, int(self._narrator.clock.now_s()), addresses(number))
        await self._cast.planner.put(plan)
        self._say(PLANNER, f"publishes plan {number}: {', '.join(plan.addresses)}", plan=number)
        return plan

    async def _apply(self, who: str, plan: CarelessPlan) -> None:
        outcome = await self._cast.enactors[who].apply(plan)
        self._tell_of(who, plan.number, outcome, "")
        await self._watcher.look()

    def _tell_of(self, who: str, number: int, outcome: CarelessOutcome, how: str) -> None:
        match outcome:
            case Landed():
                tone = Tone.BAD if how else Tone.PLAIN
                self._say(who, f"{how}plan {number} is accepted", tone, plan=number)
            case NotNewest():
                self._say(who, f"{how}plan {number} is not the newest any more", plan=number)
            case RefusedBatch(text):
                what = f"{how}refuses plan {number} of {who}: {text}"
                self._say(ROUTE53, what, Tone.BAD, plan=number, error=text)
            case _:
                assert_never(outcome)

    async def _answer(self) -> None:
        seen = await self._watcher.look()
        tone = Tone.PLAIN if seen.addresses else Tone.BAD
        self._say(DNS, f"{NAME} {seen}", tone, rcode=seen.rcode, answers=seen.addresses)


@asynccontextmanager
async def open_cast(house: House, place: Place) -> AsyncIterator[Cast]:
    """Open every part's clients, and make the table."""
    async with AsyncExitStack() as stack:
        route53, shelves = {}, {}
        for who in (PLANNER, ENACTOR_A, ENACTOR_B):
            route53[who] = await stack.enter_async_context(house.client("route53", who))
            dynamodb = await stack.enter_async_context(house.client("dynamodb", who))
            shelves[who] = CarelessShelf(dynamodb)
        await shelves[PLANNER].make()
        enactors = {
            who: CarelessEnactor(route53[who], shelves[who], place)
            for who in (ENACTOR_A, ENACTOR_B)
        }
        # Cleanup is a part of the enactor that has just applied a plan.
        cleanup = CarelessCleanup(route53[ENACTOR_B], shelves[ENACTOR_B], place, age_s=OLD_AFTER_S)
        yield Cast(shelves[PLANNER], enactors, cleanup)


@asynccontextmanager
async def open_watcher(house: House, narrator: Narrator, place: Place) -> AsyncIterator[Watcher]:
    """Watch the plan that the name's alias points at, and the plans that are stored."""

    def position() -> tuple[int, int] | None:
        found = house.at(NAME, "A")
        if found is None or found.alias is None:
            return None
        return (place.number_of(found.alias.name), 0)

    async with house.client("dynamodb", WATCHER) as dynamodb:
        shelf = CarelessShelf(dynamodb)

        async def is_kept(number: int) -> bool:
            return number in {plan.number for plan in await shelf.plans()}

        yield Watcher(house.dns, narrator.clock, position=position, is_kept=is_kept)
