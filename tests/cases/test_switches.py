"""A change of type, policy or identifier: one batch for the whole name, right in its order."""

import pytest

from dnsplan.errors import ConfigError
from dnsplan.names import parse_name
from dnsplan.records import (
    AliasTarget,
    Failover,
    Geolocation,
    Latency,
    Multivalue,
    RecordSet,
    Routing,
    Weighted,
)
from enactor.rules.drift import FOREIGN
from enactor.rules.outcomes import Applied, InSync
from planner.rules.outcomes import Unchanged
from tests.cases.configs import records_config
from tests.cases.stages import House, Wire
from tests.fakes.world import a, cname

WWW, NODES = "www.example.com", "nodes.example.com"
ELB = AliasTarget("Z35SXDOTRQ7X7K", parse_name("lb-1.us-east-1.elb.amazonaws.com"), False)


def member(set_id: str, routing: Routing, value: str = "192.0.2.1") -> RecordSet:
    """One member of the group at www."""
    return RecordSet(parse_name(WWW), "A", 60, (value,), set_id, routing)


def alias(target: AliasTarget, *, set_id: str | None = None, weight: int = 1) -> RecordSet:
    """An alias at www, alone or weighted."""
    routing = None if set_id is None else Weighted(weight)
    return RecordSet(parse_name(WWW), "A", None, (), set_id, routing, target)


def pair(kind: str) -> list[RecordSet]:
    """What www holds in each of its forms."""
    forms: dict[str, list[RecordSet]] = {
        "simple": [a(WWW, "192.0.2.1", "192.0.2.2")],
        "cname": [cname(WWW, "lb.example.net.")],
        "alias": [alias(ELB)],
        "weighted": [member("a", Weighted(1)), member("b", Weighted(2), "192.0.2.2")],
        "latency": [member("a", Latency("eu-west-1")), member("b", Latency("us-east-1"))],
        "multivalue": [member("a", Multivalue()), member("b", Multivalue(), "192.0.2.2")],
        "geo": [
            member("a", Geolocation("EU", None, None)),
            member("b", Geolocation(None, "*", None)),
        ],
        "failover": [member("a", Failover("PRIMARY")), member("b", Failover("SECONDARY"))],
    }
    return forms[kind]


async def switched(wire: Wire, before: list[RecordSet], after: list[RecordSet]) -> None:
    """Bring www from one form to another; one accepted batch in which all deletes come first."""
    keep = a(NODES, "192.0.2.9")
    assert isinstance(await wire.apply(keep, *before), Applied)
    tap = wire.tap()
    outcome = await wire.apply(keep, *after)
    assert isinstance(outcome, Applied)
    assert (outcome.batches, outcome.held, wire.refusals()) == (1, 0, 0)
    assert wire.content() == {keep, *after}
    (batch,) = tap.changes()
    actions = [action for action, name, _ in batch if name == f"{WWW}."]
    assert actions == sorted(actions, reverse=True)
    assert set(actions) == {"DELETE", "CREATE"}
    assert await wire.enact(wire.az("az2")) == InSync(outcome.generation)


async def test_b37_a_cname_gives_way_to_addresses(wire: Wire) -> None:
    """The CNAME goes before the addresses come, in one batch."""
    await switched(wire, pair("cname"), pair("simple"))


async def test_b38_an_alias_gives_way_to_a_cname(wire: Wire) -> None:
    """An alias is of the type that it answers, and goes before the CNAME comes."""
    await switched(wire, pair("alias"), pair("cname"))


async def test_b39_addresses_give_way_to_a_cname(wire: Wire) -> None:
    """A change of type is never an UPSERT and never leaves the name without a record."""
    await switched(wire, pair("simple"), pair("cname"))


async def test_b40_a_delete_never_travels_without_what_takes_its_place(wire: Wire) -> None:
    """Whatever changes at a name, every batch that deletes there creates there as well."""
    forms = ("simple", "cname", "weighted", "alias", "multivalue", "simple")
    tap = wire.tap()
    for kind in forms:
        assert isinstance(await wire.apply(*pair(kind)), Applied)
    for batch in tap.changes()[1:]:
        at_www = {action for action, name, _ in batch if name == f"{WWW}."}
        assert at_www == {"DELETE", "CREATE"}
    assert len(tap.bodies) == len(forms)


