"""Since when a name has been answered without a denial: what caches may hold is counted from it."""

from collections.abc import Callable

import pytest

from sentinel.rules.findings import Finding
from tests.unit.sentinel.virtual import in_virtual_time
from tests.unit.sentinel.world import SERVERS, World, world

WARM_S = 20.0
FOR_S = 200.0


def steady_s(break_it: Callable[[World], object], *, heal_after_s: float) -> float:
    """How long a name has been steady after so long, when it broke at 100 s and healed then."""

    async def run() -> float:
        made = world(3)

        def heal() -> None:
            made.servers.broken.clear()
            made.servers.silent_hosts.clear()
            made.servers.lost_share = 0.0

        acts = ((100.0, lambda: break_it(made)), (100.0 + heal_after_s, heal))
        await made.run(FOR_S, *acts)
        return made.cycle.steady_s(made.names[0].key)

    return in_virtual_time(run)


@pytest.mark.parametrize("finding", [Finding.NODATA, Finding.NXDOMAIN])
@pytest.mark.parametrize("heal_after_s", [7.0, 60.0])
def test_a_denial_begins_it_anew(finding: Finding, heal_after_s: float) -> None:
    """However short it is, once it was seen."""

    def deny(made: World) -> None:
        made.servers.broken[made.names[0].name] = finding

    assert steady_s(deny, heal_after_s=heal_after_s) < FOR_S - 100.0


def test_a_silence_of_all_servers_begins_it_anew() -> None:
    """Resolvers remember failures as well."""

    def silence(made: World) -> None:
        made.servers.silent_hosts.update(one.host for one in SERVERS)

    assert steady_s(silence, heal_after_s=40.0) < FOR_S - 130.0


def test_lost_packets_do_not() -> None:
    """They are seen each few minutes; a name would never be steady."""

    def lose(made: World) -> None:
        made.servers.lost_share = 0.05

    assert steady_s(lose, heal_after_s=90.0) > FOR_S - WARM_S


def test_a_name_that_was_never_seen_to_answer_is_not_steady() -> None:
    """Nothing is known of it."""

    async def run() -> tuple[float, float]:
        made = world(1)
        made.servers.silent_hosts.update(one.host for one in SERVERS)
        before = made.cycle.steady_s(made.names[0].key)
        await made.run(60.0)
        return before, made.cycle.steady_s(made.names[0].key)

    assert in_virtual_time(run) == (0.0, 0.0)


def test_it_goes_on_over_another_config_in_the_same_process() -> None:
    """A config is changed more often than a negative TTL is long."""

    async def run() -> tuple[float, float]:
        first = world(3)
        await first.run(60.0)
        second = world(2)
        second.cycle.go_on(first.cycle.charts)
        await second.run(30.0)
        return tuple(second.cycle.steady_s(one.key) for one in second.names)  # type: ignore[return-value]  # two names

    assert all(one > 60.0 for one in in_virtual_time(run))
