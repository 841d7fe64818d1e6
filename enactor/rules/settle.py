"""What became of a batch, told from the fence alone.

A refusal's text is a hint; a lost answer says nothing. The fence says which value stands: the one
the batch would have deleted, the one it creates, an earlier one of mine, or somebody else's.
"""

from collections.abc import Collection
from enum import Enum

from dnsplan.fence import NoFence, SeenFence


class Settled(Enum):
    """Where the zone stands relative to a batch of mine."""

    LANDED = "landed"
    UNMOVED = "unmoved"
    EARLIER = "earlier"
    OVERTAKEN = "overtaken"


def settle(
    before: SeenFence | None, now: SeenFence | NoFence, *, sent: str, earlier: Collection[str]
) -> Settled:
    """LANDED: this batch stands. UNMOVED: not, or not yet. EARLIER: one that I had given up on."""
    if isinstance(now, NoFence):
        return Settled.UNMOVED if before is None else Settled.OVERTAKEN
    if now.record.nonce == sent:
        return Settled.LANDED
    if before is not None and now.listed == before.listed:
        return Settled.UNMOVED
    return Settled.EARLIER if now.record.nonce in earlier else Settled.OVERTAKEN


def position(fence: SeenFence | NoFence | None) -> str:
    """Where a fence stands, in words for a log line."""
    if not isinstance(fence, SeenFence):
        return "no fence"
    seen = fence.record
    frozen = f" frozen by {seen.frozen}" if seen.frozen is not None else ""
    return f"{seen.generation} {seen.step}/{seen.steps} by {seen.writer}{frozen}"
