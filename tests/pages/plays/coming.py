"""Plays of pages about what is planned: zones and names that come and end."""

from collections.abc import Iterator

from sandbox.route53.model import Change, StoredRecordSet
from tests.pages.plays.states import API, WWW, two_names
from tests.pages.room import ZONE, Room, a

TWO = "api: {records: [{type: A, ttl_s: 60, values: [192.0.2.21, 192.0.2.22]}]}"


def txt(name: str, text: str) -> StoredRecordSet:
    """A TXT record as another tool leaves it."""
    return StoredRecordSet(f"{name}.{ZONE}", "TXT", 300, (f'"{text}"',))


def adopt(room: Room) -> Iterator[str]:
    """A zone that octoDNS and external-dns have written."""
    mail = StoredRecordSet(ZONE, "MX", 300, ("10 mail.example.com.",))
    external = "heritage=external-dns,external-dns/owner=prod,external-dns/resource=ingress/a/b"
    made = (
        a("www", "192.0.2.10"), a("api", "192.0.2.21"), mail,
        txt("_owner.a.api", "heritage=octodns"), txt("a-www", external),
    )  # fmt: skip
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
    room.watched.ending.add("www.example.com.")
    yield "dns-planner plan"
    yield "dns-runbook status"
    yield "dns-runbook retire shop www --dry-run"
    yield "dns-runbook retire shop www --because"
    room.enact()
    yield "dns-runbook retire shop www"


PLAYS = (adopt, retire)
