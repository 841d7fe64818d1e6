"""Two writers of one zone: what is not ours stays, and a writer who is not the owner is told so."""

import asyncio

from msgspec import structs

from dnsplan.fence import to_record_set
from dnsplan.names import parse_name
from dnsplan.plan import Generation, Retirement
from dnsplan.records import RecordSet
from enactor.rules.drift import DRIFT_HELD
from enactor.rules.outcomes import Applied, Fenced, Held, HoldRule
from planner.rules.outcomes import Unchanged
from sandbox.aws.faults import LoseRequest, Where
from tests.cases.configs import pool_config, records_config
from tests.cases.stages import CHANGE, House, Wire
from tests.cases.unchanged import listed_without_change
from tests.fakes.table import FakeTable
from tests.fakes.world import a, cname

WWW, API = "www.example.com", "api.example.com"


def text(name: str, *values: str) -> RecordSet:
    """A TXT record set."""
    return RecordSet(parse_name(name), "TXT", 60, tuple(f'"{value}"' for value in values))


def another_deployment(house: House) -> None:
    """The same config and zone beside another table: a copy that somebody started."""
    house.table = FakeTable("table-2")
    house.restart_planner()


async def test_b11_two_instances_with_other_wishes_delete_nothing_of_each_other(
    house: House,
) -> None:
    """On one table each carries the other's names; on two, the second owns nothing here."""
    stated = "records: [{type: A, values: [192.0.2.1]}]"
    www, api = records_config(f"www: {{{stated}}}"), records_config(f"api: {{{stated}}}")
    house.configure(www)
    await house.turn()
    house.configure(api)
    await house.turn()
    both = {a(WWW, "192.0.2.1"), a(API, "192.0.2.1")}
    assert house.content() == both
    for config in (www, api, www):
        house.configure(config)
        assert (await house.turn()).outcome == Unchanged(Generation(2))
    another_deployment(house)
    await house.plan()
    held = await house.enact(house.az())
    assert isinstance(held, Held)
    assert (held.rule, house.content()) == (HoldRule.FOREIGN_OWNER, both)


async def test_b12_two_replicas_are_safe(wire: Wire) -> None:
    """Two enactors at once: each generation lands once, and the loser is told by the zone."""
    last = 10
    for generation in range(1, last + 1):
        await wire.publish(a(WWW, f"192.0.2.{generation}"))
        pair = wire.az("az1"), wire.az("az2")
        outcomes = await asyncio.gather(*map(wire.enact, pair))
        assert {type(one) for one in outcomes} == {Applied, Fenced}
        assert wire.content() == {a(WWW, f"192.0.2.{generation}")}
        assert (await wire.fence()).generation == generation


async def test_b13_an_owner_is_drawn_and_never_asked_for(house: House) -> None:
    """The same config on two tables makes two owners, so a copied tutorial shares nothing."""
    config = pool_config({"a": "192.0.2.1"})
    house.configure(config)
    await house.turn()
    first = await house.item()
    another_deployment(house)
    await house.plan()
    second = await house.item()
    assert first.owner != second.owner
    assert "owner" not in config
    held = await house.enact(house.az())
    assert isinstance(held, Held)
    assert held.rule is HoldRule.FOREIGN_OWNER
    assert first.owner in held.text


async def test_b14_a_foreign_mark_is_named_and_stays(wire: Wire) -> None:
    """A fence of another owner is not written over; the hold names it and the way to take over."""
    await wire.apply(a(WWW, "192.0.2.1"))
    theirs = structs.replace(await wire.fence(), owner="f" * 32)
    old = (await wire.records.list_name(wire.zone, parse_name("_dnsplan.example.com")))[0]
    new = to_record_set(theirs, wire.zone.name)
    wire.by_hand(("DELETE", old), ("CREATE", new))
    await wire.publish(a(WWW, "192.0.2.2"))
    held = await wire.enact(wire.az())
    assert isinstance(held, Held)
    assert (held.rule, held.command) == (HoldRule.FOREIGN_OWNER, "dns-runbook explain shop")
    assert "f" * 32 in held.text
    assert (await wire.fence(), wire.content()) == (theirs, {a(WWW, "192.0.2.1")})


async def test_b18_a_lost_update_is_seen(wire: Wire) -> None:
    """A stranger who turns a CNAME over is met by the next change, by name, and not in silence."""
    await wire.apply(cname(WWW, "one.example.net."))
    for turn, value in enumerate(("two.example.net.", "three.example.net."), 2):
        wire.by_hand(("UPSERT", cname(WWW, "theirs.example.net.")))
        outcome = await wire.apply(cname(WWW, value))
        assert isinstance(outcome, Applied)
        assert outcome.generation == turn
        assert outcome.notes == ("www.example.com. was changed by others: mended",)


