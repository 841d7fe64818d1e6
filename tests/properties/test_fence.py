"""The fence record: its text says exactly what it says, and its order is the order of history."""

import contextlib
from itertools import combinations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from msgspec import structs

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
from dnsplan.text import STRING_BYTES_MAX, quote, unquote
from dnsplan.validation import record_problems
from tests.properties.drawn import OWNER, ZONE, digests, names

words = st.from_regex(r"[A-Za-z0-9._][A-Za-z0-9._-]{0,29}", fullmatch=True)


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


@given(fences(), st.data())
def test_a_cut_fence_is_never_another_position(fence: FenceRecord, data: st.DataObject) -> None:
    """A fence that lost its end, closed again or not, is damage or says the same but the digest."""
    value = to_record_set(fence, ZONE).values[0]
    cut = value[: data.draw(st.integers(0, len(value) - 1))] + data.draw(st.sampled_from(["", '"']))
    with contextlib.suppress(FenceDamaged):
        read = parse_fence(cut)
        assert fence.digest.startswith(read.digest)
        assert structs.replace(read, digest=fence.digest) == fence


@given(fences(), fences())
def test_no_mix_of_two_fences_is_a_third(one: FenceRecord, other: FenceRecord) -> None:
    """Strings of two fences side by side say what each string says, and never more than once."""
    first, second = (unquote(to_record_set(fence, ZONE).values[0]) for fence in (one, other))
    mixed = parse_fence(quote((first[0], second[1])))
    assert (mixed.token, mixed.base, mixed.frozen) == (one.token, one.base, one.frozen)
    assert (mixed.owner, mixed.nonce, mixed.digest) == (other.owner, other.nonce, other.digest)
    for doubled in ((*first, *second), (first[0], second[0]), (first[1], second[1]), first[:1]):
        with pytest.raises(FenceDamaged):
            parse_fence(quote(doubled))


tokens = st.builds(FencingToken, st.integers(0, 3), st.integers(1, 3))


@given(tokens, tokens)
def test_order_is_generation_then_step(one: FencingToken, other: FencingToken) -> None:
    """Tokens are ordered by generation first, then by step."""
    assert (one < other) == ((one.generation, one.step) < (other.generation, other.step))


@given(st.lists(fences(), max_size=6))
def test_the_order_survives_the_text(drawn: list[FenceRecord]) -> None:
    """P1: fences read back stand in the order of the numbers that were written, whatever else they
    say; as text they would not."""
    read = [parse_fence(to_record_set(fence, ZONE).values[0]) for fence in drawn]
    numbers = sorted((fence.generation, fence.step) for fence in drawn)
    assert [(one.generation, one.step) for one in sorted(one.token for one in read)] == numbers
    for one, other in combinations(read, 2):
        relations = (one.token < other.token, one.token == other.token, one.token > other.token)
        assert sorted(relations) == [False, False, True]


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
