"""The right zone: by exact name, visibility and id, and what is never ours in it."""

import pytest
from msgspec import structs

from dnsplan.errors import ConfigError
from dnsplan.names import parse_name
from dnsplan.plan import Generation, Retirement
from dnsplan.records import RecordSet
from dnsplan.runtime.config.derived import limits_for
from dnsplan.runtime.config.schema import ZoneEntry
from enactor.rules.outcomes import Applied, Held, HoldRule
from sandbox.aws.faults import Refuse, Where
from tests.cases.configs import records_config
from tests.cases.stages import CHANGE, House, Wire
from tests.fakes.notes import FakeBoard
from tests.fakes.world import a
from tests.unit.dnsplan.config.texts import loaded

STATED = "records: [{type: A, values: [192.0.2.1]}]"
NESTED = (
    "azs: [az1]\nzones:\n"
    f"  outer: {{name: example.com, names: {{www: {{{STATED}}}}}}}\n"
    f"  inner: {{name: internal.example.com, names: {{a: {{{STATED}}}}}}}\n"
)


async def test_b26_a_change_belongs_to_one_zone(house: House) -> None:
    """Of two nested zones each gets its own names and no other's."""
    house.configure(NESTED)
    inner = await house.make_zone("inner", "internal.example.com.")
    await house.planner.run_once(house.watch.sight(), may_write=True)
    house.records = house.adapter(per_s=10_000.0, labels=("inner", "outer"))
    settings = loaded(house.folder, NESTED).settings
    outer = structs.replace(house.zone, label="outer")
    for zone in (outer, inner):
        house.label, house.zone = zone.label, zone
        limits = limits_for(settings, zone.label)
        house.task = structs.replace(house.task, zone=zone, limits=limits)
        assert isinstance(await house.enact_and_settle(), Applied)
    assert house.content(outer) == {a("www.example.com", "192.0.2.1")}
    assert house.content(inner) == {a("a.internal.example.com", "192.0.2.1")}


async def test_b26_a_name_of_the_nested_zone_is_a_mistake_under_the_other(house: House) -> None:
    """The longest suffix wins, and the mistake says which zone that is."""
    misplaced = NESTED.replace("{www:", "{b.internal:")
    with pytest.raises(ConfigError, match=r"which belongs to the zone internal\.example\.com\."):
        house.configure(misplaced)


async def test_b86_a_zone_is_the_one_of_that_name_and_visibility(wire: Wire) -> None:
    """A private namesake and a delegated child are other zones; two alike are never a choice."""
    private = await wire.make_zone("inside", "example.com.", private=True)
    child = await wire.make_zone("child", "eu.example.com.")
    entries = {
        "shop": ZoneEntry(name="example.com"),
        "inside": ZoneEntry(name="example.com", private=True),
        "child": ZoneEntry(name="eu.example.com"),
        "none": ZoneEntry(name="us.example.com"),
    }
    found = await wire.finder(*entries).find_all(entries)
    assert dict(found.zones) == {"shop": wire.zone, "inside": private, "child": child}
    assert [problem.label for problem in found.problems] == ["none"]
    twin = await wire.make_zone("twin", "example.com.")
    again = await wire.finder("shop").find_all({"shop": entries["shop"]})
    (problem,) = again.problems
    assert twin.zone_id in problem.found
    assert wire.zone.zone_id in problem.found


async def test_b87_split_horizon_is_two_zones_with_two_contents(wire: Wire) -> None:
    """What is stated for the public label is never written to its private namesake."""
    made = await wire.make_zone("inside", "example.com.", private=True)
    entries = {
        "shop": ZoneEntry(name="example.com"),
        "inside": ZoneEntry(name="example.com", private=True),
    }
    found = (await wire.finder(*entries).find_all(entries)).zones
    public, private = found["shop"], found["inside"]
    assert (public, private) == (wire.zone, made)
    await wire.apply(a("www.example.com", "192.0.2.1"))
    assert wire.content(private) == set()
    wire.records = wire.adapter(per_s=10_000.0, labels=("shop", "inside"))
    wire.label, wire.zone = "inside", private
    wire.task = structs.replace(wire.task, zone=private)
    await wire.apply(a("www.example.com", "10.0.0.1"))
    assert wire.content(public) == {a("www.example.com", "192.0.2.1")}
    assert wire.content(private) == {a("www.example.com", "10.0.0.1")}


