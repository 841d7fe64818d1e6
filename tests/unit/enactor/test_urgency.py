"""Which zones are worked on first, and how many at a time."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from functools import partial
from itertools import permutations

from enactor.admission import Admission, Applicant
from enactor.rules.urgency import Due, Errand, in_order

PATIENCE_S = 300.0


def order(*due: Due, az: str = "az1", now_s: float = 1_000.0) -> list[str]:
    """The labels in the order of their urgency."""
    return [one.label for one in in_order(due, az=az, now_s=now_s, patience_s=PATIENCE_S)]


def test_plans_come_before_confirmations_before_others_zones_before_checks() -> None:
    """Whatever came first: a zone that is behind is wrong, the rest can wait."""
    due = [Due(errand.name, errand, 900.0) for errand in Errand]
    for some in permutations(due):
        assert order(*some) == ["PLAN", "CONFIRMATION", "HELP", "CHECK"]


def test_the_zone_that_was_served_longest_ago_leads() -> None:
    """However fast a zone's plans come, no other starves."""
    assert order(Due("a", Errand.PLAN, 700.0), Due("b", Errand.PLAN, 20.0)) == ["b", "a"]


def test_what_can_wait_does_not_wait_for_ever() -> None:
    """After the patience a confirmation and a check stand in line with the plans, by their time;
    help never does, and plans are not made to wait for all that is late."""
    plans = Due("older", Errand.PLAN, 690.0), Due("newer", Errand.PLAN, 710.0)
    for errand in (Errand.CONFIRMATION, Errand.CHECK):
        assert order(*plans, Due("late", errand, 699.0)) == ["older", "late", "newer"]
        assert order(*plans, Due("patient", errand, 701.0)) == ["older", "newer", "patient"]
    assert order(*plans, Due("help", Errand.HELP, 0.0)) == ["older", "newer", "help"]


def test_each_az_helps_in_an_order_of_its_own() -> None:
    """So that two who help a third seldom take the same zone; the order of asking is no matter."""
    due = [Due(f"z{at}", Errand.HELP, 0.0) for at in range(9)]
    orders = [order(*due, az=az) for az in ("az1", "az2", "az3")]
    assert len({tuple(one) for one in orders}) == len({one[0] for one in orders}) == 3
    assert orders[0] == order(*reversed(due), az="az1")


class _Works:
    """Zones whose work ends when it is told to."""

    def __init__(self) -> None:
        self.begun: list[str] = []
        self.ends: dict[str, asyncio.Event] = {}

    async def of(self, label: str) -> None:
        self.begun.append(label)
        self.ends[label] = asyncio.Event()
        await self.ends[label].wait()

    def applicant(self, label: str, *, can_wait: bool = False) -> Applicant:
        return Applicant(label, partial(self.of, label), can_wait)

    async def seen(self) -> list[str]:
        """What was begun, once all that is ready has run."""
        for _ in range(3):
            await asyncio.sleep(0)
        return self.begun


async def test_the_next_begins_as_one_ends_and_a_new_pass_voids_the_old() -> None:
    """Nobody keeps a place in line: who waits may be wanted otherwise by now."""
    works, admission = _Works(), Admission(2, patiently=nullcontext)

    def offer(*labels: str) -> None:
        admission.offer([works.applicant(label) for label in labels])

    offer("a", "b", "c", "d")
    assert await works.seen() == ["a", "b"]
    works.ends["a"].set()
    assert await works.seen() == ["a", "b", "c"]
    offer("e")
    works.ends["b"].set()
    assert await works.seen() == ["a", "b", "c", "e"]
    admission.collect()
    assert [one for one in "abcde" if admission.is_running(one)] == ["c", "e"]
    offer("f")
    works.ends["c"].set()
    await admission.close(grace_s=0.0)
    assert works.begun == ["a", "b", "c", "e"]


async def test_what_can_wait_leaves_half_of_the_places_to_plans() -> None:
    """Whatever stands first in line: a plan that comes a moment later finds a place."""
    works, admission = _Works(), Admission(4, patiently=nullcontext)
    checks = [works.applicant(label, can_wait=True) for label in "abc"]
    admission.offer([*checks, works.applicant("plan")])
    assert await works.seen() == ["a", "b", "plan"]
    works.ends["plan"].set()
    assert await works.seen() == ["a", "b", "plan"]
    works.ends["b"].set()
    assert await works.seen() == ["a", "b", "plan", "c"]
    await admission.close(grace_s=0.0)


async def test_what_can_wait_works_patiently_and_has_its_turn() -> None:
    """Also where there is one place only; a plan's requests let nobody pass."""
    told: list[str] = []

    @contextmanager
    def patiently() -> Iterator[None]:
        told.append("begins")
        yield
        told.append("ends")

    works, admission = _Works(), Admission(1, patiently=patiently)
    admission.offer([works.applicant("check", can_wait=True), works.applicant("plan")])
    assert (await works.seen(), told) == (["check"], ["begins"])
    works.ends["check"].set()
    assert (await works.seen(), told) == (["check", "plan"], ["begins", "ends"])
    await admission.close(grace_s=0.0)
