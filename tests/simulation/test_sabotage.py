"""Each guard of the protocol, taken away, breaks a promise before anybody's eyes."""

from pathlib import Path

import pytest

from tests.simulation.profiles import PROFILES
from tests.simulation.sabotage.catalogue import named
from tests.simulation.sabotage.rewriting import NoSuchText, install, rewritten
from tests.simulation.sabotage.sabotage import Edit, Sabotage, Seeds
from tests.simulation.sabotage.table import written
from tests.simulation.sabotage.trials import ROOT, tried
from tests.simulation.world import run

SABOTAGES = tuple(named().values())
# A busy machine takes several times as long as a quiet one, and a stack that stands still is played
# for its whole 15 minutes.
TIMEOUT_S = 300
WORLDS = sorted(
    {(one.search.profile, one.search.stack) for one in SABOTAGES if isinstance(one.search, Seeds)}
)


@pytest.mark.simulation
@pytest.mark.timeout(TIMEOUT_S)
@pytest.mark.parametrize("sabotage", SABOTAGES, ids=lambda one: one.name)
def test_each_guard_that_is_taken_away_is_missed(sabotage: Sabotage) -> None:
    """The same worlds and the same checkers that pass the product find the promise it broke."""
    result = tried(sabotage)
    assert result.promise in sabotage.breaks, str(result)


@pytest.mark.simulation
@pytest.mark.timeout(TIMEOUT_S)
@pytest.mark.parametrize(("profile", "stack"), WORLDS)
def test_the_same_seeds_break_nothing_of_the_product(profile: str, stack: bool) -> None:
    """What is noticed is the sabotage, and not the seeds: as many as the longest search plays."""
    searches = (one.search for one in SABOTAGES if isinstance(one.search, Seeds))
    most = max(one.most for one in searches if (one.profile, one.stack) == (profile, stack))
    reports = [run(seed, profile=PROFILES[profile], stack=stack) for seed in range(1, most + 1)]
    assert [(one.seed, one.broken) for one in reports if one.broken] == []


@pytest.mark.parametrize("sabotage", SABOTAGES, ids=lambda one: one.name)
def test_each_text_to_rewrite_is_there(sabotage: Sabotage) -> None:
    """A guard that was moved is found again by a person, or its sabotage is void."""
    for module in {edit.module for edit in sabotage.edits}:
        path = ROOT / Path(*module.split(".")).with_suffix(".py")
        edits = [edit for edit in sabotage.edits if edit.module == module]
        compile(rewritten(path.read_text(), edits), str(path), "exec")


def test_a_text_that_is_not_there_once_is_an_error() -> None:
    """Neither a lost text nor one that stands twice is passed over."""
    for text in ("not there", "a"):
        with pytest.raises(NoSuchText):
            rewritten("a = a\n", [Edit("m", text, "b")])
    assert rewritten("a = c\n", [Edit("m", "c", "b")]) == "a = b\n"


def test_what_is_imported_already_cannot_be_rewritten() -> None:
    """A sabotage that comes too late is an error, and never a guard found redundant."""
    with pytest.raises(NoSuchText):
        install([Edit("dnsplan.errors", "class", "class")])


def test_the_page_shows_every_sabotage() -> None:
    """docs/promises.md has each by name, with a promise that it may break first."""
    page = written()
    assert [name for name, _ in page] == [one.name for one in SABOTAGES]
    wrong = [
        name
        for (name, promise), one in zip(page, SABOTAGES, strict=True)
        if promise not in one.breaks
    ]
    assert wrong == []
