"""A changed config goes out in waves: through whole passes, on strict fakes."""

from dataclasses import replace

from msgspec import structs
from structlog.testing import capture_logs

from dnsplan.normal import normal_form
from dnsplan.plan import Generation, Waiver
from dnsplan.records import RecordSet
from dnsplan.waivers import Offer, encoded
from planner.reporting import PlanLog
from planner.rules.outcomes import Held, HoldRule, Pending, Published, Refused, Unchanged, Waiting
from planner.rules.waves import OpenPage
from tests.unit.planner.cases import ZONE, a, healthy, member, pool, sick, sight
from tests.unit.planner.waves_world import NAME, SENTINEL, WaveWorld, answering, waves, worded


async def test_canaries_go_first_and_the_others_by_window() -> None:
    """The canary at once, nobody else until it was seen to bake, and then two zones a window."""
    world, how = WaveWorld(), waves("c")
    planner = await world.started(how)
    for _ in range(150):
        await world.versions(planner, 2, how)
        world.enact()
        world.clock.advance(10)
    first_s = world.turns[0][0]
    assert [(at_s - first_s, label) for at_s, label in world.turns] == [
        (0, "c"),
        (610, "a"),
        (610, "b"),
        (920, "d"),
        (920, "e"),
    ]


async def test_without_waves_a_change_goes_at_once() -> None:
    """In every zone, in one pass."""
    world = WaveWorld()
    planner = await world.started(None)
    await world.versions(planner, 2, None)
    assert set((await world.values()).values()) == {"2"}


async def test_who_waits_says_for_what_with_numbers_and_commands() -> None:
    """Rule, measured number, limit, name, and the command that lifts it."""
    world, how = WaveWorld(), waves("c", zones=1)
    planner = await world.started(how)
    await world.versions(planner, 2, how)
    world.enact()
    await world.versions(planner, 2, how)
    world.clock.advance(77)
    reports = await world.versions(planner, 2, how)
    over = "to let a go at once: dns-runbook waive a wave --because TEXT"
    assert reports["a"].outcome == Waiting(
        f"wave: canary c bakes: 77 s of bake_s 600; {over}", "wave", "dns-runbook explain c"
    )
    world.clock.advance(600)
    reports = await world.versions(planner, 2, how)
    assert isinstance(reports["a"].outcome, Published)
    text = "zones that went within window_s 300: 1; limit: zones_per_window 1; the next in 301 s"
    over = "to let b go at once: dns-runbook waive b wave --because TEXT"
    assert reports["b"].outcome == Waiting(f"wave: {text}; {over}", "wave", "dns-runbook status")


async def test_an_evacuation_never_waits() -> None:
    """While a zone waits its sick target goes at once, comes back at once, and what the config
    changed goes out with its turn alone."""
    world, how = WaveWorld(labels=("a", "c")), waves("c")
    unit = pool("a", "b", "c", "d")
    more = pool("a", "b", "c", member("e"))
    before = [worded(label, "c1", unit) for label in world.labels]
    after = [worded(label, "c2", replace(more, ttl_s=60)) for label in world.labels]
    good = sight(a=healthy(), b=healthy(), c=healthy(), d=healthy(), e=healthy())
    b_sick = sight(a=healthy(), b=sick(), c=healthy(), d=healthy(), e=healthy())
    planner = world.waver()
    await world.plan(planner, before, how, view=good)
    world.enact()
    world.clock.advance(10_000)
    await world.plan(planner, after, how, view=good)
    assert {one.set_id for one in (await world.newest("c")).content} == set("abce")

    async def ids() -> tuple[list[str | None], set[int | None]]:
        content = (await world.newest("a")).content
        return [one.set_id for one in content], {one.ttl_s for one in content}

    reports = await world.plan(planner, after, how, view=good)
    assert isinstance(reports["a"].outcome, Waiting)
    reports = await world.plan(planner, after, how, view=b_sick)
    assert isinstance(reports["a"].outcome, Published)
    assert await ids() == (["a", "c", "d"], {30})
    fresh = world.waver()
    await world.plan(fresh, after, how, view=good)
    assert await ids() == (["a", "b", "c", "d"], {30})