@pytest.mark.parametrize("code", ["AccessDenied", "InvalidClientTokenId"])
async def test_b89_a_denial_is_asked_ever_less(wire: Wire, code: str) -> None:
    """An hour without the right costs about a request a minute and ends when it is given."""
    await wire.apply(a("www.example.com", "192.0.2.1"))
    denied = wire.aws.faults.arm(
        Refuse(code, "no right to the zone", 403), Where(operation=CHANGE, times=None)
    )
    await wire.publish(a("www.example.com", "192.0.2.2"))
    daemon = wire.daemon("az1", FakeBoard())
    wire.spent()
    for _ in range(1_800):
        await daemon.run_once()
        await daemon.finish()
        wire.clock.advance(2)
    assert 10 <= wire.spent()[CHANGE] <= 130
    wire.aws.faults.disarm(denied.id)
    for _ in range(60):
        await daemon.run_once()
        await daemon.finish()
        wire.clock.advance(2)
    assert (await wire.item()).applied == 2


@pytest.mark.parametrize("ends", [False, True])
async def test_b89_a_name_that_the_policy_does_not_list_holds_its_zone_alone(
    wire: Wire, *, ends: bool
) -> None:
    """Whether it comes or ends: nothing of its plan is sent, the other zone goes on, no name is
    held; once the policy lists it the plan is applied, and nobody has to say so."""
    www, api = a("www.example.com", "192.0.2.1"), a("api.example.com", "192.0.2.2")
    before = {www, api} if ends else {www}
    await wire.apply(*before)
    denied = wire.aws.faults.arm(
        Refuse("AccessDenied", "no identity-based policy allows the action", 403),
        Where(operation=CHANGE, contains="api.example.com.", times=None),
    )
    retired = (Retirement(parse_name("api.example.com"), None, 2, "ann"),) if ends else ()
    after = {www} if ends else {www, api}
    await wire.publish(*after, retired=retired)
    fence, cycle = await wire.fence(), wire.az()
    for _ in range(3):
        held = await wire.enact(cycle)
        assert isinstance(held, Held)
        assert (held.rule, held.command) == (
            HoldRule.DENIED,
            "dns-runbook preflight shop --role enactor",
        )
        assert (wire.content(), await wire.fence()) == (before, fence)
    second = await wire.make_zone("second", "example.net.")
    shop = wire.task
    wire.records = wire.adapter(per_s=10_000.0, labels=("shop", "second"))
    wire.label, wire.zone, wire.task = "second", second, structs.replace(shop, zone=second)
    assert isinstance(await wire.apply(a("www.example.net", "192.0.2.3")), Applied)
    wire.label, wire.zone, wire.task = "shop", shop.zone, shop
    wire.aws.faults.disarm(denied.id)
    outcome = await wire.enact_and_settle(cycle)
    assert isinstance(outcome, Applied)
    assert (outcome.held, wire.content()) == (0, after)


async def test_b90_the_zone_that_a_list_begins_with_is_compared(wire: Wire) -> None:
    """ListHostedZonesByName starts at a name and goes on with the next one: that one is not it."""
    await wire.make_zone("b", "b.com.")
    found = await wire.finder("a").find_all({"a": ZoneEntry(name="bar.a.com")})
    assert dict(found.zones) == {}
    assert found.problems[0].found == "no public hosted zone bar.a.com. in this account"


async def test_b83_ns_and_soa_of_the_apex_are_never_ours(wire: Wire, house: House) -> None:
    """The config refuses them, a plan that holds them is held, and no end takes them."""
    for record_type, value in (("NS", "ns1.example.net."), ("SOA", "a. b. 1 2 3 4 5")):
        stated = f'"@": {{records: [{{type: {record_type}, values: ["{value}"]}}]}}'
        with pytest.raises(ConfigError, match=record_type):
            house.configure(records_config(stated))
    before = wire.route53.zone(wire.zone.zone_id).sets_at(wire.zone.name)
    keep = a("www.example.com", "192.0.2.1")
    await wire.apply(keep, a("example.com", "192.0.2.2"))
    await wire.publish(keep, RecordSet(wire.zone.name, "NS", 60, ("ns1.example.net.",)))
    held = await wire.enact(wire.az())
    assert isinstance(held, Held)
    assert held.rule is HoldRule.GUARDRAIL
    ended = Retirement(wire.zone.name, None, 3, "ann")
    outcome = await wire.apply(keep, retired=(ended,))
    assert isinstance(outcome, Applied)
    assert (outcome.generation, wire.content()) == (Generation(3), {keep})
    assert wire.route53.zone(wire.zone.zone_id).sets_at(wire.zone.name) == before
