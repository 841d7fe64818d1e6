"""Makes the pictures of docs/observing.md: a sandbox, a backend that is down, the planner's page at
the width of a desk and of a phone. Run it as `python -m tests.system.browser.pictures`."""

import sys
import tempfile
from pathlib import Path

from tests.integration.sandbox_process import DEMO, RunningSandbox, free_copy
from tests.system.browser.browser import browser_on

DOCS = Path(__file__).parents[3] / "docs"
ROW = 'tr[data-find*="demo example.test. A "]'


def main() -> int:
    """Both pictures, from one run."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        sandbox = RunningSandbox("--backends", config=free_copy(DEMO, folder))
        try:
            sandbox.converged()
            line = sandbox.wait_for(
                lambda line: line["event"] == "page_served" and line["who"].startswith("planner"),
                "the planner's page",
            )
            with browser_on(line["facts"]["url"], folder) as browser:
                browser.wait_for(f"{ROW} .answers", r"127\.0\.0\.13", 30)
                sandbox.switch("stop", "web-b")
                browser.wait_for(f"{ROW} .answers", r"^127\.0\.0\.11\s+127\.0\.0\.13$", 40)
                browser.wait_for(".gen", r"Generation 2[\s\S]*in sync\s+\+", 40)
                browser.wait_for("#sum-text", "in sync", 40)
                browser.resize(1280, 900)
                browser.shoot(DOCS / "page-desktop.png")
                browser.resize(390, 844, scheme="dark")
                browser.shoot(DOCS / "page-phone.png")
        finally:
            sandbox.kill()
    return 0


if __name__ == "__main__":
    sys.exit(main())
