"""The fence record: its text says exactly what it says, and its order is the order of history."""

import contextlib

from hypothesis import assume, given
from hypothesis import strategies as st

from dnsplan.errors import FenceDamaged, InvalidRecord
from dnsplan.fence import (
    FenceRecord,
    FencingToken,
    is_fence,
    parse_fence,
    read_fence,
    renewed,
    to_record_set,
)
from dnsplan.names import Name
from dnsplan.normal import normal_form
from dnsplan.plan import Digest, Generation
from dnsplan.text import STRING_BYTES_MAX, unquote
from dnsplan.validation import record_problems
from tests.properties.drawn import OWNER, ZONE, digests, names

words = st.from_regex(r"[A-Za-z0-9._-]{1,30}", fullmatch=True)


@st.composite
def fences(draw: st.DrawFn) -> FenceRecord:
    """Any fence that a writer can write."""
    steps = draw(st.integers(1, 999_999))
    return FenceRecord(
        generation=Generation(draw(st.integers(0, 10**12))),
        step=draw(st.integers(1, steps)),
        steps=steps,
        base=Generation(draw(st.integers(0, 10**12))),
        held=draw(st.integers(0, 10**6)),
        owner=OWNER,
        writer=draw(words),
        nonce=draw(words),
        digest=draw(digests),
        frozen=draw(st.none() | words),
    )


@given(fences())
def test_round_trip(fence: FenceRecord) -> None:
    """What is written is read back, through the record set and its normal form alike."""
    record_set = to_record_set(fence, ZONE)
    assert read_fence(record_set).record == fence
    assert normal_form(record_set) == record_set
    assert is_fence(record_set, ZONE)


@given(fences())
def test_route53_takes_it(fence: FenceRecord) -> None:
    """A fence is a record set that Route 53 accepts, and none of its strings is cut."""
    record_set = to_record_set(fence, ZONE)
    assert record_problems(record_set, ZONE) == ()
    assert [len(one) <= STRING_BYTES_MAX for one in unquote(record_set.values[0])] == [True, True]


@given(fences(), fences())
def test_different_fences_are_different_texts(one: FenceRecord, other: FenceRecord) -> None:
    """Two fences have one text only when they are equal: a swap names exactly one value."""
    same = to_record_set(one, ZONE) == to_record_set(other, ZONE)
    assert same == (one == other)


@given(fences(), words)
def test_a_renewed_fence_never_repeats(fence: FenceRecord, nonce: str) -> None:
    """A new nonce is another value at the same position."""
    assume(nonce != fence.nonce)
    again = renewed(fence, writer=fence.writer, nonce=nonce)
    assert again.token == fence.token
    assert to_record_set(again, ZONE) != to_record_set(fence, ZONE)


@given(fences(), st.data())
def test_a_changed_byte_is_another_fence_or_damage(fence: FenceRecord, data: st.DataObject) -> None:
    """A changed character is never read as the fence that was written."""
    value = to_record_set(fence, ZONE).values[0]
    place = data.draw(st.integers(0, len(value) - 1))
    character = data.draw(st.characters(min_codepoint=0x20, max_codepoint=0x7E))
    assume(character != value[place])
    changed = value[:place] + character + value[place + 1 :]
    assume(unquoted(changed) != unquoted(value))
    with contextlib.suppress(FenceDamaged):
        assert parse_fence(changed) != fence


def unquoted(value: str) -> bytes | None:
    """What a TXT value says, spelling and white space aside; None when it says nothing."""
    try:
        return b" ".join(b" ".join(unquote(value)).split())
    except InvalidRecord:
        return None


@given(st.text(max_size=300))
def test_any_text_is_a_fence_or_damage(text: str) -> None:
    """Any value at the fence's name is read or raises FenceDamaged; nothing else."""
    try:
        parse_fence(text)
    except FenceDamaged:
        return
    raise AssertionError(f"{text!r} was read as a fence")


tokens = st.builds(FencingToken, st.integers(0, 3), st.integers(1, 3))


@given(tokens, tokens)
def test_order_is_generation_then_step(one: FencingToken, other: FencingToken) -> None:
    """Tokens are ordered by generation first, then by step."""
    assert (one < other) == ((one.generation, one.step) < (other.generation, other.step))


@given(names)
def test_each_zone_has_its_own_fence(zone: Name) -> None:
    """A fence is recognised in its own zone and in no other."""
    if len(zone) > 200:
        return
    record_set = to_record_set(FENCE_OF_1, zone)
    assert is_fence(record_set, zone)
    assert is_fence(record_set, ZONE) == (zone == ZONE)


FENCE_OF_1 = FenceRecord(
    generation=Generation(1),
    step=1,
    steps=1,
    base=Generation(0),
    held=0,
    owner=OWNER,
    writer="az",
    nonce="n",
    digest=Digest("d" * 64),
)
