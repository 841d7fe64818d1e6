"""A drill as Markdown, for the file of rehearsals that a team keeps. Pure."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from runbooks.drilling.judging import Verdict

PROMISES = {
    "P1": "the fence never goes back",
    "P2": "no name loses its last answer through us",
    "P12": "a name that answers nothing pages within 30 s",
}


@dataclass(frozen=True, slots=True)
class Drilled:
    """One drill: which, when, by whom, what was seen and typed, and the verdict."""

    failure: str
    page: str
    at: str
    by: str
    moments: Sequence[tuple[float, str]]
    verdict: Verdict


def report(drilled: Drilled) -> str:
    """The whole report."""
    return "\n".join(_lines(drilled)) + "\n"


def conclusion(verdict: Verdict) -> str:
    """How it ended, in one line."""
    if verdict.seen_s is None:
        return "failed: the failure was never seen"
    if verdict.restored_s is None:
        ended = "failed: not restored"
    else:
        ended = f"restored {verdict.restored_s:.0f} s after the first sign"
    broken = ", ".join(one.promise for one in verdict.breaches) or "none"
    return f"{ended}; promises broken: {broken}"


def _lines(drilled: Drilled) -> Iterator[str]:
    yield f"# Drill: {drilled.failure}"
    yield ""
    yield f"{drilled.at}, by {drilled.by}. Page: `runbooks/{drilled.page}.md`."
    yield ""
    yield f"**{conclusion(drilled.verdict)}**"
    yield ""
    yield "| after | what |"
    yield "|---|---|"
    for after_s, what in drilled.moments:
        yield f"| {after_s:.0f} s | {what.replace('|', '/')} |"
    yield ""
    yield "| promise | says | held |"
    yield "|---|---|---|"
    broken = {one.promise: one.text for one in drilled.verdict.breaches}
    for promise, says in PROMISES.items():
        held = f"no: {broken[promise]}" if promise in broken else "yes"
        yield f"| {promise} | {says} | {held} |"
