"""Mode observe: everything is computed, counted and shown, and nothing is written to Route 53."""

from collections.abc import Iterable

import pytest
import structlog.testing
from msgspec import structs

from dnsplan.errors import BrokenInvariant
from dnsplan.names import parse_name
from dnsplan.plan import Generation, NameLedger, Retirement
from dnsplan.records import Failover, Geolocation, Latency, RecordSet, Weighted
from enactor.daemon import EnactorDaemon
from enactor.rules.drift import in_words
from enactor.rules.outcomes import Held, HoldRule, InSync
from tests.fakes.notes import FakeBoard
from tests.fakes.world import PACE, World, a, cname
from tests.unit.adopting.hands import stand

WWW, API, OTHER = (
    a(f"{name}.example.com", f"192.0.2.{n}") for n, name in enumerate(("www", "api", "other"), 1)
)
AZS = ("az1", "az2", "az3")


def observed(*standing: RecordSet) -> World:
    """A zone of others that is only observed."""
    world = World()
    stand(world, *standing) if standing else None
    world.task = structs.replace(world.task, observe=True)
    return world


async def looked(world: World) -> Held:
    """One pass, which must hold."""
    outcome = await world.enact(world.az())
    assert isinstance(outcome, Held)
    assert outcome.rule is HoldRule.OBSERVING
    return outcome


async def test_what_would_change_is_told_and_nothing_is_written() -> None:
    """Comes, differs, stays, is nobody's business: each name and type with both values."""
    world = observed(WWW, OTHER)
    await world.publish(a("www.example.com", "192.0.2.9"), API)
    held = await looked(world)
    assert held.text == (
        "observing: would change 2 names and types to reach plan 1:"
        " api.example.com. A: wanted A 60 192.0.2.2; standing nothing;"
        " www.example.com. A: wanted A 60 192.0.2.9; standing A 60 192.0.2.1;"
        " the zone must be adopted before it is enforced"
    )
    assert held.command == "dns-runbook adopt shop"
    assert (world.route53.requests["submit"], world.route53.content(world.zone)) == (
        0,
        (OTHER, WWW),
    )
    assert (await world.item()).claimed == 0


async def test_equal_is_told_as_well() -> None:
    """A week of this line is what people wait for before they enforce."""
    world = observed(WWW)
    await world.publish(WWW)
    held = await looked(world)
    assert held.text == (
        "observing: plan 1 stands already, nothing would change; the zone must be adopted before"
        " it is enforced"
    )


async def test_an_empty_zone_needs_no_adoption() -> None:
    """Enactors would begin by themselves."""
    world = observed()
    await world.publish(WWW)
    held = await looked(world)
    assert (held.command, "adopted" in held.text) == ("dns-runbook diff shop", False)


async def test_what_the_guardrails_would_refuse_is_told() -> None:
    """Observed or not, the same rules judge; here a floor of two that one answer breaks."""
    world = observed(a("www.example.com", "192.0.2.1", "192.0.2.2", "192.0.2.3"))
    limit = structs.replace(world.task.limits.default, min_targets=2)
    world.task = structs.replace(world.task, limits=type(world.task.limits)(limit))
    await world.publish(WWW, ledger=(NameLedger(parse_name("www.example.com"), "A", 3, 3, ()),))
    assert "would be refused by floor: www.example.com." in (await looked(world)).text


async def test_a_zone_that_was_enforced_is_only_looked_at() -> None:
    """From an applied plan on: the fence stays, retired and changed names are told."""
    world = World()
    await world.publish(WWW, OTHER)
    cycle = world.az()
    await world.enact(cycle)
    await world.settle(cycle)
    world.task = structs.replace(world.task, observe=True)
    assert await world.enact(world.az()) == InSync(Generation(1))
    retired = (Retirement(OTHER.name, "A", 2, "ann"),)
    await world.publish(cname("www.example.com", "api.example.net."), retired=retired)
    sent = world.route53.requests["submit"]
    text = (await looked(world)).text
    assert "would change 3 names and types to reach plan 2" in text
    assert "other.example.com. A: wanted nothing; standing A 60 192.0.2.3" in text
    assert world.route53.requests["submit"] == sent


