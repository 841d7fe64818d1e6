"""One play a page, by the page's name."""

from collections.abc import Mapping

from tests.pages.playing import Play
from tests.pages.plays import answering, coming, holding, losing

PLAYS: Mapping[str, Play] = {
    play.__name__.replace("_", "-"): play
    for module in (answering, coming, holding, losing)
    for play in module.PLAYS
}
