"""What a running sentinel watches by, and how it takes up another config: its works end, and begin
anew.

A sentinel keeps what it knows on disk and goes on from there after any restart, so another config
is one more restart, without the process. It needs no table, so none can be the wrong one.
"""

from collections.abc import Mapping, Sequence

from dnsplan.ports import Clock
from dnsplan.runtime.config.rereading import ConfigFiles
from dnsplan.runtime.config.schema import Settings
from dnsplan.runtime.periodic import Stop
from dnsplan.runtime.reloading import Reloading, Whose
from sentinel.settings import Watching, watching

RELOAD_EVERY_S = 5.0
AT_START = ("status", "state_dir")


class Stated:
    """The config of a sentinel with what its options narrow it to."""

    def __init__(
        self,
        files: ConfigFiles,
        labels: Sequence[str] | None,
        servers: Mapping[str, Sequence[str]],
    ) -> None:
        """`labels`: the zones that an option names; None watches all of the config's."""
        self.files = files
        self._labels = labels
        self._servers = servers
        # What is gone by; the files may say otherwise.
        self.settings = files.settings

    def watching(self) -> Watching:
        """What to watch now."""
        labels = self.settings.zones if self._labels is None else self._labels
        return watching(self.settings, list(dict.fromkeys(labels)), self._servers)

    def why_not(self, _before: Settings, after: Settings) -> str | None:
        """Why another config cannot be taken up: an option names a zone that it does not."""
        named = {*(self._labels or ()), *(label for label in self._servers if label)}
        gone = sorted(named - after.zones.keys())
        return f"no zone {', '.join(gone)}, which an option names" if gone else None


def reloading_for(stated: Stated, stop: Stop, clock: Clock) -> Reloading:
    """With another config the works of `stop` end."""
    whose = Whose("sentinel", AT_START, stated.why_not, "dns-sentinel check")
    made = Reloading(stated.files, clock=clock, whose=whose)

    def take(settings: Settings) -> None:
        stated.settings = settings
        stop.request_anew()

    made.takers.append(take)
    return made
