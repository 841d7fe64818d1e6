"""The fence that a freeze makes in a zone where no plan ever stood. Pure.

It says that nothing is applied, and takes over nothing: the first plan goes on from it.
"""

from dnsplan.fence import FenceRecord
from dnsplan.plan import NO_GENERATION, Digest

NO_DIGEST = Digest("none")


def blank_fence(owner: str, writer: str, nonce: str) -> FenceRecord:
    """Whole, and of no generation."""
    return FenceRecord(
        generation=NO_GENERATION,
        step=1,
        steps=1,
        base=NO_GENERATION,
        held=0,
        owner=owner,
        writer=writer,
        nonce=nonce,
        digest=NO_DIGEST,
    )