async def test_a_stop_lasts_until_it_is_over_for_the_bake_time() -> None:
    """An enactor that holds a changed zone stops the wave for all others."""
    world, how = WaveWorld(), waves("c")
    planner = await world.started(how)
    await world.versions(planner, 2, how)
    world.enact()
    await world.sign("c", holding="guardrail: x")
    reports = await world.versions(planner, 2, how)
    outcome = reports["a"].outcome
    assert isinstance(outcome, Held)
    assert outcome.rule is HoldRule.WAVE
    assert outcome.text.startswith("wave: stopped by c: enactor az1 holds: guardrail: x; ")
    await world.sign("c")
    world.clock.advance(599)
    reports = await world.versions(planner, 2, how)
    assert "(over for 599 s of bake_s 600)" in reports["a"].waits
    world.clock.advance(1)
    await world.versions(planner, 2, how)
    assert [label for _, label in world.turns] == ["c", "a", "b"]


async def test_a_zone_read_back_otherwise_stops_the_wave() -> None:
    """What the enactor read back and was not what the plan states counts as drift."""
    world, how = WaveWorld(), waves()
    planner = await world.started(how)
    await world.versions(planner, 2, how)
    world.enact()
    await world.sign("a", drift="x.example.com. A has no records, 192.0.2.2 is planned")
    world.clock.advance(301)
    await world.sign("a", drift="x.example.com. A has no records, 192.0.2.2 is planned")
    reports = await world.versions(planner, 2, how)
    assert "stopped by a: enactor az1 saw drift: x.example.com. A has no" in reports["d"].waits
    assert [label for _, label in world.turns] == ["a", "b"]


async def test_a_change_back_is_not_stuck_behind_the_stop() -> None:
    """What took its turn goes back at once, all of it; trying the same again waits as ever."""
    world, how = WaveWorld(), waves("c", zones=1)
    planner = await world.started(how)
    await world.versions(planner, 2, how)
    await world.sign("c", holding="guardrail: x")
    await world.versions(planner, 2, how)
    assert (await world.values())["c"] == "2"
    reports = await world.versions(planner, 1, how)
    assert isinstance(reports["c"].outcome, Published)
    assert set((await world.values()).values()) == {"1"}
    reports = await world.versions(planner, 2, how)
    assert "went within window_s" in reports["c"].waits


async def test_the_zone_that_stops_a_wave_may_be_mended() -> None:
    """A third wording goes out to it, and to no other."""
    world, how = WaveWorld(), waves("c")
    planner = await world.started(how)
    await world.versions(planner, 2, how)
    await world.sign("c", holding="guardrail: x")
    await world.versions(planner, 3, how)
    assert await world.values() == {"a": "1", "b": "1", "c": "3", "d": "1", "e": "1"}


async def test_any_planner_goes_on_with_a_wave() -> None:
    """One that was started anew knows from the plans which zone went when."""
    world, how = WaveWorld(), waves("c")
    await world.started(how)
    for _ in range(150):
        await world.versions(world.waver(), 2, how)
        world.enact()
        world.clock.advance(10)
    first_s = world.turns[0][0]
    at = [(at_s - first_s, label) for at_s, label in world.turns]
    assert at == [(0, "c"), (600, "a"), (600, "b"), (900, "d"), (900, "e")]


async def test_a_clock_that_jumps_hurries_nobody_who_saw_the_turn() -> None:
    """And one that was set back keeps nobody waiting for longer than the time that it saw pass."""
    world, how = WaveWorld(labels=("a", "c")), waves("c")
    planner = await world.started(how)
    await world.versions(planner, 2, how)
    world.enact()
    await world.versions(planner, 2, how)
    world.clock._wall_s += 100_000
    reports = await world.versions(planner, 2, how)
    assert "0 s of bake_s 600" in reports["a"].waits
    world.clock._wall_s -= 500_000
    fresh = world.waver()
    await world.versions(fresh, 2, how)
    world.clock.advance(599)
    assert (await world.versions(fresh, 2, how))["a"].waits
    world.clock.advance(1)
    await world.versions(fresh, 2, how)
    assert set((await world.values()).values()) == {"2"}


