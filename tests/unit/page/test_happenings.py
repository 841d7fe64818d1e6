"""A page's last events are those of the log, bounded, and changed by nothing."""

from typing import Any

import structlog

from dnsplan.runtime.page.happenings import KEPT_MAX, TEXT_CHARACTERS_MAX, Happenings
from dnsplan.runtime.page.model import EventView
from tests.deploy.exported import untouched_log


def heard(method: str, **event: Any) -> EventView:
    """One event as a page shows it."""
    happenings = Happenings(lambda: 5.0)
    assert happenings(None, method, event) is event
    (shown,) = happenings.newest_first()
    return shown


def test_an_event_with_its_facts() -> None:
    """Its name, zone and level apart; facts in the order in which they were logged."""
    shown = heard("warning", event="zone_held", zone="shop", rule="frozen", names=["a", "b"])
    assert shown == EventView(5.0, "warning", "zone_held", "shop", 'rule=frozen  names=["a","b"]')


def test_a_digest_is_told_by_its_beginning() -> None:
    """Sixty-four digits are no reading."""
    digest = "0123456789abcdef" * 4
    assert heard("info", event="plan_published", digest=digest).text == "digest=0123456789ab…"


def test_a_page_is_its_title() -> None:
    """Its evidence stands in the log and with the receivers."""
    shown = heard("error", event="page", title="www. has no answers", last_good={"A": 1}, text="…")
    assert shown.text == "title=www. has no answers"


def test_debug_is_not_kept() -> None:
    """A pass a second would push out what matters."""
    happenings = Happenings(lambda: 5.0)
    happenings(None, "debug", {"event": "pass_ended"})
    assert happenings.newest_first() == ()


def test_what_is_kept_is_bounded() -> None:
    """In number and in length, the newest first; what a fact holds never breaks the log."""
    happenings = Happenings(lambda: 5.0)
    for at in range(KEPT_MAX + 3):
        happenings(None, "info", {"event": f"e{at}", "fact": object(), "long": "x" * 1_000})
    kept = happenings.newest_first()
    assert [one.what for one in kept] == [f"e{at}" for at in range(KEPT_MAX + 2, 2, -1)]
    assert {len(one.text) for one in kept} == {TEXT_CHARACTERS_MAX}


def test_a_page_that_begins_anew_takes_the_place_of_the_one_before() -> None:
    """A daemon that takes up another config again and again logs through one page, its newest."""
    with untouched_log():
        before = len(structlog.get_config()["processors"])
        pages = [Happenings(lambda: 5.0) for _ in range(3)]
        for one in pages:
            one.listen()
        assert len(structlog.get_config()["processors"]) == before + 1
        structlog.get_logger("test").info("config_reloaded")
    assert [len(one.newest_first()) for one in pages] == [0, 0, 1]
