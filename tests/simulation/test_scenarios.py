"""Scenarios: each text beside this file, played on the real cycles, is narrated as it stands."""

import re
from pathlib import Path

import pytest

from enactor.rules import packing
from runbooks.controls.fence_mover import FenceMover, MovedFence
from tests.simulation.scenario.language import SENTENCES, find
from tests.simulation.scenario.playing import ANEW, played
from tests.simulation.scenario.script import Step, read, written

SCENARIOS = sorted((Path(__file__).parent / "scenarios").glob("*.txt"))


@pytest.mark.parametrize("path", SCENARIOS, ids=lambda path: path.stem)
def test_all_happens_as_it_is_told(path: Path) -> None:
    """What everybody says and does is what a person read and approved, and no promise is broken."""
    expected = path.read_text()
    script = read(expected)
    actual = written(script, played(script))
    assert expected.splitlines() == actual.splitlines()
    assert "BROKEN" not in expected


def test_scenarios_are_there() -> None:
    """A folder that was moved is not a suite that passed."""
    assert len(SCENARIOS) >= 20


def test_a_step_that_is_not_known_is_named_with_its_neighbours() -> None:
    """A slip of the pen is a broken scenario, never a step that is passed over."""
    ((told,),) = played(read("* az1 enact"))
    assert told.startswith("BROKEN: no such step: 'az1 enact'; nearest: {az} enacts")


def test_a_narration_that_differs_is_a_difference() -> None:
    """What is written below a step is compared, not read."""
    text = "* planner1 plans api -> 192.0.2.1\n      planner1: published plan 7\n"
    script = read(text)
    assert text != written(script, played(script))


def test_what_cannot_be_done_ends_the_scenario() -> None:
    """What comes after it is not played."""
    script = read("* somebody deletes nothing\n* az1 enacts")
    assert played(script) == (("BROKEN: nothing stands at nothing.shop.example.",),)


FREEZE_IN_FLIGHT = """
* the zone holds api -> 192.0.2.1
* planner1 plans api -> 192.0.2.2
* az1 will stop before it sends
* az1 enacts
* operator freezes
* az1 goes on
"""


def test_a_broken_promise_ends_the_scenario(monkeypatch: pytest.MonkeyPatch) -> None:
    """The judge of the simulation sits here too: it finds a freeze that left the fence alone."""

    async def left_alone(*_: object) -> MovedFence:
        return MovedFence(None, None)

    monkeypatch.setattr(FenceMover, "move", left_alone)
    *_, last = played(read(FREEZE_IN_FLIGHT))
    assert last[-1].startswith("BROKEN: P9: ")


def test_limits_are_as_they_were() -> None:
    """A scenario's small batches are its own."""
    before = packing.ELEMENTS_MAX
    played(read("* a batch holds 2 changes beside the fence"))
    assert before == packing.ELEMENTS_MAX


def test_every_sentence_is_spoken() -> None:
    """A kind of step that no scenario uses is a kind that nobody has seen work."""
    spoken = {find(step.text)[0] for path in SCENARIOS for step in _steps(path)}
    assert [one.pattern for one in SENTENCES if one.act not in spoken] == []


INCIDENTS = Path(__file__).parents[2] / "docs" / "incidents.md"
NAMED = re.compile(r"`(tests/[\w/]+\.py)(?:::(\w+))?`")


def test_the_page_on_incidents_names_what_is_there() -> None:
    """Each test and each scenario that it names can be read and run."""
    page, root = INCIDENTS.read_text(), INCIDENTS.parents[1]
    missing = [
        f"{file}::{name}"
        for file, name in NAMED.findall(page)
        if not (root / file).exists() or (name and f"def {name}(" not in (root / file).read_text())
    ]
    told = set(re.findall(r"`(\w+)\.txt`", page)) - {path.stem for path in SCENARIOS}
    assert (missing, told) == ([], set())


def _steps(path: Path) -> list[Step]:
    return [step for step in read(path.read_text()).steps() if step.text != ANEW]
