"""Prometheus' own tool on what we ship for it: the rules are sound, ring when they should and not
before, and the metrics are named and explained as is the custom."""

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.deploy.exported import registries, text
from tests.system.required import program

pytestmark = pytest.mark.system

RULES = Path(__file__).parents[3] / "deploy" / "dashboards" / "alerts.yaml"
PLAYED = Path(__file__).with_name("alerts_test.yaml")
ENDS_WITHIN_S = 60.0


def promtool(*arguments: str, folder: Path, given: str = "") -> str:
    """What it says; it must be content."""
    ended = subprocess.run(
        [program("promtool"), *arguments],
        cwd=folder,
        input=given,
        capture_output=True,
        text=True,
        timeout=ENDS_WITHIN_S,
        check=False,
    )
    said = ended.stdout + ended.stderr
    assert ended.returncode == 0, said
    return said


def test_the_rules_are_sound(tmp_path: Path) -> None:
    """Every expression and template is one."""
    assert "SUCCESS" in promtool("check", "rules", str(RULES), folder=tmp_path)


def test_alerts_ring_when_they_should(tmp_path: Path) -> None:
    """In played time: within their time, with their words, and never for what is well."""
    shutil.copy(RULES, tmp_path)
    shutil.copy(PLAYED, tmp_path)
    assert "SUCCESS" in promtool("test", "rules", PLAYED.name, folder=tmp_path)


@pytest.mark.parametrize("daemon", ["enactor", "planner", "sentinel"])
def test_metrics_are_named_as_is_the_custom(daemon: str, tmp_path: Path) -> None:
    """Units and endings, help for each, nothing twice."""
    assert promtool("check", "metrics", folder=tmp_path, given=text(registries()[daemon])) == ""
