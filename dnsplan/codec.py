"""Canonical bytes of a plan, its digest, and the chunks that it is stored in.

The digest is taken over the canonical bytes before compression, so that it does not depend on a
compressor's version. Decoding checks size, digest, schema and identity in that order and gives
back a plan or raises; nothing half-read leaves this module.
"""

import hashlib
import re
from collections.abc import Sequence

import msgspec
import zstandard
from msgspec import Struct

from dnsplan.errors import PlanDamaged, PlanUnvouched, SchemaNewer
from dnsplan.fence import FenceRecord
from dnsplan.plan import SCHEMA, Digest, Plan, PlanId

# An item holds 400 KB with its keys; the rest is room for attribute names.
# Source: Amazon DynamoDB developer guide, item size.
CHUNK_BYTES_MAX = 350_000

# 300,000 record sets are some 26 MB; ten times that is no plan of ours.
BODY_BYTES_MAX = 256 * 1024 * 1024

_LEVEL = 1  # level 9 is a tenth smaller and ten times slower


class Envelope(Struct, frozen=True, array_like=True, gc=False):
    """A plan as it is stored: body, digest, and who vouches for it (empty when unsigned).

    `doubt` is never stored: why nobody's word stands behind it, as `signing` judged it.
    """

    plan_id: PlanId
    body: bytes
    key_id: str = ""
    signature: bytes = b""
    doubt: str | None = None


def encode(plan: Plan) -> bytes:
    """The canonical bytes of a plan."""
    return msgspec.json.encode(plan)


def digest_of(body: bytes) -> Digest:
    """SHA-256 of canonical bytes, in lower-case hex."""
    return Digest(hashlib.sha256(body).hexdigest())


def seal(plan: Plan) -> Envelope:
    """Encode a plan and name it by what it holds."""
    body = encode(plan)
    return Envelope(PlanId(plan.label, plan.generation, digest_of(body)), body)


def unseal(envelope: Envelope) -> Plan:
    """The plan inside, or PlanUnvouched, PlanDamaged or SchemaNewer: it must not be worked to."""
    check_vouched(envelope)
    return contents(envelope)


def check_vouched(envelope: Envelope) -> None:
    """PlanUnvouched where doubt stands against the plan."""
    if envelope.doubt is not None:
        wanted = envelope.plan_id
        raise PlanUnvouched(f"plan {wanted.label} {wanted.generation} {envelope.doubt}")


def standing(envelope: Envelope, fence: FenceRecord | None) -> Plan:
    """The plan inside, as `unseal`; where the zone's own fence names its digest nobody else has to
    vouch for it: who can write that needs no plan."""
    named = (envelope.plan_id.generation, envelope.plan_id.digest)
    if fence is not None and (fence.generation, fence.digest) == named:
        return contents(envelope)
    return unseal(envelope)


def contents(envelope: Envelope) -> Plan:
    """The plan inside, whoever wrote it: to be looked at, or where the zone's own fence names it.

    PlanDamaged / SchemaNewer when it is not what the id names.
    """
    wanted = envelope.plan_id
    if digest_of(envelope.body) != wanted.digest:
        raise PlanDamaged(f"plan {wanted.label} {wanted.generation}: the bytes do not match digest")
    plan = _decode(envelope.body, wanted)
    if (plan.label, plan.generation) != (wanted.label, wanted.generation):
        raise PlanDamaged(
            f"plan {wanted.label} {wanted.generation}: the body says {plan.label} {plan.generation}"
        )
    return plan


def to_chunks(body: bytes) -> tuple[bytes, ...]:
    """Compress and cut; joined again by `from_chunks`."""
    packed = zstandard.ZstdCompressor(level=_LEVEL).compress(body)
    starts = range(0, len(packed), CHUNK_BYTES_MAX)
    return tuple(packed[start : start + CHUNK_BYTES_MAX] for start in starts)


def from_chunks(chunks: Sequence[bytes]) -> bytes:
    """Join and decompress within BODY_BYTES_MAX, or raise PlanDamaged."""
    try:
        return unpacked(b"".join(chunks), bytes_max=BODY_BYTES_MAX)
    except zstandard.ZstdError as error:
        raise PlanDamaged(f"the body cannot be decompressed: {error}") from error


def unpacked(packed: bytes, *, bytes_max: int) -> bytes:
    """Decompress within a bound, or raise ZstdError.

    The library allocates what a frame says that it holds, whatever bound it is given: a few bytes
    may ask for any amount of memory. So what a frame says is compared first, and one that does not
    say it is refused; ours always do.
    """
    size = zstandard.frame_content_size(packed)
    if not 0 <= size <= bytes_max:
        raise zstandard.ZstdError(f"{size} bytes are stated; at most {bytes_max} are read")
    return zstandard.ZstdDecompressor().decompress(packed, max_output_size=bytes_max)


def _decode(body: bytes, wanted: PlanId) -> Plan:
    leading = _SCHEMA.match(body)
    if leading is None:
        raise PlanDamaged(f"plan {wanted.label} {wanted.generation}: no schema number in the body")
    schema = int(leading[1])
    if schema > SCHEMA:
        raise SchemaNewer(
            f"plan {wanted.label} {wanted.generation} has schema {schema}; this release reads"
            f" {SCHEMA}: upgrade this daemon"
        )
    try:
        return _PLAN.decode(body)
    except msgspec.DecodeError as error:
        raise PlanDamaged(f"plan {wanted.label} {wanted.generation}: {error}") from error


_PLAN = msgspec.json.Decoder(Plan)
_SCHEMA = re.compile(rb"\[([0-9]{1,9}),")
