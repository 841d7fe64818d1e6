"""The states that plays begin from."""

from tests.pages.room import WEB, Room

WWW = "www: {records: [{type: A, ttl_s: 60, values: [192.0.2.10]}]}"
API = "api: {records: [{type: A, ttl_s: 60, values: [192.0.2.20]}]}"
MAIL = "mail: {records: [{type: A, ttl_s: 300, values: [192.0.2.25]}]}"

# More than an enactor may be silent.
SILENT_S = 84


def two_names(room: Room) -> None:
    """Generation 1 of two plain names is live."""
    room.config(WWW, API)
    room.go_on()


def a_pool(room: Room) -> None:
    """Generation 1 is live: a pool of eight targets, and two plain names."""
    room.config(WEB, API, MAIL)
    room.go_on()


def api_at(value: str) -> str:
    """The plain name with another value."""
    return API.replace("192.0.2.20", value)
