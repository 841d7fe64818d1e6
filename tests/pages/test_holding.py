"""Pages about zones that stand still: held, throttled, silent."""

from pathlib import Path

import pytest

from tests.pages.playing import Play, follow_in, page_of
from tests.pages.plays.holding import PLAYS
from tests.pages.room import ADDRESSES


@pytest.mark.system
@pytest.mark.allow_hosts(ADDRESSES)
@pytest.mark.parametrize("play", PLAYS, ids=page_of)
def test_a_page_does_what_it_says(play: Play, tmp_path: Path) -> None:
    """Its fault is made for real, its commands are typed word for word, no promise breaks, and at
    the end every name stands and answers as planned."""
    assert follow_in(tmp_path, play).differences == []
