"""A runbook page as a script: the commands it shows, what they print, and how the two compare.

What differs from run to run (times, ids, ports) is compared by its kind, and one id on the page is
one id in the run: so a page may be followed with the ids that are met. Nothing else is let pass.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

FOLDER = Path(__file__).parents[2] / "runbooks"
INDEX = "README.md"
PROMPT = "$ "
SHORTENED = "..."
FENCE = "```"
# What stands for itself on a page and in a run, once met.
IDS = ("table", "digest", "owner", "id", "short", "zone", "server", "restore")
VOLATILE = re.compile(
    r"(?P<time>\b\d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ)"
    r"|(?P<table>\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b)"
    r"|(?P<digest>\b[0-9a-f]{64}\b)|(?P<owner>\b[0-9a-f]{32}\b)"
    r"|(?P<id>\b[0-9a-f]{16}\b)|(?P<short>\b[0-9a-f]{12}\b)"
    r"|(?P<zone>\bZ[0-9A-Z]{20}\b)|(?P<server>\b127\.0\.0\.1:\d+\b)"
    r"|(?P<restore>\brestore\.\d+\b)"
    r"|(?P<ago>\b\d+ s ago\b)|(?P<more>\bmore in \d+ s\b)|(?P<age>\bage_s=\d+\b)"
)
INLINE = re.compile(r"`(dns-[a-z]+ [^`]+)`")
TYPED = re.compile(r'^Type "[^"]+" to go on: (.*)$')


class Differs(AssertionError):
    """A page does not show what its commands do."""


@dataclass(frozen=True, slots=True)
class Shown:
    """One command of a page, and the lines below it."""

    command: str
    lines: tuple[str, ...]

    @property
    def typed(self) -> str:
        """What is answered at its question; nothing where it asks nothing."""
        return next((found[1] for line in self.lines if (found := TYPED.match(line))), "")


@dataclass(slots=True)
class Met:
    """Which id of the run each id of the page stands for."""

    ids: dict[str, str] = field(default_factory=dict)

    def in_run(self, text: str) -> str:
        """A command of the page with the ids of this run."""
        return VOLATILE.sub(lambda found: self.ids.get(found[0], found[0]), text)

    def meet(self, page: str, run: str) -> None:
        """Two lines that are alike show the same ids in the same places, here and before."""
        for ours, theirs in zip(VOLATILE.finditer(page), VOLATILE.finditer(run), strict=True):
            if ours.lastgroup in IDS and self.ids.setdefault(ours[0], theirs[0]) != theirs[0]:
                raise Differs(f"{ours[0]} stood for {self.ids[ours[0]]} and for {theirs[0]}")


def pages() -> list[Path]:
    """All pages but the index."""
    return sorted(page for page in FOLDER.glob("*.md") if page.name != INDEX)


def blocks(text: str) -> Iterator[list[str]]:
    """The lines of each fenced block in which something is typed."""
    for block in text.split(f"{FENCE}\n")[1::2]:
        lines = block.splitlines()
        if any(line.startswith(PROMPT) for line in lines):
            yield lines


def shown(text: str) -> list[Shown]:
    """Every command that the page shows, in order."""
    found: list[tuple[str, list[str]]] = []
    for lines in blocks(text):
        for line in lines:
            if line.startswith(PROMPT):
                found.append((line.removeprefix(PROMPT), []))
            else:
                found[-1][1].append(line)
    return [Shown(command, tuple(lines)) for command, lines in found]


def named(text: str) -> set[str]:
    """Every command that stands in a sentence."""
    return set(INLINE.findall(text))


def as_short(page: Sequence[str], run: Sequence[str]) -> list[str]:
    """What was printed, left out in the middle as the page leaves it out."""
    lines = [line.rstrip() for line in run]
    parts = list(_parts(page))
    if len(parts) == 1:
        return lines
    return [*lines[: len(parts[0])], SHORTENED, *lines[len(lines) - len(parts[-1]) :]]


def servers(text: str) -> set[str]:
    """The name servers that the page shows; at port 1 nobody listens, there as here."""
    found = {one[0] for one in VOLATILE.finditer(text) if one.lastgroup == "server"}
    return {one for one in found if not one.endswith(":1")}


def masked(line: str) -> str:
    """A line with what differs from run to run by its kind."""
    return VOLATILE.sub(lambda found: f"<{found.lastgroup}>", line.rstrip())


def compare(page: Sequence[str], run: Sequence[str], met: Met) -> None:
    """Differs, unless the run printed these lines; `...` on the page is any number of lines."""
    at = 0
    parts = list(_parts(page))
    for number, part in enumerate(parts):
        starts = [at] if number == 0 else range(at, len(run) - len(part) + 1)
        if number and number == len(parts) - 1:
            starts = [max(at, len(run) - len(part))]
        found = next((one for one in starts if _alike(part, run[one : one + len(part)])), None)
        if found is None:
            raise Differs(
                "the page shows\n" + _listed(part) + "\nand this was printed\n" + _listed(run)
            )
        for ours, theirs in zip(part, run[found : found + len(part)], strict=True):
            met.meet(ours, theirs)
        at = found + len(part)
    if at != len(run):
        raise Differs("the page shows no\n" + _listed(run[at:]))


def rewritten(text: str, outputs: Iterable[tuple[str, Sequence[str]]]) -> str:
    """The page with these commands and what they printed, in the order of its own."""
    fresh, before = iter(outputs), iter(shown(text))
    parts = text.split(f"{FENCE}\n")
    for number in range(1, len(parts), 2):
        kept: list[str] = []
        for line in parts[number].splitlines():
            if line.startswith(PROMPT):
                command, printed = next(fresh)
                kept += [PROMPT + command, *as_short(next(before).lines, printed)]
            elif not any(one.startswith(PROMPT) for one in kept):
                kept.append(line)
        parts[number] = "".join(f"{line}\n" for line in kept)
    return f"{FENCE}\n".join(parts)


def _parts(lines: Sequence[str]) -> Iterator[list[str]]:
    part: list[str] = []
    for line in lines:
        if line == SHORTENED:
            yield part
            part = []
        else:
            part.append(line)
    yield part


def _alike(page: Sequence[str], run: Sequence[str]) -> bool:
    return [masked(line) for line in page] == [masked(line) for line in run]


def _listed(lines: Iterable[str]) -> str:
    return "\n".join(f"  {line}" for line in lines)
