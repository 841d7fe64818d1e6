"""The second play: the same delay met by the product's own planner, enactors and cleanup.

The parts are wired as their composition roots wire them, on the real adapters over HTTP; only the
clock is the story's.
"""

import asyncio
import html
import re
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import assert_never

from dnsplan.errors import PlanUnusable
from dnsplan.fence import FENCE_TYPE, fence_name, parse_fence
from dnsplan.runtime.archive import DynamoPlanArchive
from enactor.rules.outcomes import Applied, Fenced, Held, InSync, Outcome, Unknown, Waiting
from planner.rules.outcomes import Cleaned, Published
from planner.rules.retention import Keep, Verdict
from sandbox.aws.call import Answer
from sandbox.aws.faults import Armed
from sandbox.incident.checkers import Breach, Wish, breaches
from sandbox.incident.house import House
from sandbox.incident.staff import TABLE, Staff, open_staff, retrying
from sandbox.incident.story import (
    CLEANUP,
    DNS,
    ENACTOR_A,
    ENACTOR_B,
    NAME,
    PLANNER,
    ROUTE53,
    TRY_AT,
    Narrator,
    Tone,
    addresses,
    listed,
)
from sandbox.incident.watching import Watcher

# An accepted change is polled for in story time; the stand-in needs none.
CONFIRM_EVERY_S = 2.0
CONFIRM_POLLS_MAX = 20


WATCHER = "watcher"
MESSAGE = re.compile(rb"<Message>(.*?)</Message>", re.DOTALL)


async def play_fenced(house: House, narrator: Narrator) -> tuple[Breach, ...]:
    """Play it; the promises that broke."""
    async with (
        open_staff(house, narrator.clock) as staff,
        open_watcher(house, narrator, staff) as watcher,
    ):
        play = FencedPlay(staff, narrator, watcher)
        async with watcher.watching():
            wish = await play.run(lambda: house.hold_batches(ENACTOR_A))
        await watcher.look()
        return narrator.conclude(breaches(watcher.looks, wish), questions=watcher.questions)


