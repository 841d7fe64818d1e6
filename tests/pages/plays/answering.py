"""Plays of pages about names that answer nothing, or what they should not."""

from collections.abc import Iterator

from sandbox.dns.faults import Fault
from sandbox.route53.model import Change
from tests.pages.plays.states import API, MAIL, WWW, a_pool, api_at, two_names
from tests.pages.room import WEB, ZONE, Room, a


def audit(room: Room) -> Iterator[str]:
    """Somebody edits a name; the enactors put it back."""
    two_names(room)
    room.by_hand(Change("UPSERT", a("www", "203.0.113.66", ttl=300)))
    yield "dns-runbook audit shop"
    room.enact()
    yield "dns-runbook audit shop"


def bad_plan(room: Room) -> Iterator[str]:
    """A deploy states the wrong address, and breaks no guardrail."""
    a_pool(room)
    room.config(WEB, API, MAIL.replace("300", "600"))
    room.go_on()
    room.config(WEB, api_at("192.0.2.99"), MAIL.replace("300", "600"))
    room.go_on()
    yield "dns-runbook history shop"
    yield "dns-runbook diff shop"
    yield "dns-runbook history shop api.example.com"
    yield "dns-runbook rollback shop"
    room.enact()
    yield "dns-runbook explain api.example.com"
    room.config(WEB, API, MAIL.replace("300", "600"))
    yield "dns-planner plan shop"
    yield "dns-runbook unpin shop"
    room.enact()


def empty_name(room: Room) -> Iterator[str]:
    """Somebody deletes a name; the enactors put it back."""
    a_pool(room)
    room.by_hand(Change("DELETE", a("api", "192.0.2.20")))
    yield "dns-sentinel check"
    yield "dns-runbook explain api.example.com"
    room.enact()
    yield "dns-runbook verify shop api.example.com"


def bad_name_held(room: Room) -> Iterator[str]:
    """Somebody made a name that is stated later; once that is deleted, ours comes by itself."""
    two_names(room)
    room.by_hand(Change("CREATE", a("new", "203.0.113.9")))
    new = "new: {records: [{type: A, ttl_s: 60, values: [192.0.2.30]}]}"
    room.config(WWW, API, new)
    room.go_on()
    yield "dns-runbook explain new.example.com"
    room.by_hand(Change("DELETE", a("new", "203.0.113.9")))
    room.config(WWW, API, new.replace("60", "61"))
    room.go_on()
    yield "dns-runbook explain new.example.com"


def sentinel_blind(room: Room) -> Iterator[str]:
    """The zone's server says that it cannot answer."""
    two_names(room)
    room.world.public.faults.set(ZONE, Fault.SERVFAIL, below=True)
    yield "dns-sentinel check --zones shop"
    room.world.public.faults.clear()
    yield "dns-runbook verify shop --name-server"
    yield "dns-sentinel check"


PLAYS = (audit, bad_name_held, bad_plan, empty_name, sentinel_blind)