async def test_b41_a_cname_gives_way_to_an_alias(wire: Wire) -> None:
    """No moment without an answer, so no negative answer is kept by anybody."""
    await switched(wire, pair("cname"), pair("alias"))


@pytest.mark.parametrize("before", ["simple", "latency"])
async def test_b48_a_group_takes_on_weights_as_a_whole(wire: Wire, before: str) -> None:
    """All old members go and all new ones come, in one batch under one plan."""
    await switched(wire, pair(before), pair("weighted"))


@pytest.mark.parametrize("before", ["weighted", "latency", "failover", "multivalue", "geo"])
async def test_b49_a_group_becomes_simple_as_a_whole(wire: Wire, before: str) -> None:
    """The simple set comes when no member is left, which only one batch can bring about."""
    await switched(wire, pair(before), pair("simple"))


async def test_b51_a_place_is_added_to_those_there_are(wire: Wire) -> None:
    """A new geolocation joins its group; the others are not written again."""
    there = pair("geo")
    await wire.apply(*there)
    asia = member("c", Geolocation("AS", None, None))
    tap = wire.tap()
    assert isinstance(await wire.apply(*there, asia), Applied)
    (batch,) = tap.changes()
    assert [change for change in batch if change[1] == f"{WWW}."] == [("CREATE", f"{WWW}.", "A")]
    assert wire.content() == {*there, asia}


async def test_b52_the_same_places_stated_twice_change_nothing(house: House) -> None:
    """Sets are told apart by name, type and identifier, so stating a file again is no change."""
    sets = ", ".join(
        f"{{type: A, values: [192.0.2.{n}], set_id: {key}, geo: {{{place}}}}}"
        for n, (key, place) in enumerate([("eu", "continent: EU"), ("rest", 'country: "*"')])
    )
    config = records_config(f"www: {{records: [{sets}]}}")
    house.configure(config)
    await house.turn()
    house.configure(config)
    assert (await house.turn()).outcome == Unchanged((await house.item()).head)
    assert len(house.at(WWW)) == 2


async def test_b53_a_weighted_alias_goes_by_what_it_is(wire: Wire) -> None:
    """Of two weighted aliases the one that is meant goes, named with identifier and weight."""
    stay, go = alias(ELB, set_id="a", weight=10), alias(ELB, set_id="b", weight=20)
    await wire.apply(stay, go)
    assert isinstance(await wire.apply(stay), Applied)
    assert (wire.content(), wire.refusals()) == ({stay}, 0)


async def test_b54_a_member_goes_and_its_sibling_stays(wire: Wire) -> None:
    """Taking out one of two weighted sets deletes that one."""
    stay, go = pair("weighted")
    await wire.apply(stay, go)
    assert isinstance(await wire.apply(stay), Applied)
    assert wire.content() == {stay}


async def test_b55_a_policy_without_an_identifier_is_a_mistake(house: House) -> None:
    """A weight alone is refused with the key that is missing; no simple record is made of it."""
    stated = "www: {records: [{type: A, values: [192.0.2.1], weight: 10}]}"
    with pytest.raises(ConfigError, match="weight without set_id; allowed: set_id and one"):
        house.configure(records_config(stated))


async def test_b106_a_leftover_simple_set_is_replaced_by_the_group(wire: Wire) -> None:
    """One's own simple set gives way to multivalue members in one batch."""
    await switched(wire, pair("simple"), pair("multivalue"))


async def test_b106_a_strangers_simple_set_is_held_and_named(wire: Wire) -> None:
    """Members never push out what no plan of ours made; the hold says so."""
    keep, theirs = a(NODES, "192.0.2.9"), a(WWW, "203.0.113.1")
    await wire.apply(keep)
    wire.by_hand(("CREATE", theirs))
    outcome = await wire.apply(keep, *pair("multivalue"))
    assert isinstance(outcome, Applied)
    assert outcome.notes == (f"{WWW}. held: {FOREIGN}",)
    assert wire.content() == {keep, theirs}
