"""Reads a plan file from disk; what is wrong is said with file, place and what is allowed."""

from pathlib import Path

from dnsplan.formats.planfile import PlanFile, read_plan_file
from runbooks.controls.outside import Mistaken


def read_file(file: Path) -> PlanFile:
    """What a plan file says, or Mistaken, or ConfigError with every mistake in it."""
    try:
        text = file.read_text(encoding="utf-8")
    except OSError as error:
        raise Mistaken(f"{file}: {(error.strerror or str(error)).lower()}") from error
    except UnicodeDecodeError as error:
        raise Mistaken(f"{file}: no UTF-8 text; allowed: a plan file") from error
    return read_plan_file(text, str(file))
