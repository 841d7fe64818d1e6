"""Plans as stored: what is sealed is what is opened, and every damage is noticed."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dnsplan import codec
from dnsplan.codec import Envelope, from_chunks, seal, to_chunks, unseal
from dnsplan.errors import PlanDamaged, PlanUnusable
from dnsplan.plan import Digest, Generation, Plan, PlanId
from tests.properties.drawn import plans


@given(plans())
def test_round_trip(plan: Plan) -> None:
    """Seal, chunk, join, unseal: the same plan, and the same bytes again."""
    envelope = seal(plan)
    stored = Envelope(envelope.plan_id, from_chunks(to_chunks(envelope.body)))
    assert unseal(stored) == plan
    assert seal(unseal(stored)) == envelope


@given(plans(), plans())
def test_digest_names_the_content(one: Plan, other: Plan) -> None:
    """Two plans have one digest exactly when they are equal."""
    assert (seal(one).plan_id.digest == seal(other).plan_id.digest) == (one == other)


@given(plans(), st.data())
def test_one_flipped_bit_is_damage(plan: Plan, data: st.DataObject) -> None:
    """No single flipped bit of a stored body goes unnoticed."""
    envelope = seal(plan)
    place = data.draw(st.integers(0, len(envelope.body) * 8 - 1))
    body = bytearray(envelope.body)
    body[place // 8] ^= 1 << (place % 8)
    with pytest.raises(PlanUnusable):
        unseal(Envelope(envelope.plan_id, bytes(body)))


@given(plans(), st.data())
def test_damaged_chunks_never_give_a_plan(plan: Plan, data: st.DataObject) -> None:
    """Chunks cut short or changed give an error or a body whose digest does not fit."""
    envelope = seal(plan)
    packed = bytearray(b"".join(to_chunks(envelope.body)))
    place = data.draw(st.integers(0, len(packed) - 1))
    if data.draw(st.booleans()):
        packed = packed[:place]
    else:
        packed[place] ^= data.draw(st.integers(1, 255))
    try:
        body = from_chunks([bytes(packed)])
    except PlanDamaged:
        return
    if body != envelope.body:
        with pytest.raises(PlanUnusable):
            unseal(Envelope(envelope.plan_id, body))


@given(st.binary(max_size=200))
def test_any_bytes_are_a_plan_or_unusable(body: bytes) -> None:
    """Bytes that are no plan, under a digest that fits them, still raise only PlanUnusable."""
    plan_id = PlanId("shop", Generation(1), codec.digest_of(body))
    with pytest.raises(PlanUnusable):
        unseal(Envelope(plan_id, body))


@given(plans())
def test_only_under_its_own_id(plan: Plan) -> None:
    """A body is refused under another label, number or digest than its own."""
    envelope = seal(plan)
    plan_id = envelope.plan_id
    for other in (
        msgspec.structs.replace(plan_id, label="other"),
        msgspec.structs.replace(plan_id, generation=Generation(plan_id.generation + 1)),
        msgspec.structs.replace(plan_id, digest=Digest("0" * 64)),
    ):
        with pytest.raises(PlanDamaged):
            unseal(Envelope(other, envelope.body))
