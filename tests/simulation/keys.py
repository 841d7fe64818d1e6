"""Keys of a pretended deployment: planners sign with one, operators with another, and enactors have
none. Who writes the table has what a stranger has: keys that no config lists."""

from dataclasses import replace
from functools import lru_cache

from dnsplan.runtime.vouched_archive import VouchedArchive
from dnsplan.vouch import Keyring, ListedKey, Role, Signer, public_of
from tests.simulation.reach import Reached

PLANNER = Signer("planner-1", Role.PLANNER, bytes([1]) * 32)
OPERATOR = Signer("change-1", Role.OPERATOR, bytes([2]) * 32)
STRANGER = Signer("stranger", Role.PLANNER, bytes([3]) * 32)


@lru_cache(maxsize=1)  # a key's public half takes longer than all the rest of a small run
def keyring() -> Keyring:
    """Whose word counts where plans are signed."""
    signers = (PLANNER, OPERATOR)
    return Keyring({one.key_id: ListedKey(one.role, public_of(one.secret)) for one in signers})


def vouched(reached: Reached, signer: Signer | None) -> Reached:
    """What a process reaches, its plans signed by its key and judged by all listed ones."""
    return replace(reached, archive=VouchedArchive(reached.archive, keyring(), signer))
