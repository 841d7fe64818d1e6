"""Stored plans: newer releases, size bounds, and bodies of many chunks."""

import hashlib

import msgspec
import pytest
import zstandard

from dnsplan import codec
from dnsplan.codec import CHUNK_BYTES_MAX, Envelope, from_chunks, seal, to_chunks, unseal
from dnsplan.errors import PlanDamaged, SchemaNewer
from dnsplan.plan import SCHEMA, Generation, PlanId
from tests.unit.dnsplan.samples import OWNER, PLAN


def test_what_is_sealed_is_opened() -> None:
    """A plan comes back as it was, from a body of any size up to the bound."""
    assert unseal(seal(PLAN)) == PLAN
    assert from_chunks(to_chunks(b"")) == b""


def test_newer_schema_is_held() -> None:
    """A plan of a newer release is SchemaNewer, also when its shape cannot be read at all."""
    body = f"[{SCHEMA + 1},".encode() + b'{"a": "shape of the future"}]'
    plan_id = PlanId("shop", Generation(7), codec.digest_of(body))
    with pytest.raises(SchemaNewer, match="upgrade"):
        unseal(Envelope(plan_id, body))


def test_body_without_schema() -> None:
    """A body that does not begin with a schema number is damaged."""
    plan_id = PlanId("shop", Generation(7), codec.digest_of(b"{}"))
    with pytest.raises(PlanDamaged, match="schema"):
        unseal(Envelope(plan_id, b"{}"))


def test_many_chunks() -> None:
    """A body that does not compress is cut into chunks that each fit an item."""
    body = hashlib.shake_256(b"seed").digest(3 * CHUNK_BYTES_MAX)
    chunks = to_chunks(body)
    assert len(chunks) > 3
    assert max(map(len, chunks)) == CHUNK_BYTES_MAX
    assert from_chunks(chunks) == body


def test_chunks_out_of_order() -> None:
    """Chunks in another order are no body."""
    body = hashlib.shake_256(b"seed").digest(2 * CHUNK_BYTES_MAX)
    with pytest.raises(PlanDamaged):
        from_chunks(to_chunks(body)[::-1])


def test_size_is_checked_before_memory_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    """A frame that says it holds more than the bound, or does not say, is not decompressed."""
    packed = to_chunks(b"x" * 1_001)
    monkeypatch.setattr(codec, "BODY_BYTES_MAX", 1_000)
    with pytest.raises(PlanDamaged, match="1001 bytes"):
        from_chunks(packed)
    assert from_chunks(to_chunks(b"x" * 1_000)) == b"x" * 1_000
    unsized = zstandard.ZstdCompressor(write_content_size=False).compress(b"x" * 10)
    with pytest.raises(PlanDamaged):
        from_chunks([unsized])


@pytest.mark.parametrize("packed", [b"", b"x", b"\x28\xb5\x2f\xfd"])
def test_no_frame(packed: bytes) -> None:
    """Nothing, or no frame, is damaged."""
    with pytest.raises(PlanDamaged):
        from_chunks([packed])


def test_digest_does_not_depend_on_the_compressor() -> None:
    """The digest is SHA-256 of the canonical bytes, which are plain JSON."""
    envelope = seal(PLAN)
    assert envelope.plan_id.digest == hashlib.sha256(envelope.body).hexdigest()
    assert msgspec.json.decode(envelope.body)[:4] == [1, OWNER, "shop", "example.com."]
