"""The text of a scenario: prose, steps, and below each step what is expected to be narrated.

A line that begins with `* ` is a step, lines that are indented below it are its narration, and all
else is prose. Nothing here knows what a step means.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

STEP = "* "
INDENT = " " * 6


@dataclass(frozen=True, slots=True)
class Prose:
    """A line for people alone."""

    text: str


@dataclass(frozen=True, slots=True)
class Step:
    """What is to happen next."""

    text: str
    line: int


@dataclass(frozen=True, slots=True)
class Script:
    """A scenario without its narration."""

    lines: tuple[Prose | Step, ...]

    def steps(self) -> Iterator[Step]:
        """The steps in their order."""
        return (one for one in self.lines if isinstance(one, Step))


def read(text: str) -> Script:
    """The script of a scenario, with the narration left out."""
    found: list[Prose | Step] = []
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith(STEP):
            found.append(Step(line.removeprefix(STEP).strip(), number))
        elif not line.startswith(INDENT):
            found.append(Prose(line.rstrip()))
    return Script(tuple(found))


def written(script: Script, narration: Sequence[Sequence[str]]) -> str:
    """The script with what was narrated below each step; steps that were not played have none."""
    told = iter(narration)
    lines: list[str] = []
    for one in script.lines:
        match one:
            case Prose(text):
                lines.append(text)
            case Step(text, _):
                lines.append(f"{STEP}{text}")
                lines.extend(f"{INDENT}{said}" for said in next(told, ()))
    return "\n".join(lines) + "\n"