async def test_the_sentinel_is_asked_while_a_zone_waits() -> None:
    """One that pages for a changed zone or is silent stops the wave; nobody asks without need."""
    world, how = WaveWorld(), waves("c", sentinel=SENTINEL)
    planner = await world.started(how)
    assert world.sentinel.asked == 0
    world.sentinel.away = True
    reports = await world.versions(planner, 2, how)
    silent = f"wave: the sentinel at {SENTINEL} does not say that all is well: no answer in 3 s"
    assert all(one.waits.startswith(silent) for one in reports.values())
    world.sentinel.away = False
    await world.versions(planner, 2, how)
    world.enact()
    now_s = world.clock.now_s()
    world.sentinel.open = [OpenPage("d", "older", now_s - 9), OpenPage("c", "no answer", now_s + 9)]
    world.clock.advance(601)
    reports = await world.versions(planner, 2, how)
    assert "stopped by c: the sentinel pages: no answer" in reports["a"].waits
    world.sentinel.open = world.sentinel.open[:1]
    world.clock.advance(601)
    await world.versions(planner, 2, how)
    assert (await world.values())["a"] == "2"


async def test_a_canary_that_was_paged_before_shows_nothing() -> None:
    """While its old page is open no new one would open for what the turn broke; so others wait."""
    world, how = WaveWorld(), waves("c", sentinel=SENTINEL)
    planner = await world.started(how)
    world.sentinel.open = [OpenPage("c", "no answer", world.clock.now_s() - 9_000)]
    await world.versions(planner, 2, how)
    world.enact()
    world.clock.advance(601)
    reports = await world.versions(planner, 2, how)
    assert "stopped by c: the sentinel pages: no answer" in reports["a"].waits
    assert (await world.values())["c"] == "2"
    world.sentinel.open = []
    world.clock.advance(601)
    await world.versions(planner, 2, how)
    assert (await world.values())["a"] == "2"


async def test_an_operator_lets_one_zone_go() -> None:
    """A waiver of `wave` is for one zone and one generation."""
    world, how = WaveWorld(), waves("c")
    planner = await world.started(how)
    item = world.table.items["e"]
    waiver = Waiver("wave", "operator", "the canary is broken", Generation(item.head + 1))
    offer = Offer(waiver, int(world.clock.now_s()) + 60)
    world.table.items["e"] = structs.replace(item, waivers=encoded([offer]))
    await world.versions(planner, 2, how)
    assert await world.values() == {"a": "1", "b": "1", "c": "2", "d": "1", "e": "2"}
    assert "wave waived by operator" in (await world.newest("e")).reason
    world.enact()
    await world.versions(planner, 3, how)
    assert (await world.values())["e"] == "2"


async def test_a_pinned_or_frozen_zone_holds_up_nobody_but_as_a_canary() -> None:
    """A zone that an operator holds in place speaks for nothing; a canary must show something."""
    world, how = WaveWorld(labels=("a", "b", "d")), waves(zones=1)
    planner = await world.started(how)
    world.table.items["a"] = structs.replace(world.table.items["a"], frozen="f1")
    for _ in range(6):
        await world.versions(planner, 2, how)
        world.enact("a")
        await world.sign("a", holding="frozen: f1")
        world.clock.advance(1_000)
    assert set((await world.values()).values()) == {"2"}
    how = waves("a")
    reports = await world.versions(planner, 3, how)
    assert isinstance(reports["a"].outcome, Published)
    reports = await world.versions(planner, 3, how)
    assert "canary a does not hold generation 3 yet: it is frozen (f1)" in reports["b"].waits
    assert isinstance(reports["b"].outcome, Held)


