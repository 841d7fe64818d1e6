"""Plays of pages about what is planned: zones and names that come and end."""

import asyncio
from collections.abc import Iterator
from dataclasses import replace

from sandbox.route53.model import Change, StoredRecordSet
from tests.pages.enacting import enact
from tests.pages.plays.states import API, SILENT_S, WWW, two_names
from tests.pages.room import AZS, WEB, ZONE, Room, a

TWO = "api: {records: [{type: A, ttl_s: 60, values: [192.0.2.21, 192.0.2.22]}]}"


def txt(name: str, text: str) -> StoredRecordSet:
    """A TXT record as another tool leaves it."""
    return StoredRecordSet(f"{name}.{ZONE}", "TXT", 300, (f'"{text}"',))


def adopt(room: Room) -> Iterator[str]:
    """A zone that octoDNS and external-dns have written."""
    mail = StoredRecordSet(ZONE, "MX", 300, ("10 mail.example.com.",))
    external = "heritage=external-dns,external-dns/owner=prod,external-dns/resource=ingress/a/b"
    made = (
        a("www", "192.0.2.10"),
        a("api", "192.0.2.21"),
        mail,
        txt("_owner.a.api", "heritage=octodns"),
        txt("a-www", external),
    )
    room.by_hand(*(Change("CREATE", one) for one in made))
    room.config(WWW, TWO)
    yield "dns-runbook adopt shop --dry-run"
    yield "dns-runbook adopt shop --because"
    room.enact()
    yield "dig +short"
    yield "dns-planner plan"
    room.go_on()


def retire(room: Room) -> Iterator[str]:
    """A name vanishes from the config, and is ended."""
    two_names(room)
    room.config(API)
    yield "dns-planner plan"
    yield "dns-runbook status"
    yield "dns-runbook retire shop www --dry-run"
    yield "dns-runbook retire shop www --because"
    room.enact()
    yield "dns-runbook retire shop www"
    yield "dns-runbook rollback shop 1"
    room.enact()


def upgrade(room: Room) -> Iterator[str]:
    """Nothing is wrong, before and after."""
    two_names(room)
    yield "dns-runbook status shop"
    yield "dns-runbook verify shop"
    yield "dns-runbook export shop --output before.json"
    yield "dns-enactor once --az use1-az2"
    yield "dns-planner plan shop"
    room.enact()
    yield "dns-runbook explain shop"


def rotate_az(room: Room) -> Iterator[str]:
    """An AZ has been silent for more than a minute; another takes its place."""
    room.config(WWW, API)
    room.publish()
    asyncio.run(enact(room.folder / "dns.yaml", AZS, ago_s=SILENT_S))
    room.enact("use1-az2", "use1-az3")
    yield "dns-runbook explain shop"
    room.config(WWW, API, azs=(*AZS[1:], "use1-az4"))
    room.enact("use1-az2", "use1-az3", "use1-az4")
    yield "dns-runbook status shop"
    yield "dns-runbook explain shop"


def region_back(room: Room) -> Iterator[str]:
    """Four of eight targets were out, and come back two by two."""
    room.config(WEB, API, drained=("a1", "a2", "a3", "a4"))
    room.go_on()
    yield "dns-planner plan shop"
    yield "dns-runbook explain www.example.com"
    room.config(WEB, API, drained=("a3", "a4"))
    yield "dns-planner plan shop"
    room.go_on()
    room.config(WEB, API)
    room.go_on()
    yield "dns-runbook explain www.example.com"


def client_caches(room: Room) -> Iterator[str]:
    """A fresh zone's SOA keeps "nothing" for long; somebody shortens it."""
    two_names(room)
    yield "dig +short"
    (soa,) = (one for (kind, _), one in room.zone.sets_at(ZONE).items() if kind == "SOA")
    short = (soa.values[0].rpartition(" ")[0] + " 60",)
    room.by_hand(Change("UPSERT", replace(soa, ttl=60, values=short)))
    yield "dig +short"


PLAYS = (adopt, client_caches, region_back, retire, rotate_az, upgrade)
