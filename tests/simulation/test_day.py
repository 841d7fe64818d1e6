"""A day keeps its promises, and each protection that is switched off breaks one on the same day."""

from dataclasses import fields, replace

import pytest

from tests.simulation.day.house import Switches
from tests.simulation.day.playing import play

HOUR_S = 3_600
# A busy machine takes several times as long as a quiet one.
TIMEOUT_S = 900


def test_two_hours_of_it_keep_every_promise() -> None:
    """Never empty, never under the floor, not too fast, nobody who is well taken out, plans in
    bounds, nobody dead answers for long, and all comes back."""
    assert play(2, 2 * HOUR_S, Switches()).broken == ""


@pytest.mark.simulation
@pytest.mark.timeout(TIMEOUT_S)
def test_a_day_keeps_every_promise() -> None:
    """The whole of it, for 24 hours."""
    assert play(3, 24 * HOUR_S, Switches()).broken == ""


@pytest.mark.simulation
@pytest.mark.timeout(TIMEOUT_S)
@pytest.mark.parametrize("switch", [one.name for one in fields(Switches)])
def test_each_protection_is_missed(switch: str) -> None:
    """The day that is kept with all of them is broken without any one."""
    assert play(3, 24 * HOUR_S, replace(Switches(), **{switch: False})).broken != ""


def test_a_seed_gives_one_day() -> None:
    """A day that broke can be played again."""
    again = [play(2, HOUR_S // 2, Switches()) for _ in range(2)]
    assert again[0] == again[1]
