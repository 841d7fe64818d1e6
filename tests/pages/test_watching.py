"""The judge of a room sees each promise broken that it watches, and lets a right batch pass."""

from dataclasses import replace
from pathlib import Path

import pytest
from msgspec import structs

from dnsplan.codec import seal
from dnsplan.fence import FenceRecord, to_record_set
from dnsplan.generation import GenerationItem
from dnsplan.names import Name
from dnsplan.outcomes import SubmitOutcome
from dnsplan.plan import SCHEMA, Digest, Generation, Plan
from dnsplan.ports import Zone
from dnsplan.records import RecordSet
from enactor.adapters.route53 import Route53Records
from enactor.rules.packing import ChangeBatch
from sandbox.route53.account import Route53Settings
from sandbox.route53.model import Change, StoredRecordSet
from tests.fakes.archive import FakeArchive
from tests.fakes.table import FakeTable
from tests.fakes.zone_records import FakeRoute53, to_stored
from tests.pages.plays.states import WWW, api_at, two_names
from tests.pages.room import ADDRESSES, LABEL, ZONE, a, open_room
from tests.pages.watching import Held, Watched, watched
from tests.simulation.record import BrokenPromise

OWNER = "0" * 31 + "1"
OLD, NEW, OTHER = (a("www", f"192.0.2.{n}") for n in (1, 2, 3))


def plan(generation: int, value: str) -> Plan:
    """A plan that states www."""
    www = RecordSet(Name(f"www.{ZONE}"), "A", 60, (value,))
    return Plan(
        schema=SCHEMA,
        owner=OWNER,
        label=LABEL,
        zone=Name(ZONE),
        generation=Generation(generation),
        base=Generation(0),
        created_s=0,
        author="planner",
        reason="",
        content=(www,),
    )


FIRST, SECOND = seal(plan(5, "192.0.2.1")), seal(plan(6, "192.0.2.2"))


def fence(
    generation: int,
    *,
    nonce: str,
    digest: Digest = SECOND.plan_id.digest,
    writer: str = "use1-az1",
    frozen: str | None = None,
) -> StoredRecordSet:
    """A fence as the zone holds it."""
    record = FenceRecord(
        generation=Generation(generation),
        step=1,
        steps=1,
        base=Generation(0),
        held=0,
        owner=OWNER,
        writer=writer,
        nonce=nonce * 16,
        digest=digest,
        frozen=frozen,
    )
    return to_stored(to_record_set(record, Name(ZONE)))


BEFORE = fence(5, nonce="1", digest=FIRST.plan_id.digest)


@pytest.fixture
def zone() -> Watched:
    """Generation 5 stands, 6 is published."""
    route53 = FakeRoute53(lambda: 0.0, Route53Settings())
    made = route53.make_zone(LABEL, ZONE)
    route53.account.submit(made.zone_id, [Change("CREATE", BEFORE), Change("CREATE", OLD)])
    one = watched(Held(route53, FakeTable(), FakeArchive()), made)
    one.judge.edited(LABEL, [OLD.name])
    for sealed in (FIRST, SECOND):
        one.judge.stored(sealed)
        one.judge.imposed(LABEL, sealed.plan_id)
    one.book.managed.add(OLD.name)
    return one


def moved(to: StoredRecordSet, *changes: Change) -> list[Change]:
    """A batch that moves the fence from generation 5."""
    return [Change("DELETE", BEFORE), Change("CREATE", to), *changes]


RIGHT = (Change("DELETE", OLD), Change("CREATE", NEW))
AHEAD = fence(6, nonce="2")


def test_a_right_batch_passes(zone: Watched) -> None:
    """Forward, to the content that was published."""
    zone.submit(zone.zone.zone_id, moved(AHEAD, *RIGHT))
    assert (zone.batches, zone.breaches) == (1, [])


BROKEN = {
    "P1: .* the fence went from": moved(fence(4, nonce="2"), *RIGHT),
    "P2: .* silent now": moved(AHEAD, Change("DELETE", OLD)),
    "P3: .* stand otherwise": moved(AHEAD, Change("DELETE", OLD), Change("CREATE", OTHER)),
    "P3: .* issued was": moved(fence(6, nonce="2", digest=Digest("d" * 64)), *RIGHT),
    "P6: .* is not managed": moved(AHEAD, *RIGHT, Change("CREATE", a("theirs", "192.0.2.9"))),
}


@pytest.mark.parametrize("said", BROKEN)
def test_a_broken_promise_is_kept(zone: Watched, said: str) -> None:
    """With its number; what comes after it is not judged."""
    zone.submit(zone.zone.zone_id, BROKEN[said])
    (breach,) = zone.breaches
    with pytest.raises(BrokenPromise, match=said):
        raise breach


def test_a_number_with_two_contents_is_kept(zone: Watched) -> None:
    """P4: whoever publishes the second."""
    other = seal(plan(6, "192.0.2.3"))
    zone.judge.stored(other)
    before = GenerationItem(label=LABEL, owner=OWNER, incarnation="table-1", nonce="0" * 16)
    after = structs.replace(before, head=Generation(6), head_digest=other.plan_id.digest)
    with pytest.raises(BrokenPromise, match=r"P4: .* issued twice"):
        zone.judge.wrote(before, after)


def test_under_a_freeze_only_an_operator_moves_the_fence(zone: Watched) -> None:
    """P9: no enactor does, and thaw may."""
    frozen = fence(
        5, nonce="3", digest=FIRST.plan_id.digest, writer="operator.ann", frozen="f" * 16
    )
    zone.submit(zone.zone.zone_id, moved(frozen))
    assert (zone.book.frozen, zone.breaches) == (True, [])
    zone.submit(zone.zone.zone_id, [Change("DELETE", frozen), Change("CREATE", AHEAD), *RIGHT])
    assert [one.promise for one in zone.breaches] == ["P9"]


@pytest.mark.system
@pytest.mark.allow_hosts(ADDRESSES)
def test_a_play_of_sabotaged_enactors_is_caught(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What they send lacks its last change, and their fence says that all is there."""
    send = Route53Records.submit

    async def lessened(self: Route53Records, zone: Zone, batch: ChangeBatch) -> SubmitOutcome:
        return await send(self, zone, replace(batch, changes=batch.changes[:-1]))

    with open_room(tmp_path) as room:
        two_names(room)
        assert (list(room.watched.book.issued), room.watched.breaches) == ([1], [])
        monkeypatch.setattr(Route53Records, "submit", lessened)
        room.config(WWW, api_at("192.0.2.21"))
        room.publish()
        room.enact()
        assert [one.promise for one in room.watched.breaches] == ["P2"]
