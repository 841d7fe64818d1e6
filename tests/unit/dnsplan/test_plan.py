"""Plan numbers and eras, content order, and what may end."""

import pytest

from dnsplan.errors import InvalidRecord
from dnsplan.names import Name
from dnsplan.plan import (
    ERA,
    Generation,
    Retirement,
    managed_units,
    may_end,
    next_era,
    next_generation,
    sorted_content,
)
from dnsplan.records import RecordSet, key_of
from tests.unit.dnsplan.samples import a, plan


def test_numbers_count_by_one_inside_an_era() -> None:
    """After N comes N + 1."""
    assert next_generation(Generation(0)) == 1
    assert next_generation(Generation(ERA)) == ERA + 1


def test_an_era_is_used_up() -> None:
    """The planner never opens an era: at its end it stops and names the command."""
    with pytest.raises(InvalidRecord, match="reconcile"):
        next_generation(Generation(ERA - 1))
    with pytest.raises(InvalidRecord, match="reconcile"):
        next_generation(Generation(2 * ERA - 1))


@pytest.mark.parametrize(
    ("seen", "first"),
    [
        ((), ERA),
        ((0,), ERA),
        ((5, 140), ERA),
        ((ERA - 1,), ERA),
        ((ERA,), 2 * ERA),
        ((5, ERA + 3, 7), 2 * ERA),
    ],
)
def test_next_era_is_above_every_number_seen(seen: tuple[int, ...], first: int) -> None:
    """An operator's era begins above every number seen anywhere."""
    assert next_era(*seen) == first
    assert all(one < next_era(*seen) for one in seen)


def test_content_is_sorted_and_without_doubles() -> None:
    """Order is decided before the digest; the same set twice is refused."""
    content = sorted_content((a("b.example.com."), a("a.example.com.")))
    assert [one.name for one in content] == ["a.example.com.", "b.example.com."]
    with pytest.raises(InvalidRecord, match="twice"):
        sorted_content((a("a.example.com."), a("a.example.com.")))
    text = RecordSet(Name("a.example.com."), "TXT", 60, ('"x"',))
    assert sorted_content((text, a("a.example.com."))) == (a("a.example.com."), text)


def test_managed_units() -> None:
    """A plan answers for the names and types that it states."""
    assert managed_units(plan(content=(a("a.example.com."),))) == {("a.example.com.", "A")}


def test_retirement_of_a_type_or_of_a_name() -> None:
    """A retirement lets one type of a name end, or every type of it, and no other name."""
    whole = Retirement(Name("a.example.com."), None, 3, "ops")
    typed = Retirement(Name("b.example.com."), "A", 3, "ops")
    retiring = plan(retired=(whole, typed))
    text = RecordSet(Name("b.example.com."), "TXT", 60, ('"x"',))
    assert may_end(retiring, key_of(a("a.example.com.")))
    assert may_end(retiring, key_of(a("b.example.com.")))
    assert not may_end(retiring, key_of(text))
    assert not may_end(retiring, key_of(a("c.example.com.")))
