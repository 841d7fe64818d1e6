"""Runs dynalite, an implementation of DynamoDB by other people, on a free port of this machine.

It shares no code with moto, our stand-in or the fake, so that what all of them say is not merely
one mistake made once. `tests/system/install` brings it; without it a test is skipped or fails, as
`tests/system/required.py` says.
"""

import select
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.system.required import missing

FOLDER = Path(__file__).parents[2] / "build" / "npm"
# Its own command cannot be told to take any free port.
SERVE = """
const server = require("dynalite")({ createTableMs: 20 });
server.listen(0, "127.0.0.1", () => console.log(server.address().port));
"""
STARTS_WITHIN_S = 30.0
STOPS_WITHIN_S = 10.0


@contextmanager
def serve_dynalite() -> Iterator[str]:
    """Run an empty one for as long as the block lasts, and give its address."""
    node = shutil.which("node")
    if node is None or not (FOLDER / "node_modules" / "dynalite").is_dir():
        missing("dynalite")
    with subprocess.Popen(
        [node, "-e", SERVE],
        cwd=FOLDER,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as process:
        try:
            yield f"http://127.0.0.1:{_port(process)}"
        finally:
            _stop(process)


def _port(process: subprocess.Popen[str]) -> int:
    """The port that it prints once it listens."""
    assert process.stdout is not None
    said, _, _ = select.select([process.stdout], [], [], STARTS_WITHIN_S)
    assert said, f"dynalite did not start within {STARTS_WITHIN_S:g} s"
    line = process.stdout.readline().strip()
    assert line.isdigit(), f"dynalite did not start: {line}{process.stdout.read()}"
    return int(line)


def _stop(process: subprocess.Popen[str]) -> None:
    process.terminate()
    try:
        process.wait(STOPS_WITHIN_S)
    except subprocess.TimeoutExpired:
        process.kill()
