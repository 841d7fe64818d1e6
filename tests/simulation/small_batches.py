"""Makes batches small, so that a plan of a few names takes several, and lets two versions of the
packing run side by side, as in a rolling upgrade.

The limit is a constant of the product's packing; for the length of a run it is set to a dozen. The
older version fills batches less and begins with the last names.
"""

from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, cast

from dnsplan.diff import NameChange
from dnsplan.names import Name
from enactor import sending
from enactor.rules import packing
from enactor.rules.order import Unchanged
from tests.simulation.processes import RUNNING

# The fence pair and one weighted name that changes all of its four targets.
ELEMENTS_MAX = 12
OLD = "old"


@contextmanager
def small_batches() -> Iterator[None]:
    """Within, batches hold a dozen elements."""
    real_max, real_pack = packing.ELEMENTS_MAX, packing.pack
    patched = cast(Any, sending)  # a module's import is no export of it

    def pack(
        changes: Iterable[NameChange],
        zone: Name,
        unchanged: Unchanged,
        *,
        apart: Collection[Name] = (),
    ) -> packing.Packed:
        process = RUNNING.get(None)
        if process is None or process.packing != OLD:
            return real_pack(changes, zone, unchanged, apart=apart)
        packed = real_pack(tuple(reversed(tuple(changes))), zone, unchanged, apart=apart)
        halved = tuple(part for group in packed.groups for part in _halves(group))
        return packing.Packed(halved, packed.oversized)

    packing.ELEMENTS_MAX = ELEMENTS_MAX
    patched.pack = pack
    try:
        yield
    finally:
        packing.ELEMENTS_MAX, patched.pack = real_max, real_pack


def _halves(group: tuple[NameChange, ...]) -> tuple[tuple[NameChange, ...], ...]:
    middle = len(group) // 2
    return (group,) if middle == 0 else (group[:middle], group[middle:])
