"""Follows a page through its play: types what the page shows, in its order, and compares.

A play is a generator. What it yields is the command that is typed next, as it stands on the page:
in a block, where its output is compared, or in a sentence, where it only has to end well; there the
zone's label is typed if it asks. Ids that the page shows are those of its own run; they are
replaced by the ones that were met here.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tests.pages.page import FOLDER, Differs, Met, Shown, compare, masked, named, servers, shown
from tests.pages.room import LABEL, Room, open_room
from tests.pages.terminal import Printed

Play = Callable[[Room], Iterator[str]]
SHOWN_LINES_MAX = 40
USAGE, REFUSED = 2, 3
# It changes nothing, and what a busy machine asked too late is no word about a target: so it is
# looked at again before the page is said to differ.
PROBES = "dns-planner plan"
PROBES_AGAIN_MAX = 2


@dataclass(slots=True)
class Followed:
    """What came of following a page. `printed`: its shown commands as typed, with their lines."""

    printed: list[tuple[str, Sequence[str]]] = field(default_factory=list)
    differences: list[str] = field(default_factory=list)


def page_of(play: Play) -> str:
    """The page that a play is of."""
    return play.__name__.replace("_", "-")


def follow_in(folder: Path, play: Play) -> Followed:
    """Follow a play's page in a room of its own; afterwards every name stands as planned."""
    text = (FOLDER / f"{page_of(play)}.md").read_text()
    with open_room(folder) as room:
        followed = follow(text, play, room)
        room.must("dns-runbook verify shop")
        assert room.watched.batches > 0
        assert room.watched.breaches == []
    return followed


def follow(text: str, play: Play, room: Room) -> Followed:
    """Type every command of the page; a play that leaves one out, or adds one, is an error."""
    left, sentences, met = shown(text), named(text), Met()
    met.ids.update(dict.fromkeys(servers(text), room.name_server))
    followed = Followed()
    for command in play(room):
        if left and left[0].command.startswith(command):
            _shown(left.pop(0), room, met, followed)
        elif command in sentences:
            _named(command, room, met)
        else:
            raise Differs(f"the play types {command!r}, and the page goes on with {left[:1]}")
    if left:
        raise Differs(f"the play ends before {left[0].command!r}")
    return followed


def _shown(one: Shown, room: Room, met: Met, followed: Followed) -> None:
    command = met.in_run(one.command)
    printed = room.type_in(command, one.typed)
    if command.startswith(PROBES) and "--publish" not in command:
        for _ in range(PROBES_AGAIN_MAX):
            if [*map(masked, printed.lines)] == [*map(masked, one.lines)]:
                break
            printed = room.type_in(command)
    followed.printed.append((command, printed.lines))
    try:
        compare(one.lines, printed.lines, met)
    except Differs as differs:
        followed.differences.append(f"$ {one.command}\n{differs}")
        _meet_what_is_alike(one, printed, met)


def _meet_what_is_alike(one: Shown, printed: Printed, met: Met) -> None:
    """Later commands name ids of this output, however the rest of it reads by now."""
    for ours, theirs in zip(one.lines, printed.lines, strict=False):
        try:
            compare([ours], [theirs], met)
        except Differs:
            continue


def _named(command: str, room: Room, met: Met) -> None:
    printed = room.type_in(met.in_run(command), LABEL)
    if printed.code in (USAGE, REFUSED):
        lines = "\n".join(printed.lines[:SHOWN_LINES_MAX])
        raise Differs(f"{command} ended with {printed.code}:\n{lines}")
