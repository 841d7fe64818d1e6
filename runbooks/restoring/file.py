"""Reads a plan file from disk; what is wrong is said with file, place and what is allowed."""

from pathlib import Path

from dnsplan.errors import ConfigError, Problem
from dnsplan.formats.planfile import PlanFile, read_plan_file
from runbooks.controls.outside import Mistaken
from runbooks.controls.words import counted


def read_file(file: Path) -> PlanFile:
    """What a plan file says, or Mistaken, or ConfigError with every mistake in it."""
    try:
        text = file.read_text(encoding="utf-8")
    except OSError as error:
        raise Mistaken(f"{file}: {(error.strerror or str(error)).lower()}") from error
    except UnicodeDecodeError as error:
        raise Mistaken(f"{file}: no UTF-8 text; allowed: a plan file") from error
    try:
        return read_plan_file(text, str(file))
    except ConfigError as error:
        if way_on := _way_on(file, error.problems):
            raise ConfigError((*error.problems, way_on)) from error
        raise


def _way_on(file: Path, problems: tuple[Problem, ...]) -> Problem | None:
    """What others had written may stand in a zone that was adopted, and so in its files, though it
    passes no check here: whoever restores at night must not look for how to mend it."""
    records = {one.key.partition("]")[0] for one in problems if one.key.startswith("records[")}
    if not records:
        return None
    found = f"{counted(len(records), 'record set')} that cannot go out as stated"
    allowed = "a file without; what it does not state stays as it stands"
    return Problem(str(file), None, "records", found, allowed)
