"""Fence records as people see them with dig, and the ways in which one can be damaged."""

import pytest
from msgspec import structs

from dnsplan.errors import FenceDamaged
from dnsplan.fence import (
    FencingToken,
    fence_name,
    is_fence,
    next_nonce,
    parse_fence,
    read_fence,
    to_record_set,
)
from dnsplan.names import Name
from dnsplan.records import AliasTarget, Multivalue
from tests.unit.dnsplan.samples import FENCE, OWNER, ZONE, a

FIRST = "dnsplan/1 generation=140 step=3/7 base=131 held=0"
SECOND = f"owner={OWNER} writer=use1-az2 nonce=0123456789abcdef digest={'d' * 64}"


def test_the_text_is_readable() -> None:
    """The record set stands at _dnsplan and says in words what it means."""
    record_set = to_record_set(FENCE, ZONE)
    assert record_set.name == fence_name(ZONE) == "_dnsplan.example.com."
    assert record_set.values == (f'"{FIRST}" "{SECOND}"',)


def test_frozen_is_said() -> None:
    """A freeze shows in the record, and goes with the thaw."""
    frozen = structs.replace(FENCE, frozen="abc")
    value = to_record_set(frozen, ZONE).values[0]
    assert f'"{FIRST} frozen=abc"' in value
    assert parse_fence(value) == frozen


def test_a_move_by_hand_says_where_held_names_are_noted() -> None:
    """However often it is moved; the value stays readable and new, and no longer than that."""
    batch = structs.replace(FENCE, held=2)
    once = structs.replace(batch, nonce=next_nonce(batch, "a" * 16))
    twice = structs.replace(once, nonce=next_nonce(once, "b" * 16))
    assert [one.note for one in (batch, once, twice)] == [FENCE.nonce] * 3
    assert twice.nonce == f"{'b' * 16}.{FENCE.nonce}"
    assert parse_fence(to_record_set(twice, ZONE).values[0]) == twice
    assert next_nonce(FENCE, "a" * 16) == next_nonce(None, "a" * 16) == "a" * 16


def test_position_and_completeness() -> None:
    """A plan stands whole when its last step has landed."""
    assert FENCE.token == FencingToken(140, 3)
    assert not FENCE.is_complete
    assert structs.replace(FENCE, step=7).is_complete


@pytest.mark.parametrize(("step", "steps"), [(1, 1), (1, 7), (7, 7)])
def test_first_and_last_steps(step: int, steps: int) -> None:
    """Steps count from 1 to their number, both included."""
    fence = structs.replace(FENCE, step=step, steps=steps)
    assert read_fence(to_record_set(fence, ZONE)).record == fence


@pytest.mark.parametrize(
    "value",
    [
        "bare text",
        '"dnsplan/2 generation=1"',
        f'"{FIRST}"',
        f'"{FIRST} halted=1" "{SECOND}"',
        f'"{FIRST} generation=141" "{SECOND}"',
        f'"{FIRST.replace("3/7", "8/7")}" "{SECOND}"',
        f'"{FIRST.replace("3/7", "0/7")}" "{SECOND}"',
        f'"{FIRST.replace("3/7", "3")}" "{SECOND}"',
        f'"{FIRST.replace("140", "-1")}" "{SECOND}"',
        f'"{FIRST.replace("140", "1_0")}" "{SECOND}"',
        f'"{FIRST}" "{SECOND.replace("use1-az2", "")}"',
        f'"{FIRST}" "{SECOND.replace("use1-az2", "x;id")}"',
        f'"{FIRST} frozen=--yes" "{SECOND}"',
        f'"{FIRST} frozen=$(id)" "{SECOND}"',
        f'"{FIRST} frozen=x\\033[31m" "{SECOND}"',
        f'"{FIRST} frozen=x\\342\\200\\256" "{SECOND}"',
        f'"{FIRST}" "{SECOND} "x',
    ],
)
def test_damage(value: str) -> None:
    """An unknown schema or field, a doubled or missing one, a value out of range: FenceDamaged."""
    with pytest.raises(FenceDamaged):
        parse_fence(value)


def test_a_fence_is_one_simple_value() -> None:
    """Several values, an identifier or an alias at the fence's name are damage."""
    good = to_record_set(FENCE, ZONE)
    assert read_fence(good).record == FENCE
    alias = AliasTarget("Z1", Name("x.example.com."), evaluate_target_health=False)
    for bad in (
        structs.replace(good, values=(*good.values, '"more"')),
        structs.replace(good, set_id="a", routing=Multivalue()),
        structs.replace(good, values=(), ttl_s=None, alias=alias),
    ):
        with pytest.raises(FenceDamaged):
            read_fence(bad)


def test_what_is_no_fence() -> None:
    """Another type or name is not the fence."""
    assert not is_fence(a("_dnsplan.example.com."), ZONE)
    assert not is_fence(to_record_set(FENCE, Name("b.example.com.")), ZONE)
