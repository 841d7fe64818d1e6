"""A refused write says what was found and what is allowed, in words."""

from dnsplan.generation import GenerationItem, failed
from dnsplan.outcomes import ConditionFailed
from dnsplan.plan import Generation
from dnsplan.transitions import claim, freeze
from tests.fakes.world import OWNER


def item(**fields: object) -> GenerationItem:
    """An item with these fields."""
    return GenerationItem(label="shop", owner=OWNER, incarnation="t", nonce="n", **fields)  # type: ignore[arg-type]  # as they are


def test_every_unmet_condition_has_its_number() -> None:
    """P14: the measured value and the limit, for each rule that refused."""
    there = item(head=Generation(9), floor=Generation(7), frozen="f1", pin=Generation(4))
    wish = claim(item(), Generation(5), zone_id="Z1", nonce="x")
    refused = ConditionFailed(there, failed(wish.conditions, there))
    assert refused.why == "frozen is f1, floor is 7, above 5, pin is 4, below 5"


def test_a_write_that_nothing_refuses_any_more_was_overtaken() -> None:
    """When all conditions hold again, somebody moved the item meanwhile."""
    assert ConditionFailed(item(), ()).why == "it moved meanwhile"


def test_an_item_that_is_gone_is_said_once() -> None:
    """Every condition fails at it, and no two of them say more than one."""
    wish = freeze(item(), "f1", nonce="x")
    assert ConditionFailed(None, failed(wish.conditions, None)).why == "there is no item"
