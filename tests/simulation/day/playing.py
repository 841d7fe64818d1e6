"""Plays one day and says what it was."""

import asyncio
import logging
import tempfile
from dataclasses import dataclass
from pathlib import Path

import structlog

from tests.simulation.day.house import House, Switches
from tests.simulation.day.judge import BrokenPromise, Judge
from tests.simulation.day.truth import drawn


@dataclass(frozen=True, slots=True)
class Played:
    """How a day ended: `broken` is empty when every promise was kept."""

    broken: str
    figures: str
    probes: int


def play(seed: int, length_s: int, on: Switches) -> Played:
    """The same seed and switches give the same day."""
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.CRITICAL))
    truth = drawn(seed, length_s)
    judge = Judge(truth)
    with tempfile.TemporaryDirectory() as folder:
        house = House(truth, judge, Path(folder), on, seed)
        broken = ""
        try:
            asyncio.run(house.live())
            judge.ended()
        except BrokenPromise as error:
            broken = str(error)
    probes = sum(one.asked for one in house.eyes.values())
    return Played(broken, judge.figures(), probes)