async def test_b19_what_a_dead_writer_left_is_taken_over(wire: Wire) -> None:
    """Any AZ finishes, replaces and ends what another one wrote and did not live to note."""
    names = [a(f"h{n:04d}.example.com", "192.0.2.1") for n in range(1_100)]
    await wire.publish(*names)
    wire.aws.faults.arm(LoseRequest(), Where(operation=CHANGE, after=1))
    await wire.enact(wire.az("az1"))
    assert 0 < len(wire.content()) < len(names)
    assert isinstance(await wire.enact(wire.az("az2")), Applied)
    assert wire.content() == set(names)
    ended = tuple(Retirement(one.name, None, 2, "ann") for one in names[1:])
    assert isinstance(await wire.apply(names[0], retired=ended), Applied)
    assert wire.content() == {names[0]}


async def test_b44_nothing_of_others_goes_before_ours_comes(wire: Wire) -> None:
    """A foreign set at a wanted name survives, and the outcome is no success in silence."""
    await wire.apply(a(API, "192.0.2.9"))
    theirs = a(WWW, "203.0.113.7")
    wire.by_hand(("CREATE", theirs))
    outcome = await wire.apply(a(API, "192.0.2.8"), a(WWW, "192.0.2.1"))
    assert isinstance(outcome, Applied)
    assert (outcome.held, wire.content()) == (1, {a(API, "192.0.2.8"), theirs})
    assert (await wire.item()).last_known_good == 1


async def test_b44_a_first_plan_takes_over_no_record_in_silence(wire: Wire) -> None:
    """Where a wanted name stands before any plan of ours, nothing is sent and `adopt` is named."""
    theirs = a(WWW, "203.0.113.7")
    wire.by_hand(("CREATE", theirs))
    await wire.publish(a(WWW, "192.0.2.1"))
    held = await wire.enact(wire.az())
    assert isinstance(held, Held)
    assert (held.rule, held.command) == (HoldRule.FENCE_MISSING, "dns-runbook adopt shop")
    assert (wire.content(), wire.spent()[CHANGE]) == ({theirs}, 0)


async def test_b104_ending_a_text_takes_only_what_the_plan_had_at_that_name(wire: Wire) -> None:
    """A wildcard that leads to the apex makes none of the apex's texts ours."""
    wild, spf = cname("*.example.com", "example.com."), text("example.com", "v=spf1 -all")
    wire.by_hand(("CREATE", wild), ("CREATE", spf))
    challenge, keep = text("_acme-challenge.example.com", "token"), a(API, "192.0.2.9")
    await wire.apply(challenge, keep)
    ended = Retirement(challenge.name, "TXT", 2, "ann")
    assert isinstance(await wire.apply(keep, retired=(ended,)), Applied)
    assert wire.content() == {wild, spf, keep}


async def test_b105_a_value_that_another_writer_added_is_never_dropped_unseen(wire: Wire) -> None:
    """Our swap names the set as we knew it, so the other's value is met: held, or mended aloud."""
    name = "_acme-challenge.example.com"
    await wire.apply(text(name, "ours"))
    shared = text(name, "ours", "theirs")
    wire.by_hand(("UPSERT", shared))
    wire.task = structs.replace(wire.task, repair_drift=False)
    for value in ("ours-2", "ours-3"):
        held = await wire.apply(text(name, value))
        assert isinstance(held, Applied)
        assert held.notes == (f"{name}. held: {DRIFT_HELD}",)
        assert wire.content() == {shared}
    wire.task = structs.replace(wire.task, repair_drift=True)
    mended = await wire.apply(text(name, "ours-4"))
    assert isinstance(mended, Applied)
    assert mended.held == 0
    assert wire.content() == {text(name, "ours-4")}


async def test_b107_a_set_is_replaced_from_one_plan_and_never_merged(house: House) -> None:
    """Three targets become three others; once velocity has let them go, no old one is left."""
    old, new = ({key: f"192.0.2.{n + base}" for n, key in enumerate("abc")} for base in (10, 20))
    house.configure(pool_config(old))
    await house.turn()
    house.configure(pool_config(new))
    for _ in range(6):
        await house.turn()
        house.clock.advance(600)
    assert house.answers(WWW) == set(new.values())


async def test_b109_an_end_takes_what_the_plans_had_and_nothing_that_looks_like_it(
    wire: Wire,
) -> None:
    """Every set of the name goes, of every type; names that only look alike stay."""
    keep = a(API, "192.0.2.9")
    ours = [a(WWW, "192.0.2.1"), text(WWW, "of www"), text("a-www.example.com", "of a-www")]
    alike = [text("cname-www.example.com", "theirs"), a("www.www.example.com", "203.0.113.1")]
    await wire.apply(keep, *ours)
    wire.by_hand(*(("CREATE", one) for one in alike))
    names = {one.name for one in ours}
    ended = tuple(Retirement(name, None, 2, "ann") for name in sorted(names))
    assert isinstance(await wire.apply(keep, retired=ended), Applied)
    await listed_without_change(wire)
    assert (await wire.fence()).held == 0
    assert (wire.content(), wire.refusals()) == ({keep, *alike}, 0)
