"""How a line of a script becomes an act: patterns with named places, each with its explanation.

A pattern is the sentence itself, with places in braces. What fits no pattern is a mistake of the
script, and the nearest sentences are shown.
"""

import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from difflib import get_close_matches
from typing import TypeAlias

from tests.simulation.scenario.line import Trouble
from tests.simulation.scenario.stage import Mistaken, Stage
from tests.simulation.scenario.words import DOES

Places: TypeAlias = dict[str, str]
Act: TypeAlias = Callable[[Stage, Places], Awaitable[None]]

# What may stand in a place.
PLACES = {
    "az": "az[123]",
    "planner": "planner[12]",
    "operator": "operator2?",
    "who": "az[123]|planner[12]|cleanup|operator2?",
    "trouble": "|".join(one.value for one in Trouble),
    "does": "|".join(sorted(set(DOES.values()), key=len, reverse=True)),
    "n": r"\d+",
    "m": r"\d+",
    "nth": r"\d",
    "service": "the table|route 53",
    "name": r"[a-z0-9]+",
    "content": r"\S+ -> .+",
    "calls": r"[a-z][a-z0-9 ]*",
}


@dataclass(frozen=True, slots=True)
class Sentence:
    """One kind of step."""

    pattern: str
    meaning: str
    act: Act

    def places(self, text: str) -> Places | None:
        """What stands in the pattern's places, if the text is such a sentence."""
        pieces = re.split(r"\{(\w+)\}", self.pattern)
        expression = "".join(
            f"(?P<{piece}>{PLACES[piece]})" if at % 2 else re.escape(piece)
            for at, piece in enumerate(pieces)
        )
        found = re.fullmatch(expression, text)
        return None if found is None else found.groupdict()


SENTENCES: list[Sentence] = []


def sentence(pattern: str) -> Callable[[Act], Act]:
    """Make a function the meaning of a sentence; its docstring explains it."""

    def keep(act: Act) -> Act:
        SENTENCES.append(Sentence(pattern, (act.__doc__ or "").strip(), act))
        return act

    return keep


def find(text: str) -> tuple[Act, Places]:
    """The act of a step, or Mistaken with what there is."""
    for one in SENTENCES:
        if (places := one.places(text)) is not None:
            return one.act, places
    patterns = [one.pattern for one in SENTENCES]
    near = get_close_matches(text, patterns, n=3, cutoff=0.0)
    raise Mistaken(f"no such step: {text!r}; nearest: {'; '.join(near)}")
