"""The status page in a real browser, while a whole system runs: what a person sees without doing
anything, on a wide screen and on a phone, with a keyboard alone."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.integration.sandbox_process import DEMO, RunningSandbox, free_copy
from tests.system.browser.browser import Browser, browser_on

pytestmark = [pytest.mark.system, pytest.mark.timeout(240)]

CHANGES_WITHIN_S = 40.0
ROW = 'tr[data-find*="demo example.test. A "]'
ANSWERS = f"{ROW} .answers"
WIDE, PHONE = (1280, 900), (390, 844)


@pytest.fixture
def sandbox(tmp_path: Path) -> Iterator[RunningSandbox]:
    """The demo, converged, with servers that can be stopped."""
    running = RunningSandbox("--backends", config=free_copy(DEMO, tmp_path))
    try:
        running.converged()
        yield running
    finally:
        running.kill()


def page_of(sandbox: RunningSandbox, daemon: str) -> str:
    """Where a daemon's page is, as it logs it."""
    line = sandbox.wait_for(
        lambda line: line["event"] == "page_served" and line["who"].startswith(daemon),
        f"the page of {daemon}",
    )
    return str(line["facts"]["url"])


def quiet(browser: Browser, url: str) -> None:
    """Nothing was complained of, nobody else was asked, and the page was opened once."""
    assert browser.console == []
    assert [one for one in browser.requests if not one.startswith((url, "data:"))] == []
    assert browser.navigated == [url]


def test_an_answer_changes_before_ones_eyes(sandbox: RunningSandbox, tmp_path: Path) -> None:
    """A backend dies: its target turns, a generation goes its way, the answer is another, and the
    page was loaded once. Then the table is gone, and what stood is shown as past."""
    url = page_of(sandbox, "planner")
    with browser_on(url, tmp_path) as browser:
        browser.wait_for(ANSWERS, r"127\.0\.0\.11\s+127\.0\.0\.12\s+127\.0\.0\.13", 30)
        browser.wait_for("#sum-text", "^The zone demo: in sync$", 30)
        browser.wait_for("#pulse-text", "^live$", 10)
        sandbox.switch("stop", "web-b")
        browser.wait_for(f"{ROW} .unhealthy", "web-b", CHANGES_WITHIN_S)
        browser.wait_for(ANSWERS, r"^127\.0\.0\.11\s+127\.0\.0\.13$", CHANGES_WITHIN_S)
        browser.wait_for(
            ".gen", r"Generation 2\s+example\.test\. A -127\.0\.0\.12", CHANGES_WITHIN_S
        )
        browser.wait_for("#heard", "example.test. A answers 127.0.0.11, 127.0.0.13", 10)
        browser.wait_for("#sum-text", "^The zone demo: in sync$", CHANGES_WITHIN_S)
        sandbox.control("away", {"for_s": 60})
        browser.wait_for("#alerts", "table dnsplan cannot be read", CHANGES_WITHIN_S)
        browser.wait_for("#sum-text", "was in sync", 10)
        browser.wait_for(ANSWERS, r"^127\.0\.0\.11\s+127\.0\.0\.13$", 10)
        quiet(browser, url)


def test_a_daemon_that_is_gone_is_said(sandbox: RunningSandbox, tmp_path: Path) -> None:
    """A page whose daemon ends says so, and keeps what it showed."""
    url = page_of(sandbox, "enactor-use1-az1")
    with browser_on(url, tmp_path) as browser:
        browser.wait_for(".zone h2", "demo", 30)
        sandbox.kill()
        browser.wait_for("#alerts", "This daemon does not answer", CHANGES_WITHIN_S)
        browser.wait_for("#pulse-text", "last heard .* ago", 10)
        assert browser.wait_for(".zone h2", "demo", 10) == ["demo"]


def test_it_fits_a_phone_and_needs_no_mouse(sandbox: RunningSandbox, tmp_path: Path) -> None:
    """No sideways scrolling at either width or scheme; the first key leads to the zones, and names
    can be found by typing."""
    url = page_of(sandbox, "sentinel")
    with browser_on(url, tmp_path) as browser:
        browser.wait_for(".zone .tag", "answers", 40)
        for width, height in (WIDE, PHONE):
            for scheme in ("light", "dark"):
                assert browser.resize(width, height, scheme=scheme) == width
        assert browser.press("Tab")["text"] == "Skip to the zones"
        assert browser.press("Enter")["id"] == "zones"
        assert browser.press("Shift+Tab")["id"] == "find"
        browser.press(*"hello")
        assert browser.wait_for("tbody tr:not([hidden]) td.name", "hello", 10) == [
            "hello.example.test."
        ]
        assert [one for one in browser.console if "error" in one] == []
