"""Behind a caching resolver the zones answer as they would for users: what is kept, how long."""

from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from sandbox.dns.faults import Fault
from sandbox.route53.model import StoredRecordSet
from tests.integration.dns_clients import APEX, WWW, address, put, serving, soon, zone
from tests.system.dns.programs import answers, records, resolver, status

pytestmark = pytest.mark.system

NEW = "new.example.com."
PAGE = Path(__file__).parents[3] / "runbooks" / "client-caches.md"
# What unbound gives an expired answer as its TTL.
EXPIRED_TTL_S = 30


def stated_settings() -> str:
    """The resolver's settings as the runbook page shows them."""
    _, _, behind = PAGE.read_text().partition("```\nserver:\n")
    return "server:\n" + behind.partition("```")[0]


def soa(ttl: int, minimum: int) -> StoredRecordSet:
    """Make an SOA that decides how long a no is kept."""
    return StoredRecordSet(APEX, "SOA", ttl, (f"ns.x. h.x. 1 2 3 4 {minimum}",))


async def until(expected: list[str], ask: Callable[[], Awaitable[list[str]]]) -> None:
    """Ask again and again until the answer is the expected one, for a bounded time."""

    async def poll() -> None:
        while expected != await ask():
            pass

    await soon(poll())


async def test_an_answer_is_kept_for_its_ttl(tmp_path: Path) -> None:
    """Within the TTL users see the old value, and our server is not asked again."""
    held = zone(address("192.0.2.1"))
    async with serving(held) as server, resolver(server.port, tmp_path) as port:
        assert await answers(port, WWW) == ["192.0.2.1"]
        asked = server.counts.replies.total()
        put(held, address("192.0.2.2"))
        [line] = await records(port, "answer", WWW)
        assert line.value == "192.0.2.1"
        assert 0 < line.ttl_s <= 60
        assert asked == server.counts.replies.total()


async def test_a_short_ttl_lets_a_change_through(tmp_path: Path) -> None:
    """Once the TTL has passed, users see the new value."""
    held = zone(StoredRecordSet(WWW, "A", 1, ("192.0.2.1",)))
    async with serving(held) as server, resolver(server.port, tmp_path) as port:
        assert await answers(port, WWW) == ["192.0.2.1"]
        put(held, address("192.0.2.2"))
        await until(["192.0.2.2"], lambda: answers(port, WWW))


@pytest.mark.parametrize(("ttl", "minimum"), [(900, 86_400), (86_400, 300)])
async def test_a_missing_name_is_kept_for_the_lesser_of_soa_ttl_and_minimum(
    ttl: int, minimum: int, tmp_path: Path
) -> None:
    """A name made too late stays missing for users, as long as the SOA says."""
    held = zone()
    put(held, soa(ttl, minimum))
    async with serving(held) as server, resolver(server.port, tmp_path) as port:
        assert (await status(port, NEW))[0] == "NXDOMAIN"
        put(held, address("192.0.2.1", NEW))
        assert await answers(server.port, NEW) == ["192.0.2.1"]
        assert (await status(port, NEW))[0] == "NXDOMAIN"
        [line] = await records(port, "authority", NEW)
        least = min(ttl, minimum)
        assert (line.kind, least - 60 < line.ttl_s <= least) == ("SOA", True)


async def test_an_emptied_name_stays_empty_for_users_as_long_as_the_no_is_kept(
    tmp_path: Path,
) -> None:
    """The slow tail of October 2025: the records are back, and users still get nothing."""
    held = zone(address("192.0.2.1"))
    async with serving(held) as server, resolver(server.port, tmp_path) as port:
        server.faults.empty(WWW)
        assert await answers(port, WWW) == []
        server.faults.clear()
        assert await answers(server.port, WWW) == ["192.0.2.1"]
        assert (await status(port, WWW))[0] == "NOERROR"
        assert await answers(port, WWW) == []


async def test_a_no_kept_for_a_second_ends(tmp_path: Path) -> None:
    """With a short SOA the new name is there for users at once."""
    held = zone()
    put(held, soa(1, 86_400))
    async with serving(held) as server, resolver(server.port, tmp_path) as port:
        assert (await status(port, NEW))[0] == "NXDOMAIN"
        put(held, address("192.0.2.1", NEW))
        await until(["192.0.2.1"], lambda: answers(port, NEW))


async def test_cnames_wildcards_and_long_answers_come_through(tmp_path: Path) -> None:
    """The resolver mixes case, asks label by label and goes to TCP, and users see whole answers."""
    many = StoredRecordSet(
        "many.example.com.", "A", 60, tuple(f"10.0.{n // 200}.{n % 200}" for n in range(400))
    )
    wildcard = StoredRecordSet("\\052.a.b.example.com.", "CNAME", 60, ("many.example.com",))
    async with serving(zone(many, wildcard)) as server, resolver(server.port, tmp_path) as port:
        found = await records(port, "answer", "+tcp", "x.a.b.example.com")
        assert [line.kind for line in found] == ["CNAME"] + ["A"] * 400
        assert sorted(many.values) == sorted(line.value for line in found[1:])


@pytest.mark.parametrize("fault", [Fault.SERVFAIL, Fault.REFUSE])
async def test_a_failing_or_lame_server_is_a_failure_for_users(
    fault: Fault, tmp_path: Path
) -> None:
    """No answer is not an empty answer, and it ends soon after the server answers again."""
    held = zone(address("192.0.2.1"))
    async with serving(held) as server, resolver(server.port, tmp_path) as port:
        server.faults.set(APEX, fault, below=True)
        assert (await status(port, WWW))[0] == "SERVFAIL"
        server.faults.clear()
        await until(["192.0.2.1"], lambda: answers(port, WWW))


@pytest.mark.parametrize("fault", [Fault.SILENCE, Fault.SERVFAIL])
async def test_with_the_settings_of_the_page_users_keep_the_last_good_answer(
    fault: Fault, tmp_path: Path
) -> None:
    """While the name servers say nothing, or fail, past the answer's own TTL."""
    held = zone()
    put(held, StoredRecordSet(WWW, "A", 1, ("192.0.2.1",)))
    async with (
        serving(held) as server,
        resolver(server.port, tmp_path, stated_settings()) as port,
    ):
        assert await answers(port, WWW) == ["192.0.2.1"]
        server.faults.set(APEX, fault, below=True)

        async def expired() -> list[str]:
            found = await records(port, "answer", WWW)
            return [line.value for line in found if line.ttl_s == EXPIRED_TTL_S]

        await until(["192.0.2.1"], expired)


async def test_the_settings_of_the_page_keep_no_answer_against_an_answer_of_nothing(
    tmp_path: Path,
) -> None:
    """A server that is well and answers nothing is believed: the negative TTL decides."""
    held = zone()
    put(held, StoredRecordSet(WWW, "A", 1, ("192.0.2.1",)))
    async with (
        serving(held) as server,
        resolver(server.port, tmp_path, stated_settings()) as port,
    ):
        assert await answers(port, WWW) == ["192.0.2.1"]
        server.faults.empty(WWW)
        await until([], lambda: answers(port, WWW))
