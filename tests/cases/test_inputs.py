"""What the wishes are made from: targets by what they are, records of one source, calm in noise."""

from collections.abc import Mapping

import pytest

from dnsplan.errors import ConfigError
from dnsplan.names import parse_name
from dnsplan.records import AliasTarget, RecordSet, Weighted
from enactor.rules.outcomes import Applied
from planner.rules.notes import Fate
from planner.rules.outcomes import Unchanged, Waiting
from tests.cases.configs import pool_config, records_config
from tests.cases.stages import CHANGE, LIST, House, Wire
from tests.fakes.world import a

WWW = "www.example.com"
THREE = {"a": "192.0.2.1", "b": "192.0.2.2", "c": "192.0.2.3"}


async def test_b21_an_alias_is_the_target_that_was_named_and_not_who_has_its_address(
    house: House,
) -> None:
    """A balancer is stated by name and zone; an address that another target has taken is said."""
    one = "{id: lb, alias: {name: lb-1.us-east-1.elb.amazonaws.com, zone_id: Z35SXDOTRQ7X7K}}"
    pools = "pools: {{web: {{targets: [{}]}}}}\n"
    www = "www: {pool: web, routing: weighted}"
    house.configure(records_config(www, more=pools.format(one)))
    await house.turn()
    to = AliasTarget("Z35SXDOTRQ7X7K", parse_name("lb-1.us-east-1.elb.amazonaws.com"), False)
    (there,) = house.at(WWW)
    assert there == RecordSet(parse_name(WWW), "A", None, (), "lb", Weighted(255), to)
    reused = "{id: old, address: 192.0.2.1}, {id: new, address: 192.0.2.1}"
    with pytest.raises(ConfigError, match=r"192\.0\.2\.1 a second time"):
        house.configure(records_config(www, more=pools.format(reused)))


async def test_b61_the_order_of_the_sources_is_no_change(house: House) -> None:
    """Two planners that list the same in another order make one and the same plan."""

    def listed(targets: Mapping[str, str]) -> str:
        values = ", ".join(targets.values())
        api = f"api: {{records: [{{type: A, values: [{values}]}}]}}"
        return pool_config(targets, names=f"www: {{pool: web}}, {api}")

    house.configure(listed(THREE))
    await house.turn()
    for _ in range(3):
        for order in (reversed(THREE.items()), THREE.items()):
            house.configure(listed(dict(order)))
            assert (await house.turn()).outcome == Unchanged((await house.item()).head)
    assert house.spent()[CHANGE] == 1


async def test_b62_a_target_that_flaps_causes_no_request(house: House) -> None:
    """What counts is the records that would come of it: an hour of flapping writes nothing."""
    house.configure(pool_config(THREE))
    await house.turn()
    house.spent()
    for number in range(720):
        (house.prober.kill if number % 2 else house.prober.revive)("192.0.2.2")
        assert isinstance((await house.plan(rounds=1)).outcome, Unchanged)
        house.clock.advance(5)
    assert house.spent() == {}


async def test_b62_plans_are_bounded_by_the_minute(house: House) -> None:
    """Also true changes that come one upon the other are gathered into few plans."""
    config = pool_config(THREE).replace("max_plans_per_min: 600", "max_plans_per_min: 2")
    config = config.replace("tcp: {port: 443}", "tcp: {port: 443}, probation_s: 0")
    house.configure(config + "guardrails: {max_removed_share: 1.0}\n")
    await house.turn()
    outcomes = []
    for number in range(6):
        (house.prober.revive if number % 2 else house.prober.kill)("192.0.2.2")
        await house.watch.look(rounds=3, pause_s=0.1)
        reports = await house.planner.run_once(house.watch.sight(), may_write=True)
        outcomes.append(reports[0].outcome)
    assert any(isinstance(one, Waiting) for one in outcomes)
    assert (await house.item()).head == 2


@pytest.mark.parametrize("placeholder", ["0.0.0.0", "::", "224.0.0.1"])
async def test_b108_no_placeholder_is_ever_an_answer(house: House, placeholder: str) -> None:
    """A new name waits for a first look at its targets, and an address for nobody is refused."""
    with pytest.raises(ConfigError, match="which no client can connect to"):
        house.configure(pool_config({"a": placeholder}))
    house.configure(pool_config(THREE))
    reports = await house.planner.run_once(house.watch.sight(), may_write=True)
    assert reports[0].outcome == Waiting("the first probe round is not over")
    assert house.content() == set()
    house.configure(
        records_config(
            "api: {records: [{type: A, values: [192.0.2.9]}]}, www: {pool: web}",
            more="pools: {web: {targets: [{id: a, address: 192.0.2.1}], health: {tcp: {port: 1}}}}",
        )
    )
    await house.turn()
    fresh = pool_config(THREE, names="www: {pool: web}, new: {pool: late}").rstrip()
    late = "  late: {targets: [{id: l, address: 192.0.2.7}], health: {tcp: {port: 443}}}\n"
    house.configure(f"{fresh}\n{late}")
    (report,) = await house.planner.run_once(house.watch.sight(), may_write=True)
    assert report.candidate is not None
    assert Fate.FIRST_LOOK in {note.fate for note in report.candidate.notes}
    await house.enact_and_settle()
    assert house.at("new.example.com") == ()


async def test_b65_one_name_is_found_among_many_in_one_request(wire: Wire) -> None:
    """The start of a listing is a cursor: what sorts before is not read, what follows left out."""
    name = parse_name(WWW)
    members = [
        RecordSet(name, "A", 60, ("192.0.2.1",), f"m{n:02d}", Weighted(1)) for n in range(99)
    ]
    await wire.apply(*(a(f"h{n:04d}.example.com", "192.0.2.1") for n in range(600)))
    wire.by_hand(*(("CREATE", one) for one in [*members, a("wwx.example.com", "192.0.2.1")]))
    wire.spent()
    assert set(await wire.records.list_name(wire.zone, name)) == set(members)
    assert await wire.records.list_name(wire.zone, parse_name("wwwa.example.com")) == ()
    assert wire.spent() == {LIST: 2}


async def test_b65_a_name_that_begins_on_one_page_is_read_to_its_end(wire: Wire) -> None:
    """A group that crosses pages of a listing is whole in what is planned from it."""
    name = parse_name("m.example.com")
    kinds = ("A", "AAAA", "TXT", "MX")
    values = {"A": "192.0.2.1", "AAAA": "2001:db8::1", "TXT": '"x"', "MX": "10 a.example.net."}
    members = [
        RecordSet(name, kind, 60, (values[kind],), f"m{n:02d}", Weighted(1))
        for kind in kinds
        for n in range(100)
    ]
    outcome = await wire.apply(*members, a("z.example.com", "192.0.2.1"))
    assert isinstance(outcome, Applied)
    wire.spent()
    assert set(await wire.records.list_name(wire.zone, name)) == set(members)
    assert wire.spent() == {LIST: 2}
