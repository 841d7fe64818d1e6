"""What the daemons of a sandbox meet: the zones of the config, and two views of the same fence."""

import asyncio
import os
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from dnsplan.errors import FenceDamaged
from dnsplan.fence import FenceRecord, NoFence, SeenFence, to_record_set
from dnsplan.names import Name
from dnsplan.plan import Digest, Generation
from dnsplan.ports import FenceReader, Zone
from dnsplan.runtime.config import load
from dnsplan.runtime.status.collect import ZoneAsked
from dnsplan.runtime.status.sources import open_sources
from enactor.adapters.exceptions import open_held
from sandbox.route53.model import StoredRecordSet
from sandbox.run.answers import NO_ANSWER, ask
from sandbox.run.world import World, open_world

CONFIG = """\
azs: [use1-az1]
zones:
  public: {name: example.com, names: {www: {records: [{type: A, ttl_s: 60, values: [192.0.2.1]}]}}}
  inside: {name: example.com, private: true, id: Z0INSIDE, names: {}}
  stated: {name: example.org, id: Z0STATED, names: {}}
"""
FENCE = FenceRecord(
    generation=Generation(7),
    step=1,
    steps=2,
    base=Generation(6),
    held=0,
    owner="o1",
    writer="use1-az2",
    nonce="f00d",
    digest=Digest("d7"),
)
ASKED = Zone("stated", "Z0STATED", Name("example.org."))


@pytest.fixture
async def readers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[tuple[World, FenceReader]]:
    """A world with the zones of the config, and the adapter that status uses on AWS."""
    path = tmp_path / "dns.yaml"
    path.write_text(CONFIG)
    settings = load(path, {}).settings
    async with open_world() as world:
        await world.make_zones(list(settings.zones.items()))
        async with open_sources(settings, open_held) as sources:
            yield world, sources.fences


def put_fence(world: World, value: str) -> None:
    """Place a fence record unjudged."""
    record = StoredRecordSet("_dnsplan.example.org.", "TXT", ttl=60, values=(value,))
    world.stand_in.route53.load(ASKED.zone_id, [record])


async def test_zones_are_made_as_the_config_states_them(
    readers: tuple[World, FenceReader],
) -> None:
    """Name, visibility and id; where no id is stated, one of Route 53's making."""
    world, _ = readers
    made = {label: world.stand_in.route53.zone(one) for label, one in world.zone_ids.items()}
    assert {label: (zone.name, zone.private) for label, zone in made.items()} == {
        "public": ("example.com.", False),
        "inside": ("example.com.", True),
        "stated": ("example.org.", False),
    }
    assert (world.zone_ids["inside"], world.zone_ids["stated"]) == ("Z0INSIDE", "Z0STATED")
    assert world.zone_ids["public"].startswith("Z")


async def test_status_finds_the_same_zone_by_name(tmp_path: Path) -> None:
    """A zone without an id is found by name and visibility, not mixed with its namesake."""
    path = tmp_path / "dns.yaml"
    path.write_text(CONFIG)
    settings = load(path, {}).settings
    async with open_world() as world:
        await world.make_zones(list(settings.zones.items()))
        async with open_sources(settings, open_held) as sources:
            asked = ZoneAsked("public", Name("example.com."), None)
            assert await sources.find_zone_id(asked) == world.zone_ids["public"]


async def test_both_readers_see_the_same_fence(readers: tuple[World, FenceReader]) -> None:
    """The sandbox looks into the stand-in, status asks its API: one answer."""
    world, aws = readers
    expected = (NoFence.MISSING, NoFence.MISSING)
    assert expected == (await world.read_fence(ASKED), await aws.read_fence(ASKED))
    record = to_record_set(FENCE, ASKED.name)
    put_fence(world, record.values[0])
    seen = SeenFence(FENCE, record)
    assert (seen, seen) == (await world.read_fence(ASKED), await aws.read_fence(ASKED))


async def test_both_readers_call_a_damaged_fence_damaged(
    readers: tuple[World, FenceReader],
) -> None:
    """Neither takes it for none."""
    world, aws = readers
    put_fence(world, '"dnsplan/1 generation=x"')
    for reader in (world, aws):
        with pytest.raises(FenceDamaged):
            await reader.read_fence(ASKED)


async def test_the_two_dns_views_share_the_zones(readers: tuple[World, FenceReader]) -> None:
    """A private zone is answered in the private view alone."""
    world, _ = readers
    record = StoredRecordSet("db.example.com.", "A", ttl=60, values=("10.0.0.1",))
    world.stand_in.route53.load("Z0INSIDE", [record])
    answers = await asyncio.gather(
        ask(world.private.address, "db.example.com.", "A"),
        ask(world.public.address, "db.example.com.", "A"),
    )
    assert list(answers) == [("10.0.0.1",), (NO_ANSWER,)]


async def test_the_environment_of_aws_comes_back(monkeypatch: pytest.MonkeyPatch) -> None:
    """A profile that nobody has would fail the stand-in; afterwards it is there again."""
    monkeypatch.setenv("AWS_PROFILE", "nobody-has-this")
    async with open_world() as world:
        assert "AWS_PROFILE" not in os.environ
        assert os.environ["AWS_ENDPOINT_URL"] == world.stand_in.endpoint_url
    assert os.environ["AWS_PROFILE"] == "nobody-has-this"
    assert "AWS_ENDPOINT_URL" not in os.environ
