"""CNAMEs and aliases: present, and nothing behind them; and the control API's word for it."""

import pytest

from dnsplan.names import Name
from dnsplan.records import AliasTarget, RecordSet
from sentinel.rules.findings import Finding
from sentinel.rules.watched import Expected, WatchedName
from tests.unit.sentinel.virtual import in_virtual_time
from tests.unit.sentinel.world import (
    FakeControl,
    FakeServers,
    World,
    answering,
    gone,
    page_id,
    shop,
    world,
)

CNAME = Expected("CNAME", ("A", "AAAA"), through=True)


def test_a_cname_whose_target_is_gone_is_dangling() -> None:
    """The CNAME itself is there; what counts is that nothing is behind it."""

    async def run() -> None:
        target = shop(1)[0]
        www = WatchedName("shop", target.zone, Name(f"www.{target.zone}"), (CNAME,))
        records = {**answering([target]), (www.name, "CNAME"): (str(target.name),)}
        made = World([target, www], FakeServers(records))
        await made.run(70.0, (40.0, lambda: made.servers.records.pop((target.name, "A"))))
        found = {one.page_id: one.facts["verdict"] for one in made.notices}
        assert found == {
            page_id(target.key): [{"type": "A", "finding": "nxdomain", "partly": False}],
            page_id(www.key): [{"type": "CNAME", "finding": "dangling", "partly": False}],
        }

    in_virtual_time(run)


def test_a_cname_to_an_ipv6_name_is_well() -> None:
    """What has no A is asked for AAAA before anything is said."""

    async def run() -> None:
        zone = Name("shop.example.")
        www = WatchedName("shop", zone, Name(f"www.{zone}"), (CNAME,))
        records = {(www.name, "CNAME"): (f"six.{zone}",), (Name(f"six.{zone}"), "AAAA"): ("::1",)}
        made = World([www], FakeServers(records))  # type: ignore[arg-type]  # names as texts
        await made.run(60.0)
        assert made.told() == []

    in_virtual_time(run)


def test_a_dangling_alias_is_told_from_an_empty_answer_by_the_control_api() -> None:
    """The second opinion names the target that is missing."""

    async def run() -> None:
        made = world(3, control=FakeControl())
        name = made.names[1].name
        target = Name("gone.shop.example.")
        alias = RecordSet(name, "A", None, (), alias=AliasTarget("ZSHOP", target, False))
        assert made.control is not None
        made.control.sets[name] = [alias]
        await made.run(60.0, (40.0, lambda: gone(made, 1, Finding.NODATA)))
        assert made.notices[0].title.endswith("has no answers: A dangling")
        assert "an alias to gone.shop.example., which is not in the zone" in made.notices[0].text
        assert ("shop", target) in made.control.asked

    in_virtual_time(run)


@pytest.mark.parametrize(
    "control", [FakeControl(failure="list shop: denied"), FakeControl(hanging=True)]
)
def test_a_control_api_that_fails_or_hangs_delays_no_page(control: FakeControl) -> None:
    """The name servers alone decide, and in the same time."""

    async def run() -> None:
        made = world(control=control)
        at_s = 43.7
        await made.run(at_s + 25.0, (at_s, lambda: gone(made, 3, Finding.NODATA)))
        took_s = made.paged_at_s(page_id(made.names[3].key)) - at_s
        assert took_s <= made.pace.found_within_s
        assert "the control API was not heard: list " in made.notices[0].text

    in_virtual_time(run)
