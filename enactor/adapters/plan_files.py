"""Plan files in a folder of a zone's own under `state_dir`: the newest few, each whole or absent.

They are for the day on which the table is gone: `dns-runbook restore` takes them as they are. The
state folder itself is made by whoever installs the daemon, never here.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from dnsplan.formats.planfile import PlanFile, write_plan_file
from dnsplan.plan import NO_GENERATION, Generation
from dnsplan.runtime.own_thread import begun
from dnsplan.runtime.regular_file import is_folder
from dnsplan.runtime.whole_file import NotWritten, write_whole

FOLDER = "plans"

# An edit that went wrong is seldom noticed later than this many good plans; a file is small.
FILES_KEPT = 5


class DiskPlanFiles:
    """`enactor.ports.PlanFiles` on disk."""

    def __init__(self, state_dir: Path) -> None:
        """Nothing is touched yet."""
        self._state_dir = state_dir

    async def newest(self, label: str) -> Generation:
        """The newest generation that is kept, 0 if none is; NotWritten if nobody can tell."""
        with _trouble(self._folder(label)):
            return await begun(lambda: max(self._kept(label), default=NO_GENERATION))

    async def keep(self, file: PlanFile) -> None:
        """Write a plan, then let the oldest go; or NotWritten."""
        with _trouble(self._folder(file.label)):
            await begun(lambda: self._keep(file))

    def _keep(self, file: PlanFile) -> None:
        if not is_folder(self._state_dir):
            raise NotWritten(f"state_dir {self._state_dir}: no such folder")
        folder = self._folder(file.label)
        folder.mkdir(parents=True, exist_ok=True)
        write_whole(folder / f"{file.generation}.json", write_plan_file(file))
        for generation in sorted(self._kept(file.label))[:-FILES_KEPT]:
            (folder / f"{generation}.json").unlink(missing_ok=True)

    def _kept(self, label: str) -> list[Generation]:
        numbers = (one.stem for one in self._folder(label).glob("*.json"))
        return [Generation(int(number)) for number in numbers if number.isdecimal()]

    def _folder(self, label: str) -> Path:
        return self._state_dir / FOLDER / label


@contextmanager
def _trouble(folder: Path) -> Iterator[None]:
    """What a disk may say ends no daemon."""
    try:
        yield
    except OSError as error:
        raise NotWritten(f"{folder}: {(error.strerror or str(error)).lower()}") from error