class FencedPlay:
    """The play, act by act; the same times as the first one."""

    def __init__(self, staff: Staff, narrator: Narrator, watcher: Watcher) -> None:
        """Nothing has happened yet."""
        self._staff = staff
        self._narrator = narrator
        self._watcher = watcher
        self._say = narrator.say
        self._at = narrator.clock.move_to

    async def run(self, hold_a: Callable[[], Armed]) -> Wish:
        """All acts; the newest plan at the end."""
        await self._plan(1)
        await self._apply(ENACTOR_A)
        await self._answer()
        self._at("06:41:00")
        await self._plan(2)
        held = hold_a()
        late = asyncio.create_task(self._staff.enact(ENACTOR_A))
        try:
            await held.first()
            self._say(
                ENACTOR_A,
                "passes its claim for plan 2; its batch is delayed on the way",
                Tone.DELAY,
            )
            for number, time_of_day in ((3, "06:45:00"), (4, "06:46:00"), (5, "06:47:00")):
                self._at(time_of_day)
                await self._plan(number)
                await self._apply(ENACTOR_B)
            await self._let_in(held, late)
        finally:
            late.cancel()
        await self._clean()
        await self._answer()
        return await self._go_on(5)

    async def _let_in(self, held: Armed, late: "asyncio.Task[Outcome]") -> None:
        self._at("06:48:00")
        (strike,) = held.strikes
        strike.released.set()
        outcome = await late
        await strike.done.wait()
        refusal = _error_of(strike.answer)
        verb = "accepts" if refusal is None else "refuses"
        tone = Tone.BAD if refusal is None else Tone.GOOD
        why = "" if refusal is None else f": {refusal}"
        self._say(ROUTE53, f"{verb} the late batch of plan 2{why}", tone, error=refusal)
        self._tell_of(ENACTOR_A, outcome)
        await self._answer()

    async def _clean(self) -> None:
        self._at("06:48:01")
        report = await self._staff.clean()
        kept = {
            one.row.plan_id.generation: [_word(reason) for reason in one.kept_because]
            for one in report.verdicts
            if one.kept_because
        }
        gone = [one.row.plan_id.generation for one in report.verdicts if _goes(one)]
        if isinstance(report.outcome, Cleaned):
            spared = "; ".join(
                f"{number} ({', '.join(reasons)})" for number, reasons in kept.items()
            )
            floor = report.outcome.floor
            what = f"raises the floor to {floor}, deletes plans {listed(gone)}; keeps {spared}"
            self._say(CLEANUP, what, Tone.GOOD, deleted=gone, kept=kept)
        else:
            self._say(CLEANUP, f"does nothing: {report.outcome}", Tone.BAD)

    async def _go_on(self, number: int) -> Wish:
        """All delays are over: the newest plans, by both enactors."""
        for time_of_day in TRY_AT:
            self._at(time_of_day)
            number += 1
            await self._plan(number)
            for who in (ENACTOR_A, ENACTOR_B):
                await self._apply(who)
        await self._answer()
        return Wish(number, tuple(sorted(addresses(number))))

    async def _plan(self, number: int) -> None:
        outcome = await self._staff.plan(number)
        if isinstance(outcome, Published):
            shown = ", ".join(addresses(number))
            generation = outcome.plan_id.generation
            self._say(PLANNER, f"publishes plan {generation}: {shown}", plan=generation)
        else:
            self._say(PLANNER, f"publishes nothing: {outcome}", Tone.BAD)

    async def _apply(self, who: str) -> None:
        outcome = await self._staff.enact(who)
        for _ in range(CONFIRM_POLLS_MAX):
            if not isinstance(outcome, Applied) or outcome.confirmed:
                break
            await self._narrator.clock.sleep(CONFIRM_EVERY_S)
            outcome = await self._staff.confirm(who) or outcome
        self._tell_of(who, outcome)
        await self._watcher.look()

    def _tell_of(self, who: str, outcome: Outcome) -> None:
        match outcome:
            case Applied(generation, _, _, confirmed):
                state = "in sync" if confirmed else "not yet in sync"
                self._say(who, f"plan {generation} is accepted and {state}", plan=generation)
            case InSync(generation):
                self._say(who, f"finds plan {generation} in place", plan=generation)
            case Fenced(expected, found):
                what = f"is fenced: it expected {expected}, the zone is at {found}; drops plan 2"
                self._say(who, what, Tone.GOOD, expected=expected, found=found)
            case Held(rule, text, command):
                self._say(who, f"holds ({rule}): {text}; next: {command}", Tone.BAD)
            case Waiting() | Unknown():
                self._say(who, f"does not know: {outcome}", Tone.BAD)
            case _:
                assert_never(outcome)

    async def _answer(self) -> None:
        seen = await self._watcher.look()
        tone = Tone.PLAIN if seen.addresses else Tone.BAD
        self._say(DNS, f"{NAME} {seen}", tone, rcode=seen.rcode, answers=seen.addresses)


def _goes(verdict: Verdict) -> bool:
    return not verdict.kept_because and not verdict.is_buried


def _word(reason: Keep) -> str:
    return reason.value.partition(":")[0]


def _error_of(answer: Answer | None) -> str | None:
    """Route 53's own words for a refused batch; None when it was accepted."""
    if answer is None or answer.error is None:
        return None
    found = MESSAGE.search(answer.body)
    return answer.error if found is None else html.unescape(found[1].decode())


@asynccontextmanager
async def open_watcher(house: House, narrator: Narrator, staff: Staff) -> AsyncIterator[Watcher]:
    """Watch the fence in the zone, and the plans whose bodies can be loaded whole."""
    fence = fence_name(staff.task.zone.name)

    def position() -> tuple[int, int] | None:
        found = house.at(fence, FENCE_TYPE)
        if found is None:
            return None
        token = parse_fence(found.values[0]).token
        return (token.generation, token.step)

    async with house.client("dynamodb", WATCHER) as dynamodb:
        archive = DynamoPlanArchive(dynamodb, TABLE, retrying(narrator.clock))

        async def is_kept(generation: int) -> bool:
            for row in await archive.rows(staff.label):
                if row.plan_id.generation == generation:
                    try:
                        await archive.load(row.plan_id)
                    except PlanUnusable:
                        continue
                    return True
            return False

        yield Watcher(house.dns, narrator.clock, position=position, is_kept=is_kept)
