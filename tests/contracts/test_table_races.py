"""Sixteen writers and one generation item: whoever keeps the table, each generation has one winner.

Plain moto is not asked: it checks a condition and writes in two steps, so there several win.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from itertools import chain, cycle

import pytest
from msgspec import structs

from dnsplan.generation import GenerationItem, Transition
from dnsplan.outcomes import ConditionFailed, WriteOutcome, Written
from dnsplan.plan import Digest, Generation, PlanId, next_generation
from dnsplan.ports import GenerationTable
from dnsplan.transitions import claim, create, freeze, publish
from sandbox.aws.server import serve
from tests.contracts.conftest import DYNALITE, TABLE, adapters
from tests.fakes.table import FakeTable
from tests.unit.dnsplan.samples import OWNER

WRITERS = 16
GENERATIONS = 50


@pytest.fixture(params=["fake", "stand-in", DYNALITE])
async def writers(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[list[GenerationTable]]:
    """The same table sixteen times, each over a client and connections of its own."""
    if request.param == "fake":
        yield [FakeTable()] * WRITERS
        return
    async with AsyncExitStack() as stack:
        if request.param == "stand-in":
            url = (await stack.enter_async_context(serve())).endpoint_url
        else:
            url = request.getfixturevalue(request.param)
        monkeypatch.setenv("AWS_ENDPOINT_URL", url)
        name = f"{TABLE}-{request.function.__name__}"
        yield [(await stack.enter_async_context(adapters(name))).table for _ in range(WRITERS)]


async def start(table: GenerationTable) -> GenerationItem:
    """A zone's item, before any plan."""
    item = GenerationItem(
        label="race", owner=OWNER, incarnation=await table.incarnation(), nonce="start"
    )
    assert await table.write(create(item)) == Written()
    return item


async def write(table: GenerationTable, transition: Transition) -> WriteOutcome:
    """One conditional write."""
    return await table.write(transition)


async def read(table: GenerationTable) -> GenerationItem:
    """The zone's item."""
    return (await table.read(["race"]))["race"]


def plan_of(writer: int, generation: Generation) -> PlanId:
    """The plan that a writer would publish: each has a content of its own."""
    return PlanId("race", generation, Digest(f"{writer:064x}"))


async def test_each_generation_is_published_once(writers: list[GenerationTable]) -> None:
    """P4: of sixteen planners that saw the same head exactly one moves it, fifty times; every other
    is refused and is shown the winner's head."""
    await start(writers[0])
    wins: list[tuple[int, int]] = []
    for _ in range(GENERATIONS):
        seen = await asyncio.gather(*map(read, writers))
        generation = next_generation(seen[0].head)

        async def attempt(
            writer: int, item: GenerationItem, generation: Generation = generation
        ) -> WriteOutcome:
            plan_id = plan_of(writer, generation)
            wish = publish(item, plan_id, nonce=f"{generation}-{writer}")
            return await writers[writer].write(wish)

        outcomes = await asyncio.gather(*(attempt(n, item) for n, item in enumerate(seen)))
        won = [writer for writer, outcome in enumerate(outcomes) if outcome == Written()]
        wins.extend((generation, writer) for writer in won)
        now = await read(writers[-1])
        assert [now.head_id] == [plan_of(writer, generation) for writer in won]
        refused = [one.item for one in outcomes if isinstance(one, ConditionFailed)]
        assert refused == [now] * (WRITERS - 1)
    assert [generation for generation, _ in wins] == list(range(1, GENERATIONS + 1))


async def test_no_pace_of_the_writers_lets_two_win(writers: list[GenerationTable]) -> None:
    """P4: writers that each go on at their own pace issue every number once, and leave none out."""
    await start(writers[0])

    async def work(writer: int) -> list[int]:
        won: list[int] = []
        while (item := await read(writers[writer])).head < GENERATIONS:
            plan_id = plan_of(writer, next_generation(item.head))
            wish = publish(item, plan_id, nonce=f"{plan_id.generation}-{writer}")
            if await writers[writer].write(wish) == Written():
                won.append(plan_id.generation)
        return won

    won = await asyncio.gather(*map(work, range(WRITERS)))
    assert sorted(chain.from_iterable(won)) == list(range(1, GENERATIONS + 1))


async def test_a_freeze_among_claims(writers: list[GenerationTable]) -> None:
    """P9: claims and a freeze at one moment: `claimed` is the highest that was admitted, and from
    then on nobody is."""
    item = await start(writers[0])
    for number in range(1, WRITERS + 1):
        seen = structs.replace(item, head=Generation(number - 1))
        wish = publish(seen, plan_of(0, Generation(number)), nonce=f"plan-{number}")
        assert await writers[0].write(wish) == Written()
    claims = [
        claim(item, Generation(number), zone_id="Z1", nonce=f"claim-{number}")
        for number in range(1, WRITERS + 1)
    ]
    stop = freeze(item, "f1", nonce="stop")
    wishes = [*claims[: WRITERS // 2], stop, *claims[WRITERS // 2 :]]
    outcomes = await asyncio.gather(*map(write, cycle(writers), wishes))
    admitted = [wish for wish, one in zip(wishes, outcomes, strict=True) if one == Written()]
    assert stop in admitted
    stands = await read(writers[0])
    numbers = [number for number, one in enumerate(claims, 1) if one in admitted]
    assert (stands.frozen, stands.claimed) == ("f1", max(numbers, default=0))
    again = await asyncio.gather(*map(write, writers, claims))
    assert [one.item for one in again if isinstance(one, ConditionFailed)] == [stands] * WRITERS
