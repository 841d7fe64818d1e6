"""Every failure that can be drilled: made for real, ended by its page's commands, promises kept."""

import os
import subprocess
from pathlib import Path

import pytest

from runbooks.drilling.failures import FAILURES, Failure
from tests.integration.sandbox_process import BIN
from tests.integration.terminal import on_a_terminal

pytestmark = [pytest.mark.system, pytest.mark.timeout(300)]

ENDS_WITHIN_S = 280.0


@pytest.mark.parametrize("failure", FAILURES, ids=lambda one: one.name)
def test_a_drill_is_passed_by_its_page(failure: Failure, tmp_path: Path) -> None:
    """All daemons are real processes; what is judged is what DNS clients see, and reported."""
    file = tmp_path / "drill.md"
    words = (failure.name, "--rehearse", "--within", "150", "--by", "ann", "--report", str(file))
    done = subprocess.run(
        [str(BIN / "dns-runbook"), "drill", *words],
        capture_output=True,
        text=True,
        timeout=ENDS_WITHIN_S,
        check=False,
        stdin=subprocess.DEVNULL,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    text = file.read_text()
    assert text.startswith(f"# Drill: {failure.name}\n")
    assert "promises broken: none" in text
    assert f", by ann. Page: `runbooks/{failure.page}.md`." in text


def test_a_person_may_give_up() -> None:
    """It ends with 1, names the page, and leaves nothing behind."""
    text, code = on_a_terminal(
        "dns-runbook",
        "drill",
        "frozen",
        "--within",
        "60",
        types="page\ngive up\n",
        ends_within_s=ENDS_WITHIN_S,
        environment=dict(os.environ),
    )
    assert code == 1, text
    assert "In another shell: source " in text
    assert "runbooks/freeze-the-world.md" in text
    assert "failed: not restored" in text
