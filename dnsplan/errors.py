"""Every error that can leave a module of this project, in one tree: one class catches them all.

    DnsplanError
    |- ConfigError      the operator's input is wrong; carries every problem found, exit code 2
    |- InvalidName      a DNS name that cannot exist
    |- InvalidRecord    a record set that Route 53 would refuse
    |- FenceDamaged     a fence record that cannot be read
    |- PlanUnusable     a stored plan that must not be applied
    |  |- PlanMissing   no body at that generation and digest
    |  |- PlanDamaged   bytes, digest, zone or number do not agree
    |  |- PlanUnvouched unsigned, or not signed by a key that the config lists
    |  `- SchemaNewer   written by a newer release; held, never guessed
    `- ReadFailed       an external read failed or was incomplete: nothing is known
       |- AccessDenied  permanent until somebody changes a permission
       `- ItemUnreadable  one zone's item is there, damaged or of a newer release

A broken invariant is none of these: it ends the process through `check`.
"""

import re
from dataclasses import dataclass
from typing import NoReturn


class DnsplanError(Exception):
    """Expected trouble. Its text is for an operator: what, where, what is allowed, what to do."""

    def __str__(self) -> str:
        """The text, without what others' words in it could do to a terminal; lines stay lines."""
        return visible_lines(super().__str__())


@dataclass(frozen=True, slots=True)
class Problem:
    """One mistake in an operator's input."""

    file: str
    line: int | None
    key: str
    found: str
    allowed: str

    def __str__(self) -> str:
        """file:line: key: found X; allowed: Y."""
        where = self.file if self.line is None else f"{self.file}:{self.line}"
        key = f" {self.key}:" if self.key else ""
        return visible(f"{where}:{key} {self.found}; allowed: {self.allowed}")


def visible(text: str) -> str:
    """The text with what would move a cursor, end a line or turn its direction written out.

    A file's words stand in errors, and an error must not be able to draw on the terminal.
    """
    return _UNSEEN.sub(lambda found: ascii(found[0])[1:-1], text)


def visible_lines(text: str) -> str:
    """The same of a text that has lines of our own: they stay lines."""
    return "\n".join(map(visible, text.split("\n")))


_UNSEEN = re.compile(
    r"[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]"
)


class ConfigError(DnsplanError):
    """The config is wrong. All problems are reported at once."""

    def __init__(self, problems: tuple[Problem, ...]) -> None:
        """Keep the problems in the order in which a person would mend them."""
        super().__init__("\n".join(str(problem) for problem in problems))
        self.problems = problems


class InvalidName(DnsplanError):
    """The text is no DNS name."""


class InvalidRecord(DnsplanError):
    """The record set cannot stand in a Route 53 zone."""


class FenceDamaged(DnsplanError):
    """The fence record is there and cannot be read: hold, and name `dns-runbook adopt`."""


class PlanUnusable(DnsplanError):
    """A stored plan that must not be applied."""


class PlanMissing(PlanUnusable):
    """No body is stored at that generation and digest."""


class PlanDamaged(PlanUnusable):
    """The stored bytes are not the plan that the head names."""


class PlanUnvouched(PlanUnusable):
    """Nobody whose word counts has signed the plan."""


class SchemaNewer(PlanUnusable):
    """The plan was written by a newer release than this one."""


class ReadFailed(DnsplanError):
    """An external read failed. What it would have shown is unknown, never empty."""


class AccessDenied(ReadFailed):
    """A permission is missing. Asking again at once cannot help."""


class ItemUnreadable(ReadFailed):
    """A zone's generation item is there and says nothing that may be believed: that zone holds."""


class BrokenInvariant(Exception):
    """The program is wrong. Nothing may catch this but the process's end."""


def check(holds: bool, invariant: str) -> None:  # noqa: FBT001 - reads like assert, which python -O removes
    """End the process when an invariant does not hold; DNS stays as it is."""
    if not holds:
        _broken(invariant)


def _broken(invariant: str) -> NoReturn:
    raise BrokenInvariant(invariant)
