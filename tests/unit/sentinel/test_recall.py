"""What is kept over a restart: stored when it says something new, and kept fresh."""

from structlog.testing import capture_logs

from dnsplan.names import Name
from sentinel.ports import ZoneMemory
from sentinel.recall import KEPT_S, STORED_AGAIN_S, STORED_EACH_S, Recall
from sentinel.rules.findings import Finding, Seen
from sentinel.rules.judging import Look
from sentinel.rules.paging import Kind, Page, Subject
from sentinel.rules.remembering import LastGood
from tests.fakes.clock import FakeClock
from tests.unit.sentinel.cases import API, WWW, look, watched
from tests.unit.sentinel.world import FakeMemory


def good(value: str, server: str = "s1") -> Look:
    """A look that was answered."""
    return Look("A", server, "udp", Seen(Finding.ANSWERED, (value,), 60))


async def test_the_same_answer_is_stored_once_a_minute() -> None:
    """A file is written for what is new, and now and then for when it was seen."""
    clock, memory = FakeClock(), FakeMemory()
    recall = Recall(["shop"], memory, clock)
    await recall.load()
    stored = []
    for _ in range(30):
        recall.answered(watched(WWW), [good("192.0.2.1")])
        await recall.run_once()
        stored.append(memory.stored)
        clock.advance(5.0)
    assert (stored[0], stored[11], stored[12], stored[-1]) == (1, 1, 2, 3)
    assert memory.kept["shop"].last_good[WWW, "A"].seen_s == clock.now_s() - 30.0
    assert STORED_AGAIN_S == 60.0


async def test_a_new_answer_is_stored_at_once() -> None:
    """It may be the last; more that come at the same time are stored together."""
    clock, memory = FakeClock(), FakeMemory()
    recall = Recall(["shop"], memory, clock)
    await recall.load()
    for value in ("192.0.2.1", "192.0.2.2"):
        recall.answered(watched(WWW), [good(value)])
        await recall.run_once()
        assert memory.kept["shop"].last_good[WWW, "A"].values == (value,)
        clock.advance(STORED_EACH_S)


async def test_a_page_is_stored_with_the_next_pass() -> None:
    """Whoever starts next must tell its end, also when this process is killed now."""
    memory = FakeMemory()
    recall = Recall(["shop"], memory, FakeClock())
    await recall.load()
    recall.answered(watched(WWW), [good("192.0.2.1")])
    await recall.run_once()
    page = Page(Subject(Kind.NAME, "shop", WWW), 7.0)
    recall.keep({}, [page])
    await recall.run_once()
    assert memory.kept["shop"].pages == (page,)


async def test_what_several_servers_answer_at_one_time_is_one_answer() -> None:
    """And what did not answer takes nothing away."""
    recall = Recall(["shop"], FakeMemory(), FakeClock())
    recall.answered(watched(WWW), [good("b"), good("a", "s2"), look(Finding.NXDOMAIN, "s3")])
    assert recall.last_good(("shop", WWW))["A"].values == ("a", "b")
    recall.answered(watched(WWW), [look(Finding.NXDOMAIN)])
    assert recall.last_good(("shop", WWW))["A"].values == ("a", "b")
    assert recall.last_good(("shop", API)) == {}


async def test_a_name_that_nobody_has_seen_for_months_is_forgotten() -> None:
    """And one that was taken out of the config by mistake is not."""
    clock = FakeClock()
    now_s = clock.now_s()

    def seen(at_s: float) -> LastGood:
        return LastGood(("192.0.2.1",), 60, at_s, (("192.0.2.1", at_s),))

    old, young = Name("old.example.com."), Name("young.example.com.")
    kept = ZoneMemory({(old, "A"): seen(now_s - KEPT_S - 1), (young, "A"): seen(now_s - 1)})
    recall = Recall(["shop"], FakeMemory({"shop": kept}), clock)
    await recall.load()
    assert recall.last_good(("shop", old)) == {}
    assert recall.last_good(("shop", young))["A"].values == ("192.0.2.1",)


async def test_a_disk_that_fails_is_said_once_and_again_after_it_worked() -> None:
    """Each outage of it is one event."""
    clock, memory = FakeClock(), FakeMemory()
    recall = Recall(["shop"], memory, clock)
    await recall.load()
    with capture_logs() as events:
        for failing in (True, True, False, True):
            memory.failing = failing
            clock.advance(STORED_AGAIN_S)
            await recall.run_once()
    assert [one["event"] for one in events] == ["memory_not_stored"] * 2