async def test_a_plan_that_no_config_made_keeps_nobody_waiting() -> None:
    """An operator's, or an older release's: the next change goes at once, and is told then."""
    world, how = WaveWorld(labels=("shop",)), waves()
    await world.begin(7)
    await world.plan(world.waver(), [answering("shop", 2)], how)
    turn = (await world.newest("shop")).turn
    assert turn is not None
    assert (turn.config, turn.before, turn.since_s) == ("c2", "", 0)


async def test_a_dry_pass_shows_who_would_go() -> None:
    """And writes nothing."""
    world, how = WaveWorld(), waves(zones=1)
    planner = await world.started(how)
    writes = len(world.table.writes)
    wishes = [answering(one, 2) for one in world.labels]
    reports = await world.plan(planner, wishes, how, may_write=False)
    kinds = [type(one.outcome) for one in reports.values()]
    assert kinds == [Pending, Waiting, Waiting, Waiting, Waiting]
    assert len(world.table.writes) == writes


async def test_a_wording_that_changes_nothing_publishes_nothing() -> None:
    """Another digest alone is no change, and takes no place in a window."""
    world, how = WaveWorld(labels=("a", "b")), waves(zones=1)
    planner = await world.started(how)
    same = [replace(answering("a", 1), wording=answering("a", 9).wording), answering("b", 2)]
    reports = await world.plan(planner, same, how)
    assert reports["a"].outcome == Unchanged(world.zone_at("a"))
    assert isinstance(reports["b"].outcome, Published)


async def test_growing_older_is_no_news() -> None:
    """Who waits is logged once, with what for, and again when that is another."""
    world, how = WaveWorld(labels=("a", "c")), waves("c")
    planner = await world.started(how)
    with capture_logs() as events:
        log = PlanLog(world.clock)
        for _ in range(3):
            log.tell(tuple((await world.versions(planner, 2, how)).values()))
            world.enact()
            world.clock.advance(100)
    waiting = [one for one in events if one["event"] == "plan_waiting"]
    assert [(one["zone"], one["rule"]) for one in waiting] == [("a", "wave")] * 2
    assert "canary c bakes: 0 s of bake_s 600" in waiting[1]["reason"]


async def test_health_comes_first_and_the_turn_in_a_later_pass() -> None:
    """One plan a pass; a canary that is busy with its health keeps the others waiting."""
    world, how = WaveWorld(labels=("a", "c")), waves("c")
    unit = pool("a", "b", "c", "d")
    before = [worded(label, "c1", unit) for label in world.labels]
    after = [worded(label, "c2", replace(unit, ttl_s=60)) for label in world.labels]
    good = sight(a=healthy(), b=healthy(), c=healthy(), d=healthy())
    planner = world.waver()
    await world.plan(planner, before, how, view=good)
    world.enact()
    world.clock.advance(10_000)
    b_sick = sight(a=healthy(), b=sick(), c=healthy(), d=healthy())
    ttls = []
    for _ in range(2):
        reports = await world.plan(planner, after, how, view=b_sick)
        ttls.append({one.ttl_s for one in (await world.newest("c")).content})
    assert [label for _, label in world.turns] == ["a", "c", "a", "c", "c"]
    assert ttls == [{30}, {60}]
    assert isinstance(reports["a"].outcome, Waiting)


async def test_a_zone_whose_plan_is_refused_takes_no_place() -> None:
    """The next zone goes instead, in the same pass; as a canary it keeps all others waiting."""
    for canaries, expected in ((), "2"), (("a",), "1"):
        world, how = WaveWorld(labels=("a", "b")), waves(*canaries, zones=1)
        planner = await world.started(how)
        theirs = normal_form(RecordSet(ZONE, "NS", 60, ("ns.example.net.",)))
        bad = worded("a", "c2", records=(a(NAME, "192.0.2.2"), theirs))
        reports = await world.plan(planner, [bad, answering("b", 2)], how)
        assert isinstance(reports["a"].outcome, Refused)
        assert (await world.values())["b"] == expected
    assert "canary a is not planned: hands_off" in reports["b"].waits
