"""What this process has spent: seconds of CPU over all its threads, and its highest memory.

CPU and not time on the wall: other work on the machine adds to the one far less than to the other.
"""

import resource
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

_KIB_A_MB = 1_024


@dataclass(slots=True)
class Spent:
    """Seconds of CPU inside one or more `counted` blocks."""

    cpu_s: float = 0.0

    @contextmanager
    def counted(self) -> Iterator[None]:
        """Add what the block costs, also when it fails."""
        began_s = time.process_time()
        try:
            yield
        finally:
            self.cpu_s += time.process_time() - began_s


def peak_mb() -> float:
    """The highest resident memory of this process so far."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / _KIB_A_MB
