"""The control API as a second opinion: bounded, never a condition, slow where nothing is wrong."""

import pytest
from structlog.testing import capture_logs

from dnsplan.errors import AccessDenied, DnsplanError, InvalidName, ReadFailed
from dnsplan.names import Name
from dnsplan.records import AliasTarget, RecordSet
from sentinel.rules.opinion import Absent, Aliased, NotAsked, Stored
from sentinel.rules.watched import Expected, NameKey, WatchedName
from sentinel.second_opinion import TARGETS_ASKED_MAX, SecondOpinion, SlowRound
from tests.fakes.clock import FakeClock
from tests.unit.sentinel.virtual import VirtualClock, in_virtual_time
from tests.unit.sentinel.world import FakeControl, shop

ONE, TWO, THREE = shop(3)


def stored(name: Name, value: str = "192.0.2.1") -> RecordSet:
    """An A record set."""
    return RecordSet(name, "A", 60, (value,))


def alias(name: Name, target: Name) -> RecordSet:
    """An A alias inside the zone."""
    return RecordSet(name, "A", None, (), alias=AliasTarget("ZSHOP", target, False))


async def test_each_type_gets_its_opinion_from_one_listing() -> None:
    """One request tells about every type of a name."""
    both = WatchedName(
        "shop", ONE.zone, ONE.name, (Expected("A", ("A",)), Expected("TXT", ("TXT",)))
    )
    control = FakeControl({ONE.name: [stored(ONE.name)]})
    said = await SecondOpinion(control, FakeClock(), ask_s=2.0).about(both)
    assert said == {"A": Stored(("192.0.2.1",)), "TXT": Absent()}
    assert control.asked == [("shop", ONE.name)]


async def test_targets_of_aliases_are_looked_up_within_bounds() -> None:
    """An alias tree of any size costs so many requests."""
    targets = [Name(f"t{at}.shop.example.") for at in range(10)]
    control = FakeControl({ONE.name: [alias(ONE.name, target) for target in targets]})
    said = await SecondOpinion(control, FakeClock(), ask_s=2.0).about(ONE)
    assert isinstance(said["A"], Aliased)
    assert len(control.asked) == 1 + TARGETS_ASKED_MAX


@pytest.mark.parametrize("error", [ReadFailed, AccessDenied, InvalidName])
async def test_trouble_is_an_opinion_not_heard(error: type[DnsplanError]) -> None:
    """No error of AWS leaves here, nor of what it lists."""
    control = FakeControl(failure="list shop: AccessDenied", error=error)
    said = await SecondOpinion(control, FakeClock(), ask_s=2.0).about(ONE)
    assert said == {"A": NotAsked("list shop: AccessDenied")}
    assert await SecondOpinion(None, FakeClock(), ask_s=2.0).about(ONE) == {}


def test_an_opinion_takes_no_longer_than_a_question() -> None:
    """Name and targets together stay within the time."""

    async def run() -> None:
        clock = VirtualClock()
        control = FakeControl(hanging=True)
        began_s = clock.elapsed_s()
        said = await SecondOpinion(control, clock, ask_s=2.0).about(ONE)
        assert isinstance(said["A"], NotAsked)
        assert clock.elapsed_s() - began_s <= 2.0

    in_virtual_time(run)


async def test_the_slow_round_asks_name_after_name_and_doubts_what_is_missing() -> None:
    """What DNS still answers and the control API lacks is said once, and looked at at once."""
    control = FakeControl({ONE.name: [stored(ONE.name)], THREE.name: [stored(THREE.name)]})
    doubted: list[NameKey] = []
    slow = SlowRound(
        [ONE, TWO, THREE],
        SecondOpinion(control, FakeClock(), ask_s=2.0),
        is_well=lambda _: True,
        doubt=doubted.append,
    )
    with capture_logs() as events:
        for _ in range(9):
            await slow.run_once()
    assert [name for _, name in control.asked] == [ONE.name, TWO.name, THREE.name] * 3
    assert doubted == [TWO.key]
    assert [one["name"] for one in events if one["event"] == "control_api_differs"] == [TWO.name]


async def test_the_slow_round_says_nothing_about_names_that_are_ill_or_when_it_hears_nothing() -> (
    None
):
    """Only of a name that DNS answers can the two differ."""
    doubted: list[NameKey] = []
    for control, is_well in ((FakeControl(), False), (FakeControl(failure="down"), True)):
        slow = SlowRound(
            [ONE],
            SecondOpinion(control, FakeClock(), ask_s=2.0),
            is_well=lambda _, well=is_well: well,  # type: ignore[misc]  # a default of a lambda has no type
            doubt=doubted.append,
        )
        await slow.run_once()
    assert doubted == []
