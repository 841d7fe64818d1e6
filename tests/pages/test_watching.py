"""The judge of a room sees each promise broken that it watches, and lets a right batch pass."""

import pytest

from dnsplan.fence import FenceRecord, to_record_set
from dnsplan.names import parse_name
from dnsplan.plan import Digest, Generation
from sandbox.route53.account import Account, Route53Settings
from sandbox.route53.model import Change, StoredRecordSet
from tests.fakes.zone_records import to_stored
from tests.pages.room import ZONE, a
from tests.pages.watching import BrokenPromise, Watched, watch

OWNER, DIGEST = "0" * 31 + "1", Digest("d" * 64)


def fence(
    generation: int, *, nonce: str, writer: str = "use1-az1", frozen: str | None = None
) -> StoredRecordSet:
    """A fence as the zone holds it."""
    record = FenceRecord(
        generation=Generation(generation), step=1, steps=1, base=Generation(0), held=0,
        owner=OWNER, writer=writer, nonce=nonce, digest=DIGEST, frozen=frozen,
    )  # fmt: skip
    return to_stored(to_record_set(record, parse_name(ZONE)))


FIRST = fence(5, nonce="1" * 16)
WWW = a("www", "192.0.2.1")


@pytest.fixture
def zone() -> tuple[Watched, str]:
    """A watched account with one zone, in which generation 5 stands."""
    account = Account(
        clock=lambda: 0.0, wall=lambda: 0.0, settings=Route53Settings(), make_zone_id=lambda _: "Z1"
    )
    made = account.create_zone(name=ZONE, private=False, caller_reference="1")
    account.submit(made.id, [Change("CREATE", FIRST), Change("CREATE", WWW)])
    return watch(account), made.id


def moved(to: StoredRecordSet, *changes: Change, before: StoredRecordSet = FIRST) -> list[Change]:
    """A batch that moves the fence."""
    return [Change("DELETE", before), Change("CREATE", to), *changes]


def test_a_right_batch_passes(zone: tuple[Watched, str]) -> None:
    """Forward, with an answer left."""
    watched, zone_id = zone
    new = a("www", "192.0.2.2")
    changes = (Change("DELETE", WWW), Change("CREATE", new))
    watched.submit(zone_id, moved(fence(6, nonce="2" * 16), *changes))
    assert watched.batches == 1


NS = StoredRecordSet(ZONE, "NS", 60, ("ns.example.net.",))
BROKEN = {
    "P1: a batch without the fence": [Change("UPSERT", a("www", "192.0.2.2"))],
    "P1: the fence went": moved(fence(4, nonce="2" * 16)),
    "P2: www.example.com. lost": moved(fence(6, nonce="2" * 16), Change("DELETE", WWW)),
    "P6: UPSERT of example.com. NS": moved(fence(6, nonce="2" * 16), Change("UPSERT", NS)),
}


@pytest.mark.parametrize("said", BROKEN)
def test_a_broken_promise_ends_the_play(zone: tuple[Watched, str], said: str) -> None:
    """With its number."""
    watched, zone_id = zone
    with pytest.raises(BrokenPromise, match=said):
        watched.submit(zone_id, BROKEN[said])


def test_under_a_freeze_only_an_operator_moves_the_fence(zone: tuple[Watched, str]) -> None:
    """P9: no enactor does, and thaw may."""
    watched, zone_id = zone
    frozen = fence(5, nonce="2" * 16, writer="operator.ann", frozen="f" * 16)
    watched.submit(zone_id, moved(frozen))
    thawed = fence(5, nonce="3" * 16, writer="operator.ann")
    with pytest.raises(BrokenPromise, match="P9: use1-az1 wrote"):
        watched.submit(zone_id, moved(fence(6, nonce="4" * 16), before=frozen))
    again = fence(6, nonce="4" * 16)
    watched.account.zone(zone_id).forget_last(1)
    watched.submit(zone_id, moved(thawed, before=frozen))
    watched.submit(zone_id, moved(again, before=thawed))


def test_a_retired_name_may_end(zone: tuple[Watched, str]) -> None:
    """An operator's word in the play."""
    watched, zone_id = zone
    watched.ending.add("www.example.com.")
    watched.submit(zone_id, moved(fence(6, nonce="2" * 16), Change("DELETE", WWW)))
    assert watched.batches == 1
