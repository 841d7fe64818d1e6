"""What a reconcile knows: everything that the plans it can read have said."""

from typing import get_args

from dnsplan.names import parse_name
from dnsplan.plan import BELIEVED_MAX, NameLedger
from runbooks.options import AboveOption
from runbooks.reconciling.rules import joined
from tests.unit.planner.cases import multivalue, plan

NAME = parse_name("www.example.com")


def entry(*spent: tuple[int, int]) -> NameLedger:
    """One name's entry."""
    return NameLedger(NAME, "A", 3, 3, spent)


def test_what_any_plan_took_out_still_counts() -> None:
    """A restore's plan knows no ledger; the head that it passed over does (P7)."""
    older = plan(*multivalue("a", "b"), generation=4, ledger=(entry((100, 1)),))
    head = plan(*multivalue("a", "b"), generation=5, ledger=(entry((100, 1), (152, 1)),))
    restored = plan(*multivalue("a", "b", "c"), generation=1_000_000)
    known = joined((older, head, restored), None)
    assert known is not None
    assert (known.generation, known.ledger) == (1_000_000, (entry((100, 1), (152, 1)),))


def test_no_higher_number_can_be_typed_than_is_believed() -> None:
    """The command line states the bound itself: its help needs no import that takes time."""
    (option,) = get_args(AboveOption)[1:]
    assert option.max == BELIEVED_MAX
