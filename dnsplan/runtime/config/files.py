"""Which file is the config, and its text: bounded, UTF-8, and with a clear word when it is not."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from dnsplan.errors import Problem
from dnsplan.runtime.regular_file import open_regular

ENVIRONMENT = "DNSPLAN_CONFIG"
HERE = Path("dns.yaml")
SYSTEM = Path("/etc/dnsplan/dns.yaml")
SEARCHED = f"--config FILE, {ENVIRONMENT}, ./{HERE} or {SYSTEM}"

# 300,000 names with one record each are some 25 MB.
FILE_BYTES_MAX = 64 * 1024 * 1024
# Far above the 500 zones of an AWS account with a file each.
INCLUDED_FILES_MAX = 2_000


@dataclass(frozen=True, slots=True)
class Text:
    """A file's text, or the problem that kept it from being read."""

    text: str
    problem: Problem | None = None


def find(path: Path | None, environ: Mapping[str, str]) -> Path | Problem:
    """The config file: the stated one, else the first that there is."""
    if path is not None:
        return path
    if stated := environ.get(ENVIRONMENT):
        return Path(stated)
    for candidate in (HERE, SYSTEM):
        if candidate.exists():
            return candidate
    return Problem(str(HERE), None, "", "no config file", SEARCHED)


def read_text(path: Path) -> Text:
    """The text of a file. Everything that can be wrong with a file is a problem, not an error."""
    try:
        with open_regular(path) as file:
            raw = file.read(FILE_BYTES_MAX + 1)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        return Text("", Problem(str(path), None, "", reason, "a readable file of YAML text"))
    if len(raw) > FILE_BYTES_MAX:
        found = f"more than {FILE_BYTES_MAX} bytes"
        return Text("", Problem(str(path), None, "", found, "smaller files, joined by include:"))
    try:
        return Text(raw.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        found = f"the byte 0x{raw[error.start]:02x}, which is no UTF-8"
        return Text("", Problem(str(path), line, "", found, "text in UTF-8"))


def matches(pattern: str, folder: Path) -> list[Path]:
    """The files that an include pattern names, sorted; a pattern is relative to its file.

    None for a pattern that can name none: a folder's root, a name too long for any file.
    """
    try:
        return sorted(islice(_glob(pattern, folder), INCLUDED_FILES_MAX + 1))
    except (OSError, ValueError, LookupError, NotImplementedError):  # whatever pathlib says of it
        return []


def _glob(pattern: str, folder: Path) -> Iterator[Path]:
    stated = Path(pattern)
    if stated.is_absolute():
        return Path(stated.anchor).glob(str(stated.relative_to(stated.anchor)))
    parts = stated.parts
    while parts and parts[0] == "..":
        folder, parts = folder / "..", parts[1:]
    return folder.glob(str(Path(*parts))) if parts else iter(())
