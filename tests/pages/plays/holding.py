"""Plays of pages about zones that stand still: held, throttled, silent."""

import asyncio
from collections.abc import Iterator

from sandbox.aws.faults import PRIOR_REQUEST, THROTTLE, Where
from sandbox.route53.model import Change, StoredRecordSet
from tests.pages.enacting import enact
from tests.pages.plays.states import API, MAIL, SILENT_S, WWW, a_pool, api_at, signed, two_names
from tests.pages.room import AZS, WEB, Room

# No sentinel's page is there.
NOBODY = "http://127.0.0.31:9"
BATCHES = Where(operation="ChangeResourceRecordSets", times=None)


def freeze_the_world(room: Room) -> Iterator[str]:
    """An operator stops everything, and thaws."""
    two_names(room)
    yield "dns-runbook freeze --because"
    room.config(WWW, api_at("192.0.2.21"))
    room.publish()
    room.enact()
    yield "dns-runbook explain shop"
    yield "dns-runbook diff shop"
    yield "dns-runbook thaw shop"
    room.enact()


def unsigned_plan(room: Room) -> Iterator[str]:
    """Somebody who may write the table and has no key publishes a plan."""
    room.more = signing = signed(room)
    two_names(room)
    room.more = ""
    room.config(WWW, api_at("192.0.2.66"))
    room.publish()
    room.more = signing
    room.config(WWW, api_at("192.0.2.21"))
    yield "dns-enactor once --az use1-az2"
    yield "dns-runbook history shop --limit 2"
    yield "dns-runbook reconcile shop --dry-run"
    room.must("dns-runbook reconcile shop --because mended --yes")
    yield "dns-planner plan shop --publish"
    room.enact()


def wave_stopped(room: Room) -> Iterator[str]:
    """The config changes while the sentinel that the wave listens to is dead."""
    two_names(room)
    room.more = f"waves: {{sentinel: '{NOBODY}'}}\n"
    room.config(WWW, api_at("192.0.2.21"))
    yield "dns-planner plan shop"
    yield "dns-runbook explain api.example.com"
    yield "dns-sentinel check"
    yield "dns-runbook waive shop wave"
    room.go_on()
    yield "dns-planner plan shop"


def velocity_hold(room: Room) -> Iterator[str]:
    """Half of a pool is gone, and velocity lets a quarter go."""
    a_pool(room)
    room.stop("a1", "a2", "a3", "a4")
    room.go_on_until(answering=6)
    yield "dns-planner plan shop"
    yield "dns-runbook explain www.example.com"
    yield "dns-runbook waive shop velocity"
    room.go_on_until(answering=4)
    yield "dns-runbook history shop"
    yield "dns-runbook verify shop"
    yield "dns-runbook rollback shop 2"
    room.enact()


def drain(room: Room) -> Iterator[str]:
    """An AZ is ill; velocity takes a quarter of the pool out at once, and the rest later."""
    a_pool(room)
    yield "dns-runbook drain use1-az1"
    yield "dns-runbook drain use1-az1"
    room.go_on()
    yield "dns-planner plan shop"
    yield "dns-runbook undrain use1-az1"
    room.go_on()


def planner_silent(room: Room) -> Iterator[str]:
    """Targets came back, and no planner says so."""
    a_pool(room)
    room.stop("a4", "b1")
    room.go_on_until(answering=6)
    room.start("a4", "b1")
    yield "dns-runbook history shop"
    yield "dns-planner plan shop"
    yield "dns-planner plan shop --publish"
    yield "dns-planner plan shop"
    room.enact()
    yield "dns-runbook rollback shop 2 --waive velocity"
    room.enact()


def stale_zone(room: Room) -> Iterator[str]:
    """No enactor was seen for more than a minute; they are started."""
    room.config(WWW, API)
    room.publish()
    asyncio.run(enact(room.folder / "dns.yaml", AZS, ago_s=SILENT_S))
    room.config(WWW, api_at("192.0.2.21"))
    room.publish()
    yield "dns-runbook explain shop"
    yield "dns-runbook diff shop"
    room.enact()
    yield "dns-runbook explain shop"


def throttling(room: Room) -> Iterator[str]:
    """Route 53 throttles every change, then only says that the last one is not done."""
    two_names(room)
    armed = room.backstage(lambda stand_in: stand_in.faults.arm(THROTTLE, BATCHES))
    room.config(WWW, api_at("192.0.2.21"))
    room.publish()
    room.enact("use1-az2")
    yield "dns-runbook explain shop"
    room.backstage(lambda stand_in: stand_in.faults.disarm(armed.id))
    room.backstage(
        lambda stand_in: stand_in.faults.arm(
            PRIOR_REQUEST, Where(operation="ChangeResourceRecordSets")
        )
    )
    room.enact("use1-az2")
    yield "dns-runbook explain shop"


def fenced_out(room: Room) -> Iterator[str]:
    """Another deployment holds the zone's fence; it is stopped, and the zone taken back."""
    a_pool(room)
    fence = "_dnsplan.example.com."
    before = room.zone.sets_at(fence)["TXT", ""]
    text = before.values[0].replace("writer=use1-az2", "writer=euw1-az1")
    owner = text.partition("owner=")[2].partition(" ")[0]
    theirs = StoredRecordSet(fence, "TXT", before.ttl, (text.replace(owner, "5" * 32),))
    room.by_hand(Change("DELETE", before), Change("CREATE", theirs))
    room.config(WEB, API, MAIL.replace("300", "600"))
    room.go_on()
    yield "dig +short"
    yield "dns-runbook explain shop"
    room.watched.book.ceded.add("5" * 32)
    yield "dns-runbook reconcile shop --take-over"
    room.go_on()
    yield "dns-runbook explain shop"


PLAYS = (
    drain,
    fenced_out,
    freeze_the_world,
    planner_silent,
    stale_zone,
    throttling,
    unsigned_plan,
    velocity_hold,
    wave_stopped,
)
