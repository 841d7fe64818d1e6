"""Watching: each target at its own pace, and nothing learnt from a probe that could not be made."""

import asyncio

from planner.rules.health import Hysteresis, Phase
from planner.rules.probing import Probe, ProbeResult, TcpCheck, Watched
from planner.watch import FIRST_DELAY_S_MAX, JITTER_SHARE, Watch
from tests.fakes.clock import FakeClock, SeededJitter
from tests.fakes.prober import FakeProber
from tests.unit.planner.cases import member

A, B = "192.0.2.1", "192.0.2.2"


def watched(target_id: str, address: str, *, interval_s: float = 5.0) -> Watched:
    """A target of the pool `web`."""
    probe = Probe(address, TcpCheck(80), timeout_s=2.0)
    return Watched(
        ("web", target_id), probe, interval_s, Hysteresis(rise=2, fall=3, gap_s=27.0), 0.5
    )


class StoppingClock(FakeClock):
    """A clock that stops its sleeper for good after so many sleeps."""

    def __init__(self, sleeps: int) -> None:
        """Note every sleep."""
        super().__init__()
        self.sleeps_left = sleeps
        self.slept_s: list[float] = []

    async def sleep(self, seconds: float) -> None:
        """Pass the time, or wait until cancelled."""
        if self.sleeps_left == 0:
            await asyncio.Event().wait()
        self.sleeps_left -= 1
        self.slept_s.append(seconds)
        await super().sleep(seconds)
        await asyncio.sleep(0)  # as a real sleep, it gives way to others


async def ran(watch: Watch) -> None:
    """Run until nothing moves any more."""
    task = asyncio.create_task(watch.run())
    for _ in range(200):
        await asyncio.sleep(0)
    task.cancel()
    await asyncio.wait([task])


async def test_targets_become_known_by_looking() -> None:
    """As many rounds as rise or fall decide every phase."""
    prober = FakeProber()
    prober.kill(B)
    clock = FakeClock()
    watch = Watch([watched("a", A), watched("b", B)], prober, clock=clock, jitter=SeededJitter())
    assert watch.sight().of(member("a")).phase is Phase.UNKNOWN
    await watch.look(rounds=3, pause_s=1.0)
    assert watch.sight().of(member("a")).phase is Phase.HEALTHY
    assert watch.sight().of(member("b")).phase is Phase.UNHEALTHY
    assert clock.elapsed_s() == 2.0


async def test_a_probe_that_could_not_be_made_is_no_evidence() -> None:
    """Trouble on this machine leaves every target as it was."""
    prober = FakeProber()
    watch = Watch([watched("a", A)], prober, clock=FakeClock(), jitter=SeededJitter())
    await watch.look(rounds=2, pause_s=1.0)
    before = watch.sight().of(member("a"))
    prober.lose_sight(A)
    await watch.look(rounds=20, pause_s=1.0)
    assert watch.sight().of(member("a")) == before


async def test_a_sight_is_a_snapshot() -> None:
    """What is seen later does not change what a cycle already decides by."""
    prober = FakeProber()
    watch = Watch([watched("a", A)], prober, clock=FakeClock(), jitter=SeededJitter())
    early = watch.sight()
    await watch.look(rounds=3, pause_s=1.0)
    assert early.of(member("a")).last is None


async def test_a_target_is_asked_at_its_own_pace() -> None:
    """The first look comes soon and the rest once an interval, within the jitter."""
    clock = StoppingClock(sleeps=9)
    watch = Watch([watched("a", A)], FakeProber(), clock=clock, jitter=SeededJitter())
    await ran(watch)
    first, *rest = clock.slept_s
    assert 0.0 <= first <= FIRST_DELAY_S_MAX
    assert len(rest) == 8
    assert all(5.0 * (1 - JITTER_SHARE) <= one <= 5.0 * (1 + JITTER_SHARE) for one in rest)
    assert len(set(rest)) > 1, "no jitter: planners would fall into step"


async def test_every_target_is_followed() -> None:
    """No target waits for another."""
    prober = FakeProber()
    clock = StoppingClock(sleeps=12)
    targets = [watched("a", A), watched("b", B)]
    await ran(Watch(targets, prober, clock=clock, jitter=SeededJitter()))
    assert min(prober.asked[A], prober.asked[B]) >= 4


async def test_who_comes_later_has_a_first_look_of_its_own() -> None:
    """A planner that has run for long would take a pool that the config brings, or a target at a
    new address, for one that could have been looked at; who stays is not waited for again."""
    clock = FakeClock()
    watch = Watch(
        [watched("a", A), watched("b", B)], FakeProber(), clock=clock, jitter=SeededJitter()
    )
    clock.advance(1_000.0)
    watch.look_at([watched("a", A), watched("b", "192.0.2.9"), watched("c", "192.0.2.3")])
    clock.advance(9.0)
    looked = [watch.sight().has_looked(member(one), 10.0) for one in "abc"]
    watch.look_at(
        [watched("a", A), watched("b", "192.0.2.9"), watched("c", "192.0.2.3", interval_s=9.0)]
    )
    clock.advance(1.0)
    later = [watch.sight().has_looked(member(one), 10.0) for one in "abc"]
    assert (looked, later) == ([True, False, False], [True, True, True])


async def test_an_answer_that_comes_after_the_address_changed_says_nothing() -> None:
    """The old address may answer in the very moment in which the target is told its new one."""

    class Moving(FakeProber):
        """The config changes while a probe is under way."""

        async def probe(self, probe: Probe) -> ProbeResult:
            """Answer for the old address when the new one is told already."""
            watch.look_at([watched("a", B)])
            return await super().probe(probe)

    watch = Watch([watched("a", A)], Moving(), clock=FakeClock(), jitter=SeededJitter())
    await watch.look(rounds=1, pause_s=1.0)
    assert watch.sight().of(member("a")).last is None


async def test_what_was_seen_of_one_address_says_nothing_of_another() -> None:
    """A target that moved is unknown again; another pace, and who stays, change nothing."""
    prober = FakeProber()
    targets = [watched("a", A), watched("b", B), watched("c", "192.0.2.3")]
    watch = Watch(targets, prober, clock=FakeClock(), jitter=SeededJitter())
    await watch.look(rounds=3, pause_s=1.0)
    watch.look_at([watched("a", A, interval_s=9.0), watched("b", "192.0.2.9")])
    sight = watch.sight()
    assert [sight.of(member(one)).phase for one in "abc"] == [
        Phase.HEALTHY,
        Phase.UNKNOWN,
        Phase.UNKNOWN,
    ]
