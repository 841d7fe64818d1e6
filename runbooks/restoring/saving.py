"""Writes what stands to a file before a restore changes it, and never over what stood before.

The same command goes on where it was stopped; by then a part of the zone is new, and the file of
the first run is the only way back.
"""

from pathlib import Path

from dnsplan.runtime.whole_file import NotWritten, write_whole
from runbooks.controls.fence_mover import Tell

# Whoever has run a restore so often has other files in mind.
FILES_MAX = 1_000


def save(file: Path, text: str, tell: Tell) -> None:
    """Write the text to the file, or beside it where another stands; NotWritten."""
    place = _free(file)
    write_whole(place, text)
    if place != file:
        tell(f"{file} is there already and is kept, as what stood before")
    tell(f"what stands now is written to {place}")


def _free(file: Path) -> Path:
    """The file, or the first of its numbered neighbours that is not there."""
    numbered = (file.with_stem(f"{file.stem}-{number}") for number in range(2, FILES_MAX))
    if (free := next((one for one in (file, *numbered) if not one.exists()), None)) is None:
        raise NotWritten(f"{file}: it is there already, and so are all that are numbered after it")
    return free
