"""The table of sabotages in docs/promises.md: what was taken away, and what noticed.

It lies between two marks and is written by `python -m tests.simulation.sabotage --write`; nothing
else of the page is touched.
"""

import re
from collections.abc import Iterable, Mapping, Sequence

from tests.simulation.sabotage.sabotage import Explored, Sabotage, Search
from tests.simulation.sabotage.trials import ROOT, Tried

PAGE = ROOT / "docs" / "promises.md"
BEGIN, END = "<!-- sabotage: begin -->", "<!-- sabotage: end -->"

_BETWEEN = re.compile(f"{re.escape(BEGIN)}.*?{re.escape(END)}", re.DOTALL)


def table(sabotages: Iterable[Sabotage], results: Mapping[str, Tried]) -> str:
    """Markdown, one line a sabotage."""
    lines = [
        "| sabotage | promise broken | found after | in | seconds |",
        "|---|---|---|---|---|",
    ]
    for one in sabotages:
        result = results[one.name]
        also = f" (and with it: {one.covered_by})" if one.covered_by else ""
        where, seconds = where_of(one.search), f"{result.seconds:.1f}"
        cells = (f"{one.name}{also}", result.promise, result.after, where, seconds)
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def where_of(search: Search) -> str:
    """Where it is looked for, in words."""
    if isinstance(search, Explored):
        return f"explorer, {search.bound}"
    return f"{'whole stack, ' if search.stack else ''}{search.profile}"


def write(text: str) -> None:
    """Put a table into the page."""
    page = PAGE.read_text()
    if len(_BETWEEN.findall(page)) != 1:
        raise ValueError(f"{PAGE} has no single place between {BEGIN} and {END}")
    PAGE.write_text(_BETWEEN.sub(lambda _: f"{BEGIN}\n{text}\n{END}", page))


def written() -> Sequence[tuple[str, str]]:
    """Names and promises as the page has them."""
    found = _BETWEEN.search(PAGE.read_text())
    lines = [] if found is None else found[0].splitlines()[3:-1]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return [(row[0].partition(" (and with it")[0], row[1]) for row in rows]
