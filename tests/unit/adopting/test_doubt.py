"""A zone in doubt is not adopted: each refusal says what was found and what to run first."""

from collections.abc import Callable

import pytest
from msgspec import structs

from dnsplan.fence import fence_name
from dnsplan.generation import GenerationItem
from dnsplan.plan import Generation
from dnsplan.records import RecordSet
from runbooks.controls.outside import Refused
from tests.fakes.world import OWNER, World, a
from tests.unit.adopting.hands import (
    adopt,
    lose_fence,
    names,
    settled,
    stand,
)

WWW = a("www.example.com", "192.0.2.1")


def changed_item(change: Callable[[GenerationItem], GenerationItem]) -> Callable[[World], None]:
    """A change of the generation item behind everybody's back."""

    def act(world: World) -> None:
        world.table.items["shop"] = change(world.table.items["shop"])

    return act


def restored(world: World) -> None:
    """Another table than the item was written in."""
    world.table.id = "table-2"


REFUSALS = {
    "frozen": (
        changed_item(lambda item: structs.replace(item, frozen="f1")),
        "dns-runbook thaw shop f1",
    ),
    "pinned": (
        changed_item(lambda item: structs.replace(item, pin=Generation(1))),
        "dns-runbook unpin shop",
    ),
    "ahead": (
        changed_item(lambda item: structs.replace(item, ahead=Generation(9))),
        "dns-runbook reconcile shop",
    ),
    "restored": (restored, "dns-runbook reconcile shop"),
    "other owner": (
        changed_item(lambda item: structs.replace(item, owner="f" * 32)),
        f"owner {OWNER}",
    ),
    "above head": (
        changed_item(lambda item: structs.replace(item, head=Generation(0), zone_id="Z9")),
        "above head 0",
    ),
}


@pytest.mark.parametrize("state", REFUSALS)
async def test_a_zone_in_doubt_is_refused(state: str) -> None:
    """Each refusal says what to run; the zone and its item stay as they are."""
    world = await settled(WWW)
    make, text = REFUSALS[state]
    make(world)
    before, content = dict(world.table.items), world.route53.content(world.zone)
    with pytest.raises(Refused, match=text):
        await adopt(world, names(WWW))
    assert (world.table.items, world.route53.content(world.zone)) == (before, content)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ('"dnsplan/1 owner=ffffffffffffffffffffffffffffffff nonce=?"', "another deployment"),
        ('"dnsplan/1 generation=99 step=?"', "above head 1"),
    ],
)
async def test_what_can_be_read_of_a_damaged_fence_counts(text: str, why: str) -> None:
    """P1 and P6 in doubt: another owner's or a higher fence is not written over."""
    world = await settled(WWW)
    await lose_fence(world)
    stand(world, RecordSet(fence_name(world.zone.name), "TXT", 60, (text,)))
    with pytest.raises(Refused, match=why):
        await adopt(world, names(WWW))
