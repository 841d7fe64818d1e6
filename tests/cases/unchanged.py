"""What several cases ask: another spelling plans nothing, and a listing of it is the same."""

from msgspec import structs

from dnsplan.names import parse_name
from enactor.rules.outcomes import Applied
from planner.rules.outcomes import Unchanged
from tests.cases.stages import House, Wire


async def same(house: House, first: str, *others: str) -> None:
    """The others plan nothing over the first, and a listing of the zone plans nothing either."""
    house.configure(first)
    await house.turn()
    before = house.content()
    assert before
    for other in others:
        house.configure(other)
        assert (await house.turn()).outcome == Unchanged((await house.item()).head)
    await listed_without_change(house)
    assert house.content() == before


async def listed_without_change(wire: Wire) -> None:
    """A fresh enactor lists the whole zone as a half-done plan makes it do, and changes nothing."""
    fence = await wire.fence()
    old = (await wire.records.list_name(wire.zone, parse_name("_dnsplan.example.com")))[0]
    half = structs.replace(old, values=(old.values[0].replace(f"step={fence.step}/", "step=1/9"),))
    wire.by_hand(("DELETE", old), ("CREATE", half))
    tap = wire.tap()
    assert isinstance(await wire.enact(wire.az("az9")), Applied)
    assert [{name for _, name, _ in batch} for batch in tap.changes()] == [
        {"_dnsplan.example.com."}
    ]
    wire.aws.faults.disarm(tap.armed.id)
