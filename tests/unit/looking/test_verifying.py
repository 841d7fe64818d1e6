"""Plan, zone and name servers: in sync when all three say the same, else all three are told."""

import pytest

from dnsplan.names import parse_name
from dnsplan.ports import Zone
from dnsplan.records import RecordSet
from dnsplan.runtime.status.model import Unread
from runbooks.auditing.looking import CannotAudit
from runbooks.controls.outside import Mistaken
from runbooks.verifying.command import exit_code
from runbooks.verifying.show import verify_facts, verify_lines
from runbooks.verifying.verifying import Verification, Verifying
from tests.fakes.world import World, a
from tests.unit.looking.hands import FakeAsker, applied, asking, eyes_on

WWW, API = a("www.example.com", "192.0.2.1"), a("api.example.com", "192.0.2.3")
OTHER = a("www.example.com", "203.0.113.66")
UNREAD = Unread("shop", "its name servers", "no resolver")


def quiet(_done: int, _about: int) -> None:
    """No terminal."""


class Place:
    """Two names applied, two servers that answer them."""

    def __init__(self) -> None:
        self.world = World()
        self.asker = FakeAsker()

    async def settle(self, *content: RecordSet) -> None:
        """Publish and apply."""
        content = content or (WWW, API)
        await self.world.publish(*content)
        await applied(self.world)
        for host in ("s1", "s2"):
            for one in content:
                self.asker.answers(host, one.name, one.type, *one.values)

    async def verify(
        self, name: str | None = None, *, asked_max: int = 100, blind: bool = False
    ) -> Verification:
        """Verify it."""
        zone: Zone = self.world.zone
        verifying = Verifying(eyes_on(self.world), zone, quiet)
        servers = UNREAD if blind else asking(self.asker, "s1", "s2")
        wanted = None if name is None else parse_name(name)
        return await verifying.verify(servers, name=wanted, asked_max=asked_max)


@pytest.fixture
async def place() -> Place:
    """All is well."""
    made = Place()
    await made.settle()
    return made


async def test_all_three_say_the_same(place: Place) -> None:
    """In sync, for a name and for all."""
    for name in (None, "www.example.com"):
        found = await place.verify(name)
        assert exit_code(found) == 0
        count = 2 if name is None else 1
        units = "1 name and type" if count == 1 else "2 names and types"
        assert list(verify_lines("shop", found)) == [
            f"shop generation 1, {units}, 2 name servers: in sync"
        ]


@pytest.mark.parametrize("name", [None, "www.example.com"])
async def test_what_stands_otherwise_is_told_with_all_three_values(
    place: Place, name: str | None
) -> None:
    """A foreign hand wrote the zone; one server has its records already."""
    place.world.route53.edit(place.world.zone, ("UPSERT", OTHER))
    place.asker.answers("s2", "www.example.com", "A", "203.0.113.66")
    found = await place.verify(name)
    assert exit_code(found) == 1
    lines = list(verify_lines("shop", found))
    assert lines[:4] == [
        "shop www.example.com. A planned A 60 192.0.2.1",
        "shop www.example.com. A standing A 60 203.0.113.66",
        "shop www.example.com. A answered by s1: 192.0.2.1 ttl 60",
        "shop www.example.com. A answered by s2: 203.0.113.66 ttl 60",
    ]
    assert lines[-1].endswith("dns-runbook audit shop")


async def test_a_server_that_lags_is_a_difference(place: Place) -> None:
    """The zone is right and a client may still get the old answer."""
    place.asker.answers("s2", "www.example.com", "A", "192.0.2.99")
    found = await place.verify()
    assert exit_code(found) == 1
    assert "shop www.example.com. A standing A 60 192.0.2.1" in list(verify_lines("shop", found))
    facts = verify_facts("shop", found)
    assert facts["in_sync"] is False


async def test_an_empty_answer_is_a_difference(place: Place) -> None:
    """NOERROR with nothing in it."""
    place.asker.answers("s1", "www.example.com", "A")
    found = await place.verify("www.example.com")
    assert "shop www.example.com. A answered by s1: nodata" in list(verify_lines("shop", found))
    assert exit_code(found) == 1


async def test_one_lost_packet_is_no_verdict(place: Place) -> None:
    """It is asked once more, and no more than that."""
    key = ("s1", parse_name("www.example.com"), "A")
    place.asker.lost.add(key)
    assert exit_code(await place.verify()) == 0
    assert place.asker.asked.count(key) == 2


async def test_a_server_that_is_silent_is_not_asked_for_every_name(place: Place) -> None:
    """A thousand names times two seconds would be an hour."""
    many = [a(f"h{n:03d}.example.com", "192.0.2.1") for n in range(100)]
    await place.settle(*many, WWW, API)
    place.asker.replies = {key: one for key, one in place.asker.replies.items() if key[0] == "s1"}
    found = await place.verify(asked_max=1_000)
    asked = [key for key in place.asker.asked if key[0] == "s2"]
    assert len(asked) < 3 * 52  # those that wait already are asked their first time
    assert len([key for key in place.asker.asked if key[0] == "s1"]) == 102
    assert exit_code(found) == 1


async def test_without_name_servers_plan_and_zone_are_compared_all_the_same(place: Place) -> None:
    """And it is said that nobody was asked, which is no "in sync" unless nobody was to be."""
    found = await place.verify(blind=True)
    stands = "0 name servers: stands as planned, answers are not known"
    assert list(verify_lines("shop", found)) == [
        f"shop generation 1, 2 names and types, {stands}",
        "shop no name server was asked: shop: its name servers could not be read: no resolver",
    ]
    assert (exit_code(found), verify_facts("shop", found)["in_sync"]) == (1, False)
    assert exit_code(await place.verify(blind=True, asked_max=0)) == 0


async def test_beyond_the_limit_nobody_is_asked_and_that_is_said(place: Place) -> None:
    """The zone is compared whole."""
    found = await place.verify(asked_max=1)
    assert len(place.asker.asked) == 2
    assert found.not_asked == 1
    assert any("1 name and type more; --limit" in line for line in verify_lines("shop", found))


async def test_a_name_that_is_held_is_told_apart(place: Place) -> None:
    """Exit 3: the difference is known, and why."""
    world = place.world
    world.route53.edit(world.zone, ("CREATE", a("new.example.com", "203.0.113.9")))
    await world.publish(WWW, API, a("new.example.com", "192.0.2.5"))
    await applied(world)
    for host in ("s1", "s2"):
        place.asker.answers(host, "new.example.com", "A", "203.0.113.9")
    found = await place.verify("new.example.com")
    assert exit_code(found) == 3
    assert any(
        "held it exists with records that no plan" in one for one in verify_lines("shop", found)
    )
    whole = await place.verify()
    assert exit_code(whole) == 3
    assert "shop new.example.com. A standing A 60 203.0.113.9" in list(verify_lines("shop", whole))


async def test_what_no_plan_manages_is_a_mistake_and_no_plan_is_no_comparison(place: Place) -> None:
    """Each with what to do."""
    with pytest.raises(Mistaken, match=r"manages no x\.example\.com\. in generation 1"):
        await place.verify("x.example.com")
    with pytest.raises(Mistaken, match=r"generation 1; nearest: www\.example\.com\.$"):
        await place.verify("wwww.example.com")
    with pytest.raises(CannotAudit, match="dns-runbook explain shop"):
        await Place().verify("www.example.com")
    place.world.archive.reachable = False
    with pytest.raises(CannotAudit, match="plan 1 of shop cannot be read"):
        await place.verify("www.example.com")
