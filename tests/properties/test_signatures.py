"""Whatever is signed: one bit changed anywhere, and nobody vouches for it any more."""

import base64
from dataclasses import replace
from typing import Any  # what is changed has several kinds

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import structs

from dnsplan.codec import Envelope, seal, unseal
from dnsplan.drains import Drain
from dnsplan.drains import encoded as encoded_drains
from dnsplan.errors import ConfigError, PlanUnusable
from dnsplan.formats.planfile import read_plan_file, write_plan_file
from dnsplan.generation import GenerationItem
from dnsplan.plan import Digest, Generation, Plan, PlanId, Waiver
from dnsplan.signing import (
    doubtful_words,
    file_doubt,
    judged,
    kept_file,
    pin_doubt,
    signed,
    signed_drain,
    signed_offer,
    signed_pin,
)
from dnsplan.vouch import (
    NOBODY,
    PUBLIC,
    InvalidKey,
    Vouch,
    key_from,
    key_text,
    vouch_from,
    vouch_text,
)
from dnsplan.waivers import Offer
from dnsplan.waivers import encoded as encoded_offers
from tests.properties.drawn import plans
from tests.unit.signing.hands import ANN_KEY, KEYRING, PLANNER

# Plans are slow to draw, and what is looked for is in every one.
few = settings(max_examples=20)
NOW_S = 1_760_000_000
ITEM = GenerationItem(
    label="shop", owner="0" * 32, incarnation="t", nonce="n", head=Generation(7), pin=Generation(7)
)


