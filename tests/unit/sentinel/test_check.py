"""`dns-sentinel check`: a verdict for each name, for people and programs, without a false alarm."""

import io
import json
from dataclasses import dataclass, field, replace

from rich.console import Console

from dnsplan.names import Name
from sentinel.check import Checker, CheckReport
from sentinel.ports import NameServer, Question
from sentinel.rules.findings import Finding
from sentinel.rules.judging import Transport
from sentinel.rules.watched import Unwatched, scope
from sentinel.rules.zone_faults import ZoneSeen, faults
from sentinel.show import closing_lines, facts, table
from tests.unit.sentinel.virtual import in_virtual_time
from tests.unit.sentinel.world import SERVERS, FakeControl, FakeFinder, World, gone, world


@dataclass
class Seen:
    """A report, what the world asked, and how long it took."""

    report: CheckReport
    asked: int
    took_s: float
    world: World = field(repr=False)


def checked(*, names_max: int = 100, prepare: object = None, **parts: object) -> Seen:
    """Check a world that was prepared."""

    async def run() -> Seen:
        made = world(4, **parts)
        if callable(prepare):
            prepare(made)
        checker = Checker(made.looker, made.book, made.second, made.clock, made.pace)
        unjudged = Unwatched(("shop", Name("near.shop.example.")), "A: by place")
        report = await checker.run(scope(made.names, unjudged=[unjudged], names_max=names_max))
        return Seen(report, made.servers.asked, made.clock.elapsed_s(), made)

    return in_virtual_time(run)


def drawn(report: CheckReport) -> list[list[str]]:
    """The rows of the table as words, the heading left out."""
    out = io.StringIO()
    Console(file=out, width=200).print(table(report))
    return [line.split() for line in out.getvalue().splitlines()[1:]]


def test_all_well_is_exit_code_0() -> None:
    """Each name is asked once over every path."""
    seen = checked()
    assert seen.report.exit_code == 0
    assert all(one.is_well for one in seen.report.checked)
    assert seen.asked == 4 * (2 * len(SERVERS) + len(SERVERS))
    assert drawn(seen.report)[0] == [
        "shop",
        "n0000.shop.example.",
        "A",
        "answered",
        "192.0.2.1",
        "8",
        "of",
        "8",
        "paths",
    ]
    assert list(closing_lines(seen.report)) == [
        "4 of 4 names are well.",
        "shop near.shop.example. cannot be judged from here: A: by place.",
    ]


def test_a_name_without_answers_comes_first_with_the_control_apis_word() -> None:
    """Exit code 1, the verdict, and what is stored."""
    seen = checked(prepare=lambda made: gone(made, 2, Finding.NODATA), control=FakeControl())
    assert seen.report.exit_code == 1
    first = " ".join(drawn(seen.report)[0])
    assert first == (
        "shop n0002.shop.example. A nodata 0 of 8 paths; the control API lists no such record set"
    )
    said = json.loads(json.dumps(facts(seen.report)))
    assert (said["well"], [one["well"] for one in said["names"]]) == (
        False,
        [True, True, False, True],
    )
    assert said["names"][2]["types"] == [
        {
            "type": "A",
            "verdict": "nodata",
            "partly": False,
            "answers": [],
            "control_api": "the control API lists no such record set",
        }
    ]
    assert len(said["names"][2]["looks"]) == 2 * len(SERVERS)


def test_a_name_that_one_server_denies_is_not_well() -> None:
    """The table says which server, and that the others answer."""

    def deny(made: World) -> None:
        made.servers.broken_at[SERVERS[1].host, made.names[0].name] = Finding.NXDOMAIN

    seen = checked(prepare=deny)
    assert seen.report.exit_code == 1
    first = " ".join(drawn(seen.report)[0])
    assert "nxdomain at some servers 192.0.2.1 6 of 8 paths; ns2.example.net. (192.0.2.2)" in first


def test_lost_packets_make_no_verdict() -> None:
    """What does not answer the first time is asked a second time."""

    def lossy(made: World) -> None:
        counted = iter(range(1_000_000))

        def lose(_: NameServer, question: Question, __: Transport) -> bool:
            first_round = next(counted) < 48
            return first_round and question.name == made.names[1].name

        made.servers.losing = lose

    seen = checked(prepare=lossy)
    assert seen.report.exit_code == 0


def test_silence_of_all_is_unseen_and_not_empty() -> None:
    """Nobody is told to restore a name that nobody could ask for."""

    def silent(made: World) -> None:
        made.servers.silent_hosts.update(one.host for one in SERVERS)

    seen = checked(prepare=silent)
    assert seen.report.exit_code == 1
    assert {(one.ailments, one.unseen) for one in seen.report.checked} == {
        ((), "no name server replies")
    }
    assert drawn(seen.report)[0][3] == "unseen"
    said = json.loads(json.dumps(facts(seen.report)))
    assert said["names"][0]["types"][0]["verdict"] is None


def test_a_zone_without_known_servers_is_unseen_with_the_reason() -> None:
    """And nobody is asked in vain."""
    seen = checked(finder=FakeFinder(failure="no resolver"))
    assert (seen.report.exit_code, seen.asked) == (1, 0)
    assert {one.unseen for one in seen.report.checked} == {"no resolver"}


def test_names_beyond_names_max_are_named_and_are_no_success() -> None:
    """What is not watched is not well."""
    seen = checked(names_max=3)
    assert seen.report.exit_code == 1
    assert "1 name is beyond names_max and not watched: shop n0003.shop.example.." in list(
        closing_lines(seen.report)
    )


def test_what_is_wrong_with_a_zone_is_said_and_is_exit_code_1() -> None:
    """All names answer, and a page of the zone is open: the command that it names says why."""
    seen = ZoneSeen(negative_ttl_s=86_400)
    causes = faults("shop", Name("shop.example."), seen, negative_ttl_max_s=900)
    report = replace(checked().report, faults=tuple(causes))
    assert report.exit_code == 1
    assert list(closing_lines(report))[1] == (
        "zone shop: a missing name is remembered for 86400 s: the SOA of shop.example. says so; "
        "the limit is 900 s (sentinel.negative_ttl_max_s)."
    )
    said = json.loads(json.dumps(facts(report)))
    assert (said["well"], [one["id"] for one in said["zones"]]) == (
        False,
        ["long-negative-ttl/shop"],
    )
