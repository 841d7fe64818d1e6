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


def signed(room: Room) -> str:
    """The config's lines with a planner's and an operator's key, made as an operator makes them."""
    lines = ["signing:", "  keys:"]
    for of in ("planner", "operator"):
        printed = room.must(f"dns-runbook keys {of}-1 {room.folder}/{of}-1.key --of {of}")
        lines += [line for line in printed.lines if line.startswith("    ")]
    return "\n".join([*lines, "  sign_with: {planner: planner-1, operator: operator-1}", ""])


def api_at(value: str) -> str:
    """The plain name with another value."""
    return API.replace("192.0.2.20", value)
