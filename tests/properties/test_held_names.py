"""Whatever Route 53 refuses of a plan, no name that the plan keeps is silent afterwards."""

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass
from unittest.mock import patch

from hypothesis import assume, given, note
from hypothesis import strategies as st
from msgspec import structs

from dnsplan.guardrails import NEVER_EMPTY, judge
from dnsplan.names import Name, parse_name
from dnsplan.plan import Generation, Retirement
from dnsplan.records import AliasTarget, RecordSet, Weighted, key_of
from enactor.rules import packing
from enactor.rules.outcomes import Applied
from tests.fakes.world import LIMITS, World, a, cname

NAMES = tuple(f"n{number}.example.com" for number in range(5))
DEPTH_MAX = 8


@dataclass(frozen=True)
class Wish:
    """What one name should be: an address, an alias, a CNAME, what is refused, or nothing."""

    kind: str
    target: str

    def made(self, world: World, name: str, version: int) -> tuple[RecordSet, ...]:
        """As record sets."""
        address = a(name, f"192.0.2.{version}")
        match self.kind:
            case "address":
                return (address,)
            case "refused":
                bad = structs.replace(
                    address, set_id="a", routing=Weighted(1), health_check_id="gone"
                )
                return (bad,)
            case "alias":
                led = AliasTarget(world.zone.zone_id, parse_name(self.target), False)
                return (RecordSet(parse_name(name), "A", None, (), alias=led),)
            case "cname":
                return (cname(name, self.target),)
            case _:
                return ()


def plans(*kinds: str) -> st.SearchStrategy[tuple[Wish, ...]]:
    """One wish a name."""
    return st.tuples(
        *(st.builds(Wish, st.sampled_from(kinds), st.sampled_from(NAMES)) for _ in NAMES)
    )


def answers(content: Iterable[RecordSet], name: Name) -> bool:
    """Whether a question for an address gets one; an alias leads to its own type alone."""
    there = {one.name: one for one in content}
    by_alias = False
    for _ in range(DEPTH_MAX):
        one = there.get(name)
        if one is None or (by_alias and one.type == "CNAME"):
            return False
        if one.alias is not None:
            name, by_alias = one.alias.name, True
        elif one.type == "CNAME":
            name = parse_name(one.values[0])
        else:
            return True
    return False


def made(world: World, wishes: tuple[Wish, ...], version: int) -> tuple[RecordSet, ...]:
    """The content of a plan in which every name answers."""
    content = tuple(
        one
        for name, wish in zip(NAMES, wishes, strict=True)
        for one in wish.made(world, name, version)
    )
    assume(content and all(answers(content, one.name) for one in content))
    return content


async def enacted(world: World, old: tuple[RecordSet, ...], new: tuple[RecordSet, ...]) -> None:
    """Plan 1, then plan 2, and a look at every name that both state."""
    first = await world.publish(*old)
    cycle = world.az()
    assert isinstance(await world.enact(cycle), Applied)
    await world.settle(cycle)
    assert world.route53.content(world.zone) == tuple(sorted(old, key=key_of))
    kept = {one.name for one in old} & {one.name for one in new}
    gone = {one.name for one in old} - {one.name for one in new}
    retired = tuple(Retirement(name, None, 2, "ops") for name in sorted(gone))
    plan = structs.replace(first, generation=Generation(2), content=new, retired=retired)
    found = judge(first.content, plan, LIMITS, standing_since_s=None)
    assume(not [one for one in found if one.rule == NEVER_EMPTY])
    await world.publish(*new, retired=retired)
    outcome = await world.enact(cycle)
    note(str(outcome))
    assert isinstance(outcome, Applied)
    content = world.route53.content(world.zone)
    assert [name for name in sorted(kept) if not answers(content, name)] == []


@given(
    plans("address", "alias", "cname"),
    plans("address", "alias", "cname", "refused", "nothing"),
    st.sampled_from((4, 6, 1_000)),
)
def test_no_name_goes_silent_because_another_is_refused(
    old: tuple[Wish, ...], new: tuple[Wish, ...], elements_max: int
) -> None:
    """P2, with chains and circles, in one batch and in many."""
    with patch.object(packing, "ELEMENTS_MAX", elements_max):
        world = World()
        asyncio.run(enacted(world, made(world, old, 1), made(world, new, 2)))
