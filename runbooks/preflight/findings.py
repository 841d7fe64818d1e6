"""What preflight says: one finding a thing that it looked at, with what to do where it is not fine.

Pure. A finding that is not fine always names the next step; what could not be read is a finding of
its own, since not known is not fine.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum


class Severity(StrEnum):
    """How bad it is: refused would stop a daemon or turn the system against itself."""

    FINE = "fine"
    WARNING = "warning"
    UNREAD = "unread"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class Finding:
    """What one check found. `subject` is a zone's label, the table's name or a key of the config;
    `todo` is empty only when all is fine."""

    check: str
    subject: str
    severity: Severity
    found: str
    todo: str


def fine(check: str, subject: str, found: str) -> Finding:
    """Nothing to do."""
    return Finding(check, subject, Severity.FINE, found, "")


def warning(check: str, subject: str, found: str, todo: str) -> Finding:
    """The daemons run, and something will be worse than it has to be."""
    return Finding(check, subject, Severity.WARNING, found, todo)


def refused(check: str, subject: str, found: str, todo: str) -> Finding:
    """Do not start with this."""
    return Finding(check, subject, Severity.REFUSED, found, todo)


def unread(check: str, subject: str, why: str, todo: str) -> Finding:
    """It could not be looked at."""
    return Finding(check, subject, Severity.UNREAD, f"could not be read: {why}", todo)


def worst(findings: Iterable[Finding]) -> Severity:
    """The severity that decides the exit code; a refusal outweighs what could not be read."""
    order = tuple(Severity)
    return max((one.severity for one in findings), key=order.index, default=Severity.FINE)
