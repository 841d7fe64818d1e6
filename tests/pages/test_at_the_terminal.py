"""What a person at a terminal may rely on, of every command: it asks before it changes anything, no
is no, tables fit 80 columns, and a pipe gets neither colour nor a question."""

import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from sandbox.route53.model import Change
from tests.pages.plays.states import API, WWW, a_pool, api_at, two_names
from tests.pages.room import ADDRESSES, Room, a, open_room
from tests.pages.terminal import CTRL_C, CTRL_D, on_a_terminal

pytestmark = pytest.mark.allow_hosts(ADDRESSES)

WHY = '--because "drill"'
FILE = "plans/shop/1.json"
FREEZE = "FREEZE"
# Each command that changes something, and the state in which it would.
CHANGING = {
    "adopt": f"dns-runbook adopt shop {WHY}",
    "freeze": f"dns-runbook freeze shop {WHY}",
    "pin": f"dns-runbook pin shop 1 {WHY}",
    "reconcile": f"dns-runbook reconcile shop {WHY}",
    "restore": f"dns-runbook restore {FILE}",
    "retire": f"dns-runbook retire shop www {WHY}",
    "rollback": f"dns-runbook rollback shop 1 {WHY}",
    "thaw": f"dns-runbook thaw shop {FREEZE} {WHY}",
    "unpin": f"dns-runbook unpin shop {WHY}",
    "waive": f"dns-runbook waive shop velocity {WHY}",
}
# They ask too, and are tried where they are made.
ELSEWHERE = {"drain", "undrain"}
LOOKING = frozenset(
    {
        "audit",
        "diff",
        "drill",
        "explain",
        "export",
        "history",
        "keys",
        "names",
        "preflight",
        "status",
        "verify",
    }
)
WRITES = ("ChangeResourceRecordSets", "UpdateItem", "PutItem", "DeleteItem", "TransactWriteItems")
ESCAPE = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


@pytest.fixture
def room(tmp_path: Path) -> Iterator[Room]:
    """Generation 1 stands, and is kept in a file."""
    with open_room(tmp_path) as made:
        two_names(made)
        yield made


def ready_for(room: Room, command: str) -> str:
    """Bring the state about in which the command has something to do; the command."""
    match command:
        case "adopt" | "reconcile":
            fence = room.zone.sets_at("_dnsplan.example.com.")["TXT", ""]
            room.by_hand(Change("DELETE", fence), Change("UPSERT", a("www", "192.0.2.66")))
            if command == "reconcile":
                room.must(f"dns-runbook restore {FILE} --above 2 --yes")
        case "restore":
            room.by_hand(Change("UPSERT", a("www", "192.0.2.66")))
        case "retire":
            room.config(API)
        case "thaw":
            printed = room.must(f"dns-runbook freeze shop {WHY} --yes")
            (freeze,) = re.findall(r"thaw shop (\w+)$", printed.lines[-1])
            return CHANGING[command].replace(FREEZE, freeze)
        case "rollback":
            room.config(WWW, api_at("192.0.2.21"))
            room.publish()
        case "unpin":
            room.must(f"dns-runbook pin shop 1 {WHY} --yes")
        case _:
            pass
    return CHANGING[command]


def written(room: Room) -> dict[str, int]:
    """Requests that write, since the counters were reset."""
    requests = room.backstage(lambda stand_in: dict(stand_in.ledger.requests))
    return {operation: n for (_, operation, _), n in requests.items() if operation in WRITES}


@pytest.mark.parametrize("command", sorted(CHANGING))
def test_no_is_no(room: Room, command: str) -> None:
    """A wrong label typed, Ctrl-C at the question, and nobody there: not one request that writes;
    then the label is typed, and it is done."""
    line = ready_for(room, command)
    room.backstage(lambda stand_in: stand_in.ledger.reset())
    wrong = room.type_in(line, "shpo")
    assert (wrong.code, wrong.lines[-1]) == (2, "nothing was changed")
    stopped = room.type_in(line, CTRL_C)
    assert stopped.code == 1
    assert stopped.lines[-1] == "stopped at the question; nothing was changed"
    nobody = room.type_in(line)
    assert (nobody.code, nobody.lines[-1]) == (2, "nothing was changed")
    assert "this command asks before it changes anything; --yes is for scripts" in nobody.lines
    assert written(room) == {}
    label = "www.example.com." if command == "retire" else "shop"
    done = room.type_in(line, label)
    assert done.code == 0, done
    assert written(room) != {}


@pytest.mark.system
def test_what_would_be_refused_is_not_asked(room: Room) -> None:
    """Nobody types a label to hear no; and Ctrl-D at a question ends its line."""
    room.config(WWW, api_at("192.0.2.21"))
    room.go_on()
    for command in (CHANGING["pin"], CHANGING["unpin"]):
        refused = room.type_in(command, "shop")
        assert (refused.code, refused.lines[-1]) == (3, "page: runbooks/bad-plan.md")
        assert [line for line in refused.lines if "to go on" in line] == []
    left = room.type_in(CHANGING["freeze"], CTRL_D)
    assert (left.code, left.lines[-2:]) == (2, ('Type "shop" to go on: ', "nothing was changed"))


def test_every_command_is_one_that_looks_or_one_that_asks() -> None:
    """A new command has to be put on one side."""
    import runbooks.main

    named = {one.name for one in runbooks.main.app.registered_commands}
    assert named - ELSEWHERE == LOOKING | CHANGING.keys()


TABLES = (
    "dns-runbook status",
    "dns-runbook explain shop",
    "dns-runbook explain www.example.com",
    "dns-runbook history shop",
    "dns-runbook diff shop 1",
    "dns-runbook verify shop",
    "dns-runbook audit shop",
    f"dns-runbook restore {FILE} --dry-run",
    "dns-planner plan",
    "dns-sentinel check",
)


def test_tables_fit_80_columns_and_a_pipe_gets_no_colour(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also in a state in which there is much to say: a pool, drift, and a plan that waits."""
    with open_room(tmp_path) as room:
        a_pool(room)
        room.by_hand(Change("UPSERT", a("api", "203.0.113.66", ttl=300)))
        room.stop("a1", "a2", "a3", "a4")
        room.publish()
        monkeypatch.setitem(os.environ, "COLUMNS", "80")
        monkeypatch.setitem(os.environ, "TERM", "xterm-256color")
        for command in TABLES:
            shown = [ESCAPE.sub("", line) for line in on_a_terminal(command).lines]
            assert shown != [], command
            assert [line for line in shown if len(line) > 80] == [], command
            piped = room.type_in(command)
            assert [line for line in piped.lines if "\x1b" in line] == [], command
