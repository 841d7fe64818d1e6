"""What a sabotage is: which text of the product is replaced, and where the damage is looked for.

It knows nothing of the product, so that it can be read before anything of that is imported.
"""

from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class Edit:
    """In a module's source, the one place where `text` stands becomes `instead`."""

    module: str
    text: str
    instead: str


@dataclass(frozen=True, slots=True)
class Seeds:
    """Runs of the simulation, seed after seed, under one of `tests.simulation.profiles`.

    With `stack`, by the product's adapters and AWS's SDK.
    """

    profile: str = "everyday"
    most: int = 40
    stack: bool = False


@dataclass(frozen=True, slots=True)
class Explored:
    """One of the explorer's bounds, whole, or up to so many states; `late` writes may be more."""

    bound: str
    late: int | None = None
    states_max: int = 400_000


Search: TypeAlias = Seeds | Explored


@dataclass(frozen=True, slots=True, kw_only=True)
class Sabotage:
    """One guard less. `breaks` are the promises any of which may be the first found broken.

    `covered_by`: the guard alone can go unnoticed since these stand behind it; they go with it.
    """

    name: str
    breaks: tuple[str, ...]
    search: Search
    edits: tuple[Edit, ...]
    covered_by: str = ""