async def test_what_is_only_observed_can_never_be_claimed() -> None:
    """The last door before a write: whoever comes that far has broken the program."""
    world = observed()
    await world.publish(WWW)
    cycle, item = world.az(), await world.item()
    progress = await cycle._enacting.begin(world.task, item.head_id, None, None)
    with pytest.raises(BrokenInvariant, match="only observed"):
        await cycle._enacting.first(progress, item)
    assert (await world.item()).claimed == 0


def daemons(world: World, azs: Iterable[str]) -> list[EnactorDaemon]:
    """Enactors of some AZs, all alive."""
    board, made = FakeBoard(), []
    for number, az in enumerate(azs):
        daemon = EnactorDaemon(world.outside(number + 50), board, az=az, azs=AZS, pace=PACE)
        daemon.admit(world.task)
        made.append(daemon)
    return made


async def passed(world: World, running: list[EnactorDaemon], passes: int) -> None:
    """Passes of all, two seconds apart."""
    for _ in range(passes):
        for daemon in running:
            await daemon.run_once()
            await daemon.finish()
        world.clock.advance(2.0)


async def test_one_event_a_change_and_not_one_a_cycle() -> None:
    """An hour of three enactors: each change is logged once, and again when it is another."""
    world = observed(WWW)
    await world.publish(a("www.example.com", "192.0.2.9"), API)
    running = daemons(world, AZS)
    with structlog.testing.capture_logs() as logs:
        await passed(world, running, 600)
        world.route53.edit(world.zone, ("CREATE", API))
        await passed(world, running, 100)
    az = next(one["az"] for one in logs if one["event"] == "would_change_in_all" and not one["new"])
    told = [one for one in logs if one.get("az") == az]
    events = [one for one in told if one["event"] == "would_change"]
    assert [(one["name"], one["wanted"], one["standing"]) for one in events] == [
        ("api.example.com.", "A 60 192.0.2.2", "nothing"),
        ("www.example.com.", "A 60 192.0.2.9", "A 60 192.0.2.1"),
    ]
    counts = [one["count"] for one in told if one["event"] == "would_change_in_all"]
    assert counts == [2, 1]
    assert len([one for one in told if one["event"] == "zone_held"]) == 2
    assert world.route53.requests["submit"] == 0


async def test_only_the_first_living_az_looks() -> None:
    """Three would see the same: a page a minute, not three."""
    world = observed(WWW)
    await world.publish(API)
    await passed(world, daemons(world, AZS), 300)
    assert 8 <= world.route53.requests["list_page"] <= 20


async def test_a_long_listing_is_followed_by_a_longer_rest() -> None:
    """A zone of many pages spends a fifth of the time at most."""
    world, took_s = observed(WWW), 100.0
    await world.publish(API)
    world.route53.after_page = lambda: world.clock.advance(took_s)
    began_s = world.clock.elapsed_s()
    await passed(world, daemons(world, AZS[:1]), 1_000)
    spent_s = world.route53.requests["list_page"] * took_s
    assert spent_s / (world.clock.elapsed_s() - began_s) < 0.25


async def test_a_cname_in_the_way_is_shown_and_is_not_nothing() -> None:
    """A type of its own that no plan states keeps the stated one out all the same."""
    world = observed(cname("www.example.com", "theirs.example.net."))
    await world.publish(WWW)
    held = await looked(world)
    assert (
        "www.example.com. A: wanted A 60 192.0.2.1; standing CNAME 300 theirs.example.net."
        in held.text
    )


def test_two_members_of_a_name_never_look_alike() -> None:
    """Identifier and policy are shown with the value."""
    ways = (Weighted(3), Latency("eu-west-1"), Failover("PRIMARY"), Geolocation("NA", None, None))
    members = [structs.replace(WWW, set_id="one", routing=way) for way in ways]
    assert [in_words([one]) for one in members] == [
        "A 60 192.0.2.1 (one, weight 3)",
        "A 60 192.0.2.1 (one, latency eu-west-1)",
        "A 60 192.0.2.1 (one, failover PRIMARY)",
        "A 60 192.0.2.1 (one, geolocation NA)",
    ]
