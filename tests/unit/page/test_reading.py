"""What a page knows of the table: all that is there, and the last of it when the table is gone."""

from msgspec import structs

from dnsplan.plan import Generation, NameLedger
from dnsplan.ports import ZoneSighting
from dnsplan.runtime.page.model import Hold
from tests.fakes.world import a
from tests.unit.page.desk import WWW, Desk


async def test_a_zone_in_sync_with_its_names() -> None:
    """Generations, AZs, names with their answers, and the verdict that operators read."""
    desk = Desk()
    ledger = (NameLedger(a(WWW, "192.0.2.1").name, "A", 3, 2, ()),)
    await desk.world.publish(a(WWW, "192.0.2.1", "192.0.2.2"), ledger=ledger)
    await desk.enact()
    await desk.reading.run_once()
    ((zone,), more) = desk.view.zones()
    (name,) = zone.names
    assert (more, zone.standing, zone.reasons) == (0, "in sync", ())
    assert (zone.head, zone.claimed, zone.applied, zone.floor) == (1, 1, 1, 0)
    assert [(one.az, one.generation) for one in zone.azs] == [("az1", 1), ("az2", 1)]
    assert (name.name, name.type, name.ttl_s) == ("www.example.com.", "A", 60)
    assert name.answers == ("192.0.2.1", "192.0.2.2")
    assert (name.targets_healthy, name.targets_all) == (2, 3)


async def test_the_names_are_those_of_the_plan_that_stands() -> None:
    """A plan that is published and not applied changes no answer, and is on its way."""
    desk = Desk()
    await desk.world.publish(a(WWW, "192.0.2.1"))
    await desk.enact()
    await desk.reading.run_once()
    await desk.world.publish(a(WWW, "192.0.2.9"))
    await desk.reading.run_once()
    ((zone,), _) = desk.view.zones()
    assert (zone.standing, zone.names[0].answers) == ("behind", ("192.0.2.1",))
    assert [(one.generation, one.applied_s is None) for one in zone.stages] == [
        (2, True),
        (1, False),
    ]
    await desk.enact()
    await desk.reading.run_once()
    ((zone,), _) = desk.view.zones()
    assert (zone.standing, zone.names[0].answers) == ("in sync", ("192.0.2.9",))
    assert [generation for generation, _ in desk.applied] == [1, 2]


async def test_a_daemon_that_starts_between_two_plans_knows_what_stands() -> None:
    """It finds the applied plan by the fence text of its item."""
    desk = Desk()
    await desk.world.publish(a(WWW, "192.0.2.1"))
    await desk.enact()
    await desk.world.publish(a(WWW, "192.0.2.9"))
    await desk.reading.run_once()
    ((zone,), _) = desk.view.zones()
    assert zone.names[0].answers == ("192.0.2.1",)


async def test_the_last_known_state_stays_when_the_table_is_gone() -> None:
    """With when it was read, why it is not now, and since when."""
    desk = Desk()
    await desk.world.publish(a(WWW, "192.0.2.1"))
    await desk.enact()
    await desk.reading.run_once()
    read_s = desk.world.clock.now_s()
    before = desk.view.zones()
    desk.world.table.reachable = False
    for _ in range(2):
        desk.world.clock.advance(10.0)
        await desk.reading.run_once()
    source = desk.reading.source()
    assert desk.view.zones() == before
    assert (source.read_s, source.failing_since_s) == (read_s, read_s + 10.0)
    assert source.failing
    desk.world.table.reachable = True
    await desk.reading.run_once()
    assert desk.reading.source().failing is None


async def test_what_is_past_is_not_called_late() -> None:
    """An hour without the table: it stood as it stood, and no AZ was silent then."""
    desk = Desk()
    await desk.world.publish(a(WWW, "192.0.2.1"))
    await desk.enact()
    await desk.reading.run_once()
    before = desk.view.zones()
    desk.world.table.reachable = False
    desk.world.clock.advance(3_600.0)
    await desk.reading.run_once()
    assert desk.view.zones() == before


async def test_another_config_is_shown_with_its_zones() -> None:
    """A zone that comes is read with the next pass, one that goes is gone, one that stays stays."""
    desk = Desk()
    await desk.world.publish(a(WWW, "192.0.2.1"))
    await desk.enact()
    await desk.reading.run_once()
    zone = {"name": "example.com", "names": {}}
    stated = {"azs": ["az1", "az2"], "zones": {"new": zone, "shop": zone}}

    def standings() -> list[tuple[str, str]]:
        return [(one.label, one.standing) for one in desk.view.zones()[0]]

    desk.follow(stated)
    assert standings() == [("new", "not seen yet"), ("shop", "in sync")]
    await desk.reading.run_once()
    assert standings() == [("new", "behind"), ("shop", "in sync")]
    desk.follow({**stated, "zones": {"new": zone}})
    await desk.reading.run_once()
    assert standings() == [("new", "behind")]
    assert list(desk.reading.zones) == ["new"]


async def test_the_board_alone_gone_is_said_as_well() -> None:
    """The zones go on being read."""
    desk = Desk()
    await desk.reading.run_once()
    await desk.world.publish(a(WWW, "192.0.2.1"))
    desk.board.fails = True
    await desk.reading.run_once()
    ((zone,), _) = desk.view.zones()
    assert (zone.head, desk.reading.source().failing) == (1, "the board cannot be read")


async def test_who_holds_and_why() -> None:
    """Others' holds come by their signs of life; this daemon's own comes with its command."""
    desk = Desk()
    await desk.world.publish(a(WWW, "192.0.2.1"))
    label, now_s = desk.world.label, desk.now_s()
    for az in ("az1", "az2"):
        desk.sign(az, ZoneSighting(label, Generation(0), 0, f"frozen, says {az}", now_s))
    await desk.reading.run_once()
    own = Hold("enactor az1", "frozen", "frozen by op", "dns-runbook thaw shop op", 5.0)
    desk.view.holds = lambda _label: (own,)
    ((zone,), _) = desk.view.zones()
    others = Hold("enactor az2", "", "frozen, says az2", f"dns-runbook explain {label}", None)
    assert zone.holds == (own, others)
    assert zone.standing == "held"


async def test_a_quiet_page_stays_equal() -> None:
    """What watches is told news only: time that passes is none."""
    desk = Desk()
    await desk.world.publish(a(WWW, "192.0.2.1"))
    await desk.enact()
    await desk.reading.run_once()
    before = desk.view.zones()
    desk.world.clock.advance(20.0)
    await desk.reading.run_once()
    assert desk.view.zones() == before


async def test_a_zone_whose_item_is_gone_starts_over() -> None:
    """Nothing of what was known is shown as if it stood."""
    desk = Desk()
    await desk.world.publish(a(WWW, "192.0.2.1"))
    await desk.enact()
    await desk.reading.run_once()
    desk.world.table.restore({}, incarnation="table-2")
    await desk.reading.run_once()
    ((zone,), _) = desk.view.zones()
    assert (zone.head, zone.names, zone.stages) == (None, (), ())
    assert structs.asdict(zone)["label"] == desk.world.label
