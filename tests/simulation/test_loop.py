"""The loop on virtual time: hours at once, every order by seed, and no waiting for nothing."""

import asyncio
from random import Random

import pytest

from tests.simulation.loop import Deadlock, SimLoop, TooLong
from tests.simulation.processes import Process, ProcessClock


async def workers(order: list[str]) -> float:
    """Three tasks that are ready together, and one that sleeps a day."""

    async def work(name: str) -> None:
        for _ in range(3):
            await asyncio.sleep(0)
            order.append(name)

    async with asyncio.TaskGroup() as group:
        for name in "abc":
            group.create_task(work(name))
    await asyncio.sleep(86_400)
    return asyncio.get_running_loop().time()


def played(seed: int) -> tuple[list[str], float]:
    """One run."""
    order: list[str] = []
    at_s = SimLoop(Random(seed)).run(workers(order))
    return order, at_s


def test_a_day_passes_at_once_and_a_seed_is_an_order() -> None:
    """The same seed gives the same order; many seeds give many."""
    assert played(1) == played(1)
    assert played(1)[1] == 86_400
    assert len({tuple(played(seed)[0]) for seed in range(50)}) > 30


def test_waiting_for_nothing_is_reported() -> None:
    """A future that nobody will ever set ends the run."""

    async def stuck() -> None:
        await asyncio.get_running_loop().create_future()

    with pytest.raises(Deadlock):
        SimLoop(Random(1)).run(stuck())


def test_a_loop_without_end_is_reported() -> None:
    """So does one that never waits."""

    async def endless() -> None:
        while True:  # noqa: ASYNC110 - a loop without end is what is meant
            await asyncio.sleep(0)

    with pytest.raises(TooLong):
        SimLoop(Random(1), steps_max=1_000).run(endless())


@pytest.mark.parametrize(("act", "slept_until_s"), [("pause", 100.0), ("kill", None)])
def test_a_process_stands_still_or_dies_where_it_is(act: str, slept_until_s: float | None) -> None:
    """A pause delays what it waits for; after a kill nothing of it runs, not even its clean-up."""
    loop = SimLoop(Random(1))
    process = Process("az1", loop, Random(1))
    told: list[float] = []

    async def life() -> None:
        try:
            await ProcessClock(process).sleep(10)
            told.append(loop.time())
        finally:
            told.append(-1.0)

    async def main() -> None:
        process.start(life())
        await asyncio.sleep(5)
        if act == "pause":
            process.pause(95)
        else:
            process.kill()
        await asyncio.sleep(1_000)

    loop.run(main())
    assert told == ([slept_until_s, -1.0] if slept_until_s is not None else [])
    loop.drop_everything()


def test_an_error_of_a_process_ends_the_run() -> None:
    """A daemon that would have died silently is a defect that a run must show."""
    loop = SimLoop(Random(1))

    async def broken() -> None:
        raise ValueError("a wrong line")

    async def main() -> None:
        Process("az1", loop, Random(1)).start(broken())
        await asyncio.sleep(1)

    with pytest.raises(ValueError, match="a wrong line"):
        loop.run(main())
    loop.drop_everything()
