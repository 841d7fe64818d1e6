"""The archive with signatures: what is stored is signed, and what is loaded is judged.

Nothing is refused here: a plan comes back with the doubt that stands against it, and `unseal` gives
no plan out of one in doubt.
"""

from collections.abc import Sequence

from msgspec import structs

from dnsplan.codec import Envelope
from dnsplan.plan import Generation, PlanId
from dnsplan.ports import PlanArchive, PlanRow
from dnsplan.signing import judged, signed
from dnsplan.vouch import Keyring, Signer


class VouchedArchive:
    """ports.PlanArchive around another one."""

    def __init__(self, archive: PlanArchive, keyring: Keyring, signer: Signer | None) -> None:
        """Without a signer, what is stored stays as it is given."""
        self._archive = archive
        self._keyring = keyring
        self._signer = signer

    async def store(self, envelope: Envelope, row: PlanRow) -> None:
        """Sign the plan, then write chunks and row."""
        if self._signer is not None:
            envelope = signed(envelope, self._signer)
            row = structs.replace(row, key_id=envelope.key_id)
        await self._archive.store(envelope, row)

    async def load(self, plan_id: PlanId) -> Envelope:
        """The body, judged; or PlanMissing / PlanDamaged when it is not whole."""
        return judged(await self._archive.load(plan_id), self._keyring)

    async def rows(self, label: str) -> Sequence[PlanRow]:
        """Every row of a zone by generation, tombstones too."""
        return await self._archive.rows(label)

    async def bury(self, row: PlanRow, *, by: str, now_s: int) -> None:
        """Turn a row into a tombstone, then delete its chunks."""
        await self._archive.bury(row, by=by, now_s=now_s)

    async def sweep(self, label: str, *, below: Generation) -> int:
        """Delete chunks below a raised floor that no row speaks of; how many there were."""
        return await self._archive.sweep(label, below=below)