def flipped(data: bytes, drawn: st.DataObject) -> bytes:
    """The same but for one bit."""
    place = drawn.draw(st.integers(0, len(data) * 8 - 1))
    changed = bytearray(data)
    changed[place // 8] ^= 1 << (place % 8)
    return bytes(changed)


@few
@given(plans())
def test_what_is_signed_is_vouched_for(plan: Plan) -> None:
    """In the table, and in its file, however that is laid out."""
    envelope = judged(signed(seal(plan), PLANNER), KEYRING)
    assert unseal(envelope) == plan
    assert file_doubt(kept_file(envelope), KEYRING) is None


@few
@given(plans())
def test_what_nobody_signed_is_nobodys(plan: Plan) -> None:
    """It passes while signing is switched on, as no stranger's does."""
    unsigned = seal(plan)
    lenient = replace(KEYRING, takes_unsigned=True)
    assert judged(unsigned, lenient).doubt is None
    assert judged(unsigned, KEYRING).doubt == "is not signed"
    strange = Envelope(unsigned.plan_id, unsigned.body, "planner-1", b"\0" * 96)
    assert judged(strange, lenient).doubt is not None


@few
@given(plans(), st.data())
def test_one_flipped_bit_of_a_signed_plan_is_noticed(plan: Plan, data: st.DataObject) -> None:
    """In its bytes, its signature, its key's id or the id that it is asked for by."""
    envelope = signed(seal(plan), PLANNER)
    part = data.draw(st.sampled_from(["body", "signature", "key_id", "digest", "number", "label"]))
    plan_id = envelope.plan_id
    change: dict[str, Any]
    match part:
        case "body" | "signature":
            change = {part: flipped(getattr(envelope, part), data)}
        case "key_id":
            change = {"key_id": flipped(envelope.key_id.encode(), data).decode("latin-1")}
        case "digest":
            text = flipped(plan_id.digest.encode(), data).decode("latin-1")
            change = {"plan_id": structs.replace(plan_id, digest=Digest(text))}
        case "number":
            number = Generation(plan_id.generation ^ (1 << data.draw(st.integers(0, 40))))
            change = {"plan_id": structs.replace(plan_id, generation=number)}
        case _:
            change = {"plan_id": structs.replace(plan_id, label=f"{plan_id.label}x")}
    changed = judged(structs.replace(envelope, **change), KEYRING)
    assert part == "body" or changed.doubt is not None
    with pytest.raises(PlanUnusable):
        unseal(changed)


@few
@given(plans(), st.data())
def test_one_changed_character_of_a_signed_file_is_noticed(plan: Plan, data: st.DataObject) -> None:
    """Or the file says the same all the same."""
    file = kept_file(signed(seal(plan), PLANNER))
    try:
        text = write_plan_file(file)
        read = read_plan_file(text, "f")
    except ConfigError:
        return  # a drawn plan that no zone could hold
    assert read == file
    place = data.draw(st.integers(0, len(text) - 1))
    changed = text[:place] + data.draw(st.sampled_from('0a .,x"-')) + text[place + 1 :]
    try:
        other = read_plan_file(changed, "f")
    except ConfigError:
        return
    assert other == file or file_doubt(other, KEYRING) is not None


@given(st.data())
def test_an_operators_word_is_that_word_alone(data: st.DataObject) -> None:
    """Any fact of it changed, or its zone, or its owner, and it is nobody's."""
    until_s = NOW_S + 600
    offer = signed_offer(
        ITEM, Offer(Waiver("velocity", "ann", "why", Generation(8)), until_s), ANN_KEY
    )
    drain = signed_drain(ITEM, Drain("web/a", until_s, "ann", "why"), ANN_KEY)
    plan_id = PlanId("shop", Generation(7), Digest("d" * 64))
    pin = signed_pin(ITEM, plan_id, ANN_KEY)
    words = {
        "waivers": encoded_offers([offer]),
        "drains": encoded_drains([drain]),
        "pin_digest": plan_id.digest,
        "pin_vouch": vouch_text(pin),
    }
    item = structs.replace(ITEM, **words)
    assert doubtful_words(item, KEYRING, now_s=NOW_S) == ()
    assert pin_doubt(item, KEYRING) is None
    field = data.draw(st.sampled_from(["label", "owner"]))
    elsewhere = structs.replace(item, **{field: "b" * 32})
    assert len(doubtful_words(elsewhere, KEYRING, now_s=NOW_S)) == 2
    assert pin_doubt(elsewhere, KEYRING) is not None
    waiver: dict[str, Any] = data.draw(
        st.sampled_from(
            [{"rule": "floor"}, {"by": "eve"}, {"because": "y"}, {"generation": 9}, {"until_s": 1}]
        )
    )
    if "until_s" in waiver:
        changed = structs.replace(offer, until_s=until_s + 1)
    else:
        changed = structs.replace(offer, waiver=structs.replace(offer.waiver, **waiver))
    moved = structs.replace(item, head=Generation(changed.waiver.generation - 1))
    moved = structs.replace(moved, waivers=encoded_offers([changed]), drains=None)
    assert len(doubtful_words(moved, KEYRING, now_s=NOW_S)) == 1
    what: dict[str, Any] = data.draw(
        st.sampled_from(
            [{"what": "web/b"}, {"until_s": until_s + 1}, {"by": "eve"}, {"because": ""}]
        )
    )
    drains = encoded_drains([structs.replace(drain, **what)])
    other = structs.replace(item, drains=drains, waivers=None)
    assert len(doubtful_words(other, KEYRING, now_s=NOW_S)) == 1
    bits = flipped(pin.signature, data)
    broken = structs.replace(item, pin_vouch=vouch_text(Vouch(pin.key_id, bits)))
    assert pin_doubt(broken, KEYRING) is not None


@given(st.binary(max_size=80), st.text(max_size=20))
def test_a_vouch_is_read_as_it_was_written(signature: bytes, key_id: str) -> None:
    """And any other text is read as a signature that is nobody's, never as an error."""
    vouch = Vouch(key_id, signature)
    if vouch != NOBODY:
        assert vouch_from(vouch_text(vouch)) == vouch
    assert KEYRING.doubt(
        vouch_from(key_id), b"m", frozenset(one.role for one in KEYRING.keys.values())
    )


@given(st.binary(min_size=32, max_size=32))
def test_a_key_has_one_text(raw: bytes) -> None:
    """Another spelling of the same bytes is no key, so a list cannot hold one twice unseen."""
    text = key_text(PUBLIC, raw)
    assert key_from(text, PUBLIC) == raw
    for other in (text + "=", text[:-1], text.replace("=", ""), f" {text}", text + "\n"):
        with pytest.raises(InvalidKey):
            key_from(other, PUBLIC)
    assert base64.b64decode(text.removeprefix(PUBLIC)) == raw
