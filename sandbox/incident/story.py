"""The story's own time, its steps, and what both plays have in common.

Story time follows 20 October 2025. It moves only when the story or a wait inside it says so, which
is how ten minutes pass in a second. Everything else that a step states is measured in the run.
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from enum import StrEnum

from msgspec import Struct

from sandbox.incident.checkers import Breach

ZONE = "us-east-1.example.com."
NAME = "dynamodb.us-east-1.example.com."
AZ_A, AZ_B = "use1-az1", "use1-az2"
ENACTOR_A, ENACTOR_B = f"enactor {AZ_A}", f"enactor {AZ_B}"
PLANNER, CLEANUP, DNS, ROUTE53, STORY = "planner", "cleanup", "dns", "route 53", "story"

# Cleanup's rule in both plays: a plan this much older may go.
OLD_AFTER_S = 300

FLEET_IS_BACK = 5

# After the faults have ended, a newer plan is published at each of these times for both enactors.
TRY_AT = ("06:50:00", "06:55:00", "07:00:00")

_DAY = datetime(2025, 10, 20, tzinfo=UTC)
_BEGIN = "06:40:00"


def addresses(number: int) -> tuple[str, ...]:
    """What plan `number` states.

    Plan 5 states what plan 1 did, as when a fleet comes back: so the exact values of the name would
    let the late batch through, and it is the fence alone that refuses it.
    """
    fleet = 1 if number == FLEET_IS_BACK else number
    return (f"192.0.2.{10 * fleet + 1}", f"192.0.2.{10 * fleet + 2}")


def listed(numbers: Sequence[int]) -> str:
    """Plan numbers in words."""
    return " and ".join(map(str, numbers)) or "none"


class StoryClock:
    """dnsplan.ports.Clock in story time: a wait takes no real time and moves the story on."""

    def __init__(self) -> None:
        """Begin at 06:40 on the day."""
        self._now = _at(_BEGIN)

    def now_s(self) -> float:
        """Seconds since 1970."""
        return self._now.timestamp()

    def elapsed_s(self) -> float:
        """The same; the story never goes back."""
        return self._now.timestamp()

    async def sleep(self, seconds: float) -> None:
        """Move on, and give way once."""
        self._now += timedelta(seconds=max(0.0, seconds))
        await asyncio.sleep(0)

    def move_to(self, time_of_day: str) -> None:
        """Go on at HH:MM:SS, or now if the story is past it."""
        self._now = max(self._now, _at(time_of_day))

    def shown(self) -> str:
        """Time of day, as a step is stamped."""
        return self._now.strftime("%H:%M:%SZ")


class Tone(StrEnum):
    """What a step is to the reader."""

    PLAIN = "plain"
    DELAY = "delay"
    GOOD = "good"
    BAD = "bad"


class Step(Struct, frozen=True):
    """One thing that happened: when, who, what, and the facts that were measured."""

    at: str
    who: str
    what: str
    tone: Tone
    facts: Mapping[str, object]

    def __str__(self) -> str:
        """One line."""
        return f"{self.at}  {self.who:<16}  {self.what}"


class Narrator:
    """Stamps steps, keeps them, and hands each on at once."""

    def __init__(self, clock: StoryClock, hear: Callable[[Step], None]) -> None:
        """`hear` gets each step as it happens."""
        self.clock = clock
        self.steps: list[Step] = []
        self._hear = hear

    def say(self, who: str, what: str, tone: Tone = Tone.PLAIN, **facts: object) -> None:
        """Tell a step."""
        step = Step(self.clock.shown(), who, what, tone, facts)
        self.steps.append(step)
        self._hear(step)

    def conclude(self, found: tuple[Breach, ...], *, questions: int) -> tuple[Breach, ...]:
        """Tell the checkers' verdict, and hand it on."""
        for one in found:
            self.say(STORY, f"{one.promise} broke at {one.at}: {one.text}", Tone.BAD)
        tone = Tone.BAD if found else Tone.GOOD
        count = len(found) or "no"
        what = f"{count} promises broke; {questions} DNS answers were looked at"
        self.say(STORY, what, tone, questions=questions)
        return found


def _at(time_of_day: str) -> datetime:
    hour, minute, second = map(int, time_of_day.split(":"))
    return _DAY.replace(hour=hour, minute=minute, second=second)
