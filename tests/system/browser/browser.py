"""A real browser on a status page: Debian's chromium, driven by `watch.js`, told what to do a line
at a time. Whatever the page logs, asks for or navigates to is kept."""

import json
import queue
import subprocess
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.system.required import missing, program

SCRIPT = Path(__file__).with_name("watch.js")
NPM = Path(__file__).parents[3] / "build" / "npm"
ANSWERS_WITHIN_S = 60.0
ENDS_WITHIN_S = 15.0


class Browser:
    """One page in one browser."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        """The process has opened the page or is about to."""
        self._process = process
        self._answers: queue.Queue[dict[str, Any]] = queue.Queue()
        self.console: list[str] = []
        self.requests: list[str] = []
        self.navigated: list[str] = []
        self._other: list[str] = []
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        self.title: str = self._answer("opened")["opened"]

    def wait_for(self, selector: str, pattern: str, within_s: float) -> list[str]:
        """The texts of all such elements, once one of them matches."""
        found = self._do({"wait": selector, "text": pattern, "within_s": within_s}, "seen")
        return list(found["seen"])

    def press(self, *keys: str) -> Mapping[str, str]:
        """What has the focus after these keys."""
        focus: Mapping[str, str] = self._do({"keys": keys}, "focus")["focus"]
        return focus

    def resize(self, width: int, height: int, *, scheme: str = "light") -> int:
        """How wide the page is on a screen of this size."""
        return int(self._do({"size": [width, height], "scheme": scheme}, "width")["width"])

    def shoot(self, file: Path) -> None:
        """A picture of the whole page."""
        self._do({"shoot": str(file)}, "shot")

    def close(self) -> None:
        """End it, and leave nothing running."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        try:
            self._process.wait(ENDS_WITHIN_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._reader.join(ENDS_WITHIN_S)

    def _do(self, command: Mapping[str, object], answer: str) -> dict[str, Any]:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(command) + "\n")
        self._process.stdin.flush()
        return self._answer(answer)

    def _answer(self, key: str) -> dict[str, Any]:
        deadline_s = time.monotonic() + ANSWERS_WITHIN_S
        while (left_s := deadline_s - time.monotonic()) > 0:
            try:
                found = self._answers.get(timeout=min(left_s, 0.2))
            except queue.Empty:
                assert self._process.poll() is None, f"the browser ended: {self._other}"
                continue
            assert key in found, found
            return found
        raise AssertionError(f"no {key} within {ANSWERS_WITHIN_S:g} s: {self._other}")

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            if not line.startswith("{"):
                self._other.append(line.rstrip())
                continue
            self._take(json.loads(line))

    def _take(self, said: dict[str, Any]) -> None:
        if "console" in said:
            self.console.append(f"{said['console']}: {said['text']}")
        elif "request" in said:
            self.requests.append(said["request"])
        elif "navigated" in said:
            self.navigated.append(said["navigated"])
        else:
            self._answers.put(said)


@contextmanager
def browser_on(url: str, folder: Path) -> Iterator[Browser]:
    """A browser with an empty profile, for as long as the block lasts."""
    node, chromium = program("node"), program("chromium")
    if not (NPM / "node_modules" / "playwright-core").is_dir():
        missing("playwright-core")
    with subprocess.Popen(
        [node, str(SCRIPT), chromium, str(folder / "profile"), url],
        env={"NODE_PATH": str(NPM / "node_modules"), "PATH": "/usr/bin:/bin", "HOME": str(folder)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as process:
        browser = None
        try:
            browser = Browser(process)
            yield browser
        finally:
            if browser is not None:
                browser.close()
            else:
                process.kill()
