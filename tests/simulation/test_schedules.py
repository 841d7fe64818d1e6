"""Schedules by the thousand: no promise breaks, and each comes right again when its faults end."""

import os
from collections.abc import Sequence
from statistics import median

import pytest

from tests.simulation.__main__ import main, played, replay
from tests.simulation.sabotage.catalogue import named
from tests.simulation.sabotage.sabotage import Seeds
from tests.simulation.world import CALM_S, REQUESTS_MAX, Report, run

FEW = range(1, 61)
# With the seeds that show each sabotage's world to break nothing of the product: 3,000 and more.
MANY = range(1, 1_691)
JOBS = os.cpu_count() or 1


def check(reports: Sequence[Report]) -> None:
    """No promise broke; the runs were as full of trouble as they should be; all came right."""
    assert [f"seed {one.seed}: {one.broken}" for one in reports if one.broken] == []
    assert median(one.steps for one in reports) >= 2_000
    assert median(one.generations for one in reports) >= 3
    assert median(one.batches_max for one in reports) >= 2
    assert median(one.landed.total() for one in reports) >= 2
    assert max(one.calm_s for one in reports) <= CALM_S
    assert max(one.calm_requests for one in reports) <= REQUESTS_MAX


def test_sixty_schedules_keep_every_promise() -> None:
    """What everybody runs while they work: a wrong line shows here within seconds."""
    check([run(seed) for seed in FEW])


@pytest.mark.simulation
@pytest.mark.timeout(900)
def test_many_schedules_keep_every_promise() -> None:
    """What CI runs, on all cores."""
    check(list(played(MANY, jobs=JOBS)))


def test_all_told_they_are_three_thousand() -> None:
    """With the schedules that play each sabotage's worlds on the product as it is."""
    worlds: dict[str, int] = {}
    for one in named().values():
        if isinstance(one.search, Seeds) and not one.search.stack:
            profile = one.search.profile
            worlds[profile] = max(one.search.most, worlds.get(profile, 0))
    assert len(MANY) + sum(worlds.values()) >= 3_000


def test_a_seed_is_a_run() -> None:
    """The same seed gives the same events in the same order, whatever ran before it."""
    first = run(7)
    run(8)
    again = run(7)
    assert (first.trace, first.steps) == (again.trace, again.steps)
    assert first.trace != run(8).trace


def test_what_replays_a_seed_names_its_profile() -> None:
    """A shell takes the line as it is printed, blanks in the name and all."""
    told = "python -m tests.simulation --stack --profile 'dead links' --seed 21"
    assert replay(21, stack=True, profile="dead links") == told
    assert replay(21) == "python -m tests.simulation --seed 21"


def test_a_profile_that_is_not_there_names_those_that_are(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Before anything is played."""
    with pytest.raises(SystemExit):
        main(["--profile", "dead"])
    assert "there is no 'dead'; there are: altered bodies, " in capsys.readouterr().err
