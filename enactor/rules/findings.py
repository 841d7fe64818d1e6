"""What one enactor knows of a zone besides how its plan fares: for logs, peers and people."""

from dataclasses import dataclass

from enactor.rules.drift import Drift


@dataclass(frozen=True, slots=True)
class Findings:
    """As they were seen last.

    `drift` stands otherwise than planned: not mended yet, or held by policy. `returned` stands
    where an operator ended a name, and is left alone. `would_change` is what would be changed in a
    zone that is only observed. `room_warning` says that the zone comes near to its limit.
    """

    drift: tuple[Drift, ...] = ()
    returned: tuple[Drift, ...] = ()
    would_change: tuple[Drift, ...] = ()
    room_warning: str | None = None
