"""A week in which nothing is wrong, in virtual time: plans, deploys, lost packets. No page."""

import random

import pytest

from sentinel.ports import NameServer, Question
from sentinel.rules.judging import Transport
from tests.fakes.world import a
from tests.unit.enactor.test_alarming import AZS, Watchers
from tests.unit.sentinel.virtual import in_virtual_time
from tests.unit.sentinel.world import FakeMemory, FakeServers, World, answering, shop

pytestmark = [pytest.mark.system, pytest.mark.timeout(1_800)]

DAY_S = 86_400.0
DAYS = 7
# All times of the sentinel are shares of this; forty times the usual makes the week forty times
# shorter to play, and asks as many questions in each share.
PAGE_WITHIN_S = 1_200.0
PASS_LEAST_S = 4.0
LOST_SHARE = 0.01
PLAN_EVERY_S = 600.0


def test_a_week_of_the_sentinel_pages_nobody() -> None:
    """A plan each ten minutes, a packet in a hundred lost, the process replaced each day."""
    chance, memory = random.Random(1), FakeMemory()
    names = shop(3)
    records = answering(names)
    lost: list[str] = []
    plans: list[str] = []

    def lose(server: NameServer, question: Question, transport: Transport) -> bool:
        is_lost = chance.random() < LOST_SHARE
        if is_lost:
            lost.append(f"{server.host} {question.name} {transport}")
        return is_lost

    def plan() -> None:
        """One name answers something else."""
        unit = chance.choice(sorted(records))
        records[unit] = (f"192.0.2.{chance.randint(1, 250)}",)
        plans.append(unit[0])

    asked = 0
    for day in range(DAYS):

        async def run(day: int = day) -> World:
            servers = FakeServers(records, random.Random(day), losing=lose)
            made = World(
                names,
                servers,
                memory=memory,
                page_within_s=PAGE_WITHIN_S,
                pass_least_s=PASS_LEAST_S,
            )
            await made.daemon.resume()
            times = (PLAN_EVERY_S * at for at in range(1, int(DAY_S / PLAN_EVERY_S)))
            await made.run(DAY_S, *((at_s, plan) for at_s in times), seed=day)
            return made

        made = in_virtual_time(run)
        assert made.told() == []
        asked += made.servers.asked
    assert asked > DAYS * 3 * DAY_S / (PAGE_WITHIN_S / 6) * 0.9
    assert len(lost) > asked * LOST_SHARE / 2
    assert len(plans) == DAYS * (int(DAY_S / PLAN_EVERY_S) - 1)


async def test_a_week_of_three_enactors_pages_nobody() -> None:
    """A plan each ten minutes, an AZ replaced each two hours; a write unanswered each day."""
    made = Watchers()
    made.pass_s = 10.0
    chance = random.Random(1)
    await made.world.publish(a("www.example.com", "192.0.2.1"))
    for at in range(int(DAYS * DAY_S / PLAN_EVERY_S)):
        await made.world.publish(a("www.example.com", f"192.0.2.{chance.randint(1, 250)}"))
        if at % 12 == 0:
            az = chance.randrange(3)
            made.azs[az] = made.enactor(AZS[az])
        if at % 144 == 0:
            made.lose_a_reply()
        assert await made.run(PLAN_EVERY_S) == []
    item = await made.world.item()
    assert item.applied == item.head
