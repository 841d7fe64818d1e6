"""One play a page, by the page's name."""

from collections.abc import Mapping

from tests.pages.playing import Play, page_of
from tests.pages.plays import answering, coming, holding, losing

PLAYS: Mapping[str, Play] = {
    page_of(play): play for module in (answering, coming, holding, losing) for play in module.PLAYS
}
