"""How a run shows itself: a live picture, plain lines, or JSON lines for scripts.

Plain lines are one line an event; a zone's standing is a line whenever it changes. With many zones
the count stands for them, so that a log stays readable.
"""

import re
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import msgspec
from rich.console import Console
from rich.live import Live

from dnsplan.ports import Clock
from dnsplan.runtime.terminal import Visible
from sandbox.run.events import Event
from sandbox.run.stage import Stage
from sandbox.run.view import picture
from sandbox.run.words import first_lines, more_to_try, summary, zone_line

ZONE_LINES_MAX = 12
OWN = "sandbox"
_AGE = re.compile(r"\d+ s ago")


def complain(text: str) -> None:
    """To standard error, at once."""
    sys.stderr.write(text + "\n")
    sys.stderr.flush()


@dataclass(slots=True)
class PlainScreen:
    """One line an event."""

    write: Callable[[str], None]
    clock: Clock
    _said: dict[str, str] = field(default_factory=dict)

    def opened(self, stage: Stage) -> None:
        """Addresses and what to try."""
        for what, how in first_lines(stage):
            self.write(f"{what + ':':<14} {how}")

    def happened(self, stage: Stage, event: Event) -> None:
        """The event, and more to try once there is something to try it on."""
        self.write(str(event))
        if event.who == OWN and event.what == "converged":
            for what, how in more_to_try(stage):
                self.write(f"{what + ':':<14} {how}")

    def closed(self) -> None:
        """Nothing to give back."""

    def refreshed(self, stage: Stage) -> None:
        """What changed in how the zones stand, and in what the sentinel sees."""
        if stage.report is None:
            return
        if stage.lookout.is_watching:
            self._say("sentinel", stage.lookout.verdict())
        if len(stage.verdicts) > ZONE_LINES_MAX:
            self._say("all", summary(stage))
            return
        for zone, verdict in zip(stage.report.status.zones, stage.verdicts, strict=True):
            self._say(zone.label, zone_line(zone, verdict))

    def _say(self, about: str, text: str) -> None:
        """A line when something is new; that time passes is nothing new."""
        ageless = _AGE.sub("", text)
        if self._said.get(about) != ageless:
            self._said[about] = ageless
            self.write(str(Event(self.clock.now_s(), OWN, "info", text)))


@dataclass(slots=True)
class JsonScreen:
    """One JSON object a line: `ready` with addresses, events, `converged` with the status."""

    write: Callable[[str], None]

    def opened(self, stage: Stage) -> None:
        """Where everything listens."""
        self._line({"event": "ready", **msgspec.to_builtins(stage.addresses)})

    def happened(self, stage: Stage, event: Event) -> None:
        """The event; the status with it when that is what it is about."""
        line: dict[str, Any] = {  # a JSON object
            "event": event.what,
            "at_s": event.at_s,
            "who": event.who,
            "level": event.level,
            "facts": dict(event.facts),
        }
        if event.who == OWN and event.what == "converged" and stage.report is not None:
            line["status"] = msgspec.to_builtins(stage.report.status)
        self._line(line)

    def refreshed(self, stage: Stage) -> None:
        """Nothing: whoever wants to poll asks `dns-runbook status --json`."""

    def closed(self) -> None:
        """Nothing to give back."""

    def _line(self, line: dict[str, Any]) -> None:
        self.write(msgspec.json.encode(line).decode())


@dataclass(slots=True)
class LiveScreen:
    """A picture that is drawn again with each report and each event."""

    live: Live = field(
        default_factory=lambda: Live(console=Console(), auto_refresh=False, transient=False)
    )

    def opened(self, stage: Stage) -> None:
        """Draw the first picture."""
        self.live.start()
        self.refreshed(stage)

    def happened(self, stage: Stage, event: Event) -> None:
        """Draw what is new when it asks for an eye; the rest comes with the next report."""
        if event.is_loud:
            self.refreshed(stage)

    def refreshed(self, stage: Stage) -> None:
        """Draw the picture."""
        height = self.live.console.size.height
        self.live.update(Visible(picture(stage, height=height)), refresh=True)

    def closed(self) -> None:
        """Leave the last picture where it is, and show the cursor."""
        self.live.stop()
