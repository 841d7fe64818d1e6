"""What became of a batch, told from the fence alone.

A refusal's text is a hint; a lost answer says nothing. The fence says which value stands: the one
the batch would have deleted, the one it creates, or another. That other may be an earlier one of
mine that landed late; the zone has moved either way, and what was known of it is void.
"""

from enum import Enum

from dnsplan.fence import NoFence, SeenFence


class Settled(Enum):
    """Where the zone stands relative to a batch of mine."""

    LANDED = "landed"
    UNMOVED = "unmoved"
    OVERTAKEN = "overtaken"


def settle(before: SeenFence | None, now: SeenFence | NoFence, *, sent: str) -> Settled:
    """LANDED: this batch stands. UNMOVED: not, or not yet. OVERTAKEN: another one does."""
    if isinstance(now, NoFence):
        return Settled.UNMOVED if before is None else Settled.OVERTAKEN
    if now.record.nonce == sent:
        return Settled.LANDED
    stood = before is not None and now.listed == before.listed
    return Settled.UNMOVED if stood else Settled.OVERTAKEN


def position(fence: SeenFence | NoFence | None) -> str:
    """Where a fence stands, in words for a log line."""
    if not isinstance(fence, SeenFence):
        return "no fence"
    seen = fence.record
    frozen = f" frozen by {seen.frozen}" if seen.frozen is not None else ""
    return f"{seen.generation} {seen.step}/{seen.steps} by {seen.writer}{frozen}"
