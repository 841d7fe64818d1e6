"""Plays a script from its first step to its last, or to the first that cannot be done."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager

import structlog

from dnsplan.errors import BrokenInvariant
from enactor.rules import packing
from tests.simulation.record import BrokenPromise
from tests.simulation.scenario import crowds, doings, findings, happenings, operations, waving
from tests.simulation.scenario.language import SENTENCES, find
from tests.simulation.scenario.script import Script, Step
from tests.simulation.scenario.stage import Mistaken, Stage

# Their sentences are known from here on.
VOCABULARY = (doings, operations, happenings, crowds, waving, findings)

ANEW = "everything begins anew"


def played(script: Script) -> tuple[tuple[str, ...], ...]:
    """What is narrated below each step that could be played."""
    told: list[tuple[str, ...]] = []
    for part in _worlds(script):
        with _alone():
            if not _play(part, told):
                break
    return tuple(told)


def vocabulary() -> str:
    """Every sentence that a step may be, with what it means."""
    lines = []
    for module in VOCABULARY:
        lines.append((module.__doc__ or "").split("\n\n")[0].replace("\n", " "))
        lines.extend(
            f"  {one.pattern}\n      {' '.join(one.meaning.split())}"
            for one in SENTENCES
            if one.act.__module__ == module.__name__
        )
    lines.append(f"  {ANEW}\n      What follows happens in another world.")
    return "\n".join(lines)


def _worlds(script: Script) -> Iterator[list[Step]]:
    """The steps of each world."""
    part: list[Step] = []
    for step in script.steps():
        if step.text == ANEW and part:
            yield part
            part = []
        part.append(step)
    yield part


def _play(steps: list[Step], told: list[tuple[str, ...]]) -> bool:
    """Play one world's steps; False when a promise broke or a step could not be done."""
    stage = Stage()
    try:
        stage.loop.run(_steps(stage, steps, told))
    except (BrokenPromise, BrokenInvariant, Mistaken) as error:
        told.append((*stage.said, f"BROKEN: {error}"))
        return False
    finally:
        stage.close()
    return True


async def _steps(stage: Stage, steps: list[Step], told: list[tuple[str, ...]]) -> None:
    for step in steps:
        if step.text != ANEW:
            act, places = find(step.text)
            await act(stage, places)
        told.append(tuple(stage.said))
        stage.said.clear()


@contextmanager
def _alone() -> Iterator[None]:
    """A scenario may make batches small, and its daemons' logs are not its narration; nobody else
    is to find either so."""
    real, logging_before = packing.ELEMENTS_MAX, structlog.get_config()
    silent = structlog.make_filtering_bound_logger(logging.CRITICAL)
    structlog.configure(wrapper_class=silent)
    try:
        yield
    finally:
        packing.ELEMENTS_MAX = real
        structlog.configure(**logging_before)
