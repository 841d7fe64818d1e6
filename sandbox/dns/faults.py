"""Make the server answer wrongly for chosen names, so that tests can watch others notice.

A fault is found by the name in the question alone, never by a name met on the way. Without one set
here the server answers truly.
"""

from enum import StrEnum

from sandbox.dns.zones import upwards
from sandbox.route53.names import canonical


class Fault(StrEnum):
    """What goes wrong."""

    SILENCE = "silence"  # no reply at all
    SERVFAIL = "servfail"
    EMPTY = "empty"  # the name exists and answers with nothing
    REFUSE = "refuse"  # a server that does not know the zone


class Faults:
    """The names that are answered wrongly now; of two faults of one name the later holds."""

    def __init__(self) -> None:
        self._at: dict[str, Fault] = {}
        self._below: dict[str, Fault] = {}

    def silence(self, name: str, *, below: bool = False) -> None:
        """Do not answer for a name (`below`: nor for any name under it)."""
        self.set(name, Fault.SILENCE, below=below)

    def servfail(self, name: str, *, below: bool = False) -> None:
        """Fail for a name (`below`: and for each name under it)."""
        self.set(name, Fault.SERVFAIL, below=below)

    def empty(self, name: str, *, below: bool = False) -> None:
        """Answer a name with no records (`below`: and each name under it)."""
        self.set(name, Fault.EMPTY, below=below)

    def refuse(self, name: str, *, below: bool = False) -> None:
        """Be lame for a name (`below`: and for each name under it)."""
        self.set(name, Fault.REFUSE, below=below)

    def set(self, name: str, fault: Fault, *, below: bool = False) -> None:
        """Set a fault by its kind."""
        name = canonical(name)
        self._at[name] = fault
        self._below.pop(name, None)
        if below:
            self._below[name] = fault

    def clear(self, name: str | None = None) -> None:
        """Answer truly again for one name, or for all of them."""
        for held in (self._at, self._below):
            if name is None:
                held.clear()
            else:
                held.pop(canonical(name), None)

    def of(self, name: str) -> Fault | None:
        """Find the fault for a question's name: its own, else the nearest one above it."""
        if name in self._at:
            return self._at[name]
        if not self._below:
            return None
        return next((self._below[above] for above in upwards(name) if above in self._below), None)
